// Chooses the closest of the form's languages. Each language is a file of its own, loaded when it is
// needed.

import { loadPart } from '../api/load-part.ts';
import type { Texts } from './en.ts';

const languages: Readonly<Record<string, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  it: () => import('./it.ts'),
  pt: () => import('./pt.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  sv: () => import('./sv.ts'),
  da: () => import('./da.ts'),
  tr: () => import('./tr.ts'),
  ja: () => import('./ja.ts'),
  zh: () => import('./zh.ts'),
  ko: () => import('./ko.ts'),
  ar: () => import('./ar.ts'),
  he: () => import('./he.ts'),
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
