// Orders that a wallet has prepared for a session, before there is a payment. docs/decisions/wallet.md.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { freshOrderMs, lastOrderMs } from '../../domain/payments/wallet-order.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type OrderedSession = Pick<
  CheckoutSession,
  'id' | 'clientId' | 'country' | 'totalMinor' | 'currency'
>;

export type WalletOffer = {
  readonly gatewayId: string;
  /** The publishable key of the merchant's app at the wallet. */
  readonly publishableKey: string;
  /** Null when no order is ready, or the ready one is too old. */
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

/** Returns the wallet that would pay the session, and its order for the session's amount. */
export async function findWalletOffer(
  database: Database,
  { clientId, id, totalMinor, currency, country }: OrderedSession,
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
// A buyer may still be approving an order that was shown before the hour ended: it waits beside the
// next order.
const retire = sql(
  'wallet_orders.retire',
  `update wallet_orders set is_open = false, is_waiting = order_id is not null
   where client_id = $1 and id = $2 and is_open`,
);

/**
 * Returns the row under which an order is created: concurrent calls share one, and an old order
 * gets a new row.
 */
export async function reserveWalletOrder(
  database: Database,
  { clientId, id: sessionId, totalMinor, currency }: OrderedSession,
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

/** Stores the order that the wallet created; returns false when the row belongs to another order by now. */
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

/**
 * Gives the row a new id, so that the next order is requested with a new key: the wallet may repeat
 * its error for as long as it remembers the old key.
 */
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

/** Returns the gateway of an order that a payment of the session would use. */
export async function findGatewayOfOrder(
  via: Tx | Database,
  { clientId, id, totalMinor, currency }: OrderedSession,
  orderId: string,
): Promise<string | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(findReady, [clientId, id, totalMinor, currency, orderId, lastOrderMs]);
  return row?.gateway_id;
}
