// The table `webhook_attempts`, and how an attempt changes its delivery. The statements test
// `finished_at` instead of the state 'pending': with that condition the planner might use the
// indexes of pending deliveries and, with old statistics, read whole queues for one row.
import assert from 'node:assert';
import { booleans, instants, integers, texts, uuids } from '../database/array-values.ts';
import { askedRows } from '../database/asked-rows.ts';
import { openBatches } from '../database/batch.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { ClaimedDelivery } from './webhook-deliveries.ts';

export type AttemptResult = {
  readonly url: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  readonly durationMs: number;
  readonly startedAt: Date;
};

type AcknowledgedAttempt = { readonly claimed: ClaimedDelivery; readonly result: AttemptResult };

const attemptColumns = `(event_id, endpoint_id, attempt, epoch, outcome, http_status, error,
  response_excerpt, duration_ms, started_at, url, redelivery)`;

const acknowledgements = askedRows<AcknowledgedAttempt>([
  ['event_id', uuids, ({ claimed }) => claimed.eventId],
  ['endpoint_id', uuids, ({ claimed }) => claimed.endpointId],
  ['attempt', integers, ({ claimed }) => claimed.attempt],
  ['epoch', integers, ({ claimed }) => claimed.epoch],
  ['status', integers, ({ result }) => result.status],
  ['excerpt', texts, ({ result }) => result.excerpt],
  ['duration_ms', integers, ({ result }) => result.durationMs],
  ['started_at', instants, ({ result }) => result.startedAt],
  ['url', texts, ({ result }) => result.url],
  ['redelivery', integers, ({ claimed }) => claimed.redelivery],
  ['is_test', booleans, ({ claimed }) => claimed.isTest],
]);

// The endpoint's lock comes before the delivery's, so it is taken first when there is a failure to
// clear; counting the locked rows enforces that order. A failure is cleared by a delivery that
// ended, is no test, and was sent to the endpoint's present address.
const acknowledgeOne = sql<{ event_id: string }>(
  'webhook_deliveries.acknowledge',
  `with failing as materialized (
     select id from webhook_endpoints
     where id = $2 and failing_since is not null and url = $9 and not $11::boolean
     for no key update),
   attempt as (
     insert into webhook_attempts ${attemptColumns}
     values ($1, $2, $3, $4, 'delivered', $5, null, $6, $7, $8, $9, $10) on conflict do nothing),
   ended as (
     update webhook_deliveries
     set state = 'delivered', attempts = $3, last_status = $5, last_error = null,
       lease_until = null, finished_at = svc_clock()
     where event_id = $1 and endpoint_id = $2 and epoch = $4 and finished_at is null
       and (select count(*) from failing) >= 0
     returning event_id),
   recovered as (
     update webhook_endpoints e set failing_since = null, warned_at = null
     from failing, ended where e.id = failing.id)
   select event_id from ended`,
);

// The same for many; the values of `acknowledgeOne`, each as an array. The attempt that ends its
// delivery is the only one of its epoch, so no check for an existing row is needed.
const acknowledgeMany = sql<{ place: number }>(
  'webhook_deliveries.acknowledge_many',
  `with clock as materialized (select svc_clock() as now),
   asked as (
     select * from ${acknowledgements.manyInOrder}),
   failing as materialized (
     select id from webhook_endpoints
     where id = any($2::uuid[]) and failing_since is not null
     order by id for no key update),
   ended as (
     update webhook_deliveries d
     set state = 'delivered', attempts = a.attempt, last_status = a.status, last_error = null,
       lease_until = null, finished_at = clock.now
     from asked a, clock
     where d.event_id = a.event_id and d.endpoint_id = a.endpoint_id and d.epoch = a.epoch
       and d.finished_at is null and (select count(*) from failing) >= 0
     returning a.*),
   attempt as (
     insert into webhook_attempts ${attemptColumns}
     select event_id, endpoint_id, attempt, epoch, 'delivered', status, null, excerpt,
       duration_ms, started_at, url, redelivery
     from ended),
   late as (
     insert into webhook_attempts ${attemptColumns}
     select event_id, endpoint_id, attempt, epoch, 'delivered', status, null, excerpt,
       duration_ms, started_at, url, redelivery
     from asked where place not in (select place from ended)
     on conflict do nothing),
   recovered as (
     update webhook_endpoints e set failing_since = null, warned_at = null
     where e.id in (select id from failing)
       and (e.id, e.url) in (select endpoint_id, url from ended where not is_test))
   select place::int from ended`,
);

const queues = new WeakMap<Database, (acknowledged: AcknowledgedAttempt) => Promise<boolean>>();

const queueOf = (database: Database) => {
  const known = queues.get(database);
  if (known) return known;
  const queue = openBatches<AcknowledgedAttempt, boolean>({
    keyOf: ({ claimed: { endpointId, eventId } }) => `${endpointId} ${eventId}`,
    // Only the next claim depends on an acknowledgement, so a fuller batch is cheaper.
    most: 256,
    gatherMs: 15,
    async one(acknowledged) {
      return (
        (await database.write(acknowledgeOne, acknowledgements.valuesOf(acknowledged))).length > 0
      );
    },
    async many(all) {
      const rows = await database.write(acknowledgeMany, acknowledgements.arraysOf(all));
      const mine = new Set(rows.map(({ place }) => place));
      return all.map((_, at) => mine.has(at + 1));
    },
  });
  queues.set(database, queue);
  return queue;
};

/**
 * Stores the attempt and ends the delivery; returns false when the lease was lost. A failing
 * endpoint recovers when a delivery ends here that is no test (docs/decisions/deliveries.md). Safe to repeat.
 * Concurrent calls share one statement (docs/decisions/money-operations.md).
 */
export const acknowledgeDelivery = (
  database: Database,
  claimed: ClaimedDelivery,
  result: AttemptResult,
): Promise<boolean> => queueOf(database)({ claimed, result });

const append = sql<{ now: Date }>(
  'webhook_attempts.append',
  `with attempt as (
     insert into webhook_attempts ${attemptColumns}
     values ($1, $2, $3, $4, 'failed', $5, $6, $7, $8, $9, $10, $11) on conflict do nothing)
   select svc_clock() as now`,
);

/** Stores a failed attempt even when the lease was lost, because the attempt was made. Returns the time. */
export async function appendFailedAttempt(
  tx: Tx,
  claimed: ClaimedDelivery,
  result: AttemptResult,
): Promise<Date> {
  const [row] = await tx.query(append, [
    claimed.eventId,
    claimed.endpointId,
    claimed.attempt,
    claimed.epoch,
    result.status,
    result.error,
    result.excerpt,
    result.durationMs,
    result.startedAt,
    result.url,
    claimed.redelivery,
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
   where event_id = $1 and endpoint_id = $2 and epoch = $3 and finished_at is null
   returning event_id`,
);

export type NextStep =
  | { readonly state: 'pending'; readonly nextAttemptAt: Date }
  | { readonly state: 'dead' | 'cancelled'; readonly nextAttemptAt: null };

/** Schedules or ends a failed delivery; returns false when the lease was lost. */
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
