// Takes the attempt that stands in the way of a session's end into our hands.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { isHeldByOther } from '../../domain/payments/operation.ts';
import type { Tx } from '../database/database.ts';
import type { ClaimedAttempt } from './attempt-claim.ts';
import { holdAttempt, lockAttempt } from './claim-attempt.ts';

export type EndClaim =
  /** Nothing is under way. */
  | { readonly kind: 'free' }
  /** It waits for the buyer, and is ours to end. */
  | ({ readonly kind: 'held' } & ClaimedAttempt)
  | { readonly kind: 'wait'; readonly operationId: string }
  /** Its outcome is open: only the provider's word ends it. */
  | { readonly kind: 'busy' };

/** Call under the session's lock. Repeatable with the same lease owner. */
export async function claimEnd(
  tx: Tx,
  session: CheckoutSession,
  lease: { readonly leaseOwner: string; readonly leaseMs: number; readonly now: Date },
): Promise<EndClaim> {
  if (session.status !== 'requires_action' && session.status !== 'processing') {
    return { kind: 'free' };
  }
  const { payment, operation } = await lockAttempt(tx, session);
  if (isHeldByOther(operation, lease.leaseOwner, lease.now)) {
    return { kind: 'wait', operationId: operation.id };
  }
  const isOurs = operation.leaseOwner === lease.leaseOwner;
  if (operation.state !== 'awaiting_customer' && !isOurs) return { kind: 'busy' };
  const held = await holdAttempt(tx, operation, lease);
  return { kind: 'held', session, payment, operation: held, isFirstSend: false, now: lease.now };
}
