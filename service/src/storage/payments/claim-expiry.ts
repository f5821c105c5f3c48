import { createHash } from 'node:crypto';
import type { Operation } from '../../domain/payments/operation.ts';
import { captureMarginMs, type Payment } from '../../domain/payments/payment.ts';
import { readClock } from '../database/clock.ts';
import type { Database, Tx } from '../database/database.ts';
import { insertOperation, type NewOperation } from './payment-operations.ts';
import { lockPayment } from './payments.ts';

/**
 * Records that a hold is being ended because it expired at the provider's deadline. Returns
 * undefined when the payment has changed meanwhile, or another process works on it.
 */
export function claimExpiry(
  database: Database,
  request: {
    clientId: string;
    paymentId: string;
    operationId: string;
    leaseOwner: string;
    leaseMs: number;
  },
): Promise<{ payment: Payment; operation: Operation; now: Date } | undefined> {
  const { clientId, paymentId, leaseOwner } = request;
  return database.transaction(clientId, async (tx) => {
    const payment = await lockPayment(tx, clientId, paymentId);
    const now = await readClock(tx);
    const expiry = payment?.authorizationExpiresAt?.getTime();
    if (payment?.status !== 'authorized' || expiry === undefined) return undefined;
    if (expiry + captureMarginMs > now.getTime()) return undefined;
    const leaseUntil = new Date(now.getTime() + request.leaseMs);
    const operation = await insertExpiry(tx, payment, {
      ...{ id: request.operationId, leaseOwner, leaseUntil, now },
    });
    return operation && { payment, operation, now };
  });
}

/** Inserts the operation that reads a hold until it has ended; the caller holds the payment's lock. */
export function insertExpiry(
  tx: Tx,
  { clientId, id: paymentId, amountMinor }: Payment,
  lease: Pick<NewOperation, 'id' | 'leaseOwner' | 'leaseUntil' | 'now'>,
): Promise<Operation | undefined> {
  return insertOperation(tx, {
    ...lease,
    clientId,
    paymentId,
    kind: 'expire',
    amountMinor,
    idempotencyKey: null,
    rawSha256: null,
    canonSha256: createHash('sha256').update(`expire\n${paymentId}`).digest(),
    cardTokenSha256: null,
    requestId: null,
  });
}
