// Events and their deliveries, written in the transaction that changed the resource.

import assert from 'node:assert';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

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

/** Splits an event's text at its time, which `timeText` then writes between the two parts. */
export function splitAtTime({ payload, createdAt }: NewEvent): { before: string; after: string } {
  const seconds = Math.floor(createdAt.getTime() / 1000);
  const time = `"created":${seconds},"timestamp":"${createdAt.toISOString()}"`;
  const at = payload.indexOf(time);
  assert(at > 0, 'an event states its time');
  return { before: payload.slice(0, at), after: payload.slice(at + time.length) };
}

/** The part of an event's text that states its time; `instant` is an SQL expression. */
export const timeText = (instant: string): string =>
  `('"created":' || floor(extract(epoch from ${instant}))::bigint || ',"timestamp":"'
     || to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"')`;

/**
 * The condition that an endpoint takes events of a type; `type` is an SQL expression. Null event
 * types mean all. Contract §7.
 */
export const takesType = (endpoint: string, type: string): string =>
  `(${endpoint}.event_types is null or ${type} = any(${endpoint}.event_types))`;

/** The condition that the endpoint takes the type and is enabled: a disabled endpoint is sent nothing. */
export const isSubscribed = (endpoint: string, type: string): string =>
  `${endpoint}.is_enabled and ${takesType(endpoint, type)}`;

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

/** Tells the demo shop's endpoint from those of the merchant's own; each start writes it again. */
export const demoEndpointName = 'Demo shop';

/** The id of the demo shop's endpoint as an SQL expression; null while there is none. */
export const demoEndpointOf = (clientId: string): string =>
  `(select id from webhook_endpoints where client_id = ${clientId} and deleted_at is null
     and description = '${demoEndpointName}' order by id limit 1)`;

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
     and e.id = ${demoEndpointOf('$2')}`,
);

export const eventValues = (event: NewEvent): unknown[] => [
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
  await tx.query(event.isStartProof ? appendStartProof : append, eventValues(event));
}
