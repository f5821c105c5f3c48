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
