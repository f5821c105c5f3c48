// Products and their prices: what the catalog accepts. Contract §8.

import type { Interval, ProductKind } from '@svc/contract/catalog/catalog';
import { isCurrency } from '@svc/contract/values/currencies';
import { Refusal } from '../protocol/refusal.ts';
import { assertCarried, toMinor } from './money.ts';

/** A problem with one field of a product, coupon or cart; `path` is for example `prices[0].amount`. */
export type CatalogProblem = {
  readonly path: string;
  readonly code: string;
  readonly message: string;
};

export type Price = { readonly currency: string; readonly amountMinor: number };

/** A row of `products`, with its prices by currency. */
export type Product = {
  readonly clientId: string;
  readonly code: string;
  readonly name: string;
  readonly kind: ProductKind;
  readonly interval: Interval | null;
  readonly isActive: boolean;
  readonly version: number;
  readonly prices: readonly Price[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type WantedPrice = { readonly currency: string; readonly amount: number };

export const amountPrecision = 'amount_precision';
export const currencyUnknown = 'currency_unknown';

/**
 * Returns the minor units of a catalog amount, or the problem with it; an amount that the card
 * provider does not accept is a problem too.
 */
export function readAmount({
  currency,
  amount,
}: WantedPrice): number | Omit<CatalogProblem, 'path'> {
  if (!isCurrency(currency)) {
    return { code: currencyUnknown, message: `There is no currency ${currency}.` };
  }
  try {
    const minor = toMinor(amount, currency);
    assertCarried(minor, { currency, provider: 'cardprovider' });
    return minor;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error.code === amountPrecision ? amountPrecision : 'amount_too_large';
    return { code, message: error.message };
  }
}

/** Returns prices in minor units, or every problem with the path of its field. */
export function readPrices(wanted: readonly WantedPrice[]): {
  prices: Price[];
  problems: CatalogProblem[];
} {
  const prices: Price[] = [];
  const problems: CatalogProblem[] = [];
  const seen = new Set<string>();
  for (const [index, price] of wanted.entries()) {
    const minor = readAmount(price);
    if (typeof minor === 'object') {
      const field = minor.code === currencyUnknown ? 'currency' : 'amount';
      problems.push({ path: `prices[${index}].${field}`, ...minor });
    } else prices.push({ currency: price.currency, amountMinor: minor });
    if (seen.has(price.currency)) {
      const message = 'The currency is given twice.';
      problems.push({ path: `prices[${index}].currency`, code: 'currency_repeated', message });
    }
    seen.add(price.currency);
  }
  return { prices, problems };
}

/** The problem when kind and interval do not fit together; null when they do. */
export function refuseInterval(
  kind: ProductKind,
  interval: Interval | null,
): CatalogProblem | null {
  if ((kind === 'subscription') === (interval !== null)) return null;
  return kind === 'subscription'
    ? { path: 'interval', code: 'interval_required', message: 'A subscription needs an interval.' }
    : { path: 'interval', code: 'interval_not_allowed', message: 'An item has no interval.' };
}
