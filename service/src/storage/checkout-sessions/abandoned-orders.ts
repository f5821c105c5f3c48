// Ready orders that a buyer was refused for, or gave up: no payment continues with them, whatever
// the wallet's notices state. docs/decisions/wallet.md.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { type Database, repeatWhenLost, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { lockSessionOfPayment } from './checkout-sessions.ts';

/** An order that the wallet created and that nobody captures. */
export type AbandonedOrder = {
  /** The id of the payment that would have used the order. */
  readonly id: string;
  readonly clientId: string;
  readonly gatewayId: string;
  readonly orderId: string;
  readonly amountMinor: number;
  readonly currency: string;
};

type Row = {
  id: string;
  gateway_id: string;
  order_id: string | null;
  amount_minor: string;
  currency: string;
};

const giveUp = sql<Row>(
  'wallet_orders.give_up',
  `update wallet_orders set is_open = false, is_waiting = false, is_given_up = true
   where client_id = $1 and session_id = $2 and (is_open or is_waiting)
   returning id, gateway_id, order_id, amount_minor, currency`,
);

/** Gives up every ready order of a locked session. */
export async function abandonOrders(
  tx: Tx,
  { clientId, id: sessionId }: Pick<CheckoutSession, 'clientId' | 'id'>,
): Promise<AbandonedOrder[]> {
  const orders: AbandonedOrder[] = [];
  for (const row of await tx.query(giveUp, [clientId, sessionId])) {
    const { id, gateway_id: gatewayId, order_id: orderId, currency } = row;
    // An order without a known id was never shown to a buyer.
    if (!orderId) continue;
    const amountMinor = Number(row.amount_minor);
    orders.push({ id, clientId, gatewayId, orderId, amountMinor, currency });
  }
  return orders;
}

/**
 * Does the same, unless the session has changed since `seen` was read: then nothing is given up and
 * the result is undefined, so that the caller reads again.
 */
export function abandonOrdersOf(
  database: Database,
  seen: Pick<CheckoutSession, 'clientId' | 'id' | 'attemptId'>,
): Promise<AbandonedOrder[] | undefined> {
  const { clientId, id: sessionId, attemptId } = seen;
  return repeatWhenLost(() =>
    database.transaction(clientId, async (tx) => {
      const session = await lockSessionOfPayment(tx, { clientId, sessionId });
      return session?.attemptId === attemptId ? abandonOrders(tx, seen) : undefined;
    }),
  );
}
