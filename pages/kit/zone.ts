// Days in a time zone: when they begin, and the meaning of words such as `last-month`.

import { rangeNames } from '@svc/contract/reports/day-ranges';
import { msOf } from '@svc/contract/values/instants';
import {
  beginOf,
  type Day,
  dayOf,
  instantAt,
  readDay,
  readMoment,
  wallMs,
} from '@svc/contract/values/zone-days';

export type Range = { readonly from: number | null; readonly until: number | null };

/** Returns the first instant of a day such as `2026-11-26`; null for any other text. */
export function beginOfDay(text: string, zone: string): number | null {
  const day = readDay(text);
  return day && beginOf(day, zone);
}

const written = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** Returns for example `26 Nov 2026`. */
export const dayWords = (day: string): string => written.format(msOf(`${day}T00:00Z`));

const firstOfQuarter = (month: number) => month - ((month - 1) % 3);

function presetDays(name: string, { year, month, day }: Day): readonly [Day, Day] | null {
  const dayAhead = (days: number) => ({ year, month, day: day + days });
  const firstOfMonth = (months: number) => ({ year, month: months, day: 1 });
  switch (name) {
    case 'today':
      return [dayAhead(0), dayAhead(1)];
    case 'yesterday':
      return [dayAhead(-1), dayAhead(0)];
    case 'last-7-days':
      return [dayAhead(-6), dayAhead(1)];
    case 'last-30-days':
      return [dayAhead(-29), dayAhead(1)];
    case 'this-month':
      return [firstOfMonth(month), firstOfMonth(month + 1)];
    case 'last-month':
      return [firstOfMonth(month - 1), firstOfMonth(month)];
    case 'this-quarter':
      return [firstOfMonth(firstOfQuarter(month)), firstOfMonth(firstOfQuarter(month) + 3)];
    case 'this-year':
      return [firstOfMonth(1), firstOfMonth(13)];
    default:
      return null;
  }
}

/** The first instant after a day, or of a minute of it. */
const endOf = ({ day, minutes }: NonNullable<ReturnType<typeof readMoment>>, zone: string) =>
  instantAt(minutes === null ? { ...day, day: day.day + 1 } : day, minutes ?? 0, zone);

/**
 * Returns the range of `last-month`, `2026-11-26`, `2026-11-01..2026-11-30`, `2026-11-01..` or
 * `2026-11-26T18:00..2026-11-26T20:30`: from the first instant up to, but not including, the last one. Null for any other text.
 */
export function rangeOf(text: string, zone: string, now: number): Range | null {
  const preset = presetDays(text, dayOf(now, zone));
  if (preset) return { from: beginOf(preset[0], zone), until: beginOf(preset[1], zone) };
  const [first = '', last] = text.includes('..') ? text.split('..', 2) : [text, text];
  const from = readMoment(first);
  const until = readMoment(last ?? '');
  if ((first !== '' && !from) || (last && !until) || (!from && !until)) return null;
  // One minute is no range.
  if (first === last && from?.minutes != null) return null;
  return {
    from: from && instantAt(from.day, from.minutes ?? 0, zone),
    until: until && endOf(until, zone),
  };
}

const momentIn = (at: number, zone: string): string =>
  new Date(wallMs(at, zone)).toISOString().slice(0, 16);

/** Writes a range of instants as an address has it: in days where it begins and ends with one, else to the minute. */
export function rangeText(from: number, until: number, zone: string): string {
  const [first, end] = [momentIn(from, zone), momentIn(until, zone)];
  if (from >= until || [from, until].some((at) => beginOf(dayOf(at, zone), zone) !== at))
    return `${first}..${end}`;
  const [day, last] = [first.slice(0, 10), momentIn(until - 1, zone).slice(0, 10)];
  return day === last ? day : `${day}..${last}`;
}

/** Returns the range in words, as a chip shows it. */
export function rangeWords(text: string): string {
  const known = rangeNames[text];
  if (known) return known;
  const [first = '', last] = text.replaceAll('T', ' ').split('..', 2);
  if (last === undefined) return first;
  if (first === last) return first;
  if (!last) return `from ${first}`;
  return first ? `${first} to ${last}` : `until ${last}`;
}
