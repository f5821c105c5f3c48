// Time zones as merchants name them: the names of the IANA database.

/** Whether the name is one that days can be told in. An offset is none: it has no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]+(?:[_/+-][A-Za-z0-9]+)*$/.test(name) || name.length > 64) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
