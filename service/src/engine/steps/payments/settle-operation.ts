// Applies a provider's outcome to the operation that asked: payment, event, session and answer in
// one transaction. The request, the recovery worker and provider notices all come through here.

import assert from 'node:assert';
import type { CheckoutSession, Line } from '../../../domain/payments/checkout-session.ts';
import {
  challengeMs,
  isFinished,
  needsPerson,
  nextCheck,
  type Operation,
} from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { type Settlement, settleAttempt, settleHold } from '../../../domain/payments/settlement.ts';
import { isStartProof } from '../../../domain/protocol/start-proof.ts';
import {
  findLines,
  lockSessionOfPayment,
  settleSession,
} from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  findMethodUse,
  type MethodUse,
} from '../../../storage/payment-methods/payment-method-uses.ts';
import { settleAtOnce } from '../../../storage/payments/hold-at-once.ts';
import { finishOperation, lockOperation } from '../../../storage/payments/payment-operations.ts';
import { lockPayment, updatePayment } from '../../../storage/payments/payments.ts';
import { appendEvent, type NewEvent } from '../../../storage/webhooks/events.ts';
import type { Outcome, Ports, ProviderPayment } from '../../ports.ts';
import { completedEvent } from '../checkout-sessions/completed-event.ts';
import { composeEvent, showPurchase } from '../events/compose-event.ts';
import { nameMethod, settleUse } from '../payment-methods/settle-use.ts';
import { saleOf, startFree } from '../subscriptions/start-subscriptions.ts';
import { showPayment } from './show-payment.ts';

/** An operation in our hands: its epoch is checked again before anything is written. */
export type Held = {
  readonly operation: Operation;
  readonly sessionId: string | null;
  readonly startedAt: Date;
  /** Written in the transaction that settles. */
  readonly record?: (tx: Tx) => Promise<void>;
  /** As claimed, with its cart: lets a confirmed outcome be written in one statement. */
  readonly usual?: Usual;
};

export type Usual = {
  readonly payment: Payment;
  readonly lines: readonly Line[];
  /** The service's clock, read at the claim and moved on by a monotonic one. */
  readonly clock: () => Date;
};

export type Settled = {
  readonly payment: Payment;
  readonly settlement: Settlement;
  /** Final answers only: the bytes that this and every later call with the key is answered with. */
  readonly body: string | null;
};

/**
 * Settles under the locks of session, payment and operation, in this order. Undefined when the
 * caller no longer holds the operation: somebody with a later epoch did or will settle it.
 * Repeatable: when the fate of a commit is unknown it is run again, and finds what it did.
 */
export async function settleOperation(
  held: Held,
  outcome: Outcome,
  ports: Ports,
): Promise<Settled | undefined> {
  return repeatWhenLost(
    async () =>
      (await settleUsual(held, outcome, ports)) ?? (await settleStepByStep(held, outcome, ports)),
  );
}

async function settleStepByStep(
  held: Held,
  outcome: Outcome,
  ports: Ports,
): Promise<Settled | undefined> {
  const { clientId } = held.operation;
  const settled = await ports.database.transaction(clientId, (tx) =>
    settleOnce(tx, held, outcome, ports),
  );
  if (settled?.settlement.event) ports.nudge('deliver-webhooks');
  return settled;
}

