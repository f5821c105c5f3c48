// Coupons of an existing session. Contract §8. docs/decisions/catalog.md.

import assert from 'node:assert';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type SessionRow, sessionColumns, toSession } from './checkout-sessions.ts';

const update = sql<SessionRow>(
  'sessions.update_coupons',
  `update checkout_sessions s set coupon_codes = $3, lines = $4, discount_minor = $5,
     total_minor = $6, updated_at = $7, version = s.version + 1
   where s.client_id = $1 and s.id = $2 and s.status = 'open' returning ${sessionColumns}`,
);

export type RepricedSession = Pick<
  CheckoutSession,
  'couponCodes' | 'lines' | 'discountMinor' | 'totalMinor'
>;

/** Saves coupons and price of a locked, open session; the database lets no other column change. */
export async function updateCoupons(
  tx: Tx,
  session: CheckoutSession,
  { couponCodes, lines, discountMinor, totalMinor, now }: RepricedSession & { readonly now: Date },
): Promise<CheckoutSession> {
  const [row] = await tx.query(update, [
    session.clientId,
    session.id,
    couponCodes,
    JSON.stringify(lines),
    discountMinor,
    totalMinor,
    now,
  ]);
  assert(row, 'a locked, open session is priced anew');
  return toSession(row);
}

const findAny = sql<{ found: boolean }>(
  'coupons.has_active',
  'select exists (select from coupons where client_id = $1 and is_active) as found',
);

/** Returns whether the client has any active coupon. */
export async function hasActiveCoupons(database: Database, clientId: string): Promise<boolean> {
  const [row] = await database.read(findAny, [clientId]);
  return row?.found ?? false;
}
