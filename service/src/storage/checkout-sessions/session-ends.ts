// How sessions end without success: the buyer cancels, or the session expires. An attempt that is
// under way at the provider is ended there first.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type SessionRow, sessionColumns, toSession } from './checkout-sessions.ts';

const lockOpen = sql<SessionRow>(
  'sessions.lock_open',
  `select ${sessionColumns} from checkout_sessions s
   where s.client_id = $1 and s.id = any($2::uuid[]) and s.status = 'open'
   order by s.id for no key update skip locked`,
);

/** Locks those of the sessions that are open and that nobody else has locked. */
export const lockOpenSessions = async (
  tx: Tx,
  clientId: string,
  ids: readonly string[],
): Promise<CheckoutSession[]> => (await tx.query(lockOpen, [clientId, ids])).map(toSession);

export type DueSession = { readonly id: string; readonly clientId: string };

// Attempt and set-up are looked up by key, one row each: few sessions are due, and there are many
// operations. A set-up that does not wait for its buyer ends only by the provider's answer: when
// nothing else is left, the session is not due.
const listDue = sql<{ id: string; client_id: string }>(
  'sessions.list_due',
  `select id, client_id from (
     select s.id, s.client_id, s.expires_at, greatest(
       (select o.lease_until from payment_operations o where o.id = s.attempt_id limit 1),
       (select case when c.state = 'awaiting_customer' then c.lease_until
            when s.status = 'open' then 'infinity' end
          from card_setups c where c.session_id = s.id and c.state
            in ('active', 'in_doubt', 'awaiting_customer') limit 1)) as leased_until
     from checkout_sessions s
     where s.expires_at <= (select svc_clock()) and s.status in ('open', 'requires_action')) due
   where coalesce(leased_until <= (select svc_clock()), true)
   order by greatest(expires_at, leased_until) limit $1`,
);

/**
 * Lists expired sessions with a buyer, of all clients, oldest first. A session that could not be
 * closed at its provider, for example because the keys do not decrypt, comes after those that were
 * not tried since.
 */
export async function listDueSessions(database: Database, limit: number): Promise<DueSession[]> {
  const rows = await database.read(listDue, [limit]);
  return rows.map((row) => ({ id: row.id, clientId: row.client_id }));
}

const deleteShells = sql<{ id: string }>(
  'shells.delete_abandoned',
  `delete from checkout_sessions where id in (
     select id from checkout_sessions
     where status = 'unclaimed' and expires_at <= (select svc_clock()) - $1 * interval '1 millisecond'
     order by expires_at limit $2 for update skip locked)
   returning id`,
);

/**
 * Deletes shells that nobody claimed in time; for `graceMs` after that they still report that they
 * expired.
 */
export async function deleteAbandonedShells(
  database: Database,
  { graceMs, limit }: { graceMs: number; limit: number },
): Promise<number> {
  return (await database.write(deleteShells, [graceMs, limit])).length;
}
