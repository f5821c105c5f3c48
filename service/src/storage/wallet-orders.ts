// Orders that a wallet has made ready for a session, before there is a payment. Decision 0032.

import type { CheckoutSession } from '../domain/checkout-session.ts';
import type { Payment } from '../domain/payment.ts';
import { freshOrderMs, lastOrderMs } from '../domain/wallet-order.ts';
import type { Database, Tx } from './database.ts';
import { insertPurchase, lockPayment } from './payments.ts';
import { sql } from './sql.ts';

type Ordered = Pick<CheckoutSession, 'id' | 'clientId' | 'country' | 'totalMinor' | 'currency'>;

export type WalletOffer = {
  readonly gatewayId: string;
  /** Of the merchant's app at the wallet. */
  readonly publishableKey: string;
  /** Null where none is ready, or the one that is has grown old. */
  readonly orderId: string | null;
};

const findOffer = sql<{ id: string; publishable_key: string; order_id: string | null }>(
  'wallet_orders.find_offer',
  `select g.id, g.publishable_key, o.order_id
   from gateways g left join wallet_orders o
     on o.client_id = g.client_id and o.session_id = $2 and o.gateway_id = g.id
       and o.amount_minor = $3 and o.currency = $4 and o.is_open
       and o.made_at > svc_clock() - $6 * interval '1 millisecond'
   where g.client_id = $1 and g.provider = 'wallet' and g.is_active
     and (g.countries = '{}' or $5::text = any(g.countries))
   order by g.countries = '{}', g.id limit 1`,
);

/** The wallet that would pay the session, and its order of the session's amount. */
export async function findWalletOffer(
  database: Database,
  { clientId, id, totalMinor, currency, country }: Ordered,
): Promise<WalletOffer | undefined> {
  const values = [clientId, id, totalMinor, currency, country, freshOrderMs];
  const [row] = await database.read(findOffer, values);
  return row && { gatewayId: row.id, publishableKey: row.publishable_key, orderId: row.order_id };
}

const reserve = sql<{ id: string; order_id: string | null }>(
  'wallet_orders.reserve',
  `insert into wallet_orders as o
     (id, client_id, session_id, gateway_id, amount_minor, currency, made_at)
   values ($1, $2, $3, $4, $5, $6, svc_clock())
   on conflict (session_id, gateway_id, amount_minor, currency) where is_open do update set
     id = case when o.made_at > excluded.made_at - $7 * interval '1 millisecond'
       then o.id else excluded.id end,
     order_id = case when o.made_at > excluded.made_at - $7 * interval '1 millisecond'
       then o.order_id end,
     made_at = case when o.made_at > excluded.made_at - $7 * interval '1 millisecond'
       then o.made_at else excluded.made_at end
   returning id, order_id`,
);

/** The row that an order is made under: one for all who ask at once; a new one for an old order. */
export async function reserveWalletOrder(
  database: Database,
  { clientId, id: sessionId, totalMinor, currency }: Ordered,
  { newId, gatewayId }: { newId: string; gatewayId: string },
): Promise<{ id: string; orderId: string | null }> {
  const values = [newId, clientId, sessionId, gatewayId, totalMinor, currency, freshOrderMs];
  const [row] = await database.write(reserve, values);
  if (!row) throw new Error(`session ${sessionId}: an order is reserved`);
  return { id: row.id, orderId: row.order_id };
}

const setOrder = sql<{ id: string }>(
  'wallet_orders.set',
  `update wallet_orders set order_id = $3
   where client_id = $1 and id = $2 and is_open and (order_id is null or order_id = $3)
   returning id`,
);

/** Remembers what the wallet made; false when the row stands for another order by now. */
export async function setWalletOrder(
  database: Database,
  { clientId, id, orderId }: { clientId: string; id: string; orderId: string },
): Promise<boolean> {
  return (await database.write(setOrder, [clientId, id, orderId])).length > 0;
}

const renew = sql(
  'wallet_orders.renew',
  `update wallet_orders set id = $3
   where client_id = $1 and id = $2 and is_open and order_id is null`,
);

/** The next order is asked for anew: the wallet may keep its error for as long as it keeps the key. */
export async function renewWalletOrder(
  database: Database,
  { clientId, id, newId }: { clientId: string; id: string; newId: string },
): Promise<void> {
  await database.write(renew, [clientId, id, newId]);
}

const isReady = sql<{ id: string }>(
  'wallet_orders.is_ready',
  `select id from wallet_orders
   where client_id = $1 and session_id = $2 and amount_minor = $3 and currency = $4
     and order_id = $5 and is_open and made_at > svc_clock() - $6 * interval '1 millisecond'`,
);

/** Whether a payment of the session would go on with the order. */
export async function isOrderReady(
  database: Database,
  { clientId, id, totalMinor, currency }: Ordered,
  orderId: string,
): Promise<boolean> {
  const values = [clientId, id, totalMinor, currency, orderId, lastOrderMs];
  return (await database.read(isReady, values)).length > 0;
}

const take = sql<{ id: string; order_id: string }>(
  'wallet_orders.take',
  `update wallet_orders set is_open = false
   where client_id = $1 and session_id = $2 and gateway_id = $3 and amount_minor = $4
     and currency = $5 and is_open and order_id is not null
     and made_at > $6::timestamptz - $7 * interval '1 millisecond'
   returning id, order_id`,
);
const adopt = sql(
  'wallet_orders.adopt',
  'update payments set provider_intent_id = $3 where client_id = $1 and id = $2',
);

/**
 * Inserts the purchase of an attempt. A wallet's goes on with the order that is ready for it, under
 * the order's own id; an order is taken once. The session is locked by the caller.
 */
export async function insertAttemptPurchase(
  tx: Tx,
  purchase: Parameters<typeof insertPurchase>[1],
): Promise<Payment> {
  const { provider, clientId, sessionId, gatewayId, amountMinor, currency, createdAt } = purchase;
  if (provider !== 'wallet') return insertPurchase(tx, purchase);
  const values = [clientId, sessionId, gatewayId, amountMinor, currency, createdAt, lastOrderMs];
  const [ready] = await tx.query(take, values);
  if (!ready) return insertPurchase(tx, purchase);
  await insertPurchase(tx, { ...purchase, id: ready.id });
  await tx.query(adopt, [clientId, ready.id, ready.order_id]);
  const payment = await lockPayment(tx, clientId, ready.id);
  if (!payment) throw new Error(`payment ${ready.id} was just inserted`);
  return payment;
}
