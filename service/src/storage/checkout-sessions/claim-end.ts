// Claims the attempt that has to end before its session can end.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { isLeasedByOther } from '../../domain/payments/operation.ts';
import type { Tx } from '../database/database.ts';
import type { ClaimedAttempt } from './attempt-claim.ts';
import { holdAttempt, lockAttempt } from './claim-attempt.ts';

export type EndClaim =
  /** No attempt is under way. */
  | { readonly kind: 'free' }
  /** The attempt waits for the buyer, and this call holds it and ends it. */
  | ({ readonly kind: 'held' } & ClaimedAttempt)
  | { readonly kind: 'wait'; readonly operationId: string }
  /** The attempt's outcome is open: only the provider's answer ends it. */
  | { readonly kind: 'busy' };

/** The caller holds the session's lock. Repeatable with the same lease owner. */
export async function claimEnd(
  tx: Tx,
  session: CheckoutSession,
  lease: { readonly leaseOwner: string; readonly leaseMs: number; readonly now: Date },
): Promise<EndClaim> {
  if (session.status !== 'requires_action' && session.status !== 'processing') {
    return { kind: 'free' };
  }
  const { payment, operation } = await lockAttempt(tx, session);
  if (isLeasedByOther(operation, lease.leaseOwner, lease.now)) {
    return { kind: 'wait', operationId: operation.id };
  }
  const isOurs = operation.leaseOwner === lease.leaseOwner;
  if (operation.state !== 'awaiting_customer' && !isOurs) return { kind: 'busy' };
  const held = await holdAttempt(tx, operation, lease);
  return { kind: 'held', session, payment, operation: held, isFirstSend: false, now: lease.now };
}
