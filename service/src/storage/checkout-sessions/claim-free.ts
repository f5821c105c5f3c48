// A session that costs nothing needs no attempt: it is completed under its lock. Contract §3, Free
// orders.

import { type CheckoutSession, isTotal } from '../../domain/payments/checkout-session.ts';
import type { Tx } from '../database/database.ts';
import type { AttemptClaim, AttemptRequest } from './attempt-claim.ts';

/** A completed session gets the same answer again; a session with nothing due has no attempt under way. */
export async function claimFree(
  tx: Tx,
  session: CheckoutSession,
  { request, now }: { request: AttemptRequest; now: Date },
): Promise<AttemptClaim> {
  const { completeFree, expectedTotal } = request;
  if (!completeFree) return { kind: 'refused', code: 'amount_not_supported' };
  if (session.status === 'completed') return { kind: 'free', session };
  if (!isTotal(session, expectedTotal)) {
    return { kind: 'refused', code: 'checkout_session_total_changed' };
  }
  const end = await completeFree(tx, session, now);
  if (end.kind === 'completed') return { kind: 'free', session: end.session };
  if (end.kind === 'coupons_used') return { kind: 'coupons_used', session };
  return { kind: 'refused', code: end.kind };
}
