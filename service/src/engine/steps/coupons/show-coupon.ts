import type { Coupon as WireCoupon } from '@svc/contract/catalog/coupons';
import { type Coupon, percentOf } from '../../../domain/money/coupon.ts';
import { toMajor } from '../../../domain/money/money.ts';

/** The coupon as merchants see it. Contract §8. */
export const showCoupon = (coupon: Coupon): WireCoupon => ({
  object: 'coupon',
  code: coupon.code,
  percentOff: percentOf(coupon),
  amountOff:
    coupon.amountOffMinor === null || coupon.currency === null
      ? null
      : toMajor(coupon.amountOffMinor, coupon.currency),
  currency: coupon.currency,
  productCodes: coupon.productCodes === null ? null : [...coupon.productCodes],
  startsAt: coupon.startsAt?.toISOString() ?? null,
  endsAt: coupon.endsAt?.toISOString() ?? null,
  maxRedemptions: coupon.maxRedemptions,
  redemptions: coupon.redemptions,
  active: coupon.isActive,
  version: coupon.version,
  createdAt: coupon.createdAt.toISOString(),
  updatedAt: coupon.updatedAt.toISOString(),
});
