// The tables `webhook_deliveries` and `webhook_attempts`. A delivery is worked on under a lease
// with an epoch: a holder who lost the lease changes nothing. Lock order: endpoint, delivery.
import assert from 'node:assert';
import {
  leaseMs,
  maxInFlight,
  maxInFlightWhileFailing,
  orderedForMs,
} from '../domain/webhook-schedule.ts';
import type { Database, Tx } from './database.ts';
import { unpackText } from './packed-text.ts';
import { sql } from './sql.ts';

export type DueWork = {
  /** Endpoints with a delivery whose time has come. */
  readonly endpointIds: readonly string[];
  /** Until the next delivery's time comes; null when none waits. */
  readonly nextDueInMs: number | null;
};

// Steps from endpoint to endpoint through the index, so that the length of one endpoint's queue
// does not matter.
const findDue = sql<{ endpoint_ids: string[]; next_due_in_ms: number | null }>(
  'webhook_deliveries.find_due',
  `with recursive clock as materialized (select svc_clock() as now),
   busy (endpoint_id) as (
     (select endpoint_id from webhook_deliveries where state = 'pending'
      order by endpoint_id limit 1)
     union all
     select (select d.endpoint_id from webhook_deliveries d
       where d.state = 'pending' and d.endpoint_id > busy.endpoint_id
       order by d.endpoint_id limit 1)
     from busy where busy.endpoint_id is not null)
   select
     array(select busy.endpoint_id from busy where exists (
       select from webhook_deliveries d where d.endpoint_id = busy.endpoint_id
         and d.state = 'pending' and d.next_attempt_at <= clock.now)) as endpoint_ids,
     (select extract(epoch from min(d.next_attempt_at) - clock.now) * 1000
      from webhook_deliveries d
      where d.state = 'pending' and d.next_attempt_at > clock.now)::float8 as next_due_in_ms
   from clock`,
);

export async function findDueWork(database: Database): Promise<DueWork> {
  const [row] = await database.read(findDue, []);
  return { endpointIds: row?.endpoint_ids ?? [], nextDueInMs: row?.next_due_in_ms ?? null };
}

/** A delivery that this process may attempt until its lease is over. */
export type ClaimedDelivery = {
  readonly eventId: string;
  readonly endpointId: string;
  readonly clientId: string;
  readonly epoch: number;
  /** Number of the attempt to make, from 1. */
  readonly attempt: number;
  readonly claimedAt: Date;
  /** Real time, for the signature: the receiver's clock does not move with ours. */
  readonly signedAt: Date;
  readonly url: string;
  readonly body: string;
  readonly secretSealed: Buffer;
  /** While a rotation lasts. */
  readonly previousSecretSealed: Buffer | null;
};

type ClaimedRow = {
  event_id: string;
  endpoint_id: string;
  client_id: string;
  epoch: number;
  attempts: number;
  claimed_at: Date;
  signed_at: Date;
  url: string;
  payload: Buffer;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
};

const toClaimed = (row: ClaimedRow): ClaimedDelivery => ({
  eventId: row.event_id,
  endpointId: row.endpoint_id,
  clientId: row.client_id,
  epoch: row.epoch,
  attempt: row.attempts + 1,
  claimedAt: row.claimed_at,
  signedAt: row.signed_at,
  url: row.url,
  body: unpackText(row.payload),
  secretSealed: row.secret_sealed,
  previousSecretSealed: row.previous_secret_sealed,
});

// A claim moves `next_attempt_at` to the end of the lease. So a delivery whose holder died is due
// again by itself, and those in flight are exactly the rows where both instants are equal and
// ahead.
const claim = sql<ClaimedRow>(
  'webhook_deliveries.claim',
  `with clock as materialized (select svc_clock() as now),
   picked as (
     select d.event_id, d.endpoint_id, clock.now
     from clock cross join webhook_endpoints e
     cross join lateral (
       select count(*) as deliveries from webhook_deliveries l
       where l.endpoint_id = e.id and l.state = 'pending' and l.lease_until = l.next_attempt_at
         and l.next_attempt_at > clock.now
         and l.next_attempt_at <= clock.now + interval '${leaseMs} ms'
     ) as in_flight
     cross join lateral (
       select d.event_id, d.endpoint_id, d.next_attempt_at from webhook_deliveries d
       where d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at <= clock.now
         and not exists (
           select from webhook_deliveries earlier
           where earlier.endpoint_id = d.endpoint_id and earlier.resource_id = d.resource_id
             and earlier.sequence < d.sequence and earlier.state = 'pending'
             and earlier.created_at > clock.now - interval '${orderedForMs} ms')
       order by d.next_attempt_at, d.event_id
       limit greatest(0, case when e.failing_since is null
         then ${maxInFlight} else ${maxInFlightWhileFailing} end - in_flight.deliveries)
       for update of d skip locked
     ) as d
     where e.id = any($1::uuid[]) and e.is_enabled
     order by d.next_attempt_at, d.event_id limit $2)
   update webhook_deliveries d
   set lease_until = picked.now + interval '${leaseMs} ms',
     next_attempt_at = picked.now + interval '${leaseMs} ms', epoch = d.epoch + 1
   from picked, events v, webhook_endpoints e
   where d.event_id = picked.event_id and d.endpoint_id = picked.endpoint_id
     and v.id = d.event_id and e.id = d.endpoint_id
   returning d.event_id, d.endpoint_id, d.client_id, d.epoch, d.attempts, picked.now as claimed_at,
     clock_timestamp() as signed_at,
     e.url, v.payload, e.secret_sealed,
     case when e.previous_secret_until > picked.now then e.previous_secret_sealed end
       as previous_secret_sealed`,
);

