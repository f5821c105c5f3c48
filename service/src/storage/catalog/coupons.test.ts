// Redemptions on real PostgreSQL: the last one, races for it, and what returns it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  freshDatabase,
  type TestClient,
  type TestDatabase,
  type TestGateway,
} from '../../../test/harness.ts';
import {
  aCouponSession,
  aStoredCoupon,
  failPayment,
  payWithCoupons,
  startPayment,
} from '../../../test/payments/coupons.ts';
import { sql } from '../database/sql.ts';
import {
  findCartCoupons,
  findCoupon,
  lockCoupon,
  reserveCoupons,
  updateCoupon,
} from './coupons.ts';

let db: TestDatabase;
let client: TestClient;
let gateway: TestGateway;
beforeAll(async () => {
  db = await freshDatabase({ poolSize: 20 });
  client = await aClient(db.database);
  gateway = await aGateway(db.database, client);
});
afterAll(() => db?.close());

const aSessionWith = (...codes: string[]) => aCouponSession(db.database, gateway, codes);
const pay = async (...codes: string[]) => payWithCoupons(db.database, await aSessionWith(...codes));
const redemptions = async (code: string): Promise<number | undefined> =>
  (await findCoupon(db.database, client.id, code))?.redemptions;

describe('reserveCoupons', () => {
  it('a payment and its redemptions come together, and are counted', async () => {
    const code = await aStoredCoupon(db.database, client);
    expect(await pay(code)).not.toBeNull();
    expect(await pay(code.toLowerCase())).not.toBeNull();
    expect(await redemptions(code)).toBe(2);
  });

  it('50 at once for the last three: three have it, and the count is exact', async () => {
    const code = await aStoredCoupon(db.database, client, { maxRedemptions: 5 });
    await pay(code);
    await pay(code);
    const sessions = await Promise.all(Array.from({ length: 50 }, () => aSessionWith(code)));
    const paid = await Promise.all(sessions.map((each) => payWithCoupons(db.database, each)));
    expect(paid.filter((id) => id !== null)).toHaveLength(3);
    expect(await redemptions(code)).toBe(5);
  });

  it('several coupons in any order, at once: no circle of waiting, all or none', async () => {
    const [a, b] = await Promise.all([
      aStoredCoupon(db.database, client, { maxRedemptions: 10 }),
      aStoredCoupon(db.database, client, { maxRedemptions: 7 }),
    ]);
    const paid = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const id = await pay(...(index % 2 === 0 ? [a, b] : [b, a]));
        // A quarter of them fails at once, while the others still redeem.
        if (id !== null && index % 4 === 0) await failPayment(db.database, client.id, id);
        return id;
      }),
    );
    const started = paid.filter((id) => id !== null).length;
    const failed = paid.filter((id, index) => id !== null && index % 4 === 0).length;
    expect(await redemptions(a)).toBe(started - failed);
    expect(await redemptions(b)).toBe(started - failed);
    expect(started).toBeGreaterThanOrEqual(7);
  });

  it('says what is switched off, or else used up or unknown, and redeems nothing of the rest', async () => {
    const good = await aStoredCoupon(db.database, client);
    const off = await aStoredCoupon(db.database, client, { isActive: false });
    const used = await aStoredCoupon(db.database, client, { maxRedemptions: 1 });
    await pay(used);
    const reserve = async (...codes: string[]) => {
      const session = await aSessionWith(...codes);
      return db.database.transaction(client.id, (tx) => reserveCoupons(tx, session));
    };
    expect(await reserve(good, off, used)).toBe('coupon_inactive');
    expect(await reserve(good, used, 'NOWHERE')).toBe('coupons_used');
    expect(await reserve(good, used)).toBe('coupons_used');
    expect(await redemptions(good)).toBe(0);
  });

  it('a window that closed since does not matter: the price was agreed', async () => {
    const code = await aStoredCoupon(db.database, client, { endsAt: new Date(0) });
    expect(await pay(code)).not.toBeNull();
  });

  it('a failed payment gives it back; the session pays anew; twice failed is given back once', async () => {
    const code = await aStoredCoupon(db.database, client, { maxRedemptions: 1 });
    const session = await aSessionWith(code);
    const first = await payWithCoupons(db.database, session);
    expect(await pay(code)).toBeNull();
    await failPayment(db.database, client.id, first ?? '');
    expect(await redemptions(code)).toBe(0);
    expect(await payWithCoupons(db.database, session)).not.toBeNull();
    expect(await redemptions(code)).toBe(1);
  });

  it('a crash before the commit leaves nothing behind', async () => {
    const code = await aStoredCoupon(db.database, client, { maxRedemptions: 1 });
    const session = await aSessionWith(code);
    const crashed = db.database.transaction(client.id, async (tx) => {
      await reserveCoupons(tx, session);
      await startPayment(tx, session);
      throw new Error('the process died');
    });
    await expect(crashed).rejects.toThrow('the process died');
    expect(await redemptions(code)).toBe(0);
    expect(await pay(code)).not.toBeNull();
  });

  it('a redemption does not commit without a payment, nor a payment without its redemption', async () => {
    const code = await aStoredCoupon(db.database, client);
    const session = await aSessionWith(code);
    const unpaid = db.database.transaction(client.id, (tx) => reserveCoupons(tx, session));
    await expect(unpaid).rejects.toMatchObject({ code: '23000' });
    const unredeemed = db.database.transaction(client.id, (tx) => startPayment(tx, session));
    await expect(unredeemed).rejects.toMatchObject({ code: '23000' });
    expect(await redemptions(code)).toBe(0);
  });
});

