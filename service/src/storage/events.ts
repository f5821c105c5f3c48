// Events and their deliveries, written in the transaction that changed the resource.

import type { Tx } from './database.ts';
import { packText } from './packed-text.ts';
import { sql } from './sql.ts';

export type NewEvent = {
  readonly id: string;
  readonly clientId: string;
  readonly type: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly sequence: number;
  /** The exact bytes that every delivery sends. */
  readonly payload: string;
  readonly createdAt: Date;
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
   where e.client_id = $2 and e.is_enabled and (e.event_types is null or $3 = any(e.event_types))`,
);

/** Appends one event, with a delivery for each endpoint that is subscribed now. */
export async function appendEvent(tx: Tx, event: NewEvent): Promise<void> {
  await tx.query(append, [
    event.id,
    event.clientId,
    event.type,
    event.resourceType,
    event.resourceId,
    event.sequence,
    packText(event.payload),
    event.createdAt,
  ]);
}
