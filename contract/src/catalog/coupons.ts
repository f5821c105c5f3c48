// Coupons of the catalog. Contract §8.

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
  paging,
} from '../rows/schema.ts';
import { expectedVersion, productCode } from './catalog.ts';

export const Coupon = component('Coupon', {
  object: Type.Unsafe<'coupon'>({ type: 'string', enum: ['coupon'] }),
  code: Type.String({ description: 'Unique per client, in upper case.' }),
  percentOff: nullable(Type.Number({ description: 'Percent, up to two decimals.' })),
  amountOff: nullable(amount('Major units, spread over the lines of the cart.')),
  currency: nullable(currency({ description: 'Of amountOff.' })),
  productCodes: nullable(
    Type.Array(Type.String(), { description: 'The products that it applies to; null: all.' }),
  ),
  startsAt: nullable(instant()),
  endsAt: nullable(instant('The end of its validity, exclusive.')),
  maxRedemptions: nullable(Type.Integer()),
  redemptions: Type.Integer({
    description: 'Number of payments with it that have succeeded or may still succeed.',
  }),
  active: Type.Boolean(),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Coupon = Static<typeof Coupon>;

const couponCodePattern = '^[A-Za-z0-9][A-Za-z0-9_\\-]{0,99}$';

const conditions = {
  productCodes: Type.Optional(
    nullable(
      Type.Array(productCode(), {
        minItems: 1,
        maxItems: 100,
        description: 'Codes of the products that it applies to; null: all.',
      }),
    ),
  ),
  startsAt: Type.Optional(nullable(givenInstant())),
  endsAt: Type.Optional(nullable(givenInstant('The end of its validity, exclusive.'))),
  maxRedemptions: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Null: no limit.' })),
  ),
  active: Type.Optional(Type.Boolean()),
};

const CreateCoupon = input({
  code: Type.String({
    pattern: couponCodePattern,
    description: 'Unique per client, whatever the spelling; kept in upper case.',
  }),
  percentOff: Type.Optional(
    nullable(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        description: 'Percent, up to two decimals. Either this or amountOff.',
      }),
    ),
  ),
  amountOff: Type.Optional(
    nullable(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e12,
        description: 'Major units of currency, spread over the lines of the cart.',
      }),
    ),
  ),
  currency: Type.Optional(
    nullable(currency({ description: 'The currency of amountOff, required with it.' })),
  ),
  ...conditions,
});
export type CreateCoupon = Static<typeof CreateCoupon>;

/** Code and discount never change: another discount needs another coupon. */
export const UpdateCoupon = input({ ...conditions, version: expectedVersion() });
export type UpdateCoupon = Static<typeof UpdateCoupon>;

const CouponCode = Type.Object({
  code: Type.String({ pattern: couponCodePattern, 'x-code': 'coupon_not_found' }),
});

export const createCoupon = row({
  spec: 'Contract §8, POST /v1/coupons',
  summary: 'Adds a coupon of a percentage or an amount.',
  call: 'POST /v1/coupons',
  auth: 'server',
  scope: 'catalog:write',
  permission: 'catalog.write',
  limit: 'client',
  createsOnce: true,
  tool: { kind: 'write' },
  input: { body: CreateCoupon },
  answers: { 201: Coupon },
  refuses: [
    'invalid_request',
    'amount_precision',
    'invalid_catalog_data',
    'coupon_code_taken',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const listCoupons = row({
  spec: 'Contract §8, GET /v1/coupons',
  summary: 'Lists coupons.',
  call: 'GET /v1/coupons',
  auth: 'server',
  scope: 'catalog:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt', 'updatedAt', 'code'], {}) },
  filters: { code: Type.String(), active: Type.Boolean(), createdAt: givenInstant() },
  answers: { 200: list(Coupon) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

export const getCoupon = row({
  spec: 'Contract §8, GET /v1/coupons/{code}',
  summary: 'Reads one coupon, in any spelling of its code.',
  call: 'GET /v1/coupons/{code}',
  auth: 'server',
  scope: 'catalog:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: CouponCode },
  answers: { 200: Coupon },
  refuses: ['coupon_not_found', 'insufficient_scope'],
  emits: [],
});

export const updateCoupon = row({
  spec: 'Contract §8, PATCH /v1/coupons/{code}',
  summary:
    'Changes when, how often and for which products a coupon applies; null removes a condition.',
  call: 'PATCH /v1/coupons/{code}',
  auth: 'server',
  scope: 'catalog:write',
  permission: 'catalog.write',
  limit: 'client',
  tool: { kind: 'write' },
  input: { path: CouponCode, body: UpdateCoupon },
  answers: { 200: Coupon },
  refuses: [
    'coupon_not_found',
    'invalid_request',
    'invalid_catalog_data',
    'version_conflict',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});
