// Claims a refund: writes the refund's row, its reservation on the purchase, its operation and its
// first event, in one transaction, before the provider is called.

import type { ErrorCode } from '@svc/contract/errors/errors';
import type { RefundReason } from '@svc/contract/payments/refunds';
import type { Permission } from '@svc/contract/rows/roles';
import { refundBlockingStatuses } from '../../domain/payments/dispute.ts';
import { isLeasedByOther, type Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import {
  moveRefund,
  refundableMinor,
  refuseRefund,
  refuseRefundOf,
} from '../../domain/payments/refund.ts';
import type { RefusalFacts } from '../../domain/protocol/refusal.ts';
import type { RequestInitiator } from '../audit-log/request-initiator.ts';
import { findCredentialRefusal } from '../credentials/credential-check.ts';
import { readClock } from '../database/clock.ts';
import { type Database, repeatWhenLost, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { appendEvent, type NewEvent } from '../webhooks/events.ts';
import { hasDisputeOf } from './disputes.ts';
import {
  holdOperation,
  insertOperation,
  operationColumns,
  toOperation,
} from './payment-operations.ts';
import { lockPayment } from './payments.ts';
import { insertRefund, updateRefundSums } from './refund-rows.ts';

export type RefundRequest = {
  readonly clientId: string;
  readonly paymentId: string;
  readonly idempotencyKey: string;
  readonly rawSha256: Buffer;
  readonly canonSha256: Buffer;
  /**
   * Returns the amount to refund, or null for everything that is left. It runs under the lock,
   * because it needs the currency.
   */
  readonly amountOf: (purchase: Payment) => number | null;
  readonly reason: RefundReason | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The version that the purchase must still have; null when any version is accepted. */
  readonly ifVersion: number | null;
  readonly requestId: string;
  readonly asker: RequestInitiator;
  /**
   * True when this very request claimed before and another process took the operation over: the
   * request then gets its result in any case.
   */
  readonly isUnderway: boolean;
  readonly refundId: string;
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
  readonly created: (refund: Payment, now: Date) => NewEvent;
  /** What the caller's role must hold at this moment. */
  readonly permission: Permission;
  /** Called under the purchase's lock, once the purchase itself allows the refund. */
  readonly mayStart: (tx: Tx, asked: AskedRefund) => Promise<RefundStop | null>;
  /** What is written with the refund, in its transaction. */
  readonly started: (tx: Tx, refund: Payment, now: Date) => Promise<void>;
};

export type AskedRefund = {
  readonly purchase: Payment;
  readonly amountMinor: number;
  readonly now: Date;
};

/** Why a refund does not start. */
export type RefundStop = { readonly code: ErrorCode; readonly facts?: RefusalFacts };

export type RefundClaim =
  | {
      readonly kind: 'claimed';
      readonly refund: Payment;
      readonly operation: Operation;
      readonly isFirstSend: boolean;
      readonly now: Date;
    }
  | { readonly kind: 'replay'; readonly operation: Operation }
  | { readonly kind: 'wait'; readonly operationId: string }
  /** `changed` is the purchase as it is now, when its version is not the expected one. */
  | ({ readonly kind: 'refused'; readonly changed?: Payment } & RefundStop);

const findByKey = sql<Record<string, unknown> & { parent_payment_id: string }>(
  'refunds.find_by_key',
  `select ${operationColumns}, r.parent_payment_id
   from payment_operations o join payments r on r.id = o.payment_id
   where o.client_id = $1 and o.kind = 'refund' and o.idempotency_key = $2`,
);

/** Repeatable: when the commit was lost, the lease owner identifies the claim. */
export async function claimRefund(
  database: Database,
  request: RefundRequest,
): Promise<RefundClaim> {
  return repeatWhenLost(() =>
    database.transaction(request.clientId, (tx) => claimOnce(tx, request)),
  );
}

async function claimOnce(tx: Tx, request: RefundRequest): Promise<RefundClaim> {
  const { clientId, paymentId } = request;
  const purchase = await lockPayment(tx, clientId, paymentId);
  if (!purchase) return { kind: 'refused', code: 'payment_not_found' };
  const now = await readClock(tx);
  const [known] = await tx.query(findByKey, [clientId, request.idempotencyKey]);
  const unfit = await findCredentialRefusal(tx, request, known && toOperation(known));
  if (unfit) return { kind: 'refused', code: unfit };
  if (known) return judgeKnown(tx, known, { request, now });
  const misfit = refuseRefundOf(purchase);
  if (misfit) return { kind: 'refused', code: misfit };
  if (request.ifVersion !== null && request.ifVersion !== purchase.version) {
    return { kind: 'refused', code: 'payment_changed', changed: purchase };
  }
  const amountMinor = request.amountOf(purchase) ?? refundableMinor(purchase);
  const isDisputed = await hasDisputeOf(tx, purchase, refundBlockingStatuses);
  const code = refuseRefund(purchase, amountMinor, isDisputed);
  if (code) return { kind: 'refused', code };
  const stop = await request.mayStart(tx, { purchase, amountMinor, now });
  if (stop) return { kind: 'refused', ...stop };
  return startRefund(tx, purchase, { request, amountMinor, now });
}

async function startRefund(
  tx: Tx,
  purchase: Payment,
  { request, amountMinor, now }: { request: RefundRequest; amountMinor: number; now: Date },
): Promise<RefundClaim> {
  const refund = await insertRefund(tx, purchase, {
    id: request.refundId,
    amountMinor,
    refundReason: request.reason,
    metadata: request.metadata,
    createdAt: now,
  });
  await updateRefundSums(tx, purchase, {
    ...moveRefund(purchase, { ...refund, status: 'refund_failed' }, 'pending'),
    updatedAt: now,
  });
  await appendEvent(tx, request.created(refund, now));
  await request.started(tx, refund, now);
  const operation = await insertOperation(tx, {
    id: request.operationId,
    clientId: request.clientId,
    paymentId: refund.id,
    kind: 'refund',
    amountMinor,
    leaseOwner: request.leaseOwner,
    leaseUntil: new Date(now.getTime() + request.leaseMs),
    now,
    idempotencyKey: request.idempotencyKey,
    rawSha256: request.rawSha256,
    canonSha256: request.canonSha256,
    cardTokenSha256: null,
    requestId: request.requestId,
    asker: request.asker,
  });
  // A new refund has no other operation, so the same key was used just now: roll everything back.
  if (!operation) throw new KeyTaken();
  return { kind: 'claimed', refund, operation, isFirstSend: true, now };
}

/** Another request committed the same key meanwhile; claim again to see it. */
export class KeyTaken extends Error {}

async function judgeKnown(
  tx: Tx,
  row: Record<string, unknown> & { parent_payment_id: string },
  { request, now }: { request: RefundRequest; now: Date },
): Promise<RefundClaim> {
  const operation = toOperation(row);
  const isSame =
    row.parent_payment_id === request.paymentId &&
    (operation.canonSha256.equals(request.canonSha256) ||
      operation.rawSha256?.equals(request.rawSha256) === true);
  if (!isSame) return { kind: 'refused', code: 'idempotency_key_reused' };
  if (operation.responseStatus !== null) return { kind: 'replay', operation };
  if (operation.state === 'manual') return { kind: 'refused', code: 'gateway_outcome_unknown' };
  if (isLeasedByOther(operation, request.leaseOwner, now)) {
    return { kind: 'wait', operationId: operation.id };
  }
  const refund = await lockPayment(tx, request.clientId, operation.paymentId);
  if (!refund) throw new Error(`operation ${operation.id} has lost its refund`);
  const held = await holdOperation(tx, operation, {
    owner: request.leaseOwner,
    until: new Date(now.getTime() + request.leaseMs),
    attemptStep: 0,
  });
  return { kind: 'claimed', refund, operation: held, isFirstSend: false, now };
}
