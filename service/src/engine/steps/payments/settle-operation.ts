// What every settlement of an operation shares: the epoch is checked under the locks, the
// operation's result is written with the bytes of its answer, and the transaction is the
// operation's own.

import {
  challengeMs,
  isFinished,
  needsPerson,
  nextCheck,
  nextTurn,
  type Operation,
} from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { Settlement } from '../../../domain/payments/settlement.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { finishOperation, lockOperation } from '../../../storage/payments/payment-operations.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import type { Outcome, Ports } from '../../ports.ts';
import { showPayment } from './show-payment.ts';

/** An operation whose lease the caller has: its epoch is checked again before anything is written. */
export type LeasedOperation = {
  readonly operation: Operation;
  readonly startedAt: Date;
  /** Called in the transaction that settles. */
  readonly record?: (tx: Tx) => Promise<void>;
};

export type SettledOperation = {
  readonly payment: Payment;
  readonly settlement: Settlement;
  /**
   * The bytes with which this and every later call with the key is answered; null while the answer
   * is not final.
   */
  readonly body: string | null;
};

/** Payment and operation under their locks, with the service's clock. */
export type LockedOperation = {
  readonly payment: Payment;
  readonly operation: Operation;
  readonly now: Date;
};

/** Runs the settlement in a transaction. A commit that wrote an event wakes the delivery of webhooks. */
export async function settleInTransaction(
  { operation }: LeasedOperation,
  settle: (tx: Tx) => Promise<SettledOperation | undefined>,
  { database, nudge }: Ports,
): Promise<SettledOperation | undefined> {
  const settled = await database.transaction(operation.clientId, settle);
  if (settled?.settlement.event) nudge('deliver-webhooks');
  return settled;
}

/**
 * Locks payment and operation, in this order. Returns undefined when the caller has lost the lease:
 * the process with the later epoch settles the operation.
 */
export async function lockLeased(
  tx: Tx,
  held: LeasedOperation,
): Promise<LockedOperation | undefined> {
  const { clientId, paymentId, id, epoch } = held.operation;
  const payment = await lockPayment(tx, clientId, paymentId);
  const locked = await lockOperation(tx, clientId, id);
  if (!payment || !locked) return undefined;
  const { operation, now } = locked;
  if (operation.epoch !== epoch || isFinished(operation)) return undefined;
  return { payment, operation, now };
}

/** Writes the result of the operation: its state, its answer and the call's trace. */
export async function writeSettled(
  tx: Tx,
  held: LeasedOperation,
  facts: LockedOperation & {
    readonly settlement: Settlement;
    readonly outcome: Outcome;
    readonly ports: Ports;
  },
): Promise<SettledOperation> {
  const { payment, operation, settlement, outcome, now, ports } = facts;
  const body = answerBody(settlement, payment);
  const status = 'status' in settlement.answer ? 200 : 409;
  // Only a request with a key can be repeated.
  const kept = operation.idempotencyKey === null ? null : body;
  await finishOperation(tx, operation, {
    state: needsPerson(operation, { state: settlement.state, now }) ? 'manual' : settlement.state,
    nextCheckAt: nextLookupAt(settlement, { operation, now, ports }),
    answer: body === null ? null : { status, body: kept },
    challenge: outcome.kind === 'requires_action' ? outcome.challenge : operation.challenge,
    outcome: outcome.kind,
    httpStatus: outcome.trace.httpStatus,
    providerCode: settlement.failure?.code ?? outcome.trace.providerCode,
    providerRequestId: outcome.trace.requestId,
    startedAt: held.startedAt,
    now,
  });
  await held.record?.(tx);
  return { payment, settlement, body };
}

function nextLookupAt(
  settlement: Settlement,
  { operation, now, ports }: { operation: Operation; now: Date; ports: Ports },
): Date {
  const jitter = (ports.randomBytes(1)[0] ?? 0) / 255;
  if (settlement.isHeldBack) return nextTurn(now, jitter);
  if (settlement.state === 'awaiting_customer') {
    return new Date(operation.firstSentAt.getTime() + challengeMs);
  }
  return nextCheck(now, operation.checks, jitter);
}

function answerBody(settlement: Settlement, payment: Payment): string | null {
  const { answer } = settlement;
  if (!answer.final) return null;
  return JSON.stringify('status' in answer ? showPayment(payment) : { code: answer.code });
}
