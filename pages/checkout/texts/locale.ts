/**
 * Returns the locale for numbers and dates: the buyer's regional form of the page's language, with its
 * digits, so that no sentence mixes two languages. A browser may report a value that is no BCP 47 tag
 * (`en-US@posix`).
 */
export function localeOf(
  { code }: { readonly code: string },
  reported: readonly string[] = navigator.languages,
): string {
  const own = reported.filter((tag) => tag.toLowerCase().split(/[-_]/)[0] === code);
  return own.find(isLocale) ?? code;
}

function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** Writes seconds as words of the language; over one minute as whole minutes, rounded up. */
export function formatWait(seconds: number, locale: string): string {
  const isShort = seconds <= 60;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isShort ? 'second' : 'minute',
    unitDisplay: 'long',
  }).format(isShort ? Math.ceil(seconds) : Math.ceil(seconds / 60));
}
