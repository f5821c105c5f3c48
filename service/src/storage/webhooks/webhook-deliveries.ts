// The table `webhook_deliveries`: which deliveries are due, and who holds them. A delivery is
// attempted under a lease with an epoch: a process that lost the lease changes nothing. Lock order:
// endpoint, delivery.
import assert from 'node:assert';
import { leaseMs, orderedForMs, reorderedForMs } from '../../domain/protocol/webhook-schedule.ts';
import { arrayValue, booleans, integers, packColumns, uuids } from '../database/array-values.ts';
import { openBatches } from '../database/batch.ts';
import { type Database, everyClient, type Tx } from '../database/database.ts';
import { intervalOf, sql } from '../database/sql.ts';

export type DueWork = {
  /** Endpoints with a due delivery. */
  readonly endpointIds: readonly string[];
  /** Milliseconds until the next delivery is due; null when none waits. */
  readonly nextDueInMs: number | null;
};

const findDue = sql<{ endpoint_ids: string[]; next_due_in_ms: number | null }>(
  'webhook_deliveries.find_due',
  'select endpoint_ids, next_due_in_ms from due_webhook_work()',
);

export async function findDueWork(database: Database): Promise<DueWork> {
  const [row] = await database.read(findDue, []);
  return { endpointIds: row?.endpoint_ids ?? [], nextDueInMs: row?.next_due_in_ms ?? null };
}

/** A delivery that this process may attempt until its lease expires. */
export type ClaimedDelivery = {
  readonly eventId: string;
  readonly endpointId: string;
  readonly clientId: string;
  readonly epoch: number;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** How often a redelivery was asked for. */
  readonly redelivery: number;
  readonly claimedAt: Date;
  /** Real time, for the signature: the receiver's clock does not move with the service's clock. */
  readonly signedAt: Date;
  /** The event's text. */
  readonly body: string;
  /**
   * True for a test send by the merchant: it is attempted once, and does not count for the
   * endpoint's health.
   */
  readonly isTest: boolean;
};

type ClaimedRow = {
  event_id: string;
  /** The position in the given list of endpoints, from 1. */
  place: number;
  epoch: number;
  attempts: number;
  redeliveries: number;
  payload: string;
  is_test: boolean;
};

// A claim moves `next_attempt_at` to the end of the lease. So a delivery whose lease holder died becomes
// due again by itself, and the deliveries in flight are exactly the rows where both instants are
// equal and in the future. When events are to be sent out of order, every second one of a resource
// is held back; otherwise a later event waits for the earlier ones, but not for redeliveries. The
// limit is shared among merchants, counting what each one already holds: a queue, however long and
// old, leaves room for the others. Each inner `order by … limit` names the one index that gives its
// order, see below: a plan made while the queue was empty must work for a long one.
const claim = sql<ClaimedRow>(
  'webhook_deliveries.claim',
  `with clock as materialized (select svc_clock() as now),
   picked as (
     select d.event_id, d.endpoint_id, e.place, clock.now
     from clock
     cross join unnest($1::uuid[], $2::int[], $3::boolean[], $5::int[])
       with ordinality as e(id, places, is_reordered, held_by_client, place)
     cross join lateral (
       select count(*) as deliveries from (
         select from webhook_deliveries l
         where l.endpoint_id = e.id and l.state = 'pending' and l.lease_until = l.next_attempt_at
           and l.next_attempt_at > clock.now
           and l.next_attempt_at <= clock.now + ${intervalOf(leaseMs)}
         order by l.next_attempt_at limit e.places) as leased
     ) as in_flight
     cross join lateral (
       select d.event_id, d.endpoint_id, d.client_id, d.next_attempt_at from webhook_deliveries d
       where d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at <= clock.now
         and case when e.is_reordered then d.sequence % 2 = 0
             or d.created_at <= clock.now - ${intervalOf(reorderedForMs)}
           else (
             select 1 from webhook_deliveries earlier
             where earlier.endpoint_id = d.endpoint_id and earlier.resource_id = d.resource_id
               and earlier.sequence < d.sequence and earlier.state = 'pending'
               and earlier.created_at > clock.now - ${intervalOf(orderedForMs)}
               and earlier.redeliveries = 0
             order by earlier.sequence limit 1) is null end
       order by d.next_attempt_at
       limit greatest(0, e.places - in_flight.deliveries)
       for update of d skip locked
     ) as d
     order by e.held_by_client + row_number() over (
         partition by d.client_id order by d.next_attempt_at, d.event_id),
       d.next_attempt_at, d.event_id
     limit $4)
   update webhook_deliveries d
   set lease_until = picked.now + ${intervalOf(leaseMs)},
     next_attempt_at = picked.now + ${intervalOf(leaseMs)}, epoch = d.epoch + 1
   from picked, events v
   where d.event_id = picked.event_id and d.endpoint_id = picked.endpoint_id
     and v.id = d.event_id and v.payload <> ''
   returning d.event_id, picked.place::int, d.epoch, d.attempts, d.redeliveries, v.payload,
     v.type = 'webhook_endpoint.test' as is_test`,
);

