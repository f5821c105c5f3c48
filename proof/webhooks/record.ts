// Reads the records of one part of a run: the rows of its merchants and the receiver's log.

import { createHash } from 'node:crypto';
import { leaseMs } from '../../service/src/domain/protocol/webhook-schedule.ts';
import type { ClockHistory } from './clock-history.ts';
import type { Endpoint, Fixture, Merchant } from './fixture.ts';
import type { Reader } from './reader.ts';
import type { Arrival, ReceiverLog } from './receiver.ts';
import type { WrittenEvents } from './writer.ts';

export type EventRow = {
  readonly id: string;
  readonly wireId: string;
  readonly clientId: string;
  readonly type: string;
  readonly resourceId: string;
  readonly sequence: number;
  readonly payload: string;
  readonly sha256: string;
  readonly createdAt: number;
};

type AttemptRow = {
  readonly attempt: number;
  readonly epoch: number;
  readonly outcome: 'delivered' | 'failed';
  readonly status: number | null;
  readonly error: string | null;
};

export type Delivery = {
  readonly event: EventRow;
  readonly endpoint: Endpoint;
  readonly state: string;
  readonly attempts: number;
  readonly epoch: number;
  readonly lastStatus: number | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** Claims after a lease had expired, and claims while one was valid. */
  readonly takenOver: number;
  readonly takenAway: number;
  readonly recorded: AttemptRow[];
  readonly arrivals: Arrival[];
};

export type EndpointEnd = {
  readonly isEnabled: boolean;
  readonly reason: string | null;
  readonly updatedAt: number;
};

export type Records = {
  readonly merchants: readonly Merchant[];
  readonly written: WrittenEvents;
  readonly readers: readonly Reader[];
  readonly log: ReceiverLog;
  readonly time: ClockHistory;
  /** The events, in the order in which a reader must get them. */
  readonly events: ReadonlyMap<string, EventRow>;
  /** The deliveries, by event and endpoint. */
  readonly deliveries: ReadonlyMap<string, Delivery>;
  readonly ends: ReadonlyMap<string, EndpointEnd>;
};

export const keyOf = (eventId: string, endpointId: string): string => `${eventId} ${endpointId}`;

const wireIdOf = (id: string): string => `evt_${id.replaceAll('-', '')}`;

type RecordSources = Pick<Records, 'merchants' | 'written' | 'readers'>;

export async function readRecords(fixture: Fixture, given: RecordSources): Promise<Records> {
  const log = await fixture.receiver.report();
  const clients = given.merchants.map(({ id }) => id);
  const events = await readEvents(fixture, clients);
  const endpoints = new Map(
    given.merchants.flatMap((one) => one.endpoints).map((one) => [one.id, one]),
  );
  const deliveries = await readDeliveries(fixture, { clients, events, endpoints });
  const byNumber = new Map([...endpoints.values()].map((one) => [one.number, one]));
  const byWireId = new Map([...events.values()].map((one) => [one.wireId, one]));
  for (const arrival of log.arrivals) {
    const endpoint = byNumber.get(arrival.endpoint);
    const event = byWireId.get(arrival.eventId);
    if (endpoint && event) deliveries.get(keyOf(event.id, endpoint.id))?.arrivals.push(arrival);
  }
  const ends = await readEnds(fixture, clients);
  return { ...given, log, time: fixture.time, events, deliveries, ends };
}

async function readEvents(fixture: Fixture, clients: readonly string[]) {
  const { rows } = await fixture.owner.query<
    Omit<EventRow, 'payload' | 'wireId' | 'sha256'> & { payload: string }
  >(
    `select id, client_id as "clientId", type, resource_id as "resourceId", sequence, payload,
       (extract(epoch from created_at) * 1000)::float8 as "createdAt"
     from events where client_id = any($1::uuid[]) order by created_at, id`,
    [clients],
  );
  return new Map(
    rows.map((row): [string, EventRow] => {
      const payload = row.payload;
      const sha256 = createHash('sha256').update(payload).digest('base64');
      return [row.id, { ...row, wireId: wireIdOf(row.id), payload, sha256 }];
    }),
  );
}

type RecordContext = {
  readonly clients: readonly string[];
  readonly events: ReadonlyMap<string, EventRow>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
};

async function readDeliveries(fixture: Fixture, { clients, events, endpoints }: RecordContext) {
  type Keys = { eventId: string; endpointId: string };
  const deliveries = new Map<string, Delivery>();
  const { rows } = await fixture.owner.query<Omit<Delivery, 'event' | 'endpoint'> & Keys>(
    `with claims as (
       select event_id, endpoint_id, found, lease_until - $2 * interval '1 ms' as at from proof_claims),
     taken as (
       select event_id, endpoint_id, count(*) filter (where found <= at) as over,
         count(*) filter (where found > at) as away
       from claims group by event_id, endpoint_id)
     select d.event_id as "eventId", d.endpoint_id as "endpointId", state, attempts, epoch,
       last_status as "lastStatus", coalesce(t.over, 0)::int as "takenOver",
       coalesce(t.away, 0)::int as "takenAway",
       (extract(epoch from created_at) * 1000)::float8 as "createdAt",
       (extract(epoch from finished_at) * 1000)::float8 as "finishedAt"
     from webhook_deliveries d
     left join taken t on t.event_id = d.event_id and t.endpoint_id = d.endpoint_id
     where client_id = any($1::uuid[])`,
    [clients, leaseMs],
  );
  for (const { eventId, endpointId, ...row } of rows) {
    const event = events.get(eventId);
    const endpoint = endpoints.get(endpointId);
    if (!event || !endpoint) continue;
    const key = keyOf(eventId, endpointId);
    deliveries.set(key, { ...row, event, endpoint, recorded: [], arrivals: [] });
  }
  const attempts = await fixture.owner.query<AttemptRow & Keys>(
    `select event_id as "eventId", endpoint_id as "endpointId", attempt, epoch, outcome,
       http_status as status, error
     from webhook_attempts where endpoint_id = any($1::uuid[]) order by epoch`,
    [[...endpoints.keys()]],
  );
  for (const { eventId, endpointId, ...row } of attempts.rows) {
    deliveries.get(keyOf(eventId, endpointId))?.recorded.push(row);
  }
  return deliveries;
}

async function readEnds(fixture: Fixture, clients: readonly string[]) {
  const { rows } = await fixture.owner.query<EndpointEnd & { id: string }>(
    `select id, is_enabled as "isEnabled", disabled_reason as reason,
       (extract(epoch from updated_at) * 1000)::float8 as "updatedAt"
     from webhook_endpoints where client_id = any($1::uuid[])`,
    [clients],
  );
  return new Map(rows.map(({ id, ...end }): [string, EndpointEnd] => [id, end]));
}
