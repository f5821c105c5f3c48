// Products of the catalog. Contract §8. Coupons are in coupons.ts.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  givenInstant,
  input,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  text,
} from '../rows/schema.ts';

export const productKinds = ['item', 'subscription'] as const;
export type ProductKind = (typeof productKinds)[number];

export const intervals = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof intervals)[number];

/** The most prices of one product: more than there are currencies. */
const mostPrices = 200;

export const Product = component('Product', {
  object: oneOf(['product']),
  code: Type.String({ description: 'Unique per client.' }),
  name: Type.String(),
  kind: oneOf(productKinds),
  interval: nullable(oneOf(intervals, 'How often a subscription renews; null for items.')),
  active: Type.Boolean({ description: 'Only active products can be bought.' }),
  prices: Type.Array(Type.Object({ currency: currency(), amount: amount('Unit price.') })),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Product = Static<typeof Product>;

/**
 * The form of a stored product's code: no control characters, and no blank at either end. It accepts more
 * than `productCodePattern`, because stored products may be older than that pattern.
 */
const anyProductCode =
  '^[^\\u0000-\\u0020\\u007f-\\u00a0]' +
  '([^\\u0000-\\u001f\\u007f-\\u009f]{0,98}[^\\u0000-\\u0020\\u007f-\\u00a0])?$';
/** The code of an existing product. */
export const productCode = (options: object = {}) =>
  Type.String({ pattern: anyProductCode, ...options });

/**
 * The form of a new product's code: ASCII, so that no two codes look alike, and without a blank at either
 * end. `.` and `..` are refused, because a URL parser removes them from a path.
 */
export const productCodePattern =
  '^(?!\\.{1,2}$)[\\u0021-\\u007e]([\\u0020-\\u007e]{0,98}[\\u0021-\\u007e])?$';

/** No control characters or direction overrides, and no blank at either end. */
export const productNamePattern =
  '^[^\\u0000-\\u0020\\u007f-\\u00a0]' +
  '([^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]{0,248}' +
  '[^\\u0000-\\u0020\\u007f-\\u00a0\\u2028-\\u202e\\u2066-\\u2069])?$';
const productName = () => Type.String({ pattern: productNamePattern });

const Prices = Type.Array(
  input({
    currency: currency(),
    amount: Type.Number({ minimum: 0, maximum: 1e12, description: 'Unit price, major units.' }),
  }),
  { minItems: 1, maxItems: mostPrices, description: 'One per currency.' },
);

const CreateProduct = input({
  code: Type.String({
    pattern: productCodePattern,
    description: 'ASCII; unique per client; it never changes.',
  }),
  name: productName(),
  kind: oneOf(productKinds, 'It never changes.'),
  interval: Type.Optional(
    nullable(oneOf(intervals, 'Required for a subscription, which it never changes afterwards.')),
  ),
  active: Type.Optional(Type.Boolean({ description: 'True when absent.' })),
  prices: Prices,
});
export type CreateProduct = Static<typeof CreateProduct>;

/** The version that the caller read, for a change that must not overwrite a newer one. */
export const expectedVersion = () =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'The version that was read; the change is refused when there is a newer one.',
    }),
  );

const UpdateProduct = input({
  name: Type.Optional(productName()),
  active: Type.Optional(Type.Boolean()),
  prices: Type.Optional(Prices),
  version: expectedVersion(),
});
export type UpdateProduct = Static<typeof UpdateProduct>;

const ProductCode = Type.Object({
  code: text(100, { pattern: anyProductCode, 'x-code': 'product_not_found' }),
});

export const createProduct = row({
  spec: 'Contract §8, POST /v1/products',
  summary: 'Adds a product to the catalog.',
  call: 'POST /v1/products',
  auth: 'server',
  scope: 'catalog:write',
  permission: 'catalog.write',
  limit: 'client',
  createsOnce: true,
  tool: { kind: 'write' },
  input: { body: CreateProduct },
  answers: { 201: Product },
  refuses: [
    'invalid_request',
    'amount_precision',
    'product_code_taken',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const listProducts = row({
  spec: 'Contract §8, GET /v1/products',
  summary: 'Lists the products of the catalog.',
  call: 'GET /v1/products',
  auth: 'server',
  scope: 'catalog:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt', 'updatedAt', 'code'], {}) },
  filters: {
    code: Type.String(),
    kind: oneOf(productKinds),
    active: Type.Boolean(),
    createdAt: givenInstant(),
  },
  answers: { 200: list(Product) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

export const getProduct = row({
  spec: 'Contract §8, GET /v1/products/{code}',
  summary: 'Reads one product.',
  call: 'GET /v1/products/{code}',
  auth: 'server',
  scope: 'catalog:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: ProductCode },
  answers: { 200: Product },
  refuses: ['product_not_found', 'insufficient_scope'],
  emits: [],
});

export const updateProduct = row({
  spec: 'Contract §8, PATCH /v1/products/{code}',
  summary:
    'Changes name, prices or whether a product can be bought; prices are replaced as a whole.',
  call: 'PATCH /v1/products/{code}',
  auth: 'server',
  scope: 'catalog:write',
  permission: 'catalog.write',
  limit: 'client',
  tool: { kind: 'write' },
  input: { path: ProductCode, body: UpdateProduct },
  answers: { 200: Product },
  refuses: [
    'product_not_found',
    'invalid_request',
    'amount_precision',
    'version_conflict',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});
