// Chooses the closest of the form's languages. Each language is a file of its own, loaded when it is
// needed.

import { loadPart } from './load-part.ts';
import type { Texts } from './texts/en.ts';

const languages: Readonly<Record<string, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./texts/en.ts'),
  de: () => import('./texts/de.ts'),
  fr: () => import('./texts/fr.ts'),
  es: () => import('./texts/es.ts'),
  it: () => import('./texts/it.ts'),
  pt: () => import('./texts/pt.ts'),
  nl: () => import('./texts/nl.ts'),
  pl: () => import('./texts/pl.ts'),
  sv: () => import('./texts/sv.ts'),
  da: () => import('./texts/da.ts'),
  tr: () => import('./texts/tr.ts'),
  ja: () => import('./texts/ja.ts'),
  zh: () => import('./texts/zh.ts'),
  ko: () => import('./texts/ko.ts'),
  ar: () => import('./texts/ar.ts'),
  he: () => import('./texts/he.ts'),
};

export type Language = {
  /** A BCP 47 tag, one of the form's languages. */
  readonly code: string;
  readonly isRightToLeft: boolean;
  readonly texts: Texts | null;
};

const codeOf = (tag: string): string => {
  const base = tag.toLowerCase().split(/[-_]/)[0] ?? '';
  return base === 'iw' ? 'he' : base;
};

/**
 * Chooses as the form does: the wanted tag, else the browser's. `texts` is null when none could be loaded.
 */
export async function loadLanguage(wanted: string | undefined): Promise<Language> {
  const tags = wanted && wanted !== 'auto' ? [wanted, ...navigator.languages] : navigator.languages;
  const code = tags.map(codeOf).find((one) => Object.hasOwn(languages, one)) ?? 'en';
  const load = languages[code];
  const loaded = load && (await loadPart(load, 'texts', code).catch(() => null));
  return { code, isRightToLeft: code === 'ar' || code === 'he', texts: loaded?.texts ?? null };
}
