// Idempotency keys of creates that completed a free order at once: a repeated request completes no
// second order. Additions §3, Free orders.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type OrderKey = {
  readonly clientId: string;
  readonly idempotencyKey: string;
  /** The digest of the create's canonical body. */
  readonly requestSha256: Buffer;
};

const find = sql<{ request_sha256: Buffer }>(
  'order_keys.find',
  'select request_sha256 from order_keys where client_id = $1 and idempotency_key = $2',
);

/**
 * Returns whether the key belongs to an order: `same` when this request made it, `other` when
 * another request did.
 */
export async function findOrderOfKey(
  via: Tx | Database,
  { clientId, idempotencyKey, requestSha256 }: OrderKey,
): Promise<'same' | 'other' | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, idempotencyKey]);
  if (!row) return undefined;
  return row.request_sha256.equals(requestSha256) ? 'same' : 'other';
}

const insert = sql<{ session_id: string }>(
  'order_keys.insert',
  `insert into order_keys (client_id, idempotency_key, request_sha256, session_id)
   values ($1, $2, $3, $4) on conflict do nothing returning session_id`,
);

/**
 * Stores the key for the order that the same transaction completes; returns false when the key
 * already belongs to an order. Waits for a transaction that is about to store the same key.
 */
export async function insertOrderKey(tx: Tx, key: OrderKey, sessionId: string): Promise<boolean> {
  const { clientId, idempotencyKey, requestSha256 } = key;
  const values = [clientId, idempotencyKey, requestSha256, sessionId];
  return (await tx.query(insert, values)).length > 0;
}
