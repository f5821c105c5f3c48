import type { Product as WireProduct } from '@svc/contract/catalog/catalog';
import { toMajor } from '../../../domain/money/money.ts';
import type { Product } from '../../../domain/money/product.ts';

/** The product as merchants see it. Contract §8. */
export const showProduct = (product: Product): WireProduct => ({
  object: 'product',
  code: product.code,
  name: product.name,
  kind: product.kind,
  interval: product.interval,
  active: product.isActive,
  prices: product.prices.map(({ currency, amountMinor }) => ({
    currency,
    amount: toMajor(amountMinor, currency),
  })),
  version: product.version,
  createdAt: product.createdAt.toISOString(),
  updatedAt: product.updatedAt.toISOString(),
});
