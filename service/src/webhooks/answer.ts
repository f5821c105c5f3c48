// The parts of a receiver's answer that are stored.

import { oneLine } from '@svc/contract/servers/plain-text';
import { cutText } from '@svc/contract/values/characters';

const excerptLength = 200;

/** The first characters as text on one line; null when empty. */
export const excerptOf = (body: Buffer): string | null =>
  cutText(oneLine(body.toString('utf8')), excerptLength) || null;

/**
 * The weekday with which all three date formats begin (RFC 9110 §5.6.7); JavaScript accepts much
 * more as a date.
 */
const dateStart = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/** The one of these formats that names no zone; it means GMT too. */
const asctime = /^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/;
// biome-ignore lint/plugin: an HTTP date, RFC 9110
const dateMs = (text: string): number => Date.parse(asctime.test(text) ? `${text} GMT` : text);

/**
 * The seconds that the receiver asks to wait, from either form of the header (RFC 9110 §10.2.3);
 * null when it is absent or invalid. A date is measured from the receiver's own `Date`, because its
 * clock may be wrong.
 */
export function pauseAskedFor(
  {
    retryAfter: text,
    date,
  }: { readonly retryAfter: string | undefined; readonly date: string | undefined },
  now: Date,
): number | null {
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Number(text);
  // JavaScript would read `3600.5` as May of the year 3600.
  if (!dateStart.test(text)) return null;
  const until = dateMs(text);
  const from = dateMs(date ?? '');
  if (Number.isNaN(until)) return null;
  return Math.max(0, Math.round((until - (Number.isNaN(from) ? now.getTime() : from)) / 1000));
}
