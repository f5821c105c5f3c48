// Ready orders that a buyer was refused, or let go of: no payment goes on with them any more, whatever
// their notices say. Decision 0032.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { type Database, repeatWhenLost, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { lockSessionOfPayment } from './checkout-sessions.ts';

/** An order that the wallet made, and that nobody captures. */
export type AbandonedOrder = {
  /** The payment that would have gone on with it. */
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
    // One that was never named to us was never shown.
    if (!orderId) continue;
    const amountMinor = Number(row.amount_minor);
    orders.push({ id, clientId, gatewayId, orderId, amountMinor, currency });
  }
  return orders;
}

/**
 * The same, unless the session has gone on since it was looked at: then nothing is given up, and
 * undefined says that the look is to be repeated.
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
