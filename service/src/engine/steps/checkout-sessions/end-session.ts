// How the end of a session is told: it is completed, its time is over, or a new one takes its reference.
// Contract §3, §7.

import type { Event } from '@svc/contract/events/events';
import { toMajor } from '../../../domain/money/money.ts';
import { type CheckoutSession, hasEndedUnpaid } from '../../../domain/payments/checkout-session.ts';
import { isStartProof } from '../../../domain/protocol/start-proof.ts';
import {
  endSession,
  lockOpenOfReference,
} from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { appendEvent, type NewEvent } from '../../../storage/webhooks/events.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
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
        reference: session.reference,
        metadata: session.metadata,
      },
      previousAttributes: { status: before },
    },
  });
}

export type EndOfSession = {
  readonly now: Date;
  /** The request that ends the session; null when its time ends it. */
  readonly request: Parameters<typeof composeEvent>[0]['request'];
  readonly ports: Pick<Ports, 'newId' | 'settings'>;
};

/** Ends a locked, open session with its event; nothing waits for the buyer of it any more. */
export async function expireOpenSession(
  tx: Tx,
  session: CheckoutSession,
  { now, request, ports }: EndOfSession,
): Promise<void> {
  const eventSeq = session.eventSeq + 1;
  const next = await endSession(tx, session, { status: 'expired', eventSeq, now });
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'checkout.session.expired',
      clientId: session.clientId,
      isLive: ports.settings.isLive,
      now,
      resource: { type: 'checkout_session', id: session.id, version: next.version },
      sequence: eventSeq,
      request,
      data: {
        object: {
          id: session.id,
          object: 'checkout.session',
          status: next.status,
          captureMethod: session.captureMethod,
          paymentId: session.paymentId,
          reference: session.reference,
          metadata: session.metadata,
        },
        previousAttributes: { status: session.status },
      },
    }),
  );
}

type Replacement = {
  readonly clientId: string;
  readonly reference: string;
  readonly replaces: boolean;
  readonly caller: Caller;
};

/**
 * Ends the open session of the reference, which is the new one's from then on. What waits for its buyer
 * can only be ended at the provider, which no transaction may ask. Refuses
 * checkout_session_reference_taken and checkout_attempt_in_progress.
 */
export async function endOlderSession(
  tx: Tx,
  { clientId, reference, replaces, caller }: Replacement,
  ports: Ports,
): Promise<void> {
  const older = await lockOpenOfReference(tx, clientId, reference);
  if (!older) return;
  const { session, isBeingPaid } = older;
  const now = await readClock(tx);
  if (!replaces && !hasEndedUnpaid(session, now)) {
    return refuse('checkout_session_reference_taken', {
      param: 'reference',
      message: `The session ${session.id} with this reference is open. Send its buyer on to it, expire it, or send replaces: true.`,
    });
  }
  if (isBeingPaid) {
    return refuse('checkout_attempt_in_progress', {
      param: 'reference',
      message: `The buyer is paying the session ${session.id} with this reference. Nothing was created. POST /v1/checkout-sessions/${session.id}/expire ends what waits for the buyer; then create again.`,
    });
  }
  const request = { id: caller.requestId, idempotencyKey: null };
  await expireOpenSession(tx, session, { now, request, ports });
}