describe('updateCoupon', () => {
  it('50 changes at once, each of one field: none is lost, the version counts them', async () => {
    const code = await aStoredCoupon(db.database, client);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        db.database.transaction(client.id, async (tx) => {
          const coupon = await lockCoupon(tx, client.id, code);
          if (!coupon) throw new Error('the coupon is gone');
          const productCodes = [...(coupon.productCodes ?? []), `p${index}`];
          await updateCoupon(tx, { ...coupon, productCodes });
        }),
      ),
    );
    const coupon = await findCoupon(db.database, client.id, code);
    expect(coupon?.productCodes).toHaveLength(50);
    expect(coupon?.version).toBe(50);
  });

  it('a redemption is no change: version and time stay', async () => {
    const code = await aStoredCoupon(db.database, client);
    const before = await findCoupon(db.database, client.id, code);
    await pay(code);
    expect(await findCoupon(db.database, client.id, code)).toEqual({ ...before, redemptions: 1 });
  });
});

describe('findCartCoupons', () => {
  it('the named ones of this merchant, whatever the spelling, with the time', async () => {
    const code = await aStoredCoupon(db.database, client);
    const rival = await aClient(db.database);
    await aStoredCoupon(db.database, rival, { code: 'RIVALS' });
    const names = [code.toLowerCase(), 'RIVALS', 'NOWHERE'];
    const { coupons, now } = await findCartCoupons(db.database, client.id, names);
    expect(coupons.map((coupon) => coupon.code)).toEqual([code]);
    expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(5000);
    expect(await findCartCoupons(db.database, client.id, [])).toMatchObject({ coupons: [] });
  });

  it('amounts come back as they were written, to the last of 15 digits', async () => {
    const amountOffMinor = 999_999_999_999_999;
    const code = await aStoredCoupon(db.database, client, { amountOffMinor });
    const [coupon] = (await findCartCoupons(db.database, client.id, [code])).coupons;
    expect(coupon).toMatchObject({ amountOffMinor, percentOffBasisPoints: null, currency: 'EUR' });
  });
});

const listGone = sql<{ code: string }>(
  'test_drifted_coupons',
  `select c.code from coupons c where c.redemptions <> (
     select count(*) from coupon_redemptions r
     where r.client_id = c.client_id and r.coupon_code = c.code)`,
);

it('after all of this every count equals its rows', async () => {
  expect(await db.database.read(listGone, [])).toEqual([]);
});
