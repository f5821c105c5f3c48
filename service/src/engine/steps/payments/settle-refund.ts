// Applies the provider's outcome to a refund: the refund's row, the purchase's sums, event and
// answer in one transaction. The request, the recovery worker and notices all use it.

import { reversalOf } from '../../../domain/payments/balance.ts';
import {
  isFinished,
  manualMs,
  nextCheck,
  nextTurn,
  type Operation,
} from '../../../domain/payments/operation.ts';
import {
  isWholeAmount,
  lacksBalance,
  lacksEffectiveAt,
  type Payment,
} from '../../../domain/payments/payment.ts';
import { moveRefund, nextRefundState, type RefundState } from '../../../domain/payments/refund.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { queueReread } from '../../../storage/gateways/provider-inbox.ts';
import { learnBooking } from '../../../storage/payments/effective-dates.ts';
import { finishOperation, lockOperation } from '../../../storage/payments/payment-operations.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import { setProviderRefund, updateRefundSums } from '../../../storage/payments/refund-rows.ts';
import type { Ports, ProviderRefund, RefundOutcome } from '../../ports.ts';
import { applyToPayment } from './apply-to-payment.ts';
import { showPayment } from './show-payment.ts';

export type LeasedRefund = {
  readonly clientId: string;
  readonly refundId: string;
  readonly purchaseId: string;
  /** Null where a notice led to the reading and no operation is open. */
  readonly operation: Operation | null;
  readonly startedAt: Date;
  /** Called in the transaction that settles. */
  readonly record?: (tx: Tx) => Promise<void>;
};

export type SettledRefund = {
  readonly refund: Payment;
  /** The purchase as it was when it was locked. */
  readonly purchase: Payment;
  /** The bytes of the final answer; null while the outcome is open. */
  readonly body: string | null;
};

/** Settles a refund. Returns undefined when another process with a later epoch settles it. Repeatable. */
export async function settleRefund(
  held: LeasedRefund,
  outcome: RefundOutcome,
  ports: Ports,
): Promise<SettledRefund | undefined> {
  const settled = await repeatWhenLost(() =>
    ports.database.transaction(held.clientId, (tx) => settleRefundIn(tx, held, { outcome, ports })),
  );
  ports.nudge('deliver-webhooks');
  if (settled && mayFreeCapture(settled)) ports.nudge('read-notices');
  return settled;
}

/**
 * A capture that the provider took back stays as it is while part of it counts as refunded: after a
 * failed refund the purchase is read again.
 */
const mayFreeCapture = ({ refund, purchase }: Pick<SettledRefund, 'refund' | 'purchase'>) =>
  refund.status === 'refund_failed' && purchase.status === 'unknown';

/** The same inside the caller's transaction. */
export async function settleRefundIn(
  tx: Tx,
  held: LeasedRefund,
  { outcome, ports }: { outcome: RefundOutcome; ports: Ports },
): Promise<SettledRefund | undefined> {
  const { clientId } = held;
  const purchase = await lockPayment(tx, clientId, held.purchaseId);
  const refund = await lockPayment(tx, clientId, held.refundId);
  if (!purchase || !refund) throw new Error(`refund ${held.refundId} is missing`);
  const operation = held.operation && (await lockLeased(tx, held.operation));
  if (held.operation && !operation) return undefined;
  const now = await readClock(tx);
  if (outcome.kind === 'confirmed') {
    const { refundId: providerRefundId, operationId } = outcome.refund;
    // A refund that names our operation is ours, even when an earlier answer gave another id.
    const isProven = operationId !== null;
    await setProviderRefund(tx, refund, { providerRefundId, isProven, now });
  }
  const to = nextRefundState(refund.status, outcome);
  const next = to
    ? await applyMove(tx, { purchase, refund, to, outcome, operation, now, ports })
    : refund;
  if (purchase.providerIntentId && mayFreeCapture({ refund: next, purchase })) {
    const { gatewayId, providerIntentId: intentId } = purchase;
    await queueReread(tx, { gatewayId, intentId, cause: refund.id });
  }
  if (!to && outcome.kind === 'confirmed') await learnDate(tx, refund, outcome.refund);
  const isFinal = next.status === 'succeeded' || next.status === 'refund_failed';
  const body = isFinal ? JSON.stringify(showPayment(next)) : null;
  if (operation) await writeRefundResult(tx, operation, { held, outcome, next, body, now, ports });
  await held.record?.(tx);
  return { refund: next, purchase, body };
}

