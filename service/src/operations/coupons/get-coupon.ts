import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showCoupon } from '../../engine/steps/coupons/show-coupon.ts';
import { findCoupon } from '../../storage/catalog/coupons.ts';

/** Reads one coupon. Contract §8. Another merchant's is not found. */
export const getCoupon = implement(rows.getCoupon)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const coupon = await findCoupon(ports.database, clientId, input.code);
  if (!coupon) return refuse('coupon_not_found');
  return { status: 200, body: showCoupon(coupon) };
});
