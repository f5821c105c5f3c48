// The two statements of the usual capture or cancel, each for one hold and for many. One and many
// take the same values in the same order, one as they are, many as an array of each.

import type { Line } from '../../domain/payments/checkout-session.ts';
import { credentialHolds } from '../accounts/credential-check.ts';
import { isOpen } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';
import { isSubscribed } from '../webhooks/subscribed.ts';
import { type PaymentRow, paymentColumns } from './payments.ts';

export type HeldRow = PaymentRow & {
  readonly now: Date;
  readonly lines: Line[] | null;
  readonly operation_id: string;
};

/**
 * Nobody works on the payment `p`, and its client has not used the key for such an operation. Each
 * asked for one row, by `limit`: a plain `not exists` becomes a join, and where statistics know of
 * few keys, the planner joins by walking the whole index of keys.
 */
const isUntouched = (kind: string, key: string): string =>
  `(select 1 from payment_operations o where o.payment_id = p.id
         and ${isOpen()} limit 1) is null
       and (select 1 from payment_operations o where o.client_id = p.client_id
         and o.kind = ${kind} and o.idempotency_key = ${key} limit 1) is null`;

// Told without the words of the indexes of what is open: those would offer the planner to walk them.
const isActive = `o.finished_at is null and o.state not in ('in_doubt', 'awaiting_customer', 'manual')`;

// A locked row is skipped, not waited for: whoever waits would hold up a lane that all clients share.
// `moment` reads the locked row, so the clock is read after the lock was granted. What the snapshot
// of the statement may have missed breaks a unique index of the operations, and the lock itself
// re-checks the payment. Not `on conflict do nothing`: asking every index twice for what
// happens in races only costs each capture more.
export const claimOne = sql<HeldRow>(
  'hold.claim_at_once',
  `with held as materialized (
     select * from payments p
     where client_id = $1 and id = $2 and type = 'purchase' and capture_method = 'manual'
       and status = 'authorized' and ${isUntouched('$4', '$7')}
       and ${credentialHolds({ via: '$12::text', credential: '$13::uuid', person: '$14::uuid', client: '$1', digest: '$15::bytea' })}
     for update skip locked),
   moment as materialized (select svc_clock() as now from held),
   operation as (
     insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
       lease_owner, lease_until, next_check_at, first_sent_at, idempotency_key, raw_sha256,
       canon_sha256, request_id, asked_by, created_at)
     select $3, $1, held.id, $4, 'active', held.amount_minor, $5,
       now + $6 * interval '1 millisecond', now + $6 * interval '1 millisecond', now, $7, $8, $9,
       $10, $11, now
     from held, moment where held.authorization_expires_at > moment.now returning id)
   select ${paymentColumns}, operation.id as operation_id, moment.now, s.lines
   from held p, moment, operation left join checkout_sessions s
     on s.client_id = $1 and s.id = (select session_id from held)`,
);

// Locked rows are skipped, not waited for: whoever waits would hold up the whole batch. The clock
// is read once, when every lock was granted. In the order of the ids, so that two batches that meet
// in an index do not wait for each other.
export const claimMany = sql<HeldRow>(
  'hold.claim_many_at_once',
  `with asked as (
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[],
       $6::double precision[], $7::text[], $8::bytea[], $9::bytea[], $10::text[], $11::bytea[], $12::text[],
       $13::uuid[], $14::uuid[], $15::bytea[])
       as a(client_id, payment_id, operation_id, kind, lease_owner, lease_ms, idempotency_key,
         raw_sha256, canon_sha256, request_id, asked_by, via, credential_id, person_id, credential_digest)),
   held as materialized (
     select p.*, a.operation_id, a.kind as operation_kind, a.lease_owner, a.lease_ms,
       a.idempotency_key, a.raw_sha256, a.canon_sha256, a.request_id, a.asked_by
     from asked a join payments p on p.id = a.payment_id and p.client_id = a.client_id
     where p.type = 'purchase' and p.capture_method = 'manual' and p.status = 'authorized'
       and ${isUntouched('a.kind', 'a.idempotency_key')}
       and ${credentialHolds({ via: 'a.via', credential: 'a.credential_id', person: 'a.person_id', client: 'a.client_id', digest: 'a.credential_digest' })}
     order by p.id for update of p skip locked),
   moment as materialized (select svc_clock() as now from (select count(*) from held) locked),
   operation as (
     insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
       lease_owner, lease_until, next_check_at, first_sent_at, idempotency_key, raw_sha256,
       canon_sha256, request_id, asked_by, created_at)
     select operation_id, client_id, id, operation_kind, 'active', amount_minor, lease_owner,
       now + lease_ms * interval '1 millisecond', now + lease_ms * interval '1 millisecond', now,
       idempotency_key, raw_sha256, canon_sha256, request_id, asked_by, now
     from held, moment where held.authorization_expires_at > moment.now order by held.id
     returning id)
   select ${paymentColumns}, p.operation_id, moment.now, s.lines
   from operation join held p on p.operation_id = operation.id cross join moment
   left join checkout_sessions s on s.client_id = p.client_id and s.id = p.session_id`,
);

