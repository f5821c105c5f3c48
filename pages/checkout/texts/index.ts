// One file per language. The first of the buyer's languages that has a file is used. English is part of the
// page; any other language is fetched while the session loads.

import { demandIntegrity } from '../../kit/demand-integrity.ts';
import { en, type Texts } from './en.ts';

export type { Texts } from './en.ts';

export type Language = {
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
};

export const english: Language = { code: 'en', direction: 'ltr', texts: en };

const otherLanguages: Readonly<Record<string, () => Promise<Texts>>> = {
  ar: () => import('./ar.ts').then((file) => file.ar),
  de: () => import('./de.ts').then((file) => file.de),
  es: () => import('./es.ts').then((file) => file.es),
  fr: () => import('./fr.ts').then((file) => file.fr),
  it: () => import('./it.ts').then((file) => file.it),
  ja: () => import('./ja.ts').then((file) => file.ja),
  nl: () => import('./nl.ts').then((file) => file.nl),
  pl: () => import('./pl.ts').then((file) => file.pl),
  pt: () => import('./pt.ts').then((file) => file.pt),
};

export const languageCodes: readonly string[] = ['en', ...Object.keys(otherLanguages)];

/** Returns the first of the buyer's languages that has texts. */
export function codeFor(wanted: readonly string[]): string {
  const codes = wanted.map((tag) => tag.toLowerCase().split(/[-_]/)[0] ?? '');
  return codes.find((one) => languageCodes.includes(one)) ?? 'en';
}

/** Returns the language and its texts; English when they cannot be loaded. */
export async function languageFor(wanted: readonly string[]): Promise<Language> {
  const code = codeFor(wanted);
  const load = otherLanguages[code];
  if (!load) return english;
  demandIntegrity(code);
  try {
    return { code, direction: code === 'ar' ? 'rtl' : 'ltr', texts: await load() };
  } catch {
    return english;
  }
}

/** Replaces the texts by those for saving a card, for a session without a payment. */
export const withSetupTexts = (language: Language): Language => ({
  ...language,
  texts: { ...language.texts, ...language.texts.setup },
});

/** Returns the text of a code that the page may not know. */
export const textOf = (
  texts: Readonly<Record<string, string>>,
  code: string | null | undefined,
): string | undefined => (code && Object.hasOwn(texts, code) ? texts[code] : undefined);
