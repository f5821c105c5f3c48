// Instants in words, in the time zone of the page.

import { msOf } from '@svc/contract/values/instants';
import { createContext } from 'preact';

/** IANA name of the time zone in which a page shows times; null: the browser's own. */
export const zoneContext = createContext<string | null>(null);

const formats = new Map<string | null, Intl.DateTimeFormat>();

function formatIn(zone: string | null): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    ...(zone === null ? {} : { timeZone: zone }),
  });
  formats.set(zone, made);
  return made;
}

/** Returns for example `26 Nov 2026, 12:42` in a time zone; null: the browser's own. */
export const timeWords = (at: string, zone: string | null): string =>
  formatIn(zone).format(msOf(at));

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Returns `in 7 days`, `tomorrow`, `in 5 hours`, or `over` when the time has passed. */
export function timeLeftText(at: string, now: number): string {
  const left = msOf(at) - now;
  if (left <= 0) return 'over';
  if (left < hourMs) return relative.format(Math.max(1, Math.round(left / 60_000)), 'minute');
  if (left < dayMs) return relative.format(Math.round(left / hourMs), 'hour');
  return relative.format(Math.round(left / dayMs), 'day');
}