async function lockLeased(tx: Tx, operation: Operation): Promise<Operation | null> {
  const locked = await lockOperation(tx, operation.clientId, operation.id);
  const isOurs = locked?.operation.epoch === operation.epoch && !isFinished(locked.operation);
  return isOurs && locked ? locked.operation : null;
}

/** Saves the date and the balance record of a refund that has succeeded; both may arrive after it. */
async function learnDate(tx: Tx, refund: Payment, said: ProviderRefund): Promise<void> {
  const isLate = lacksEffectiveAt(refund) || lacksBalance(refund);
  if (isLate && said.state === 'succeeded' && isWholeAmount(refund, said)) {
    await learnBooking(tx, refund, said);
  }
}

async function applyMove(
  tx: Tx,
  move: {
    purchase: Payment;
    refund: Payment;
    to: RefundState;
    outcome: RefundOutcome;
    operation: Operation | null;
    now: Date;
    ports: Ports;
  },
): Promise<Payment> {
  const { purchase, refund, to, outcome, operation, now, ports } = move;
  const said = outcome.kind === 'confirmed' ? outcome.refund : null;
  const event =
    to === 'succeeded' ? 'refund.succeeded' : to === 'refund_failed' ? 'refund.failed' : null;
  const failureCode =
    to !== 'refund_failed'
      ? null
      : outcome.kind === 'refused'
        ? outcome.code
        : (said?.failureReason ?? 'failed');
  const next = await applyToPayment(tx, {
    payment: refund,
    operation,
    settlement: {
      change: {
        status: to,
        failureCode,
        gatewayChargeId: said?.chargeId ?? refund.gatewayChargeId,
        financialEffectiveAt: to === 'succeeded' ? (said?.effectiveAt ?? null) : null,
        ...bookingOf(move, said),
      },
      event,
      failure: null,
    },
    now,
    ports,
  });
  await updateRefundSums(tx, purchase, { ...moveRefund(purchase, refund, to), updatedAt: now });
  return next;
}

/** The balance records of a refund: the provider's booking, and its reversal. */
function bookingOf(
  { refund, to, now }: { refund: Payment; to: RefundState; now: Date },
  said: ProviderRefund | null,
): Partial<Payment> {
  const balance = said?.balance ?? refund.balance;
  if (to === 'succeeded') return { balance };
  return to === 'refund_failed' ? { balance, reversal: reversalOf(refund, said, now) } : {};
}

async function writeRefundResult(
  tx: Tx,
  operation: Operation,
  end: {
    held: LeasedRefund;
    outcome: RefundOutcome;
    next: Payment;
    body: string | null;
    now: Date;
    ports: Ports;
  },
): Promise<void> {
  const { outcome, next, body, now, ports } = end;
  const isOld = now.getTime() - operation.firstSentAt.getTime() > manualMs;
  const isHeldBack = outcome.kind === 'in_doubt' && outcome.isHeldBack && next.status === 'pending';
  const jitter = (ports.randomBytes(1)[0] ?? 0) / 255;
  const open = isHeldBack ? 'active' : isOld && next.status === 'unknown' ? 'manual' : 'in_doubt';
  await finishOperation(tx, operation, {
    state: body === null ? open : next.status === 'succeeded' ? 'succeeded' : 'failed',
    nextCheckAt: isHeldBack ? nextTurn(now, jitter) : nextCheck(now, operation.checks, jitter),
    answer: body === null ? null : { status: 201, body },
    challenge: null,
    outcome: outcome.kind,
    httpStatus: outcome.trace.httpStatus,
    providerCode: outcome.kind === 'in_doubt' ? outcome.cause : outcome.trace.providerCode,
    providerRequestId: outcome.trace.requestId,
    startedAt: end.held.startedAt,
    now,
  });
}