/** The confirmed capture or cancel of an undisturbed hold; undefined for everything else. */
async function settleUsual(
  { operation, startedAt, usual }: Held,
  outcome: Outcome,
  ports: Ports,
): Promise<Settled | undefined> {
  if (!usual || outcome.kind !== 'confirmed' || operation.kind === 'authorize') return undefined;
  const { payment, lines } = usual;
  // Its event is for one endpoint, which the long way knows.
  if (isStartProof(payment)) return undefined;
  const now = usual.clock();
  const settlement = settleHold({ payment, operation, answer: outcome, now });
  if (!settlement.change || !('status' in settlement.answer)) return undefined;
  const next: Payment = {
    ...payment,
    ...settlement.change,
    version: payment.version + 1,
    eventSeq: payment.eventSeq + 1,
    updatedAt: now,
  };
  const event = composePaymentEvent({ payment, next, operation, settlement, lines, now, ports });
  const body = JSON.stringify(showPayment(next));
  const { trace } = outcome;
  const written = await settleAtOnce(ports.database, {
    payment,
    next,
    operation,
    body,
    event,
    trace,
    startedAt,
  });
  if (!written) return undefined;
  if (written.deliveries > 0) ports.nudge('deliver-webhooks');
  return { payment: next, settlement, body };
}

async function settleOnce(
  tx: Tx,
  held: Held,
  outcome: Outcome,
  ports: Ports,
): Promise<Settled | undefined> {
  const { clientId, paymentId, id, kind, epoch } = held.operation;
  const { sessionId } = held;
  const session =
    kind === 'authorize' && sessionId
      ? await lockSessionOfPayment(tx, { clientId, sessionId })
      : undefined;
  const standing = await lockPayment(tx, clientId, paymentId);
  const locked = await lockOperation(tx, clientId, id);
  if (!standing || !locked) return undefined;
  const { operation, now } = locked;
  if (operation.epoch !== epoch || isFinished(operation)) return undefined;

  const settle = operation.kind === 'authorize' ? settleAttempt : settleHold;
  const decided = settle({ payment: standing, operation, answer: outcome, now });
  const { first } = decided;
  const payment = first
    ? await applyToPayment(tx, { payment: standing, operation, settlement: first, now, ports })
    : standing;
  const used = await findUse(tx, { payment, operation, settlement: decided, outcome });
  const settlement = used ? await nameMethod(tx, decided, used) : decided;
  const next = await applyToPayment(tx, { payment, operation, settlement, now, ports });
  if (used) {
    const request = { id: operation.requestId, idempotencyKey: null };
    await settleUse(tx, { ...used, next, saved: used.said?.saved, request, now, ports });
  }
  if (session?.isBuyerVerified && next.status === 'succeeded' && payment.status !== next.status) {
    const sale = saleOf(next, { lines: session.lines, now, ports });
    if (sale) await startFree(tx, sale);
  }
  if (session && settlement.session) {
    await applyToSession(tx, { session, payment: next, operation, settlement, now, ports });
  }
  const body = answerBody(settlement, next);
  await finishOperation(tx, operation, {
    state: needsPerson(operation, { state: settlement.state, now }) ? 'manual' : settlement.state,
    nextCheckAt: nextLook(settlement, { operation, now, ports }),
    answer: body === null ? null : { status: 'status' in settlement.answer ? 200 : 409, body },
    challenge: outcome.kind === 'requires_action' ? outcome.challenge : operation.challenge,
    outcome: outcome.kind,
    httpStatus: outcome.trace.httpStatus,
    providerCode: settlement.failure?.code ?? outcome.trace.providerCode,
    providerRequestId: outcome.trace.requestId,
    startedAt: held.startedAt,
    now,
  });
  await held.record?.(tx);
  return { payment: next, settlement, body };
}

/** What the attempt has to do with a saved method, where its payment moves. */
async function findUse(
  tx: Tx,
  facts: { payment: Payment; operation: Operation; settlement: Settlement; outcome: Outcome },
): Promise<{ use: MethodUse; payment: Payment; said: ProviderPayment | null } | undefined> {
  const { payment, operation, settlement, outcome } = facts;
  if (operation.kind !== 'authorize' || !settlement.change) return undefined;
  const use = await findMethodUse(tx, payment.clientId, payment.id);
  return use && { use, payment, said: outcome.kind === 'in_doubt' ? null : outcome.payment };
}

