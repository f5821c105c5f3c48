// Time zones, by their names in the IANA database.

/**
 * Whether the name is a time zone that days can be shown in. An offset is none, because it has no
 * summer time.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]+(?:[_/+-][A-Za-z0-9]+)*$/.test(name) || name.length > 64) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