/**
 * Claims what is due at these endpoints, whose locks the caller holds: without them two claims at
 * once would each see room for a full set of deliveries in flight. Rules: contract §7, Order.
 */
export async function claimDeliveries(
  tx: Tx,
  endpointIds: readonly string[],
  limit: number,
): Promise<ClaimedDelivery[]> {
  return (await tx.query(claim, [endpointIds, limit])).map(toClaimed);
}

export type AttemptResult = {
  readonly status: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  readonly durationMs: number;
};

const attemptColumns = `(event_id, endpoint_id, attempt, epoch, outcome, http_status, error,
  response_excerpt, duration_ms, started_at)`;

const acknowledge = sql<{ event_id: string }>(
  'webhook_deliveries.acknowledge',
  `with recovered as (
     update webhook_endpoints set failing_since = null
     where id = $2 and failing_since is not null returning id),
   attempt as (
     insert into webhook_attempts ${attemptColumns}
     values ($1, $2, $3, $4, 'delivered', $5, null, $6, $7, $8) on conflict do nothing)
   update webhook_deliveries
   set state = 'delivered', attempts = $3, last_status = $5, last_error = null,
     lease_until = null, finished_at = svc_clock()
   -- Counting what recovered puts the endpoint's lock before the delivery's.
   where event_id = $1 and endpoint_id = $2 and epoch = $4 and state = 'pending'
     and (select count(*) from recovered) >= 0
   returning event_id`,
);

/** Keeps the attempt and ends the delivery; false when the lease was lost. Safe to repeat. */
export async function acknowledgeDelivery(
  database: Database,
  claimed: ClaimedDelivery,
  result: AttemptResult,
): Promise<boolean> {
  const { eventId, endpointId, attempt, epoch, claimedAt } = claimed;
  const rows = await database.write(acknowledge, [
    eventId,
    endpointId,
    attempt,
    epoch,
    result.status,
    result.excerpt,
    result.durationMs,
    claimedAt,
  ]);
  return rows.length > 0;
}

const append = sql<{ now: Date }>(
  'webhook_attempts.append',
  `with attempt as (
     insert into webhook_attempts ${attemptColumns}
     values ($1, $2, $3, $4, 'failed', $5, $6, $7, $8, $9) on conflict do nothing)
   select svc_clock() as now`,
);

/** Keeps a failed attempt, lease or none: it was made. Returns the time. */
export async function appendFailedAttempt(
  tx: Tx,
  claimed: ClaimedDelivery,
  result: AttemptResult,
): Promise<Date> {
  const { eventId, endpointId, attempt, epoch, claimedAt } = claimed;
  const [row] = await tx.query(append, [
    eventId,
    endpointId,
    attempt,
    epoch,
    result.status,
    result.error,
    result.excerpt,
    result.durationMs,
    claimedAt,
  ]);
  assert(row, 'the clock gives a time');
  return row.now;
}

const settle = sql<{ event_id: string }>(
  'webhook_deliveries.settle_failed',
  `update webhook_deliveries
   set attempts = $4, last_status = $5, last_error = $6, lease_until = null, state = $7,
     next_attempt_at = coalesce($8::timestamptz, next_attempt_at),
     finished_at = case when $7 <> 'pending' then $9::timestamptz end
   where event_id = $1 and endpoint_id = $2 and epoch = $3 and state = 'pending'
   returning event_id`,
);

export type NextStep =
  | { readonly state: 'pending'; readonly nextAttemptAt: Date }
  | { readonly state: 'dead' | 'cancelled'; readonly nextAttemptAt: null };

/** Puts a failed delivery where it goes next; false when the lease was lost. */
export async function settleFailedDelivery(
  tx: Tx,
  claimed: ClaimedDelivery,
  settled: { readonly result: AttemptResult; readonly next: NextStep; readonly now: Date },
): Promise<boolean> {
  const { result, next, now } = settled;
  const rows = await tx.query(settle, [
    claimed.eventId,
    claimed.endpointId,
    claimed.epoch,
    claimed.attempt,
    result.status,
    result.error,
    next.state,
    next.nextAttemptAt,
    now,
  ]);
  return rows.length > 0;
}

const cancel = sql(
  'webhook_deliveries.cancel_waiting',
  `with clock as materialized (select svc_clock() as now)
   update webhook_deliveries d set state = 'cancelled', finished_at = clock.now, lease_until = null
   from clock
   where d.endpoint_id = any($1::uuid[]) and d.state = 'pending'
     and (d.lease_until is null or d.lease_until <= clock.now)`,
);

/** Of disabled endpoints. What is in flight ends by its own answer. */
export async function cancelWaitingDeliveries(
  tx: Tx,
  endpointIds: readonly string[],
): Promise<void> {
  await tx.query(cancel, [endpointIds]);
}