function nextLook(
  settlement: Settlement,
  { operation, now, ports }: { operation: Operation; now: Date; ports: Ports },
): Date {
  if (settlement.state === 'awaiting_customer') {
    return new Date(operation.firstSentAt.getTime() + challengeMs);
  }
  return nextCheck(now, operation.checks, (ports.randomBytes(1)[0] ?? 0) / 255);
}

function answerBody(settlement: Settlement, payment: Payment): string | null {
  const { answer } = settlement;
  if (!answer.final) return null;
  return JSON.stringify('status' in answer ? showPayment(payment) : { code: answer.code });
}

type Applied = {
  readonly payment: Payment;
  /** Null when the provider moved on without being asked by us. */
  readonly operation: Operation | null;
  readonly settlement: Pick<Settlement, 'change' | 'event' | 'failure'>;
  readonly now: Date;
  readonly ports: Ports;
};

/** Writes the change and its event onto a locked payment. */
export async function applyToPayment(tx: Tx, applied: Applied): Promise<Payment> {
  const { payment, operation, settlement, now, ports } = applied;
  if (!settlement.change) return payment;
  const sequence = payment.eventSeq + (settlement.event ? 1 : 0);
  const next = await updatePayment(tx, payment, {
    ...settlement.change,
    eventSeq: sequence,
    updatedAt: now,
  });
  if (!settlement.event) return next;

  const lines: Line[] =
    settlement.event === 'purchase' && payment.sessionId
      ? await findLines(tx, payment.clientId, payment.sessionId)
      : [];
  await appendEvent(
    tx,
    composePaymentEvent({ payment, next, operation, settlement, lines, now, ports }),
  );
  return next;
}

/** The event of a payment's change, as merchants receive it. */
function composePaymentEvent(
  facts: Applied & { readonly next: Payment; readonly lines: readonly Line[] },
): NewEvent {
  const { payment, next, operation, settlement, lines, now, ports } = facts;
  const { event, failure } = settlement;
  assert(event, 'a change without an event has none to compose');
  const about = {
    id: ports.newId(),
    clientId: next.clientId,
    isLive: next.isLive,
    now,
    resource: { type: 'payment', id: next.id, version: next.version },
    sequence: next.eventSeq,
    isStartProof: isStartProof(next),
    request: operation && {
      id: operation.requestId,
      idempotencyKey: operation.idempotencyKey,
    },
  } as const;
  const previousAttributes = payment.status === next.status ? {} : { status: payment.status };
  if (event === 'purchase' && lines.some((line) => line.kind === 'item')) {
    const object = showPurchase(next, lines, now);
    return composeEvent({ ...about, type: 'item.purchased', data: { object, previousAttributes } });
  }
  const type = event === 'purchase' ? 'payment.succeeded' : event;
  const data = { object: showPayment(next), previousAttributes };
  if (type !== 'payment.capture_failed') return composeEvent({ ...about, type, data });
  assert(failure, 'a failed capture says why');
  const { code, message } = failure;
  const attempt = operation?.attempt ?? 0;
  return composeEvent({ ...about, type, data: { ...data, failure: { code, message, attempt } } });
}

async function applyToSession(
  tx: Tx,
  applied: Applied & {
    readonly session: CheckoutSession;
    readonly operation: Operation;
    readonly settlement: Settlement;
  },
): Promise<void> {
  const { session, payment, operation, settlement, now, ports } = applied;
  const change = settlement.session;
  // A later attempt may own the session by now; its outcome is the one that counts.
  if (!change || session.attemptId !== operation.id) return;
  const isCompleted = change.status === 'completed' || change.status === 'authorized';
  const eventSeq = session.eventSeq + (isCompleted ? 1 : 0);
  const next = await settleSession(tx, session, { ...change, eventSeq, now });
  if (!isCompleted) return;
  const request = { id: operation.requestId, idempotencyKey: null };
  const facts = { before: session.status, isLive: payment.isLive, request, now, ports };
  await appendEvent(tx, completedEvent(next, facts));
}
