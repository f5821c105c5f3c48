import { rows } from '@svc/contract';
import { couponCode, readDiscount } from '../../domain/money/coupon.ts';
import { createsOnce } from '../../engine/create-once.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { createdFacts } from '../../engine/steps/audit-log/differences.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { assertProducts } from '../../engine/steps/coupons/assert-products.ts';
import { readConditions, unlimitedConditions } from '../../engine/steps/coupons/read-conditions.ts';
import { showCoupon } from '../../engine/steps/coupons/show-coupon.ts';
import { refuseProblems } from '../../engine/steps/products/catalog-problems.ts';
import { insertCoupon } from '../../storage/catalog/coupons.ts';

/**
 * Creates a coupon with either a percentage or an amount. Contract §8. Refuses, in order:
 * invalid_request or amount_precision with one error per field, invalid_catalog_data for products
 * that do not exist, coupon_code_taken.
 */
export const createCoupon = implement(rows.createCoupon)(
  createsOnce(async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const { body } = input;
    const { discount, problems } = readDiscount({
      percentOff: body.percentOff ?? null,
      amountOff: body.amountOff ?? null,
      currency: body.currency ?? null,
    });
    const read = readConditions(body, { ...unlimitedConditions, redemptions: 0 });
    refuseProblems([...problems, ...read.problems], refuse);
    await assertProducts(ports, { clientId, codes: body.productCodes }, refuse);

    const code = couponCode(body.code);
    return ports.database.transaction(clientId, async (tx) => {
      const coupon = await insertCoupon(tx, { clientId, code, ...discount, ...read.conditions });
      if (!coupon) return refuse('coupon_code_taken', { param: 'code' });
      const shown = showCoupon(coupon);
      const change = { action: 'coupon.created', resourceType: 'coupon', resourceId: code };
      await recordChange(tx, caller, { ...change, after: createdFacts(shown) }, ports);
      return { status: 201, body: shown };
    });
  }),
);
