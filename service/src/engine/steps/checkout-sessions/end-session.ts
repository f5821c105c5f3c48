// How the end of a session is told: it is completed, its time is over, or a new one takes its reference.
// Contract §3, §7.

import type { Event } from '@svc/contract/events/events';
import { toMajor } from '../../../domain/money/money.ts';
import { type CheckoutSession, hasEndedUnpaid } from '../../../domain/payments/checkout-session.ts';
import { isStartProof } from '../../../domain/protocol/start-proof.ts';
import {
  endSession,
  findPaymentOfReference,
  lockSessionOfReference,
  type ReferencePayment,
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
 * Frees the reference for a new session: ends the open one that has it, and refuses while money of it is
 * held, taken or in doubt, or once its order was completed without money. What waits for its buyer can only be ended at the provider, which no transaction
 * may ask. Refuses checkout_session_reference_taken and checkout_attempt_in_progress; `errors` names the
 * session and the payment that have the reference.
 */
export async function freeReference(tx: Tx, wanted: Replacement, ports: Ports): Promise<void> {
  const { clientId, reference } = wanted;
  const older = await lockSessionOfReference(tx, clientId, reference);
  if (older) await endOlder(tx, older, { ...wanted, ports });
  const payment = await findPaymentOfReference(tx, clientId, reference);
  if (payment) refusePaid(payment);
}

async function endOlder(
  tx: Tx,
  { session, isBeingPaid }: { readonly session: CheckoutSession; readonly isBeingPaid: boolean },
  { replaces, caller, ports }: Replacement & { readonly ports: Ports },
): Promise<void> {
  const { id, status } = session;
  if (status === 'completed') return refuseFree(id);
  const now = await readClock(tx);
  const param = 'reference';
  if (!replaces && !hasEndedUnpaid(session, now)) {
    const message = `The session ${id} with this reference is open. Send its buyer on to it, expire it, or send replaces: true.`;
    const errors = [{ path: param, code: 'checkout_session', message, id, state: status }];
    return refuse('checkout_session_reference_taken', { param, message, errors });
  }
  if (isBeingPaid) {
    const message = `The buyer is paying the session ${id} with this reference. Nothing was created. POST /v1/checkout-sessions/${id}/expire ends what waits for the buyer; then create again.`;
    const errors = [{ path: param, code: 'checkout_session', message, id, state: status }];
    return refuse('checkout_attempt_in_progress', { param, message, errors });
  }
  const request = { id: caller.requestId, idempotencyKey: null };
  await expireOpenSession(tx, session, { now, request, ports });
}

/** With a second session an order that cost nothing could be delivered twice. */
function refuseFree(id: string): never {
  const param = 'reference';
  const message = `The order with this reference cost nothing and is completed by the session ${id}. Nothing was created, also with replaces: true. Another order needs another reference.`;
  const errors = [{ path: param, code: 'checkout_session', message, id, state: 'completed' }];
  return refuse('checkout_session_reference_taken', { param, message, errors });
}

/** With a second session the order could be paid twice. */
function refusePaid({ id, status, sessionId, sessionStatus }: ReferencePayment): never {
  const path = 'reference';
  const state = status.replaceAll('_', ' ');
  const message = `The payment ${id} with this reference is ${state}. Nothing was created, also with replaces: true. Another session can be created once its hold is cancelled or its whole amount is refunded.`;
  const errors = [{ path, code: 'payment', message, id, state: status }];
  if (sessionId && sessionStatus) {
    const its = `The session ${sessionId} of that payment is ${sessionStatus}.`;
    errors.push({
      path,
      code: 'checkout_session',
      message: its,
      id: sessionId,
      state: sessionStatus,
    });
  }
  return refuse('checkout_session_reference_taken', { param: path, message, errors });
}
