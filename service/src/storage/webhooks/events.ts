// Events and their deliveries, written in the transaction that changed the resource.

import assert from 'node:assert';
import { leaseMs } from '../../domain/protocol/webhook-schedule.ts';
import type { Tx } from '../database/database.ts';
import { intervalOf, sql } from '../database/sql.ts';
import { isSubscribed } from './subscribed.ts';
import type { ClaimedDelivery } from './webhook-deliveries.ts';

export type NewEvent = {
  readonly id: string;
  readonly clientId: string;
  readonly type: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly sequence: number;
  /** The exact text that every delivery sends. */
  readonly payload: string;
  readonly createdAt: Date;
  /** True for an event of the payment that proves a start: only the demo shop's endpoint gets it. */
  readonly isStartProof: boolean;
};

const append = sql(
  'events.append',
  `with event as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8))
   insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
     next_attempt_at, created_at)
   select $1, e.id, $2, $5, $6, $8, $8 from webhook_endpoints e
   where e.client_id = $2 and ${isSubscribed('e', '$3')}
     and e.id <> $5`,
);

// The demo shop's endpoint is the merchant's first one: `seed.ensure_endpoint`.
const appendStartProof = sql(
  'events.append_start_proof',
  `with event as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at, is_start_proof)
     values ($1, $2, $3, $4, $5, $6, $7, $8, true))
   insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
     next_attempt_at, created_at)
   select $1, e.id, $2, $5, $6, $8, $8 from webhook_endpoints e
   where e.client_id = $2 and ${isSubscribed('e', '$3')}
     and e.id = (select id from webhook_endpoints where client_id = $2 order by id limit 1)`,
);

const valuesOf = (event: NewEvent): unknown[] => [
  event.id,
  event.clientId,
  event.type,
  event.resourceType,
  event.resourceId,
  event.sequence,
  event.payload,
  event.createdAt,
];

/**
 * Appends one event, with a delivery for each endpoint that is subscribed now. An event about an
 * endpoint is sent to the other endpoints, and the proof of a start only to the demo shop.
 */
export async function appendEvent(tx: Tx, event: NewEvent): Promise<void> {
  await tx.query(event.isStartProof ? appendStartProof : append, valuesOf(event));
}

const appendForOne = sql<{ claimed_at: Date; signed_at: Date }>(
  'events.append_for_one',
  `with event as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id)
   insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
     next_attempt_at, lease_until, epoch, created_at)
   select id, $9, $2, $5, $6, $8 + ${intervalOf(leaseMs)}, $8 + ${intervalOf(leaseMs)}, 1, $8
   from event
   returning created_at as claimed_at, clock_timestamp() as signed_at`,
);

/** Appends an event for one endpoint only, whatever it is subscribed to, and claims its delivery. */
export async function appendTestEvent(
  tx: Tx,
  event: NewEvent,
  endpointId: string,
): Promise<ClaimedDelivery> {
  const [row] = await tx.query(appendForOne, [...valuesOf(event), endpointId]);
  assert(row, 'an insert answers its row');
  return {
    eventId: event.id,
    endpointId,
    clientId: event.clientId,
    epoch: 1,
    attempt: 1,
    redelivery: 0,
    claimedAt: row.claimed_at,
    signedAt: row.signed_at,
    body: event.payload,
    isTest: true,
  };
}
