// Applies the provider's outcome to a set-up: method, event and session in one transaction. The
// request, the recovery worker and the provider's notices all use this.

import {
  type CardSetup,
  decideSetup,
  factsOfCard,
  isSetupOver,
  nextSetupCheck,
  reportSetup,
  type SetupEnd,
} from '../../../domain/payments/card-setup.ts';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import {
  lockSessionOfPayment,
  settleSession,
} from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { lockMethodOfProvider } from '../../../storage/checkout-sessions/setup-sessions.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { finishSetup, lockSetup } from '../../../storage/payment-methods/card-setups.ts';
import {
  dropPendingMethod,
  isBeingRemoved,
  lockMethod,
} from '../../../storage/payment-methods/payment-methods.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports, SetupOutcome } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { activate } from '../payment-methods/activate-method.ts';

/**
 * Settles under the locks of session, set-up and method, in this order. Returns undefined when the
 * caller has lost the lease: the process with the later epoch settles the set-up. Repeatable.
 */
export async function settleSetup(
  held: Pick<CardSetup, 'id' | 'clientId' | 'sessionId' | 'epoch'>,
  outcome: SetupOutcome,
  ports: Ports,
): Promise<CardSetup | undefined> {
  const settled = await repeatWhenLost(() =>
    ports.database.transaction(held.clientId, (tx) => settleOnce(tx, held, outcome, ports)),
  );
  if (settled?.state === 'succeeded') ports.nudge('deliver-webhooks');
  return settled;
}

async function settleOnce(
  tx: Tx,
  held: Pick<CardSetup, 'id' | 'clientId' | 'sessionId' | 'epoch'>,
  outcome: SetupOutcome,
  ports: Ports,
): Promise<CardSetup | undefined> {
  const { clientId, id, sessionId } = held;
  const session = await lockSessionOfPayment(tx, { clientId, sessionId });
  const setup = await lockSetup(tx, clientId, id);
  const now = await readClock(tx);
  if (!session || !setup || setup.epoch !== held.epoch || isSetupOver(setup)) return undefined;
  const told = decideSetup(setup, outcome);
  const saved = told.state === 'succeeded' ? await save(tx, setup, { told, now, ports }) : null;
  const end: SetupEnd =
    told.state === 'succeeded' && saved === null
      ? { state: 'failed', code: 'canceled', declineCode: null }
      : told;
  // A session of a payment keeps no pending method between its set-ups. Contract §5.
  if (end.state === 'failed' && session.mode === 'payment') {
    await dropPendingMethod(tx, { clientId, id: setup.paymentMethodId });
  }
  const jitter = (ports.randomBytes(1)[0] ?? 0) / 255;
  const next = await finishSetup(tx, setup, {
    state: end.state,
    paymentMethodId: saved ?? setup.paymentMethodId,
    challenge: outcome.kind === 'requires_action' ? outcome.challenge : setup.challenge,
    failureCode: end.state === 'failed' ? end.code : null,
    declineCode: end.state === 'failed' ? end.declineCode : null,
    declineAdvice: end.state === 'failed' ? (end.advice ?? null) : null,
    nextCheckAt: nextSetupCheck(setup, end.state, { now, jitter }),
    now,
  });
  await writeSessionResult(tx, session, { setup: next, end, now, ports });
  return next;
}

/**
 * Activates the pending method. A card that is saved already keeps its method, and the pending one
 * is dropped, so that no card has two methods. Returns null when the saved method belongs to
 * another customer or is being removed.
 */
async function save(
  tx: Tx,
  setup: CardSetup,
  given: { told: Extract<SetupEnd, { state: 'succeeded' }>; now: Date; ports: Ports },
): Promise<string | null> {
  const { told, now, ports } = given;
  const { clientId, paymentMethodId } = setup;
  const method = await lockMethod(tx, clientId, paymentMethodId);
  const known = await lockMethodOfProvider(tx, setup, told.methodId);
  if (known) {
    const isUsable = known.userId === setup.userId && !(await isBeingRemoved(tx, known));
    if (!isUsable) return null;
    await dropPendingMethod(tx, { clientId, id: paymentMethodId });
    return known.id;
  }
  if (method?.status !== 'pending') {
    throw new Error(`set-up ${setup.id} has lost its pending method`);
  }
  const active = await activate(
    tx,
    method,
    {
      providerCustomerId: told.customerId,
      providerPaymentMethodId: told.methodId,
      facts: factsOfCard(told.card),
      request: setup.requestId === null ? null : { id: setup.requestId, idempotencyKey: null },
      now,
    },
    ports,
  );
  return active.id;
}

async function writeSessionResult(
  tx: Tx,
  session: CheckoutSession,
  given: { setup: CardSetup; end: SetupEnd; now: Date; ports: Ports },
): Promise<void> {
  const { setup, end, now, ports } = given;
  // The session of a payment reports its payment. A setup session may belong to a later set-up by now.
  if (session.mode !== 'setup' || session.attemptId !== setup.id) return;
  const isCompleted = end.state === 'succeeded';
  const eventSeq = session.eventSeq + (isCompleted ? 1 : 0);
  const change = { ...reportSetup(end), authorizationExpiresAt: null };
  const next = await settleSession(tx, session, { ...change, eventSeq, now });
  if (!isCompleted) return;
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'checkout.session.completed',
      clientId: session.clientId,
      isLive: ports.settings.isLive,
      now,
      resource: { type: 'checkout_session', id: session.id, version: next.version },
      sequence: eventSeq,
      request: setup.requestId === null ? null : { id: setup.requestId, idempotencyKey: null },
      data: {
        object: {
          id: session.id,
          object: 'checkout.session',
          status: next.status,
          checkoutMode: 'setup',
          captureMethod: session.captureMethod,
          paymentId: null,
          paymentMethodId: setup.paymentMethodId,
          metadata: session.metadata,
        },
        previousAttributes: { status: session.status },
      },
    }),
  );
}
