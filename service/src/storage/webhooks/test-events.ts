// The event by which a merchant tests an endpoint.

import assert from 'node:assert';
import { leaseMs } from '../../domain/protocol/webhook-schedule.ts';
import type { Tx } from '../database/database.ts';
import { intervalOf, sql } from '../database/sql.ts';
import { eventValues, type NewEvent } from './events.ts';
import type { ClaimedDelivery } from './webhook-deliveries.ts';

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
  const [row] = await tx.query(appendForOne, [...eventValues(event), endpointId]);
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
