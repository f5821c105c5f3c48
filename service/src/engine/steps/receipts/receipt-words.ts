// The form of sums, days and the mode on a receipt, on the page and in mails.

import type { Receipt } from '@svc/contract/payments/receipts';
import type { Mode } from '@svc/contract/servers/modes';
import { writtenSum } from '@svc/contract/settings/languages';
import { exponentOf } from '@svc/contract/values/currencies';
import { msOf } from '@svc/contract/values/instants';
import { quotedName } from '../../../domain/people/mail.ts';
import { wordsFor } from '../buyer-mails/words/index.ts';

/** `14.90 EUR`, in German `14,90 EUR`: all decimals of the currency. */
export const sumWords = (amount: number, currency: string, locale = 'en'): string =>
  writtenSum({ amount, currency, digits: exponentOf(currency) }, locale);

/** Days come before months where the language is English and no country is known. */
const dayLocale = (locale: string): string => (locale === 'en' ? 'en-GB' : locale);

/** The merchant's time zone: her books and the receipts of her buyers name the same days. */
type InZone = { readonly locale: string; readonly timeZone: string };

/** `26 Nov 2026, 13:42 CET`, as the locale writes it. */
export const dayWords = (instant: string, { locale, timeZone }: InZone): string =>
  new Intl.DateTimeFormat(dayLocale(locale), {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(msOf(instant));

/** `26 November 2026`, as the locale writes it. */
export const dateWords = (instant: string, { locale, timeZone }: InZone): string =>
  new Intl.DateTimeFormat(dayLocale(locale), { timeZone, dateStyle: 'long' }).format(msOf(instant));

/** `12/2026`, as the locale writes it. */
export const monthWords = (year: number, month: number, locale: string): string =>
  new Intl.DateTimeFormat(dayLocale(locale), {
    timeZone: 'UTC',
    month: '2-digit',
    year: 'numeric',
  }).format(Date.UTC(year, month - 1));

const tags: Readonly<Record<Mode, string>> = { live: '', test: '[Test] ', sandbox: '[Sandbox] ' };

/** The beginning of subjects and titles, and the sentence, that say that no real money moves. */
export function modeWords(
  mode: Mode,
  locale = 'en',
): { readonly tag: string; readonly sentence: string | null } {
  const { testMode, sandbox } = wordsFor(locale);
  const sentence = { live: null, test: testMode, sandbox }[mode];
  return { tag: tags[mode], sentence };
}

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** `Visa ending in 4242`, or the name of another way to pay. */
export function paymentMethodText(
  means: NonNullable<Receipt['paymentMethod']>,
  locale: string,
): string {
  const name = brands[means.brand ?? ''] ?? quotedName(means.brand ?? means.type);
  return means.lastFour ? wordsFor(locale).cardName(name, means.lastFour) : name;
}
