// The filter of the audit log, stored in the address bar so that a view can be shared.

import { isDay } from '@svc/contract/values/instants';

export type AuditFilter = {
  readonly action: string;
  readonly actorUserId: string;
  /** Days such as `2026-11-21`, of the page's time zone. The range includes both. */
  readonly from: string;
  readonly to: string;
};

const names = ['action', 'actorUserId', 'from', 'to'] as const;

export function filterOf(search: string): AuditFilter {
  const given = new URLSearchParams(search);
  const [action = '', actorUserId = '', from = '', to = ''] = names.map(
    (name) => given.get(name) ?? '',
  );
  return { action, actorUserId, from: dayOf(from), to: dayOf(to) };
}

const dayOf = (text: string): string => (isDay(text) ? text : '');

export const isEmpty = (filter: AuditFilter): boolean => names.every((name) => !filter[name]);

/** Returns the filter as a query string for the address bar. */
export function searchOf(filter: AuditFilter): string {
  const given = new URLSearchParams();
  for (const name of names) if (filter[name]) given.set(name, filter[name]);
  return given.size > 0 ? `?${given}` : '';
}

/** Returns the first instant of a day in milliseconds. Days beyond the month's end carry over. */
export type StartOf = (day: { year: number; month: number; day: number }) => number;

/** The days of this browser's time zone. */
export const ownStartOf: StartOf = ({ year, month, day }) =>
  new Date(year, month - 1, day).getTime();

function dayStart(text: string, startOf: StartOf, more = 0): string {
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  return new Date(startOf({ year, month, day: day + more })).toISOString();
}

/** Returns the filter as a query for the service: fields, operators and instants of contract §2. */
export function queryOf(filter: AuditFilter, startOf: StartOf): string {
  const { action, actorUserId, from, to } = filter;
  const given = new URLSearchParams();
  if (action) given.set('action[eq]', action);
  if (actorUserId) given.set('actorUserId[eq]', actorUserId);
  if (from) given.set('createdAt[gte]', dayStart(from, startOf));
  if (to) given.set('createdAt[lt]', dayStart(to, startOf, 1));
  return given.toString();
}
