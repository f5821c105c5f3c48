// The cart of an existing, open session: the buyer's coupons, and what the merchant changes. Contract §3, §8.
// docs/decisions/catalog.md.

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

const updateByMerchant = sql<SessionRow>(
  'sessions.update_by_merchant',
  `update checkout_sessions s set metadata = coalesce($3, s.metadata),
     expires_at = coalesce($4, s.expires_at), coupon_codes = coalesce($5, s.coupon_codes),
     lines = coalesce($6, s.lines), subtotal_minor = coalesce($7, s.subtotal_minor),
     discount_minor = coalesce($8, s.discount_minor), total_minor = coalesce($9, s.total_minor),
     takes_coupons = coalesce($10, s.takes_coupons),
     cart_version = s.cart_version + case when $6::jsonb is null then 0 else 1 end,
     updated_at = $11, version = s.version + 1
   where s.client_id = $1 and s.id = $2 and s.status = 'open' returning ${sessionColumns}`,
);

export type MerchantChange = {
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly expiresAt: Date | null;
  /** Null where the cart stays as it is. */
  readonly cart: (RepricedSession & Pick<CheckoutSession, 'subtotalMinor' | 'takesCoupons'>) | null;
};

/** Saves what the merchant changes of a locked, open session. */
export async function updateByMerchantChange(
  tx: Tx,
  { clientId, id }: CheckoutSession,
  { metadata, expiresAt, cart, now }: MerchantChange & { readonly now: Date },
): Promise<CheckoutSession> {
  const [row] = await tx.query(updateByMerchant, [
    ...[clientId, id, metadata && JSON.stringify(metadata), expiresAt],
    ...[cart?.couponCodes ?? null, cart ? JSON.stringify(cart.lines) : null],
    ...[cart?.subtotalMinor ?? null, cart?.discountMinor ?? null, cart?.totalMinor ?? null],
    ...[cart?.takesCoupons ?? null, now],
  ]);
  assert(row, 'a locked, open session is changed');
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
