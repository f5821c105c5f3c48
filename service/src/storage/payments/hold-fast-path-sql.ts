// The two statements of the usual capture or cancel, each for one hold and for many. Both versions
// come from one text and one list of columns: they differ only in the source of the request's row,
// plain parameters or arrays.

import type { Line } from '../../domain/payments/line.ts';
import type { Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { credentialHolds } from '../credentials/credential-check.ts';
import * as column from '../database/array-values.ts';
import { askedRows, columnsOf, namesOf, setFrom } from '../database/asked-rows.ts';
import { isOpen } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';
import { isSubscribed, type NewEvent, splitAtTime, timeText } from '../webhooks/events.ts';
import type { ClaimRequest } from './claim-request.ts';
import { requestColumns } from './payment-operations.ts';
import { holdEndColumns, type PaymentRow, paymentColumns } from './payments.ts';

export type HeldRow = PaymentRow & {
  readonly now: Date;
  readonly lines: Line[] | null;
  readonly operation_id: string;
};

/**
 * True when no operation of the payment `p` is open and its client has not used the key for such an
 * operation. Each look-up is limited to one row: the planner turns a plain `not exists` into a
 * join, and when statistics know of few keys, it joins by walking the whole index of keys.
 */
const isUntouched = (kind: string, key: string): string =>
  `(select 1 from payment_operations o where o.payment_id = p.id
         and ${isOpen()} limit 1) is null
       and (select 1 from payment_operations o where o.client_id = p.client_id
         and o.kind = ${kind} and o.idempotency_key = ${key} limit 1) is null`;

// Written without the condition of the partial indexes on open operations: with it, the planner
// might walk those indexes.
const isActive = `o.finished_at is null and o.state not in ('in_doubt', 'awaiting_customer', 'manual')`;

export const claims = askedRows<ClaimRequest>([
  ['client_id', column.uuids, (ask) => ask.clientId],
  ['payment_id', column.uuids, (ask) => ask.paymentId],
  ['operation_id', column.uuids, (ask) => ask.operationId],
  ['operation_kind', column.texts, (ask) => ask.kind],
  ['lease_owner', column.uuids, (ask) => ask.leaseOwner],
  ['lease_ms', column.doubles, (ask) => ask.leaseMs],
  ...requestColumns,
  ['credential_digest', column.byteStrings, (ask) => ask.asker.recalled?.tokenSha256 ?? null],
]);

const hasCredential = credentialHolds({
  via: 'a.asked_via',
  credential: 'a.asked_credential_id',
  person: 'a.asked_user_id',
  client: 'a.client_id',
  digest: 'a.credential_digest',
});

// A locked row is skipped, not waited for: waiting would block a lane that all clients share, and
// the whole batch. `moment` counts the locked rows, so that the clock is read once, after every
// lock was granted. A change that the statement's snapshot missed violates a unique index of the
// operations, and the lock itself re-checks the payment. `on conflict do nothing` is not used:
// checking every index twice, for what happens only in races, would make each capture more
// expensive. Rows are locked in the order of their ids, so that two batches do not deadlock in an
// index.
const claim = (asks: string): string =>
  `with held as materialized (
     select p.*, a.operation_id, a.operation_kind, a.lease_owner, a.lease_ms,
       ${namesOf(requestColumns, 'a.')}
     from ${asks} join payments p on p.id = a.payment_id and p.client_id = a.client_id
     where p.type = 'purchase' and p.capture_method = 'manual' and p.status = 'authorized'
       and ${isUntouched('a.operation_kind', 'a.idempotency_key')}
       and ${hasCredential}
     order by p.id for update of p skip locked),
   moment as materialized (select svc_clock() as now from (select count(*) from held) locked),
   operation as (
     insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
       lease_owner, lease_until, next_check_at, first_sent_at, created_at,
       ${namesOf(requestColumns)})
     select operation_id, client_id, id, operation_kind, 'active', amount_minor, lease_owner,
       now + lease_ms * interval '1 millisecond', now + lease_ms * interval '1 millisecond', now,
       now, ${namesOf(requestColumns)}
     from held, moment where held.authorization_expires_at > moment.now order by held.id
     returning id)
   select ${paymentColumns}, p.operation_id, moment.now, s.lines
   from operation join held p on p.operation_id = operation.id cross join moment
   left join checkout_sessions s on s.client_id = p.client_id and s.id = p.session_id`;

export const claimOne = sql<HeldRow>('hold.claim_at_once', claim(claims.one));
export const claimMany = sql<HeldRow>('hold.claim_many_at_once', claim(claims.many));

export type FastHoldSettlement = {
  /** The payment as claimed: after any change since then, the caller settles step by step. */
  readonly payment: Payment;
  readonly next: Payment;
  readonly operation: Operation;
  readonly body: string;
  readonly event: NewEvent;
  readonly trace: { readonly httpStatus: number | null; readonly requestId: string | null };
  readonly startedAt: Date;
};

export const settlements = askedRows<FastHoldSettlement>([
  ['client_id', column.uuids, ({ payment }) => payment.clientId],
  ['payment_id', column.uuids, ({ payment }) => payment.id],
  ['version', column.integers, ({ payment }) => payment.version],
  ['operation_id', column.uuids, ({ operation }) => operation.id],
  ['epoch', column.integers, ({ operation }) => operation.epoch],
  ['attempt', column.integers, ({ operation }) => operation.attempt],
  ['now', column.instants, ({ next }) => next.updatedAt],
  ['body', column.texts, ({ body }) => body],
  ['http_status', column.integers, ({ trace }) => trace.httpStatus],
  ['provider_request_id', column.texts, ({ trace }) => trace.requestId],
  ['started_at', column.instants, ({ startedAt }) => startedAt],
  ['event_id', column.uuids, ({ event }) => event.id],
  ['event_type', column.texts, ({ event }) => event.type],
  ['sequence', column.integers, ({ event }) => event.sequence],
  ['text_before_time', column.texts, ({ event }) => splitAtTime(event).before],
  ['text_after_time', column.texts, ({ event }) => splitAtTime(event).after],
  ...columnsOf(({ next }: FastHoldSettlement) => next, holdEndColumns),
]);

// An event takes its time, which is also its place among all events, where it is written: the list
// after an event relies on no event being older than the transaction that writes it. The settlement's
// own time was taken before, so the statement writes the event's time into the text.

const settle = (asks: string): string =>
  `with moment as materialized (
     select now, ${timeText('now')} as text from (select svc_clock() as now) clock),
   held as materialized (
     select a.* from ${asks} join payments p on p.id = a.payment_id and p.client_id = a.client_id
     where p.version = a.version and p.status = 'authorized'
     order by p.id for update of p skip locked),
   operation as (
     update payment_operations o set state = 'succeeded', lease_owner = null, lease_until = null,
       next_check_at = held.now, checks = o.checks + 1, response_status = 200,
       response_body = held.body, finished_at = held.now
     from held
     where o.client_id = held.client_id and o.id = held.operation_id
       and o.payment_id = held.payment_id and o.epoch = held.epoch
       and ${isActive} returning o.id),
   payment as (
     update payments p set event_seq = p.event_seq + 1, updated_at = held.now,
       ${setFrom(holdEndColumns, 'held')}
     from held join operation on operation.id = held.operation_id
     where p.client_id = held.client_id and p.id = held.payment_id returning p.id),
   settled as materialized (
     select held.* from payment join held on held.payment_id = payment.id),
   attempt as (
     insert into operation_attempts (operation_id, epoch, attempt, outcome, http_status,
       provider_request_id, started_at, ended_at)
     select operation_id, epoch, attempt, 'confirmed', http_status, provider_request_id,
       started_at, now from settled),
   event as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at)
     select event_id, client_id, event_type, 'payment', payment_id, sequence,
       text_before_time || moment.text || text_after_time, moment.now
     from settled, moment),
   delivery as (
     insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
       next_attempt_at, created_at)
     select s.event_id, e.id, s.client_id, s.payment_id, s.sequence, moment.now, moment.now
     from moment cross join settled s join webhook_endpoints e on e.client_id = s.client_id
     where ${isSubscribed('e', 's.event_type')}
     returning resource_id)
   select s.payment_id as id,
     (select count(*) from delivery d where d.resource_id = s.payment_id)::int as deliveries
   from settled s`;

type SettledHold = { id: string; deliveries: number };

export const settleOne = sql<SettledHold>('hold.settle_at_once', settle(settlements.one));
export const settleMany = sql<SettledHold>('hold.settle_many_at_once', settle(settlements.many));
