import type { Event } from '@svc/contract/events/events';
import { toMajor } from '../../../domain/money/money.ts';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import { isStartProof } from '../../../domain/protocol/start-proof.ts';
import type { NewEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';

/** The `checkout.session.completed` event of a session as it was just saved. Contract §7. */
export function completedEvent(
  session: CheckoutSession,
  facts: {
    readonly before: CheckoutSession['status'];
    readonly isLive: boolean;
    readonly request: Event['request'];
    readonly now: Date;
    readonly ports: Pick<Ports, 'newId'>;
  },
): NewEvent {
  const { before, isLive, request, now, ports } = facts;
  const currency = session.currency ?? '';
  return composeEvent({
    id: ports.newId(),
    type: 'checkout.session.completed',
    clientId: session.clientId,
    isLive,
    now,
    resource: { type: 'checkout_session', id: session.id, version: session.version },
    sequence: session.eventSeq,
    isStartProof: isStartProof({ isLive, metadata: session.metadata }),
    request,
    data: {
      object: {
        id: session.id,
        object: 'checkout.session',
        status: session.status,
        captureMethod: session.captureMethod,
        paymentId: session.paymentId,
        buyerVerified: session.isBuyerVerified,
        couponCodes: [...session.couponCodes],
        totals: {
          subtotal: toMajor(session.subtotalMinor ?? 0, currency),
          discount: toMajor(session.discountMinor ?? 0, currency),
          total: toMajor(session.totalMinor ?? 0, currency),
          currency,
        },
        metadata: session.metadata,
      },
      previousAttributes: { status: before },
    },
  });
}
