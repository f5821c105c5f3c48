// Prevents a second subscription to the same product for one buyer, unless the merchant allows it.
// Contract §5.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type SoldSession = Pick<CheckoutSession, 'clientId' | 'userId' | 'lines'>;

const codesOf = ({ lines }: SoldSession): string[] =>
  lines.flatMap(({ kind, code }) => (kind === 'subscription' && code !== null ? code : []));

const find = sql<{ found: boolean }>(
  'subscriptions.has_running',
  `select exists (select from subscriptions
     where client_id = $1 and user_id = $2 and product_code = any($3) and status <> 'canceled')
     as found`,
);

/** Returns whether the buyer already has one of the cart's subscriptions, in any state but cancelled. */
export async function hasRunningSubscription(
  via: Tx | Database,
  sold: SoldSession,
): Promise<boolean> {
  const codes = codesOf(sold);
  if (codes.length === 0 || sold.userId === null) return false;
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [sold.clientId, sold.userId, codes]);
  return row?.found === true;
}

const lockBuyer = sql(
  'subscriptions.lock_buyer',
  "select pg_advisory_xact_lock(hashtextextended('subscriptions ' || $1::text || $2::text, 0))",
);

// Searches the buyer's open payments: a merchant has few at once, and an index finds them.
const findUnderWay = sql<{ found: boolean }>(
  'subscriptions.has_under_way',
  `select exists (select from checkout_sessions s
     join payments p on p.client_id = s.client_id and p.id = s.payment_id
     where s.client_id = $1 and s.user_id = $2 and s.id <> $4
       and s.status in ('processing', 'requires_action')
       and p.status in ('pending', 'processing', 'unknown')
       and exists (select from jsonb_array_elements(s.lines) as line
         where line ->> 'kind' = 'subscription' and line ->> 'code' = any($3))) as found`,
);

/**
 * Returns whether a locked session would start a subscription that its buyer already has, or is
 * paying for in another session. A lock per buyer makes concurrent sessions take turns, so that of
 * two tabs one comes second. Call it before money is asked for. Lock order: after the session,
 * before everything else.
 */
export async function isSecondSubscription(tx: Tx, session: CheckoutSession): Promise<boolean> {
  const { clientId, userId, id, allowsSecond } = session;
  const codes = codesOf(session);
  if (codes.length === 0 || userId === null || allowsSecond) return false;
  await tx.query(lockBuyer, [clientId, userId]);
  const [row] = await tx.query(findUnderWay, [clientId, userId, codes, id]);
  // The order matters: a payment that settles between the two queries is found as its subscription.
  return row?.found === true || (await hasRunningSubscription(tx, session));
}
