// Mails to people: what they may contain, and when a failed one is retried.

import { oneLine } from '@svc/contract/servers/plain-text';
import { cutText } from '@svc/contract/values/characters';

/** The content of a mail, in plain text. Only its recipient may read it. */
export type MailWords = { readonly subject: string; readonly text: string };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The pauses after the first failures; the last one repeats. */
const pausesMs = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
] as const;

/** After this time a mail is given up: most links in it have expired. */
export const givenUpAfterMs = 72 * hourMs;

/** How long one claim holds a mail, in milliseconds: well over the longest sending. */
export const mailLeaseMs = 2 * minuteMs;

/** Milliseconds until the next attempt; null when the mail is given up. */
export function pauseAfterFailedMail(failed: {
  /** The number of attempts, including this one. */
  readonly attempts: number;
  readonly ageMs: number;
}): number | null {
  const pauseMs = pausesMs[failed.attempts - 1] ?? 12 * hourMs;
  return failed.ageMs + pauseMs >= givenUpAfterMs ? null : pauseMs;
}

const longestSubject = 150;

/** Another person's name for use in our text: short, and on one line, so that it adds no header. */
export const quotedName = (name: string): string => cutText(oneLine(name), 80, '…');

// Isolates stay: our own words set names apart with them, and `quotedName` lets none in.
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e]/gu;

/** The content as it is stored and sent: a subject of one line, and text without control characters. */
export const cleanWords = ({ subject, text }: MailWords): MailWords => ({
  subject: cutText(subject.replace(unprintable, ' ').replace(/ {2,}/g, ' ').trim(), longestSubject),
  text: `${text
    .replace(/\r\n?/g, '\n')
    .replace(unprintable, (sign) => (sign === '\n' ? sign : ''))
    .trim()}\n`,
});

/**
 * Whether a mail library reads the text as one address and nothing else: no list, group, name, comment
 * or quoting. Asked last, of every stored address. Which addresses are accepted is a stricter rule, `email`
 * of the contract; one that was stored under an earlier rule still gets its mail.
 */
export const isPlainAddress = (text: string): boolean =>
  /^[^\s\p{Cc},;:<>()"\\[\]@]+@[^\s\p{Cc},;:<>()"\\[\]@]+$/u.test(text);
