// Coupons in the database, and sessions and payments that use them.

import { createHash, randomBytes } from 'node:crypto';
import { insertCoupon, type NewCoupon, reserveCoupons } from '../../src/storage/catalog/coupons.ts';
import type { Database, Tx } from '../../src/storage/database/database.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { newId, type TestClient, type TestGateway } from '../harness.ts';

/** Inserts a coupon, ten percent by default. */
export async function aStoredCoupon(
  db: Database,
  client: TestClient,
  given: Partial<NewCoupon> = {},
): Promise<string> {
  const code = given.code ?? `C${randomBytes(4).toString('hex').toUpperCase()}`;
  await insertCoupon(db, {
    clientId: client.id,
    code,
    percentOffBasisPoints: given.amountOffMinor ? null : 1000,
    amountOffMinor: null,
    currency: given.amountOffMinor ? 'EUR' : null,
    productCodes: null,
    startsAt: null,
    endsAt: null,
    maxRedemptions: null,
    isActive: true,
    ...given,
  });
  return code;
}

const insertSession = sql(
  'test_coupon_session',
  `insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
     gateway_id, currency, user_id, email, total_minor, coupon_codes, expires_at, created_at,
     updated_at)
   values ($1, $2, $3, 'payment', 'open', 'automatic', $4, 'EUR', $5, 'buyer@example.test', 100,
     $6, svc_clock() + interval '1 day', svc_clock(), svc_clock())`,
);

export type CouponSession = {
  readonly id: string;
  readonly clientId: string;
  readonly gatewayId: string;
  readonly couponCodes: readonly string[];
};

/** An open session of a cart with these coupons. */
export async function aCouponSession(
  db: Database,
  gateway: TestGateway,
  couponCodes: readonly string[],
): Promise<CouponSession> {
  const id = newId();
  const nonce = createHash('sha256').update(randomBytes(32)).digest();
  await db.write(insertSession, [id, gateway.clientId, nonce, gateway.id, newId(), couponCodes]);
  return { id, clientId: gateway.clientId, gatewayId: gateway.id, couponCodes };
}

const insertPayment = sql(
  'test_coupon_payment',
  `insert into payments (id, client_id, session_id, type, provider, gateway_id, amount_minor,
     currency, capture_method, status, is_live, created_at, updated_at)
   values ($1, $2, $3, 'purchase', 'cardprovider', $4, 100, 'EUR', 'automatic', 'pending', false,
     svc_clock(), svc_clock())`,
);

/** Inserts a payment of the session, which is then the session's live payment. */
export async function startPayment(tx: Tx, session: CouponSession): Promise<string> {
  const id = newId();
  await tx.query(insertPayment, [id, session.clientId, session.id, session.gatewayId]);
  return id;
}

/**
 * Redeems and pays in one transaction, as an attempt does; returns null when a coupon is not
 * available.
 */
export const payWithCoupons = (db: Database, session: CouponSession): Promise<string | null> =>
  db.transaction(session.clientId, async (tx) => {
    const reserved = await reserveCoupons(tx, session);
    return reserved === 'redeemed' ? startPayment(tx, session) : null;
  });

const insertEvent = sql(
  'test_coupon_event',
  `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
     created_at) values ($1, $2, 'payment.failed', 'payment', $3, 1, '{}', svc_clock())`,
);
const fail = sql(
  'test_coupon_fail',
  `update payments set status = 'failed', event_seq = 1, updated_at = svc_clock()
   where client_id = $1 and id = $2`,
);

/** Fails the payment, as after a decline. */
export const failPayment = (db: Database, clientId: string, paymentId: string): Promise<void> =>
  db.transaction(clientId, async (tx) => {
    await tx.query(insertEvent, [newId(), clientId, paymentId]);
    await tx.query(fail, [clientId, paymentId]);
  });
