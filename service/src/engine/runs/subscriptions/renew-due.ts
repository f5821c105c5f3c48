// Renewals: each period that is due is charged off session, in the same way as every payment.
// Contract §5. docs/decisions/subscriptions.md.

import {
  cancel,
  failTry,
  renew,
  type SubscriptionChange,
} from '../../../domain/payments/subscription.ts';
import {
  claimRenewal,
  type DueRenewal,
  listDueRenewals,
  type RenewalClaim,
} from '../../../storage/subscriptions/claim-renewal.ts';
import type { Ports } from '../../ports.ts';
import { askForAttempt } from '../../steps/payments/ask-for-attempt.ts';
import { settleAttempt } from '../../steps/payments/settle-attempt.ts';
import { applyToSubscription } from '../../steps/subscriptions/apply-to-subscription.ts';

type Pass = {
  readonly limit: number;
  readonly onError: (due: DueRenewal, error: unknown) => void;
};

/**
 * Makes one pass over at most `limit` subscriptions that are due. Returns how many it moved. A
 * crash or an unknown outcome leaves an open operation, which the recovery worker drives on.
 */
export async function renewDue(ports: Ports, pass: Pass): Promise<number> {
  const due = await listDueRenewals(ports.database, pass.limit);
  let moved = 0;
  await Promise.all(
    due.map(async (one) => {
      try {
        if (await renewOne(one, ports)) moved += 1;
      } catch (error) {
        pass.onError(one, error);
      }
    }),
  );
  return moved;
}

async function renewOne(due: DueRenewal, ports: Ports): Promise<boolean> {
  const claim = await startFreely(due, ports);
  if (!claim) return false;
  if (claim.kind !== 'claimed') {
    ports.nudge('deliver-webhooks');
    return true;
  }
  const { payment, operation, now } = claim;
  const outcome = await askForAttempt({ payment, operation, isFirstSend: true, now }, ports);
  await settleAttempt({ operation, sessionId: null, startedAt: now }, outcome, ports);
  return true;
}

/**
 * Claims the renewal. Where its card is missing, or was refused by the bank for good, the try
 * counts as failed without a charge. A period that costs nothing is renewed without a payment, and a
 * subscription that was to end with its period ends.
 */
const startFreely = (due: DueRenewal, ports: Ports): Promise<RenewalClaim | undefined> =>
  ports.database.transaction(due.clientId, async (tx) => {
    const claim = await claimRenewal(tx, {
      ...due,
      paymentId: ports.newId(),
      operationId: ports.newId(),
      leaseOwner: ports.newId(),
      leaseMs: ports.settings.leaseMs,
    });
    if (claim && claim.kind !== 'claimed') {
      const { subscription, now } = claim;
      await applyToSubscription(tx, subscription, { ...pass(claim), request: null, now, ports });
    }
    return claim;
  });

function pass(claim: Exclude<RenewalClaim, { readonly kind: 'claimed' }>): SubscriptionChange {
  const { kind, subscription, now } = claim;
  if (kind === 'over') return cancel(claim.subscription.endReason, now);
  return kind === 'free' ? renew(subscription, now) : failTry(subscription, now);
}
