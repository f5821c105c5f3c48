// The usual capture or cancel in two statements, one before and one after the provider is asked,
// each a commit of its own. Both do nothing at all unless everything is as usual; the caller then
// goes the long way, which decides every other case.

import type { Line } from '../domain/checkout-session.ts';
import type { Operation } from '../domain/operation.ts';
import type { Payment } from '../domain/payment.ts';
import type { ClaimRequest } from './claim-operation.ts';
import type { Database } from './database.ts';
import type { NewEvent } from './events.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';
import { sql } from './sql.ts';

// `moment` reads the locked row, so the clock is read after the lock was granted. What the snapshot
// of the statement may have missed while it waited shows in a unique index of the operations (an
// open operation, a taken key), and the lock itself re-checks the payment.
const claim = sql<PaymentRow & { now: Date; lines: Line[] | null }>(
  'hold.claim_at_once',
  `with held as materialized (
     select * from payments
     where client_id = $1 and id = $2 and type = 'purchase' and capture_method = 'manual'
       and status = 'authorized' for update),
   moment as materialized (select svc_clock() as now from held),
   operation as (
     insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
       lease_owner, lease_until, next_check_at, first_sent_at, idempotency_key, raw_sha256,
       canon_sha256, request_id, created_at)
     select $3, $1, held.id, $4, 'active', held.amount_minor, $5,
       now + $6 * interval '1 millisecond', now + $6 * interval '1 millisecond', now, $7, $8, $9,
       $10, now
     from held, moment where held.authorization_expires_at > moment.now
     on conflict do nothing returning id)
   select ${paymentColumns}, moment.now, s.lines
   from held p, moment, operation left join checkout_sessions s
     on s.client_id = $1 and s.id = (select session_id from held)`,
);

export type ClaimedAtOnce = {
  readonly payment: Payment;
  readonly operation: Operation;
  readonly lines: readonly Line[];
  readonly now: Date;
};

/** Claims a hold that nobody works on, with a key that was never used; undefined otherwise. */
export async function claimAtOnce(
  database: Database,
  request: ClaimRequest,
): Promise<ClaimedAtOnce | undefined> {
  const { clientId, paymentId, operationId, kind, leaseOwner, leaseMs } = request;
  const [row] = await database.write(claim, [
    clientId,
    paymentId,
    operationId,
    kind,
    leaseOwner,
    leaseMs,
    request.idempotencyKey,
    request.rawSha256,
    request.canonSha256,
    request.requestId,
  ]);
  if (!row) return undefined;
  const payment = toPayment(row);
  const { now } = row;
  return {
    payment,
    lines: row.lines ?? [],
    now,
    operation: {
      id: operationId,
      clientId,
      paymentId,
      kind,
      state: 'active',
      amountMinor: payment.amountMinor,
      attempt: 1,
      epoch: 1,
      leaseOwner,
      leaseUntil: new Date(now.getTime() + leaseMs),
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

const settle = sql<{ settled: number; deliveries: number }>(
  'hold.settle_at_once',
  `with held as materialized (
     select id from payments
     where client_id = $1 and id = $2 and version = $3 and status = 'authorized' for update),
   operation as (
     update payment_operations o set state = 'succeeded', lease_owner = null, lease_until = null,
       next_check_at = $6, checks = o.checks + 1, response_status = 200, response_body = $7,
       finished_at = $6
     from held
     where o.client_id = $1 and o.id = $4 and o.payment_id = held.id and o.epoch = $5
       and o.state = 'active' returning o.id),
   payment as (
     update payments p set status = $8, gateway_charge_id = $9, authorization_void_reason = $10,
       captured_minor = $11, financial_effective_at = $12, captured_at = $13, voided_at = $14,
       event_seq = p.event_seq + 1, updated_at = $6
     from operation where p.client_id = $1 and p.id = $2 returning p.id),
   attempt as (
     insert into operation_attempts (operation_id, epoch, attempt, outcome, http_status,
       provider_request_id, started_at, ended_at)
     select operation.id, $5, $15, 'confirmed', $16, $17, $18, $6 from operation, payment),
   event as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at)
     select $19, $1, $20, 'payment', payment.id, $21, $22, $6 from payment returning id),
   delivery as (
     insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
       next_attempt_at, created_at)
     select event.id, e.id, $1, $2, $21, $6, $6 from event, webhook_endpoints e
     where e.client_id = $1 and e.is_enabled
       and (e.event_types is null or $20 = any(e.event_types)) returning 1)
   select (select count(*) from payment)::int as settled,
     (select count(*) from delivery)::int as deliveries`,
);

export type SettleAtOnce = {
  /** As claimed: any change since then sends the caller the long way. */
  readonly payment: Payment;
  readonly next: Payment;
  readonly operation: Operation;
  readonly body: string;
  readonly event: NewEvent;
  readonly trace: { readonly httpStatus: number | null; readonly requestId: string | null };
  readonly startedAt: Date;
};

/**
 * Writes a confirmed capture or cancel: operation with its answer, payment, attempt, event and
 * deliveries. Undefined, and nothing written, unless the operation is still ours and the payment as
 * it was; otherwise how many deliveries wait.
 */
export async function settleAtOnce(
  database: Database,
  settled: SettleAtOnce,
): Promise<{ deliveries: number } | undefined> {
  const { payment, next, operation, event, trace } = settled;
  const [row] = await database.write(settle, [
    payment.clientId,
    payment.id,
    payment.version,
    operation.id,
    operation.epoch,
    next.updatedAt,
    settled.body,
    next.status,
    next.gatewayChargeId,
    next.authorizationVoidReason,
    next.capturedMinor,
    next.financialEffectiveAt,
    next.capturedAt,
    next.voidedAt,
    operation.attempt,
    trace.httpStatus,
    trace.requestId,
    settled.startedAt,
    event.id,
    event.type,
    event.sequence,
    event.payload,
  ]);
  return row?.settled === 1 ? { deliveries: row.deliveries } : undefined;
}
