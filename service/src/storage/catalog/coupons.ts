// Coupons and their redemptions: `coupons`, `coupon_redemptions`. Contract §8. docs/decisions/catalog.md.

import assert from 'node:assert';
import { type Coupon, couponCode } from '../../domain/money/coupon.ts';
import { pageConfirmed, walletApproved } from '../../domain/payments/page-confirmed.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type CouponRow = {
  client_id: string;
  code: string;
  percent_off_basis_points: number | null;
  amount_off_minor: string | null;
  currency: string | null;
  product_codes: string[] | null;
  starts_at: Date | null;
  ends_at: Date | null;
  max_redemptions: number | null;
  redemptions: number;
  is_active: boolean;
  version: number;
  created_at: Date;
  updated_at: Date;
};

export const couponColumns = `c.client_id, c.code, c.percent_off_basis_points, c.amount_off_minor, c.currency,
  c.product_codes, c.starts_at, c.ends_at, c.max_redemptions, c.redemptions, c.is_active, c.version,
  c.created_at, c.updated_at`;

export const toCoupon = (row: CouponRow): Coupon => ({
  clientId: row.client_id,
  code: row.code,
  percentOffBasisPoints: row.percent_off_basis_points,
  amountOffMinor: row.amount_off_minor === null ? null : Number(row.amount_off_minor),
  currency: row.currency,
  productCodes: row.product_codes,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  maxRedemptions: row.max_redemptions,
  redemptions: row.redemptions,
  isActive: row.is_active,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const find = sql<CouponRow>(
  'coupons.find',
  `select ${couponColumns} from coupons c where c.client_id = $1 and c.code = $2`,
);

export async function findCoupon(
  database: Database,
  clientId: string,
  code: string,
): Promise<Coupon | undefined> {
  const [row] = await database.read(find, [clientId, couponCode(code)]);
  return row && toCoupon(row);
}

// The left join returns the clock even when no code is known. Only for a coupon that is used up,
// the query looks for a page that holds it unpaid.
const findMany = sql<
  { now: Date; is_to_be_had: boolean } & { [K in keyof CouponRow]: CouponRow[K] | null }
>(
  'coupons.for_cart',
  `with moment as materialized (select svc_clock() as now)
   select moment.now, ${couponColumns},
     case when c.redemptions >= c.max_redemptions then exists (
       select from checkout_sessions s
       join coupon_redemptions r on r.session_id = s.id and r.coupon_code = c.code
       join payment_operations o on o.client_id = s.client_id and o.id = s.attempt_id
       where s.client_id = c.client_id and s.status = 'requires_action'
         and (o.canon_sha256 = $3 or o.canon_sha256 = $4)) else false end as is_to_be_had
   from moment
   left join coupons c on c.client_id = $1 and c.code = any($2)`,
);

/**
 * Returns the named coupons that the client has, and the time to judge them by. A redemption that a
 * page holds unpaid counts as left: a buyer who pays takes it over. docs/decisions/attempts.md.
 */
export async function findCartCoupons(
  database: Database,
  clientId: string,
  codes: readonly string[],
): Promise<{ coupons: Coupon[]; now: Date }> {
  const wanted = [clientId, codes.map(couponCode), pageConfirmed, walletApproved];
  const rows = await database.read(findMany, wanted);
  const [first] = rows;
  assert(first, 'the clock always answers');
  const found = rows.filter((row) => row.code !== null) as (CouponRow & typeof first)[];
  const coupons = found.map((row) => {
    const coupon = toCoupon(row);
    return row.is_to_be_had ? { ...coupon, redemptions: coupon.redemptions - 1 } : coupon;
  });
  return { coupons, now: first.now };
}

const insert = sql<CouponRow>(
  'coupons.insert',
  `insert into coupons as c (client_id, code, percent_off_basis_points, amount_off_minor, currency,
     product_codes, starts_at, ends_at, max_redemptions, is_active, created_at, updated_at)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now, now
   from (select svc_clock() as now) as clock
   on conflict do nothing returning ${couponColumns}`,
);

export type NewCoupon = Omit<Coupon, 'redemptions' | 'version' | 'createdAt' | 'updatedAt'>;

/** Returns undefined when the client already has a coupon with that code. */
export async function insertCoupon(
  via: Tx | Database,
  coupon: NewCoupon,
): Promise<Coupon | undefined> {
  const run = 'query' in via ? via.query : via.write;
  const [row] = await run(insert, [
    coupon.clientId,
    coupon.code,
    coupon.percentOffBasisPoints,
    coupon.amountOffMinor,
    coupon.currency,
    coupon.productCodes,
    coupon.startsAt,
    coupon.endsAt,
    coupon.maxRedemptions,
    coupon.isActive,
  ]);
  return row && toCoupon(row);
}

const lock = sql<CouponRow>(
  'coupons.lock',
  `select ${couponColumns} from coupons c where c.client_id = $1 and c.code = $2 for update`,
);

export async function lockCoupon(
  tx: Tx,
  clientId: string,
  code: string,
): Promise<Coupon | undefined> {
  const [row] = await tx.query(lock, [clientId, couponCode(code)]);
  return row && toCoupon(row);
}

// A coupon has ended early when a change sets its end to the past. A coupon that reaches the end it
// already had has not ended early: sessions that were opened before keep it. Contract §8.
const update = sql<CouponRow>(
  'coupons.update',
  `update coupons c set product_codes = $3, starts_at = $4, ends_at = $5, max_redemptions = $6,
     is_active = $7, updated_at = svc_clock(),
     is_ended_early = case when $5::timestamptz is distinct from c.ends_at
       then coalesce($5 <= svc_clock(), false) else c.is_ended_early end
   where c.client_id = $1 and c.code = $2 returning ${couponColumns}`,
);

/** Saves a locked coupon; its code and discount stay. The version rises by one. */
export async function updateCoupon(tx: Tx, coupon: Coupon): Promise<Coupon> {
  const [row] = await tx.query(update, [
    coupon.clientId,
    coupon.code,
    coupon.productCodes,
    coupon.startsAt,
    coupon.endsAt,
    coupon.maxRedemptions,
    coupon.isActive,
  ]);
  assert(row, 'a locked coupon is updated');
  return toCoupon(row);
}

const lockMany = sql<{ code: string; is_on: boolean; is_left: boolean }>(
  'coupons.lock_for_redemption',
  `select c.code, c.is_active and not c.is_ended_early as is_on,
     c.max_redemptions is null or c.redemptions < c.max_redemptions as is_left
   from coupons c where c.client_id = $1 and c.code = any($2)
   order by c.client_id, c.code for update`,
);

const redeem = sql(
  'coupons.redeem',
  `insert into coupon_redemptions (session_id, client_id, coupon_code, redeemed_at)
   select $1, $2, code, svc_clock() from unnest($3::text[]) as code`,
);

/** A session whose coupons a payment is about to use. */
export type CouponHolder = {
  readonly id: string;
  readonly clientId: string;
  readonly couponCodes: readonly string[];
};

/** The result: redeemed, or why nothing was redeemed: the merchant withdrew a code, or a code is used up. */
export type Reservation = 'redeemed' | 'coupon_inactive' | 'coupons_used';

/**
 * Redeems the coupons of a session for the payment that the same transaction inserts afterwards, or
 * for the free order that it completes: the database rejects a commit of one without the other. The
 * database gives them back when that payment fails or is released.
 */
export async function reserveCoupons(tx: Tx, session: CouponHolder): Promise<Reservation> {
  if (session.couponCodes.length === 0) return 'redeemed';
  const codes = session.couponCodes.map(couponCode);
  const found = await tx.query(lockMany, [session.clientId, codes]);
  if (found.some(({ is_on }) => !is_on)) return 'coupon_inactive';
  if (found.filter(({ is_left }) => is_left).length < codes.length) return 'coupons_used';
  await tx.query(redeem, [session.id, session.clientId, codes]);
  return 'redeemed';
}
