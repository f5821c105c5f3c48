// Reads rows that callers cannot see and the API layer needs: the ids of a payment at the provider.

import { sql } from '../../service/src/storage/database/sql.ts';
import type { World } from '../../service/test/world.ts';

const findPayment = sql<{ id: string; intent: string | null }>(
  'model_find_payment',
  `select id, provider_intent_id as intent from payments
   where session_id = $1 and type = 'purchase' order by created_at desc limit 1`,
);
const findRefund = sql<{ provider_id: string | null }>(
  'model_find_refund',
  `select p.provider_refund_id as provider_id
   from payment_operations o join payments p on p.id = o.payment_id
   where o.kind = 'refund' and o.idempotency_key = $1`,
);

const countOfKey = sql<{ count: number }>(
  'model_count_keys',
  'select count(*)::int as count from payment_operations where idempotency_key = $1',
);

/** Returns the newest payment of a session, and its intent. */
export async function paymentOf(
  { database }: World,
  sessionId: string,
): Promise<{ paymentId: string | null; intentId: string | null }> {
  const [row] = await database.read(findPayment, [sessionId]);
  return { paymentId: row?.id ?? null, intentId: row?.intent ?? null };
}

/** Returns the provider's id of the refund with this key; undefined before it is known. */
export async function providerRefundOf(
  { database }: World,
  key: string,
): Promise<string | undefined> {
  const [row] = await database.read(findRefund, [key]);
  return row?.provider_id ?? undefined;
}

/** Returns how many operations have this key. */
export async function countKeys({ database }: World, key: string): Promise<number> {
  const [row] = await database.read(countOfKey, [key]);
  return row?.count ?? 0;
}
