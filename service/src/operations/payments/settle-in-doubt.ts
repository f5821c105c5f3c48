// Recovery: drives every unfinished operation on, through the same functions as the request.

import type { Operation } from '../../domain/operation.ts';
import { claimDueOperations } from '../../storage/payment-operations.ts';
import { findPayment } from '../../storage/payments.ts';
import type { Ports } from '../ports.ts';
import { askForRefund } from './ask-for-refund.ts';
import { askProvider } from './ask-provider.ts';
import { settleOperation } from './settle-operation.ts';
import { settleRefund } from './settle-refund.ts';

/**
 * One pass over at most `limit` operations whose holder is gone or whose outcome is open. Returns
 * how many it held. An operation that throws stays leased and comes up again when the lease is over.
 */
export async function settleInDoubt(
  ports: Ports,
  options: { limit: number; onError: (operation: Operation, error: unknown) => void },
): Promise<number> {
  const due = await claimDueOperations(ports.database, {
    limit: options.limit,
    owner: ports.newId(),
    ms: ports.settings.leaseMs,
  });
  await Promise.all(
    due.map(async ({ operation, now }) => {
      try {
        await resumeOperation(operation, now, ports);
      } catch (error) {
        options.onError(operation, error);
      }
    }),
  );
  return due.length;
}

/** Asks again with the same key, or only reads where sending is no longer safe, and settles. */
export async function resumeOperation(
  operation: Operation,
  now: Date,
  ports: Ports,
): Promise<void> {
  const payment = await findPayment(ports.database, operation.clientId, operation.paymentId);
  if (!payment) throw new Error(`operation ${operation.id} has no payment`);
  if (operation.kind === 'refund') {
    const asked = { refund: payment, operation, isFirstSend: false, now };
    const held = {
      clientId: payment.clientId,
      refundId: payment.id,
      purchaseId: payment.parentPaymentId ?? '',
      operation,
      startedAt: now,
    };
    await settleRefund(held, await askForRefund(asked, ports), ports);
    return;
  }
  const outcome = await askProvider({ payment, operation, isFirstSend: false, now }, ports);
  const held = { operation, sessionId: payment.sessionId, startedAt: now };
  await settleOperation(held, outcome, ports);
}
