// Instants in the forms in which other languages print them. Contract, wire rules; ISO 8601, RFC 3339.

const form =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/i;

/**
 * The instant as answers write it, in UTC, cut to milliseconds. Undefined for other text, and for a
 * day, time or offset that does not exist.
 */
export function instantOf(text: string): string | undefined {
  const parts = form.exec(text);
  if (!parts) return undefined;
  const [, day = '', hour = '', minute = '', second = '00', decimals = ''] = parts;
  const [sign, offsetHour = '00', offsetMinute = '00'] = parts.slice(6);
  const local = `${day}T${hour}:${minute}:${second}.${decimals.slice(0, 3).padEnd(3, '0')}Z`;
  // biome-ignore lint/plugin: the one reader, which compares what it was given
  const date = new Date(local);
  // JavaScript reads 31 February as 3 March.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== local) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const minutes = Number(offsetHour) * 60 + Number(offsetMinute);
  const shifted = new Date(date.getTime() - (sign === '-' ? -minutes : minutes) * 60_000);
  const written = shifted.toISOString();
  // PostgreSQL has no year 0, and years over 9999 are written with a sign.
  return /^(?!0000)\d{4}-/.test(written) ? written : undefined;
}

/** The same as a Date. Undefined for text that is no instant. */
export function dateOf(text: string): Date | undefined {
  const written = instantOf(text);
  // biome-ignore lint/plugin: the one reader, of text in its own form
  return written === undefined ? undefined : new Date(written);
}

/** The Date of an instant that was checked before, such as one of an answer or of a validated request. */
export function checkedDate(text: string): Date {
  const date = dateOf(text);
  if (!date) throw new RangeError(`Not an instant: ${text}`);
  return date;
}

/** The milliseconds of an instant that was checked before. */
export const msOf = (text: string): number => checkedDate(text).getTime();

/** Whether the text is a day that exists, such as `2026-02-28`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && instantOf(`${text}T00:00Z`) !== undefined;
