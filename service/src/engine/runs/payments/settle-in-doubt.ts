// Recovery of operations: drives every unfinished one on, through the same functions as the request.

import type { Operation } from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { claimDueOperations } from '../../../storage/payments/payment-operations.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import type { Outcome, Ports, RefundOutcome } from '../../ports.ts';
import { askForAttempt } from '../../steps/payments/ask-for-attempt.ts';
import { askForRefund } from '../../steps/payments/ask-for-refund.ts';
import { sendHoldOperation } from '../../steps/payments/send-hold-operation.ts';
import { settleAttempt } from '../../steps/payments/settle-attempt.ts';
import { settleHold } from '../../steps/payments/settle-hold.ts';
import { settleRefund } from '../../steps/payments/settle-refund.ts';

/**
 * Makes one pass over at most `limit` operations whose lease holder is gone or whose outcome is open.
 * Returns how many it claimed. An operation that throws stays leased and is tried again when the
 * lease expires.
 */
export async function settleInDoubt(
  ports: Ports,
  options: {
    limit: number;
    onError: (operation: Operation, error: unknown) => void;
    /** Called once for each operation whose outcome the provider has not said. */
    onDoubt?: (operation: Operation) => void;
  },
): Promise<number> {
  const due = await claimDueOperations(ports.database, {
    limit: options.limit,
    owner: ports.newId(),
    ms: ports.settings.leaseMs,
  });
  await Promise.all(
    due.map(async ({ operation, now }) => {
      // The first check was the call itself.
      if (operation.state === 'in_doubt' && operation.checks === 1) options.onDoubt?.(operation);
      try {
        const resumed = await resumeOperation(operation, now, ports);
        await settleResumed(resumed, await askAgain(resumed, ports), ports);
      } catch (error) {
        options.onError(operation, error);
      }
    }),
  );
  return due.length;
}

/** An operation whose lease the caller has, and its payment; for a refund, the refund's own row. */
export type LeasedOperation = {
  readonly operation: Operation;
  readonly payment: Payment;
  readonly now: Date;
};

export async function resumeOperation(
  operation: Operation,
  now: Date,
  ports: Ports,
): Promise<LeasedOperation> {
  const payment = await findPayment(ports.database, operation.clientId, operation.paymentId);
  if (!payment) throw new Error(`operation ${operation.id} has no payment`);
  return { operation, payment, now };
}

export type OutcomeAnswer =
  | { readonly of: 'refund'; readonly outcome: RefundOutcome }
  | { readonly of: 'purchase'; readonly outcome: Outcome };

/** Asks again with the same key, or only reads where sending is not safe any more. */
export async function askAgain(resumed: LeasedOperation, ports: Ports): Promise<OutcomeAnswer> {
  const { operation, payment } = resumed;
  if (operation.kind === 'refund') {
    const asked = { refund: payment, operation, isFirstSend: false };
    return { of: 'refund', outcome: await askForRefund(asked, ports) };
  }
  const ask = operation.kind === 'authorize' ? askForAttempt : sendHoldOperation;
  return { of: 'purchase', outcome: await ask({ ...resumed, isFirstSend: false }, ports) };
}

/**
 * Settles the operation. Returns false when a process with a later epoch settles it. `record` as in
 * `settleRefund`.
 */
export async function settleResumed(
  { operation, payment, now }: LeasedOperation,
  answer: OutcomeAnswer,
  ports: Ports,
  record?: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  const more = { startedAt: now, ...(record ? { record } : {}) };
  if (answer.of === 'refund') {
    const held = {
      clientId: payment.clientId,
      refundId: payment.id,
      purchaseId: payment.parentPaymentId ?? '',
      operation,
      ...more,
    };
    return (await settleRefund(held, answer.outcome, ports)) !== undefined;
  }
  const held = { operation, sessionId: payment.sessionId, ...more };
  const settle = operation.kind === 'authorize' ? settleAttempt : settleHold;
  return (await settle(held, answer.outcome, ports)) !== undefined;
}
