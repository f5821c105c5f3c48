import { rows } from '@svc/contract';
import { couponCode } from '../../domain/money/coupon.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showCoupon } from '../../engine/steps/coupons/show-coupon.ts';
import { listCouponRows } from '../../storage/catalog/coupon-lists.ts';
import { toCoupon } from '../../storage/catalog/coupons.ts';

/** Lists the merchant's coupons; a code is found in any letter case. Contract §8. */
export const listCoupons = implement(rows.listCoupons)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const filters = input.filters.map((filter) =>
    filter.field === 'code' ? { ...filter, values: filter.values.map(couponCode) } : filter,
  );
  const query = { ...input, filters };
  const { rows: found, ...page } = await listCouponRows(ports.database, clientId, query);
  return { status: 200, body: { data: found.map((row) => showCoupon(toCoupon(row))), ...page } };
});
