// Amounts in a language's notation. Decimals are ISO 4217's, because Intl follows everyday use for about
// eighteen currencies.

import { exponentOf } from '@svc/contract/values/currencies';

/** `amount` in major units. */
export function formatAmount(amount: number, currency: string, locale: string): string {
  const digits = exponentOf(currency);
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
}
