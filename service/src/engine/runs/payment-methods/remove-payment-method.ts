// The removal as its two callers request it: the merchant's server, and the customer's own page.

import type { Event } from '@svc/contract/events-api';
import { meaningOf } from '../../../domain/payments/removal.ts';
import { findRemoval } from '../../../storage/payment-methods/removals.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { holdRemoval, type RemovalTarget } from '../../steps/payment-methods/hold-removal.ts';
import { runRemoval } from './run-removal.ts';

const waitMs = 100;

/** The request that the events name. */
export const requestOf = (requestId: string): Event['request'] => ({
  id: requestId,
  idempotencyKey: null,
});

/**
 * Removes a method, or finds it removed. Repeatable at any time, by any number of callers: each
 * continues where the one before stopped. Refuses, in order: payment_method_not_found,
 * …_has_active_payment, …_in_use, …_reassignment_requires_payer_action, …_deletion_failed. Spec:
 * Payment-method deletion.
 */
export async function removePaymentMethod(ports: Ports, wanted: RemovalTarget): Promise<void> {
  const deadline = stopWaitingAt(ports);
  for (;;) {
    const hold = await holdRemoval(ports, wanted);
    if (hold.kind === 'removed') return;
    if (hold.kind === 'refused') return refuse(hold.code);
    if (hold.kind === 'held') {
      const end = await runRemoval(hold.held, ports);
      if (end.kind !== 'lost') ports.nudge('deliver-webhooks');
      if (end.kind === 'removed') return;
      if (end.kind === 'stopped') return refuseStopped(end);
    }
    if (performance.now() > deadline) return refuseUnfinished(wanted, ports);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

const underWay = 'The card is being removed, and the provider has not confirmed it yet. We go on.';

function refuseStopped({
  failure,
  isOver,
}: {
  failure: Parameters<typeof meaningOf>[0];
  isOver: boolean;
}) {
  const { code, retrySafe, ...meaning } = meaningOf(failure);
  if (retrySafe === undefined) return refuse(code);
  return refuse(code, {
    ...meaning,
    retrySafe,
    retryable: retrySafe,
    ...(isOver ? {} : { message: underWay }),
  });
}

/** Refuses because another caller works on the removal and takes too long. */
async function refuseUnfinished({ clientId, id }: RemovalTarget, ports: Ports): Promise<never> {
  const removal = await findRemoval(ports.database, { clientId, id });
  const reason = removal && removal.tries > 0 ? 'provider_detach_failed' : 'verification_failed';
  return refuse('payment_method_deletion_failed', {
    reason,
    resolution: 'retry_delete',
    retrySafe: true,
    retryable: true,
    message: underWay,
  });
}
