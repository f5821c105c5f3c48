import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { isMadeAlready } from '../../engine/is-made-already.ts';
import { requireServer } from '../../engine/require-server.ts';
import { differencesOf } from '../../engine/steps/audit-log/differences.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { assertProducts } from '../../engine/steps/coupons/assert-products.ts';
import { readConditions } from '../../engine/steps/coupons/read-conditions.ts';
import { showCoupon } from '../../engine/steps/coupons/show-coupon.ts';
import { refuseProblems } from '../../engine/steps/products/catalog-problems.ts';
import { lockCoupon, updateCoupon as saveCoupon } from '../../storage/catalog/coupons.ts';

/**
 * Changes the conditions that are given, under the coupon's lock, which redemptions take too, so
 * that a limit is never below the number of redemptions. Sessions keep the discount they were
 * created with. Contract §8. Refuses, in order: invalid_catalog_data, coupon_not_found,
 * version_conflict, invalid_request with one error per field.
 */
export const updateCoupon = implement(rows.updateCoupon)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const { version, ...wanted } = input.body;
  await assertProducts(ports, { clientId, codes: wanted.productCodes }, refuse);

  return ports.database.transaction(clientId, async (tx) => {
    const coupon = await lockCoupon(tx, clientId, input.code);
    if (!coupon) return refuse('coupon_not_found');
    const { conditions, problems } = readConditions(wanted, coupon);
    const isAsking = Object.keys(wanted).length > 0;
    const isConflict = version !== undefined && version !== coupon.version;
    const change = isAsking ? conditions : {};
    if (isConflict && !isMadeAlready(coupon, { from: version, change })) {
      return refuse('version_conflict');
    }
    refuseProblems(problems, (_code, facts) => refuse('invalid_request', facts));
    if (isConflict || !isAsking) return { status: 200, body: showCoupon(coupon) };
    const body = showCoupon(await saveCoupon(tx, { ...coupon, ...conditions }));
    const told = { action: 'coupon.updated', resourceType: 'coupon', resourceId: coupon.code };
    const differences = differencesOf(showCoupon(coupon), body);
    await recordChange(tx, caller, { ...told, ...differences }, ports);
    return { status: 200, body };
  });
});
