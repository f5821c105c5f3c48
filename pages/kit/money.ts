// Amounts as people read and type them.

import type { Payment } from '@svc/contract/payments/payments';
import { writtenSum } from '@svc/contract/settings/languages';
import { exponentOf } from '@svc/contract/values/currencies';
import { readSum, type SumOf } from '@svc/contract/values/typed-sums';
import { formatAmount } from './amounts.ts';

/** Returns for example `€14.90`; `amount` in major units. In English, like all texts of these pages. */
export const money = (amount: number, currency: string): string =>
  formatAmount(amount, currency, 'en');

/** Returns `€1.00` or `−€1.00`: how the amount changes what the merchant has. */
export const signedMoney = (amount: number, currency: string): string =>
  `${amount < 0 ? '−' : ''}${money(Math.abs(amount), currency)}`;

/** What a row brings the merchant, signed as in the ledger: a refund and a withdrawn sum are negative. */
export const movedMoney = ({
  type,
  amount,
  currency,
}: Pick<Payment, 'type' | 'amount' | 'currency'>): string =>
  signedMoney(type === 'purchase' ? amount : 0 - amount, currency);

/** Returns for example `14.90`, the form in which it is typed. */
export const plainAmount = (amount: number, currency: string): string =>
  amount.toFixed(exponentOf(currency));

/** A sum as the mail to a buyer writes it. */
export const mailSum = (amount: number, currency: string, locale: string): string =>
  writtenSum({ amount, currency, digits: exponentOf(currency) }, locale);

/** A meaning of a typed sum, offered where it has two: what a button says, and what it writes. */
export type SumChoice = { readonly label: string; readonly text: string };

export type TypedSum =
  | { readonly amount: number }
  | { readonly fault: string; readonly choices?: readonly SumChoice[] };

type SumField = {
  /** What is wrong with text that is no number. */
  readonly none: string;
  /** The texts in which a mark before three digits is known to stand before decimals. */
  readonly settled: readonly string[];
};

/** Reads a typed sum. What it may be and may also not be is asked: nobody loses a thousandfold by a mark. */
export function readTyped(text: string, of: SumOf, { none, settled }: SumField): TypedSum {
  const read = readSum(text, of);
  if (read.kind === 'none') return { fault: none };
  if (read.kind === 'too_many_decimals') return { fault: read.message };
  if (read.kind === 'sum') return { amount: Number(read.sum) };
  const [decimals, thousands] = read.sums;
  if (settled.includes(text)) return { amount: Number(decimals) };
  const label = (sum: string) =>
    typeof of === 'string' ? money(Number(sum), of) : Number(sum).toLocaleString('en');
  return {
    fault: `${text.trim()} has two meanings. Which one is yours?`,
    choices: [
      { label: label(decimals), text: decimals },
      { label: label(thousands), text: thousands },
    ],
  };
}

/** Reads the typed amount of a refund. `most` in major units. A fault states what the field accepts. */
export function readAmount(
  text: string,
  currency: string,
  { most, settled }: { readonly most: number; readonly settled: readonly string[] },
): TypedSum {
  const digits = exponentOf(currency);
  const largest = money(most, currency);
  const form = digits > 0 ? `with ${digits} decimals at most` : 'without decimals';
  const none = `Type an amount ${form}: ${largest} is the largest.`;
  const read = readTyped(text, currency, { none, settled });
  if ('fault' in read) return read;
  if (read.amount === 0) return { fault: `Type an amount above zero: ${largest} is the largest.` };
  // Compares whole minor units, because sums of decimals are not exact.
  const scale = 10 ** digits;
  if (Math.round(read.amount * scale) > Math.round(most * scale)) {
    return { fault: `That is more than is left: ${largest} is the largest.` };
  }
  return read;
}
