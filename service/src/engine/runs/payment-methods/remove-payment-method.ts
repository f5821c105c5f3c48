// The detachment as its two callers request it: the merchant's server, and the customer's own page.

import type { Event } from '@svc/contract/events/events';
import { meaningOf } from '../../../domain/payments/detachment.ts';
import { findDetachment } from '../../../storage/payment-methods/detachments.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import {
  type DetachmentTarget,
  leaseDetachment,
} from '../../steps/payment-methods/lease-detachment.ts';
import { runDetachment } from './run-detachment.ts';

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
export async function removePaymentMethod(ports: Ports, wanted: DetachmentTarget): Promise<void> {
  const deadline = stopWaitingAt(ports);
  for (;;) {
    const lease = await leaseDetachment(ports, wanted);
    if (lease.kind === 'removed') return;
    if (lease.kind === 'refused') return refuse(lease.code);
    if (lease.kind === 'held') {
      const end = await runDetachment(lease.held, ports);
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

/** Refuses because another caller works on the detachment and takes too long. */
async function refuseUnfinished({ clientId, id }: DetachmentTarget, ports: Ports): Promise<never> {
  const detachment = await findDetachment(ports.database, { clientId, id });
  const reason =
    detachment && detachment.tries > 0 ? 'provider_detach_failed' : 'verification_failed';
  return refuse('payment_method_deletion_failed', {
    reason,
    resolution: 'retry_delete',
    retrySafe: true,
    retryable: true,
    message: underWay,
  });
}
