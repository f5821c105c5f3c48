// The payment of an attempt; a wallet's purchase continues an order that is ready.

import type { Payment } from '../../domain/payments/payment.ts';
import { lastOrderMs } from '../../domain/payments/wallet-order.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { insertPurchase, lockPayment } from '../payments/payments.ts';

const take = sql<{ id: string; order_id: string }>(
  'wallet_orders.take',
  `update wallet_orders set is_open = false, is_waiting = false
   where id = (select id from wallet_orders
     where client_id = $1 and session_id = $2 and gateway_id = $3 and amount_minor = $4
       and currency = $5 and (is_open or is_waiting) and order_id is not null
       and made_at > $6::timestamptz - $7 * interval '1 millisecond'
     order by order_id is not distinct from $8 desc, made_at desc limit 1)
   returning id, order_id`,
);
const adopt = sql(
  'wallet_orders.adopt',
  'update payments set provider_intent_id = $3 where client_id = $1 and id = $2',
);

/**
 * Inserts the purchase of an attempt. A wallet purchase uses a ready order, the named one first,
 * under the order's own id; an order is used once. The caller has locked the session.
 */
export async function insertAttemptPurchase(
  tx: Tx,
  purchase: Parameters<typeof insertPurchase>[1],
  orderId: string | null,
): Promise<Payment> {
  const { provider, clientId, sessionId, gatewayId, amountMinor, currency, createdAt } = purchase;
  if (provider !== 'wallet') return insertPurchase(tx, purchase);
  const which = [clientId, sessionId, gatewayId, amountMinor, currency];
  const [ready] = await tx.query(take, [...which, createdAt, lastOrderMs, orderId]);
  if (!ready) return insertPurchase(tx, purchase);
  await insertPurchase(tx, { ...purchase, id: ready.id });
  await tx.query(adopt, [clientId, ready.id, ready.order_id]);
  const payment = await lockPayment(tx, clientId, ready.id);
  if (!payment) throw new Error(`payment ${ready.id} was just inserted`);
  return payment;
}
