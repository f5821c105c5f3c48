// The form of sums, days and the mode on a receipt, on the page and in mails.

import type { Mode } from '@svc/contract/modes';
import type { Receipt } from '@svc/contract/receipts';
import { exponentOf } from '../../../domain/money/money.ts';

/** `14.90 EUR`, `2500 JPY`: all decimals of the currency, and its code, which every reader knows. */
export const sumWords = (amount: number, currency: string): string =>
  `${amount.toFixed(exponentOf(currency))} ${currency}`;

const day = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** `26 Nov 2026, 12:42 UTC`. */
export const dayWords = (instant: string): string => `${day.format(new Date(instant))} UTC`;

const modes = {
  live: { tag: '', sentence: null },
  test: { tag: '[Test] ', sentence: 'Test mode: no real money.' },
  sandbox: { tag: '[Sandbox] ', sentence: 'Sandbox: no real money.' },
} as const;

export const modeWords = (mode: Mode): { readonly tag: string; readonly sentence: string | null } =>
  modes[mode];

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
export function meansWords(means: NonNullable<Receipt['paymentMethod']>): string {
  const name = brands[means.brand ?? ''] ?? means.brand ?? means.type;
  return means.lastFour ? `${name} ending in ${means.lastFour}` : name;
}
