/**
 * The buyer's locale for numbers and dates. A browser may report one that is no BCP 47 tag
 * (`en-US@posix`); then the next one that is, else English.
 */
export function buyerLocale(reported: readonly string[] = navigator.languages): string {
  return reported.find(isLocale) ?? 'en';
}

function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** Seconds as words of the language: whole minutes from one minute on, rounded up. */
export function formatWait(seconds: number, locale: string): string {
  const isShort = seconds <= 60;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isShort ? 'second' : 'minute',
    unitDisplay: 'long',
  }).format(isShort ? Math.ceil(seconds) : Math.ceil(seconds / 60));
}
