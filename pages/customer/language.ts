// The texts of this page, together with those of the checkout page, whose components it shows.

import type { OpenedCustomerPage } from '@svc/contract/customers/customer-page';
import {
  codeFor,
  english,
  type Language,
  languageFor,
  withSetupTexts,
} from '../checkout/texts/index.ts';
import { type CustomerTexts, en } from './texts/en.ts';

export type { CustomerTexts } from './texts/en.ts';

export type CustomerLanguage = Language & {
  readonly own: CustomerTexts;
  /** The merchant's, as on receipts; the browser's until the page is open. */
  readonly timeZone: string | undefined;
};

/** What of an opened page decides how it speaks. */
type Speech = Pick<OpenedCustomerPage, 'language' | 'timeZone'>;

const otherLanguages: Readonly<Record<string, () => Promise<CustomerTexts>>> = {
  ar: () => import('./texts/ar.ts').then((file) => file.ar),
  de: () => import('./texts/de.ts').then((file) => file.de),
  es: () => import('./texts/es.ts').then((file) => file.es),
  fr: () => import('./texts/fr.ts').then((file) => file.fr),
  it: () => import('./texts/it.ts').then((file) => file.it),
  ja: () => import('./texts/ja.ts').then((file) => file.ja),
  nl: () => import('./texts/nl.ts').then((file) => file.nl),
  pl: () => import('./texts/pl.ts').then((file) => file.pl),
  pt: () => import('./texts/pt.ts').then((file) => file.pt),
};

/** Loads both in one language; English when either cannot be loaded. */
export async function customerLanguageFor(page: Speech | null): Promise<CustomerLanguage> {
  const wanted = wantedLanguages(page);
  // Started first: it also makes the browser check both files against their hashes.
  const language = languageFor(wanted);
  const own = otherLanguages[codeFor(wanted)]?.().catch(() => null) ?? en;
  const [spoken, words] = await Promise.all([language, own]);
  const isWhole = words !== null && spoken.code === codeFor(wanted);
  const timeZone = page?.timeZone;
  return isWhole ? { ...spoken, own: words, timeZone } : { ...english, own: en, timeZone };
}

/** The languages to speak, the customer's own first. */
export const wantedLanguages = (page: Pick<Speech, 'language'> | null): readonly string[] =>
  page?.language ? [page.language, ...navigator.languages] : navigator.languages;

/** The words for saving a card. The email address is masked, as everywhere on this page. */
export function formLanguage(
  page: OpenedCustomerPage | null,
  language: CustomerLanguage,
): Language {
  const { code, direction, texts } = withSetupTexts(language);
  const receiptFor = () => texts.receiptFor(page?.email ?? '');
  return { code, direction, texts: { ...texts, receiptFor } };
}
