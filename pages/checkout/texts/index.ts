// One file per language; the first of the buyer's languages that has one is used.

import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export type { Texts } from './en.ts';

export type Language = { readonly code: string; readonly texts: Texts };

const languages: Readonly<Record<string, Texts>> = { en, de };

export function languageFor(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split('-')[0] ?? '';
    const texts = languages[code];
    if (texts) return { code, texts };
  }
  return { code: 'en', texts: en };
}

/** The text of a code that the page may not know. */
export const textOf = (
  texts: Readonly<Record<string, string>>,
  code: string | null | undefined,
): string | undefined => (code && Object.hasOwn(texts, code) ? texts[code] : undefined);