/**
 * An event's place among all events: the list after an event counts on none being older than the
 * transaction that writes it. The time of the settlement, which the event tells, was taken before.
 */
const eventTime = `date_trunc('milliseconds', svc_clock())`;

export const settleOne = sql<{ settled: number; deliveries: number }>(
  'hold.settle_at_once',
  `with moment as materialized (select ${eventTime} as now),
   held as materialized (
     select id from payments
     where client_id = $1 and id = $2 and version = $3 and status = 'authorized'
     for update skip locked),
   operation as (
     update payment_operations o set state = 'succeeded', lease_owner = null, lease_until = null,
       next_check_at = $6, checks = o.checks + 1, response_status = 200, response_body = $7,
       finished_at = $6
     from held
     where o.client_id = $1 and o.id = $4 and o.payment_id = held.id and o.epoch = $5
       and ${isActive} returning o.id),
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
     select $19, $1, $20, 'payment', payment.id, $21, $22, moment.now
     from payment, moment returning id),
   delivery as (
     insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
       next_attempt_at, created_at)
     select event.id, e.id, $1, $2, $21, $6, $6 from event, webhook_endpoints e
     where e.client_id = $1 and ${isSubscribed('e', '$20')} returning 1)
   select (select count(*) from payment)::int as settled,
     (select count(*) from delivery)::int as deliveries`,
);

export const settleMany = sql<{ id: string; deliveries: number }>(
  'hold.settle_many_at_once',
  `with moment as materialized (select ${eventTime} as now),
   asked as (
     select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::int[],
       $6::timestamptz[], $7::bytea[], $8::text[], $9::text[], $10::text[], $11::bigint[],
       $12::timestamptz[], $13::timestamptz[], $14::timestamptz[], $15::int[], $16::int[],
       $17::text[], $18::timestamptz[], $19::uuid[], $20::text[], $21::int[], $22::bytea[])
       as a(client_id, payment_id, version, operation_id, epoch, now, body, status, charge_id,
         void_reason, captured_minor, effective_at, captured_at, voided_at, attempt, http_status,
         provider_request_id, started_at, event_id, event_type, sequence, payload)),
   held as materialized (
     select a.* from asked a join payments p on p.id = a.payment_id and p.client_id = a.client_id
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
     update payments p set status = held.status, gateway_charge_id = held.charge_id,
       authorization_void_reason = held.void_reason, captured_minor = held.captured_minor,
       financial_effective_at = held.effective_at, captured_at = held.captured_at,
       voided_at = held.voided_at, event_seq = p.event_seq + 1, updated_at = held.now
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
     select event_id, client_id, event_type, 'payment', payment_id, sequence, payload, moment.now
     from settled, moment),
   delivery as (
     insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
       next_attempt_at, created_at)
     select s.event_id, e.id, s.client_id, s.payment_id, s.sequence, s.now, s.now
     from settled s join webhook_endpoints e on e.client_id = s.client_id
     where ${isSubscribed('e', 's.event_type')}
     returning resource_id)
   select s.payment_id as id,
     (select count(*) from delivery d where d.resource_id = s.payment_id)::int as deliveries
   from settled s`,
);
