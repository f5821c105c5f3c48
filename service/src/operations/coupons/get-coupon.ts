import { rows } from '@svc/contract';
import { findCoupon } from '../../storage/coupons.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showCoupon } from './show-coupon.ts';

/** Reads one coupon. Contract §8. Another merchant's is not found. */
export const getCoupon = implement(rows.getCoupon)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const coupon = await findCoupon(ports.database, clientId, input.code);
  if (!coupon) return refuse('coupon_not_found');
  return { status: 200, body: showCoupon(coupon) };
});
