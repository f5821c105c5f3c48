// Medusa's amounts are in major units, like ours, but may have any number of decimals.

import { exponentOf } from '@svc/contract/values/currencies';

/** Rounds half up, in decimal, to the digits of the currency: yen none, dinar three. */
export function roundAmount(amount: number, currency: string): number {
  const digits = exponentOf(currency.toUpperCase());
  // Twelve decimals are more than Medusa keeps, and hide what binary fractions add: 1.005 is 1.01.
  const scaled = Number(`${amount.toFixed(12)}e${digits}`);
  return Number(`${Math.round(Number(scaled.toFixed(6)))}e-${digits}`);
}
