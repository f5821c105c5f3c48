// The days on which a coupon can be used, as its form asks for them: the last one is one of them.

import { msOf } from '@svc/contract/values/instants';
import { dayIn } from '@svc/contract/values/zone-days';
import { timeWords } from '../../kit/times.ts';
import { beginOfDay, dayWords } from '../../kit/zone.ts';

/** The day of an instant, and whether the instant is the first one of it. */
function dayAt(at: number, zone: string) {
  const day = dayIn(at, zone);
  return { day, isWhole: beginOfDay(day, zone) === at };
}

export const firstDayIn = (at: string | null, zone: string): string =>
  at === null ? '' : dayIn(msOf(at), zone);

/** The end is the first instant that is no longer in: the last day is the one before it. */
export const lastDayIn = (at: string | null, zone: string): string =>
  at === null ? '' : dayIn(msOf(at) - 1, zone);

/** Returns for example `from 1 Dec 2026`; with the time where no day begins. */
export function firstDayWords(at: string, zone: string): string {
  const { day, isWhole } = dayAt(msOf(at), zone);
  return `from ${isWhole ? dayWords(day) : timeWords(at, zone)}`;
}

/** Returns for example `through 24 Dec 2026`; `until` and the time where no day ends. */
export function lastDayWords(at: string, zone: string): string {
  const { isWhole } = dayAt(msOf(at), zone);
  return isWhole ? `through ${dayWords(lastDayIn(at, zone))}` : `until ${timeWords(at, zone)}`;
}
