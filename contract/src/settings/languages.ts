// The languages in which buyers are spoken to: on the hosted pages, and in mails. Additions §2, Mails to buyers.

export const buyerLanguages = ['en', 'ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt'] as const;
export type BuyerLanguage = (typeof buyerLanguages)[number];

/** Each language by its own name, for a list to choose from. */
export const languageNames: Readonly<Record<BuyerLanguage, string>> = {
  en: 'English',
  ar: 'العربية',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  ja: '日本語',
  nl: 'Nederlands',
  pl: 'Polski',
  pt: 'Português',
};

const firstPart = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0] ?? '';

const isLanguage = (code: string): code is BuyerLanguage =>
  (buyerLanguages as readonly string[]).includes(code);

/** The language of a locale; English for a locale of another language. */
export function languageOf(locale: string): BuyerLanguage {
  const code = firstPart(locale);
  return isLanguage(code) ? code : 'en';
}

/**
 * The first of the wanted locales whose language has texts, as language and region (`de-AT`); null when
 * there is none. A browser may report a text that is no BCP 47 tag (`en-US@posix`): its language counts.
 */
export function localeFor(wanted: readonly string[]): string | null {
  const found = wanted.find((tag) => isLanguage(firstPart(tag)));
  if (found === undefined) return null;
  try {
    const { language, region } = new Intl.Locale(found);
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    return firstPart(found);
  }
}

/**
 * A sum in a text for buyers: the number as the locale writes it, and the currency's code, which every
 * reader knows. `digits` are the currency's decimals.
 */
export function writtenSum(
  { amount, currency, digits }: { amount: number; currency: string; digits: number },
  locale: string,
): string {
  const number = new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
  return `${number} ${currency}`;
}
