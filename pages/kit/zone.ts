// Days in a time zone: when they begin, and the meaning of words such as `last-month`.

import { rangeNames } from '@svc/contract/reports/day-ranges';
import { msOf } from '@svc/contract/values/instants';

export type Range = { readonly from: number | null; readonly until: number | null };

/** A calendar day; `month` counts from 1. */
type Day = { readonly year: number; readonly month: number; readonly day: number };

const hourMs = 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function partsIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}

/** Returns the local time at an instant, as milliseconds as if it were UTC. */
function wallMs(at: number, zone: string): number {
  const read: Record<string, number> = {};
  for (const { type, value } of partsIn(zone).formatToParts(at)) read[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000);
}

function dayOf(at: number, zone: string): Day {
  const wall = new Date(wallMs(at, zone));
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
}

/** Returns the day of an instant, such as `2026-11-26`. */
export function dayIn(at: number, zone: string): string {
  return new Date(wallMs(at, zone)).toISOString().slice(0, 10);
}

/** Returns the first instant of a day. Months and days beyond the calendar's carry over. */
export function beginOf({ year, month, day }: Day, zone: string): number {
  const wanted = Date.UTC(year, month - 1, day);
  // What the clock is ahead of UTC before and after that midnight, in the zones farthest east and west.
  const [before, after] = [wanted - 15 * hourMs, wanted + 13 * hourMs];
  const ahead = [before, after].map((at) => wallMs(at, zone) - at) as [number, number];
  // The first of two midnights. Where the clock skips midnight, the day begins as it skips.
  const [early, late] = [wanted - Math.max(...ahead), wanted - Math.min(...ahead)];
  return wallMs(early, zone) >= wanted ? early : late;
}

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

function readDay(text: string): Day | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!found) return null;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? { year, month, day } : null;
}

const dayAfter = ({ year, month, day }: Day): Day => ({ year, month, day: day + 1 });

/**
 * Returns the range of `last-month`, `2026-11-26`, `2026-11-01..2026-11-30` or `2026-11-01..`: from the
 * first instant up to, but not including, the last one. Null for any other text.
 */
export function rangeOf(text: string, zone: string, now: number): Range | null {
  const preset = presetDays(text, dayOf(now, zone));
  if (preset) return { from: beginOf(preset[0], zone), until: beginOf(preset[1], zone) };
  const [first = '', last] = text.includes('..') ? text.split('..', 2) : [text, text];
  const from = readDay(first);
  const until = readDay(last ?? '');
  if ((first !== '' && !from) || (last && !until) || (!from && !until)) return null;
  return {
    from: from && beginOf(from, zone),
    until: until && beginOf(dayAfter(until), zone),
  };
}

/** Returns the range in words, as a chip shows it. */
export function rangeWords(text: string): string {
  const known = rangeNames[text];
  if (known) return known;
  const [first = '', last] = text.includes('..') ? text.split('..', 2) : [text, text];
  if (first === last) return first;
  if (!last) return `from ${first}`;
  return first ? `${first} to ${last}` : `until ${last}`;
}
