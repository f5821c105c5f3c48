// The usual capture or cancel in two statements, one before and one after the call to the provider,
// each its own commit, for one hold or for all that arrive at once. They write nothing for a hold
// unless everything is as usual; the caller then goes step by step, which handles every other case.

import type { Line } from '../../domain/payments/line.ts';
import type { Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { openBatches } from '../database/batch.ts';
import { type Database, isUniqueViolation } from '../database/database.ts';
import type { ClaimRequest } from './claim-request.ts';
import {
  claimMany,
  claimOne,
  claims,
  type FastHoldSettlement,
  type HeldRow,
  settleMany,
  settlements,
  settleOne,
} from './hold-fast-path-sql.ts';
import { isHoldEnd, toPayment } from './payments.ts';

export type FastHoldClaim = {
  readonly payment: Payment;
  readonly operation: Operation;
  readonly lines: readonly Line[];
  readonly now: Date;
};

type SettleResult = { readonly deliveries: number } | undefined;

type Queues = {
  claim(request: ClaimRequest): Promise<FastHoldClaim | undefined>;
  settle(settled: FastHoldSettlement): Promise<SettleResult>;
};

const openQueues = (database: Database): Queues => ({
  claim: openBatches<ClaimRequest, FastHoldClaim | undefined>({
    keyOf: ({ paymentId }) => paymentId,
    async one(request) {
      try {
        const [row] = await database.write(claimOne, claims.valuesOf(request));
        return row && toClaimed(request, row);
      } catch (error) {
        // Another request came first, or the key is in use: the step-by-step claim finds out which.
        if (isUniqueViolation(error)) return undefined;
        throw error;
      }
    },
    async many(requests) {
      const rows = await database.write(claimMany, claims.arraysOf(requests));
      const claimed = new Map(rows.map((row) => [row.operation_id, row]));
      return requests.map((request) => {
        const row = claimed.get(request.operationId);
        return row && toClaimed(request, row);
      });
    },
  }),
  settle: openBatches<FastHoldSettlement, SettleResult>({
    keyOf: ({ payment }) => payment.id,
    async one(settled) {
      const [row] = await database.write(settleOne, settlements.valuesOf(settled));
      return row && { deliveries: row.deliveries };
    },
    async many(all) {
      const rows = await database.write(settleMany, settlements.arraysOf(all));
      const written = new Map(rows.map(({ id, deliveries }) => [id, { deliveries }]));
      return all.map(({ payment }) => written.get(payment.id));
    },
  }),
});

const queues = new WeakMap<Database, Queues>();

function queuesOf(database: Database): Queues {
  const known = queues.get(database) ?? openQueues(database);
  queues.set(database, known);
  return known;
}

/** Claims a hold that no operation works on, with an unused key; returns undefined otherwise. */
export const claimHoldFast = (
  database: Database,
  request: ClaimRequest,
): Promise<FastHoldClaim | undefined> => queuesOf(database).claim(request);

/**
 * Writes a confirmed capture or cancel: operation with its answer, payment, attempt, event and
 * deliveries. Returns how many deliveries wait; or undefined, and writes nothing, unless this
 * process still holds the operation, the payment is unchanged, and nothing changes beyond the end of
 * a hold.
 */
export const settleHoldFast = async (
  database: Database,
  settled: FastHoldSettlement,
): Promise<SettleResult> =>
  isHoldEnd(settled.payment, settled.next) ? queuesOf(database).settle(settled) : undefined;

function toClaimed(request: ClaimRequest, row: HeldRow): FastHoldClaim {
  const payment = toPayment(row);
  const { now } = row;
  return {
    payment,
    lines: row.lines ?? [],
    now,
    operation: {
      id: request.operationId,
      clientId: request.clientId,
      paymentId: request.paymentId,
      kind: request.kind,
      state: 'active',
      amountMinor: payment.amountMinor,
      attempt: 1,
      epoch: 1,
      leaseOwner: request.leaseOwner,
      leaseUntil: new Date(now.getTime() + request.leaseMs),
      checks: 0,
      firstSentAt: now,
      idempotencyKey: request.idempotencyKey,
      rawSha256: request.rawSha256,
      canonSha256: request.canonSha256,
      cardTokenSha256: null,
      requestId: request.requestId,
      responseStatus: null,
      responseBody: null,
      challenge: null,
      lastErrorCode: null,
    },
  };
}
