// Days and times of day in a time zone: when they begin, over changes of the clock.

/** A calendar day; `month` counts from 1. */
export type Day = { readonly year: number; readonly month: number; readonly day: number };

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
export function wallMs(at: number, zone: string): number {
  const read: Record<string, number> = {};
  for (const { type, value } of partsIn(zone).formatToParts(at)) read[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000);
}

export function dayOf(at: number, zone: string): Day {
  const wall = new Date(wallMs(at, zone));
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
}

/** Returns the day of an instant, such as `2026-11-26`. */
export function dayIn(at: number, zone: string): string {
  return new Date(wallMs(at, zone)).toISOString().slice(0, 10);
}

/**
 * Returns the first instant at which the zone's clock shows that minute of the day, or has skipped it. Months, days and minutes beyond
 * the calendar's carry over.
 */
export function instantAt({ year, month, day }: Day, minutes: number, zone: string): number {
  const wanted = Date.UTC(year, month - 1, day, 0, minutes);
  // What the clock is ahead of UTC before and after, in the zones farthest east and west.
  const [before, after] = [wanted - 15 * hourMs, wanted + 13 * hourMs];
  const ahead = [before, after].map((at) => wallMs(at, zone) - at) as [number, number];
  const [early, late] = [wanted - Math.max(...ahead), wanted - Math.min(...ahead)];
  return wallMs(early, zone) >= wanted ? early : late;
}

/** Returns the first instant of a day: the first of two midnights, or the instant at which the clock skips midnight. */
export const beginOf = (day: Day, zone: string): number => instantAt(day, 0, zone);

/** Reads `2026-11-26`; null for any other text. */
export function readDay(text: string): Day | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return found && checkedDay(...(found.slice(1).map(Number) as [number, number, number]));
}

/** Reads `2026-11-26`, or with a time `2026-11-26T18:00`; null for any other text. */
export function readMoment(
  text: string,
): { readonly day: Day; readonly minutes: number | null } | null {
  const [, written = '', hours, minutes] =
    /^([\d-]{10})(?:T([01]\d|2[0-3]):([0-5]\d))?$/.exec(text) ?? [];
  const day = readDay(written);
  return day && { day, minutes: hours === undefined ? null : Number(hours) * 60 + Number(minutes) };
}

/** Null where the calendar has no such day. */
export function checkedDay(year: number, month: number, day: number): Day | null {
  const at = new Date(Date.UTC(year, month - 1, day));
  const isOne = at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
  return isOne ? { year, month, day } : null;
}

/** Returns the day that is so many days later, or earlier for a negative number. */
export const daysFrom = ({ year, month, day }: Day, days: number): Day => {
  const at = new Date(Date.UTC(year, month - 1, day + days));
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
};
