// Amounts as people read and type them.

import { writtenSum } from '@svc/contract/settings/languages';
import { digitsOf, formatAmount } from './amounts.ts';

/** Returns for example `€14.90`; `amount` in major units. In English, like all texts of these pages. */
export const money = (amount: number, currency: string): string =>
  formatAmount(amount, currency, 'en');

/** Returns for example `14.90`, the form in which it is typed. */
export const plainAmount = (amount: number, currency: string): string =>
  amount.toFixed(digitsOf(currency));

/** A sum as the mail to a buyer writes it. */
export const mailSum = (amount: number, currency: string, locale: string): string =>
  writtenSum({ amount, currency, digits: digitsOf(currency) }, locale);

/** Reads a typed number with a decimal comma or point; null when it is none. */
export const typedNumber = (text: string): number | null =>
  /^\d{1,12}([.,]\d{1,3})?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : null;

export type TypedAmount = { readonly amount: number } | { readonly fault: string };

/**
 * Reads a typed amount with a decimal comma or point; `most` in major units. A fault states what the field
 * accepts.
 */
export function readAmount(text: string, currency: string, most: number): TypedAmount {
  const digits = digitsOf(currency);
  const largest = money(most, currency);
  const typed = text.trim();
  const decimals = digits > 0 ? `(?:[.,]\\d{1,${digits}})?` : '';
  if (!new RegExp(`^\\d{1,12}${decimals}$`).test(typed)) {
    const form = digits > 0 ? `with ${digits} decimals at most` : 'without decimals';
    return { fault: `Type an amount ${form}: ${largest} is the largest.` };
  }
  const amount = Number(typed.replace(',', '.'));
  if (amount === 0) return { fault: `Type an amount above zero: ${largest} is the largest.` };
  // Compares whole minor units, because sums of decimals are not exact.
  const scale = 10 ** digits;
  if (Math.round(amount * scale) > Math.round(most * scale)) {
    return { fault: `That is more than is left: ${largest} is the largest.` };
  }
  return { amount };
}
