// Orders that a wallet has made ready for a session, before there is a payment. Decision 0032.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { freshOrderMs, lastOrderMs } from '../../domain/payments/wallet-order.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { insertPurchase, lockPayment } from '../payments/payments.ts';

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

const reserve = sql<{ id: string; order_id: string | null; is_fresh: boolean }>(
  'wallet_orders.reserve',
  `insert into wallet_orders as o
     (id, client_id, session_id, gateway_id, amount_minor, currency, made_at)
   values ($1, $2, $3, $4, $5, $6, svc_clock())
   on conflict (session_id, gateway_id, amount_minor, currency) where is_open do update set
     id = o.id
   returning id, order_id, made_at > svc_clock() - $7 * interval '1 millisecond' as is_fresh`,
);
// What was shown before the hour was over may be under approval: it waits beside the next one.
const retire = sql(
  'wallet_orders.retire',
  `update wallet_orders set is_open = false, is_waiting = order_id is not null
   where client_id = $1 and id = $2 and is_open`,
);

/** The row that an order is made under: one for all who ask at once; a new one for an old order. */
export async function reserveWalletOrder(
  database: Database,
  { clientId, id: sessionId, totalMinor, currency }: Ordered,
  { newId, gatewayId }: { newId: string; gatewayId: string },
): Promise<{ id: string; orderId: string | null }> {
  const values = [newId, clientId, sessionId, gatewayId, totalMinor, currency, freshOrderMs];
  for (;;) {
    const [row] = await database.write(reserve, values);
    if (!row) throw new Error(`session ${sessionId}: an order is reserved`);
    if (row.is_fresh) return { id: row.id, orderId: row.order_id };
    await database.write(retire, [clientId, row.id]);
  }
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

const findReady = sql<{ gateway_id: string }>(
  'wallet_orders.find_ready',
  `select gateway_id from wallet_orders
   where client_id = $1 and session_id = $2 and amount_minor = $3 and currency = $4
     and order_id = $5 and (is_open or is_waiting)
     and made_at > svc_clock() - $6 * interval '1 millisecond'`,
);

/** The gateway of an order that a payment of the session would go on with. */
export async function findGatewayOfOrder(
  via: Tx | Database,
  { clientId, id, totalMinor, currency }: Ordered,
  orderId: string,
): Promise<string | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(findReady, [clientId, id, totalMinor, currency, orderId, lastOrderMs]);
  return row?.gateway_id;
}

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
 * Inserts the purchase of an attempt. A wallet's goes on with an order that is ready for it, the
 * named one first, under the order's own id; an order is taken once. The session is locked by the
 * caller.
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