/**
 * A transaction for claims. Two indexes contain the rows of a claim. With old statistics the
 * planner considers them equally cheap, and would read tens of thousands of rows for each delivery.
 * Only one of them has the required order, so sorting is disabled. A claim is on disk before
 * anything is sent: if a crash of the database undid it, two lease holders would have the same epoch.
 */
export const inClaimTransaction = <T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => database.transaction(everyClient, work, ['enable_sort = off']);

/** An instant of the service's clock, and the same instant in real time, which signatures state. */
export type LockTimes = { readonly ours: Date; readonly real: Date };

export type ClaimPlace = {
  readonly id: string;
  readonly clientId: string;
  /** When the endpoint's lock was taken: no lease ends earlier than its holder assumes. */
  readonly lockedAt: LockTimes;
  /** How many deliveries may be claimed at the same time, by all processes together. */
  readonly places: number;
  readonly isReordered: boolean;
  /** How many deliveries this process already holds, for any endpoint of the same client. */
  readonly heldByClient: number;
};

/**
 * Claims the due deliveries of these endpoints, in a transaction of `inClaimTransaction`. The caller holds
 * the endpoints' locks: without them two concurrent claims would each see room for a full set of
 * deliveries. Rules: contract §7, Order.
 */
export async function claimDeliveries(
  tx: Tx,
  places: readonly ClaimPlace[],
  limit: number,
): Promise<ClaimedDelivery[]> {
  const [ids, rooms, reordered, held] = packColumns(
    [uuids, integers, booleans, integers],
    places.map(({ id, places: room, isReordered, heldByClient }) => {
      return [id, room, isReordered, heldByClient];
    }),
  );
  const rows = await tx.query(claim, [ids, rooms, reordered, limit, held]);
  return rows.map((row): ClaimedDelivery => {
    const place = places[row.place - 1];
    assert(place, 'claimed for one of the places');
    return {
      eventId: row.event_id,
      endpointId: place.id,
      clientId: place.clientId,
      epoch: row.epoch,
      attempt: row.attempts + 1,
      redelivery: row.redeliveries,
      claimedAt: place.lockedAt.ours,
      signedAt: place.lockedAt.real,
      body: row.payload,
      isTest: row.is_test,
    };
  });
}

const release = sql(
  'webhook_deliveries.release',
  `update webhook_deliveries d set next_attempt_at = svc_clock(), lease_until = null
   from unnest($1::uuid[], $2::uuid[], $3::int[]) as a(endpoint_id, event_id, epoch)
   where d.endpoint_id = a.endpoint_id and d.event_id = a.event_id and d.epoch = a.epoch
     and d.finished_at is null`,
);

const givenBack = new WeakMap<Database, (claimed: ClaimedDelivery) => Promise<void>>();

const openReleaseQueue = (database: Database) => {
  const releaseAll = async (all: readonly ClaimedDelivery[]) => {
    const rows = all.map(({ endpointId, eventId, epoch }) => [endpointId, eventId, epoch]);
    await database.write(release, packColumns([uuids, uuids, integers], rows));
    return all.map(() => undefined);
  };
  return openBatches<ClaimedDelivery, undefined>({
    keyOf: ({ endpointId, eventId }) => `${endpointId} ${eventId}`,
    one: async (claimed) => void (await releaseAll([claimed])),
    many: releaseAll,
  });
};

/** Gives back a delivery that was claimed and not sent: it is due again at once. */
export async function releaseDelivery(database: Database, claimed: ClaimedDelivery): Promise<void> {
  const queue = givenBack.get(database) ?? openReleaseQueue(database);
  givenBack.set(database, queue);
  await queue(claimed);
}

const cancel = sql(
  'webhook_deliveries.cancel_waiting',
  `with clock as materialized (select svc_clock() as now)
   update webhook_deliveries d set state = 'cancelled', finished_at = clock.now, lease_until = null
   from clock
   where d.endpoint_id = any($1::uuid[]) and d.state = 'pending'
     and (d.lease_until is null or d.lease_until <= clock.now)`,
);

/** Cancels the waiting deliveries of disabled endpoints. A delivery in flight ends with its own answer. */
export async function cancelWaitingDeliveries(
  tx: Tx,
  endpointIds: readonly string[],
): Promise<void> {
  await tx.query(cancel, [arrayValue(uuids, endpointIds)]);
}
