// Rows as an operator reads them, over all clients: every column under its own name, so that a new
// column is shown without being named here. Only the command line uses it.

import { type Database, everyClient } from './database.ts';
import { type Query, sql } from './sql.ts';

/** A row as the database writes it in JSON: instants in ISO 8601, bytes as `\x` and hex digits. */
export type ShownRow = Readonly<Record<string, unknown>>;

/**
 * The most rows that are shown of one kind; further rows are not counted, and the output states
 * that some are left out.
 */
export const mostShown = 200;

/** The table, the column to search by, and the order in which rows are shown. */
const places = {
  payment: ['payments', 'id', 'id'],
  refunds: ['payments', 'parent_payment_id', 'created_at, id'],
  paymentsOfSession: ['payments', 'session_id', 'created_at, id'],
  history: ['payment_history', 'payment_id', 'version'],
  operation: ['payment_operations', 'id', 'id'],
  operationsOfPayment: ['payment_operations', 'payment_id', 'created_at, id'],
  attempts: ['operation_attempts', 'operation_id', 'started_at, epoch, attempt'],
  disputes: ['disputes', 'payment_id', 'opened_at, id'],
  fraudSignals: ['fraud_signals', 'payment_id', 'raised_at, id'],
  session: ['checkout_sessions', 'id', 'id'],
  setupsOfSession: ['card_setups', 'session_id', 'created_at, id'],
  ordersOfSession: ['wallet_orders', 'session_id', 'made_at, id'],
  methodUse: ['payment_method_uses', 'payment_id', 'payment_id'],
  event: ['events', 'id', 'id'],
  eventsOfResource: ['events', 'resource_id', 'sequence'],
  deliveries: ['webhook_deliveries', 'event_id', 'created_at, endpoint_id'],
  deliveryAttempts: ['webhook_attempts', 'event_id', 'started_at, endpoint_id'],
} as const;

export type ShownPlace = keyof typeof places;

const queries = Object.fromEntries(
  Object.entries(places).map(([place, [table, column, order]]) => [
    place,
    sql<{ row: ShownRow }>(
      `shown_rows.${place}`,
      `select to_jsonb(t) as row from ${table} t where t.${column} = $1
       order by ${order} limit ${mostShown + 1}`,
    ),
  ]),
) as Readonly<Record<ShownPlace, Query<{ row: ShownRow }>>>;

/** Returns at most `mostShown` rows plus one, which shows that there are more. */
export async function listShownRows(
  database: Database,
  place: ShownPlace,
  id: string,
): Promise<ShownRow[]> {
  const rows = await database.transaction(everyClient, (tx) => tx.query(queries[place], [id]));
  return rows.map(({ row }) => row);
}
