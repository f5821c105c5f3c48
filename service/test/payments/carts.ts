// Carts for the tests of pricing. Each builder takes what matters and fills in the rest.

import type { Coupon } from '../../src/domain/money/coupon.ts';
import type { CartProduct, PricedCart } from '../../src/domain/money/pricing.ts';

export const now = new Date('2026-05-01T12:00:00.000Z');

export const aCartProduct = (given: Partial<CartProduct> = {}): CartProduct => ({
  code: 'mug',
  name: 'A mug',
  kind: 'item',
  interval: null,
  isActive: true,
  unitMinor: 1990,
  ...given,
});

export const aCoupon = (given: Partial<Coupon> = {}): Coupon => ({
  clientId: '0190a000-0000-7000-8000-000000000001',
  code: 'TEN',
  percentOffBasisPoints: 1000,
  amountOffMinor: null,
  currency: null,
  productCodes: null,
  startsAt: null,
  endsAt: null,
  maxRedemptions: null,
  redemptions: 0,
  version: 0,
  isActive: true,
  createdAt: now,
  updatedAt: now,
  ...given,
});

export const anAmountOff = (amountOffMinor: number, given: Partial<Coupon> = {}): Coupon =>
  aCoupon({ code: 'OFF', percentOffBasisPoints: null, amountOffMinor, currency: 'EUR', ...given });

/** Returns the cart's price; fails the test with the problems of a refused cart. */
export function requirePriced(result: PricedCart): Extract<PricedCart, { kind: 'priced' }> {
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.errors));
  return result;
}
