// The catalog. Contract §8.

import { type Static, Type } from 'typebox';
import { row } from './row.ts';
import { amount, component, currency, instant, list, nullable, oneOf, paging } from './schema.ts';

export const productKinds = ['item', 'subscription'] as const;

export const Product = component('Product', {
  object: oneOf(['product']),
  code: Type.String({ description: 'Unique per client.' }),
  name: Type.String(),
  kind: oneOf(productKinds),
  interval: nullable(oneOf(['day', 'week', 'month', 'year'])),
  active: Type.Boolean(),
  prices: Type.Array(Type.Object({ currency: currency(), amount: amount('Unit price.') })),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Product = Static<typeof Product>;

export const listProducts = row({
  spec: 'Contract §8, GET /v1/products',
  summary: 'Lists the products of the catalog.',
  call: 'GET /v1/products',
  auth: 'server',
  scope: 'catalog:read',
  limit: 'client',
  input: { query: paging(['createdAt', 'updatedAt'], {}) },
  filters: {
    code: Type.String(),
    kind: oneOf(productKinds),
    active: Type.Boolean(),
  },
  answers: { 200: list(Product) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});
