// What a file of payments holds, in the words of the list and of the form that made it.

import { msOf } from '@svc/contract/values/instants';
import { dayIn } from '@svc/contract/values/zone-days';
import { exportColumns } from '../../kit/list/export-columns.ts';
import { paymentFilters } from '../../kit/list/filters.ts';
import { filterOf, filterWords } from '../../kit/list/list-address.ts';
import type { FilterSpec } from '../../kit/list/list-spec.ts';
import { timeWords } from '../../kit/times.ts';
import { beginOfDay, rangeWords } from '../../kit/zone.ts';

type Conditions = Readonly<Record<string, string>>;

/** The day that begins at the instant; null for an instant within a day. */
function dayFrom(at: string, zone: string): string | null {
  const day = dayIn(msOf(at), zone);
  return beginOfDay(day, zone) === msOf(at) ? day : null;
}

/** A range of instants: as days, where it is made of whole ones. */
function timeRange({ gte, lt }: Conditions, zone: string): string {
  const first = gte === undefined ? '' : dayFrom(gte, zone);
  const isWhole = first !== null && (lt === undefined || dayFrom(lt, zone) !== null);
  if (isWhole) {
    const last = lt === undefined ? '' : dayIn(msOf(lt) - 1, zone);
    return rangeWords(first === last ? first : `${first}..${last}`);
  }
  const from = gte === undefined ? '' : `from ${timeWords(gte, zone)}`;
  const until = lt === undefined ? '' : `until ${timeWords(lt, zone)}`;
  return [from, until].filter(Boolean).join(' ');
}

/** The conditions as the list words them; null for those that the list cannot make. */
function wordsOf(filter: FilterSpec, conditions: Conditions, zone: string): string | null {
  const { eq, gte, lte, lt, startsWith } = conditions;
  const only = (...ops: readonly string[]) =>
    Object.keys(conditions).every((op) => ops.includes(op));
  if (filter.kind === 'time')
    return only('gte', 'lt') ? timeRange({ gte, lt } as Conditions, zone) : null;
  if (filter.kind === 'choice') {
    return only('eq') || only('in') ? filterWords(filter, eq ?? conditions.in ?? '') : null;
  }
  if (filter.kind === 'amount') {
    if (only('eq')) return filterWords(filter, eq ?? '');
    return only('gte', 'lte') ? filterWords(filter, `${gte ?? ''}..${lte ?? ''}`) : null;
  }
  if (only('startsWith')) return `begins with ${startsWith}`;
  return only('eq') ? filterWords(filter, eq ?? '') : null;
}

/**
 * Returns for example `Status: Failed or Released`, for each filter one. Days are those of `zone`; a filter
 * that only programs make stands as the API has it.
 */
export function fileFilterWords(filters: string, zone: string): readonly string[] {
  const byField = new Map<string, Record<string, string>>();
  for (const [key, value] of new URLSearchParams(filters)) {
    const [, field = key, op = 'eq'] = /^(.*)\[(\w+)\]$/.exec(key) ?? [];
    byField.set(field, { ...byField.get(field), [op]: value });
  }
  return [...byField].map(([field, conditions]) => {
    const filter = filterOf({ filters: paymentFilters }, field);
    const words = filter && wordsOf(filter, conditions, zone);
    const raw = Object.entries(conditions).map(([op, value]) => `${op} ${value}`);
    return `${filter?.title ?? field}: ${words ?? raw.join(', ')}`;
  });
}

/** Fewer than this are named as those that are missing. */
const mostMissing = 5;

/** Returns the columns of a file, or null where it has all of them. */
export function fileColumnWords(columns: readonly string[]): string | null {
  const names = Object.entries(exportColumns);
  const missing = names.filter(([name]) => !columns.includes(name));
  if (missing.length === 0) return null;
  const titles = (of: typeof names) => of.map(([, title]) => title).join(', ');
  return missing.length <= mostMissing
    ? `all but ${titles(missing)}`
    : titles(names.filter(([name]) => columns.includes(name)));
}
