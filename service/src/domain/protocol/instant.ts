// Instants as other languages print them. Contract, wire rules; ISO 8601, RFC 3339.

const form =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/i;

/**
 * The instant as answers write it, in UTC with milliseconds: what is below them is cut off. Undefined for
 * other text, and for a day, a time or an offset that there is not.
 */
export function instantOf(text: string): string | undefined {
  const parts = form.exec(text);
  if (!parts) return undefined;
  const [, day = '', hour = '', minute = '', second = '00', decimals = ''] = parts;
  const [sign, offsetHour = '00', offsetMinute = '00'] = parts.slice(6);
  const local = `${day}T${hour}:${minute}:${second}.${decimals.slice(0, 3).padEnd(3, '0')}Z`;
  const date = new Date(local);
  // JavaScript reads 31 February as 3 March.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== local) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const minutes = Number(offsetHour) * 60 + Number(offsetMinute);
  const shifted = new Date(date.getTime() - (sign === '-' ? -minutes : minutes) * 60_000);
  const written = shifted.toISOString();
  // The year 0 is none in PostgreSQL, and years over 9999 have a sign.
  return /^(?!0000)\d{4}-/.test(written) ? written : undefined;
}
