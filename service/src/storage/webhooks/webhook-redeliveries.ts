// Redeliveries: ended deliveries go back to `pending`, missing ones are created. They keep the
// event's time, and do not hold later events back: a claim skips them. The caller holds the
// endpoints' locks. A holder of an old lease, or a repeated old answer, must not end the new
// delivery, so it gets a new epoch.

import assert from 'node:assert';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { takesType } from './events.ts';

const again = `state = 'pending', attempts = 0, redeliveries = d.redeliveries + 1,
  epoch = d.epoch + 1, next_attempt_at = excluded.next_attempt_at, lease_until = null, finished_at = null`;

const added = `(event_id, endpoint_id, client_id, resource_id, sequence, redeliveries,
  next_attempt_at, created_at)`;

export type RedeliveryEndpoint = {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly eventTypes: readonly string[] | null;
};

type LockedRow = { id: string; is_enabled: boolean; event_types: string[] | null };

const lock = sql<LockedRow>(
  'webhook_redeliveries.lock',
  `select id, is_enabled, event_types from webhook_endpoints
   where client_id = $1 and deleted_at is null and ($2::uuid[] is null or id = any($2::uuid[]))
   order by id for no key update`,
);

/** Locks the client's endpoints, or those of them that are named. */
export async function lockEndpointsOf(
  tx: Tx,
  clientId: string,
  ids: readonly string[] | null,
): Promise<RedeliveryEndpoint[]> {
  const rows = await tx.query(lock, [clientId, ids]);
  return rows.map(({ id, is_enabled, event_types }) => ({
    id,
    isEnabled: is_enabled,
    eventTypes: event_types,
  }));
}

export type EventFacts = {
  readonly clientId: string;
  readonly id: string;
  readonly type: string;
  readonly resourceId: string;
};

const findFacts = sql<{ type: string; resource_id: string }>(
  'webhook_redeliveries.find_event',
  `select type, resource_id from events where client_id = $1 and id = $2 and payload <> ''`,
);

/** Returns the facts that decide which endpoints get an event. */
export async function findEventFacts(
  database: Database,
  clientId: string,
  id: string,
): Promise<EventFacts | undefined> {
  const [row] = await database.read(findFacts, [clientId, id]);
  return row && { clientId, id, type: row.type, resourceId: row.resource_id };
}

const redeliverOne = sql<{ endpoint_id: string }>(
  'webhook_redeliveries.event',
  `with clock as materialized (select svc_clock() as now)
   insert into webhook_deliveries as d ${added}
   select v.id, e.id, v.client_id, v.resource_id, v.sequence, 1, clock.now, v.created_at
   from clock, events v, webhook_endpoints e
   where v.client_id = $1 and v.id = $2 and v.payload <> '' and e.client_id = $1 and e.id = any($3::uuid[])
   on conflict (endpoint_id, event_id) do update set ${again}
   where d.state <> 'pending' or d.lease_until is null or d.lease_until <= excluded.next_attempt_at
   returning endpoint_id`,
);

/** Also makes a delivery due that waits for its next attempt, but not one that is being attempted now. */
export async function redeliverEventTo(
  tx: Tx,
  event: EventFacts,
  endpointIds: readonly string[],
): Promise<number> {
  return (await tx.query(redeliverOne, [event.clientId, event.id, endpointIds])).length;
}

/** What became of earlier events is not known any more: retention may have removed their deliveries. */
export const deliveriesKeptFrom = `coalesce((select removed_before from retention where kind = 'deliveries'), '-infinity')`;

// The end of a call lies between two milliseconds, because callers cannot state a finer time to
// continue from.
const redeliverMany = sql<{ deliveries: number; continue_from: Date | null }>(
  'webhook_redeliveries.span',
  `with clock as materialized (select svc_clock() as now),
   bound as materialized (
     select least(coalesce($4::timestamptz, 'infinity'), date_trunc('milliseconds', (
       select v.created_at from events v
       where v.client_id = $1 and v.created_at >= $3::timestamptz
         and ($4::timestamptz is null or v.created_at < $4::timestamptz)
       order by v.created_at offset $6::int - 1 limit 1)) + interval '1 millisecond') as at),
   chosen as materialized (
     select v.id, v.resource_id, v.sequence, v.created_at
     from clock cross join webhook_endpoints e
     join events v on v.client_id = $1 and v.created_at >= $3::timestamptz
       and v.created_at < (select at from bound)
     left join webhook_deliveries d on d.endpoint_id = $2 and d.event_id = v.id
     where e.client_id = $1 and e.id = $2 and v.payload <> '' and v.type <> 'webhook_endpoint.test'
       -- What is said of an endpoint is for the others.
       and v.resource_id <> e.id
       -- The proof of a start is for whom it was written.
       and (not v.is_start_proof or d.event_id is not null)
       and ${takesType('e', 'v.type')}
       and case when d.event_id is null
         then $5 = 'all' or v.created_at >= greatest(coalesce(
           (e.kept_types_since ->> v.type)::timestamptz, e.event_types_since, e.created_at),
           ${deliveriesKeptFrom})
         else d.state in ('dead', 'cancelled') or $5 = 'all' and d.state = 'delivered' end),
   put as (
     insert into webhook_deliveries as d ${added}
     select c.id, $2, $1, c.resource_id, c.sequence, 1, clock.now, c.created_at
     from chosen c, clock order by c.created_at, c.id
     on conflict (endpoint_id, event_id) do update set ${again} where d.state <> 'pending'
     returning 1)
   select (select count(*) from put)::int as deliveries,
     (select at from bound where exists (select from events v
       where v.client_id = $1 and v.created_at >= bound.at
         and ($4::timestamptz is null or v.created_at < $4::timestamptz))) as continue_from`,
);

export type RedeliverySpan = {
  readonly clientId: string;
  readonly endpointId: string;
  readonly since: Date;
  /** Null means up to now. */
  readonly until: Date | null;
  readonly status: 'failed' | 'all';
  /** How many events to look at. */
  readonly limit: number;
};

/**
 * Redelivers the events of a span. `continueFrom` is where the next call begins; null when the span
 * is done.
 */
export async function redeliverSpan(
  tx: Tx,
  span: RedeliverySpan,
): Promise<{ readonly deliveries: number; readonly continueFrom: Date | null }> {
  const { clientId, endpointId, since, until, status, limit } = span;
  const values = [clientId, endpointId, since, until, status, limit];
  const [row] = await tx.query(redeliverMany, values);
  assert(row, 'a count has a row');
  return { deliveries: row.deliveries, continueFrom: row.continue_from };
}
