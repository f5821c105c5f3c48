import type { UpdateCoupon } from '@svc/contract/catalog/coupons';
import { checkedDate } from '@svc/contract/values/instants';
import type { Coupon } from '../../../domain/money/coupon.ts';
import type { CatalogProblem } from '../../../domain/money/product.ts';

/** When, how often and for which products a coupon may be used. */
export type Conditions = Pick<
  Coupon,
  'productCodes' | 'startsAt' | 'endsAt' | 'maxRedemptions' | 'isActive'
>;

export const unlimitedConditions: Conditions = {
  productCodes: null,
  startsAt: null,
  endsAt: null,
  maxRedemptions: null,
  isActive: true,
};

/**
 * Applies the requested conditions to the present ones: an absent field stays as it is, null
 * removes the condition.
 */
export function readConditions(
  body: Omit<UpdateCoupon, 'version'>,
  present: Conditions & { readonly redemptions: number },
): { conditions: Conditions; problems: CatalogProblem[] } {
  const problems: CatalogProblem[] = [];
  const conditionAt = (path: 'startsAt' | 'endsAt'): Date | null => {
    const text = body[path];
    if (text === undefined) return present[path];
    return text === null ? null : checkedDate(text);
  };
  const conditions: Conditions = {
    productCodes: body.productCodes === undefined ? present.productCodes : body.productCodes,
    startsAt: conditionAt('startsAt'),
    endsAt: conditionAt('endsAt'),
    maxRedemptions:
      body.maxRedemptions === undefined ? present.maxRedemptions : body.maxRedemptions,
    isActive: body.active ?? present.isActive,
  };
  const { startsAt, endsAt, maxRedemptions } = conditions;
  if (startsAt && endsAt && endsAt <= startsAt) {
    const message = 'The coupon would end before it starts.';
    problems.push({ path: 'endsAt', code: 'window_closed', message });
  }
  if (maxRedemptions !== null && maxRedemptions < present.redemptions) {
    const message = `It has been redeemed ${present.redemptions} times; switch it off instead.`;
    problems.push({ path: 'maxRedemptions', code: 'below_redemptions', message });
  }
  return { conditions, problems };
}
