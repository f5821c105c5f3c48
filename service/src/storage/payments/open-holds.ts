// Open holds by the time they expire. The database itself maintains the rows.

import type { Database, Tx } from '../database/database.ts';
import { isOpen } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';

export type OpenHold = { readonly clientId: string; readonly paymentId: string };

type Row = { client_id: string; payment_id: string };
const toHold = (row: Row): OpenHold => ({ clientId: row.client_id, paymentId: row.payment_id });

// A hold with an open operation is left to that operation, which checks the expiry itself. An
// operation in doubt may still be resolved; one that waits for a person blocks nothing meanwhile.
// The payment is looked up by key, one row: a join could read all payments when statistics know of
// no holds (docs/decisions/money-operations.md).
const listExpired = sql<Row>(
  'open_holds.expired',
  `select h.client_id, h.payment_id from open_holds h
   where h.expires_at <= (select svc_clock()) - $2 * interval '1 millisecond'
     and (select p.status from payments p where p.id = h.payment_id limit 1) = 'authorized'
     and not exists (select 1 from payment_operations o where o.payment_id = h.payment_id
       and ${isOpen()})
   order by h.expires_at limit $1`,
);

/** Lists holds that expired at least `marginMs` ago and that no operation works on. */
export async function listExpiredHolds(
  database: Database,
  limit: number,
  marginMs: number,
): Promise<OpenHold[]> {
  return (await database.read(listExpired, [limit, marginMs])).map(toHold);
}

const listToWarn = sql<Row>(
  'open_holds.to_warn',
  `select h.client_id, h.payment_id from open_holds h
   where h.warn_at <= (select svc_clock())
     and (select p.status from payments p where p.id = h.payment_id limit 1) = 'authorized'
   order by h.warn_at limit $1`,
);

/** Lists holds whose merchant should be warned that they expire. */
export async function listHoldsToWarn(database: Database, limit: number): Promise<OpenHold[]> {
  return (await database.read(listToWarn, [limit])).map(toHold);
}

const clearWarning = sql<Row>(
  'open_holds.clear_warning',
  `update open_holds set warn_at = null
   where client_id = $1 and payment_id = $2 and warn_at is not null
   returning client_id, payment_id`,
);

/** Returns true for the one caller that may send the warning. */
export async function takeHoldWarning(tx: Tx, hold: OpenHold): Promise<boolean> {
  return (await tx.query(clearWarning, [hold.clientId, hold.paymentId])).length === 1;
}
