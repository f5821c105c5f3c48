// The database defends catalog and coupons against plain SQL past all of our code, as the service's
// role and as the owner of the tables. Contract §8.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AttackOptions,
  type Attacks,
  openAttacks,
  type Role,
  roles,
} from '../../../test/attacks/attacks.ts';
import { aClient, aGateway, aProduct, type TestClient } from '../../../test/harness.ts';
import { aCouponSession, aStoredCoupon, payWithCoupons } from '../../../test/payments/coupons.ts';

let fixture: Attacks;
let rival: TestClient;
beforeAll(async () => {
  fixture = await openAttacks();
  rival = await aClient(fixture.db.database);
  await aProduct(fixture.db.database, fixture.client, { code: 'mug' });
});
afterAll(() => fixture?.close());

const at = '2026-01-01T00:00:00Z';
const illegal = { code: '23514' };
const unknown = { code: '23503' };
const taken = { code: '23505' };
const append = { code: '23000' };

describe.each(roles)('as %s', (role: Role) => {
  const run = (text: string, values: unknown[] = []) => fixture.as[role].query(text, values);
  beforeEach(() => run('begin'));
  afterEach(() => run('rollback'));

  const product = (given: AttackOptions = {}) =>
    fixture.put(role, 'products', {
      client_id: fixture.client.id,
      code: 'cup',
      name: 'A cup',
      kind: 'item',
      created_at: at,
      updated_at: at,
      ...given,
    });
  const price = (given: AttackOptions = {}) =>
    fixture.put(role, 'product_prices', {
      client_id: fixture.client.id,
      product_code: 'mug',
      currency: 'USD',
      amount_minor: 1,
      ...given,
    });
  const coupon = (given: AttackOptions = {}) =>
    fixture.put(role, 'coupons', {
      client_id: fixture.client.id,
      code: 'TEN',
      percent_off_basis_points: 1000,
      created_at: at,
      updated_at: at,
      ...given,
    });

  it('the rows that the attacks start from are allowed', async () => {
    await product();
    await price();
    await coupon();
  });

  it.each<[string, AttackOptions, object]>([
    ['a code that is taken', { code: 'mug' }, taken],
    ['no code', { code: '' }, illegal],
    ['a code of 101 characters', { code: 'c'.repeat(101) }, illegal],
    ['no name', { name: '' }, illegal],
    ['a name of 251 characters', { name: 'n'.repeat(251) }, illegal],
    ['an unknown kind', { kind: 'gift' }, illegal],
    ['a subscription without an interval', { kind: 'subscription' }, illegal],
    ['an item with an interval', { interval_unit: 'month' }, illegal],
    ['a client that is none', { client_id: '0190a000-0000-7000-8000-000000000000' }, unknown],
  ])('a product with %s is refused', async (_what, given, refusal) => {
    await expect(product(given)).rejects.toMatchObject(refusal);
  });

  it.each<[string, AttackOptions, object]>([
    ['below zero', { amount_minor: -1 }, illegal],
    ['of 16 digits', { amount_minor: '1000000000000000' }, illegal],
    ['in a small currency', { currency: 'usd' }, illegal],
    ['of a currency that has one', { currency: 'EUR' }, taken],
    ['of no product', { product_code: 'gone' }, unknown],
  ])('a price %s is refused', async (_what, given, refusal) => {
    await expect(price(given)).rejects.toMatchObject(refusal);
  });

  it("a price on another merchant's product is refused", async () => {
    await expect(price({ client_id: rival.id })).rejects.toMatchObject(unknown);
  });

  const amount = { percent_off_basis_points: null, amount_off_minor: 100, currency: 'EUR' };
  it.each<[string, AttackOptions]>([
    ['0 percent', { percent_off_basis_points: 0 }],
    ['101 percent', { percent_off_basis_points: 10_100 }],
    ['a negative percentage', { percent_off_basis_points: -1 }],
    ['nothing off', { percent_off_basis_points: null }],
    ['both discounts', { amount_off_minor: 1, currency: 'EUR' }],
    ['an amount of zero', { ...amount, amount_off_minor: 0 }],
    ['an amount without a currency', { ...amount, currency: null }],
    ['a percentage with a currency', { currency: 'EUR' }],
    ['a code in small letters', { code: 'ten' }],
    ['a code with a blank', { code: 'TEN OFF' }],
    ['a window that ends as it starts', { starts_at: at, ends_at: at }],
    ['no redemption allowed', { max_redemptions: 0 }],
    ['more redemptions than allowed', { max_redemptions: 1, redemptions: 2 }],
    ['products, but none', { product_codes: [] }],
  ])('a coupon with %s is refused', async (_what, given) => {
    await expect(coupon(given)).rejects.toMatchObject(illegal);
  });

  it.each([
    ["products set kind = 'subscription', interval_unit = 'month' where code = 'mug'"],
    ["products set code = 'jug' where code = 'mug'"],
  ])('what was sold never changes: update %s', async (change) => {
    await expect(run(`update ${change}`)).rejects.toMatchObject(illegal);
  });

  it.each([
    ['percent_off_basis_points = 10000'],
    ["code = 'OTHER'"],
    ['redemptions = 5'],
    ["percent_off_basis_points = null, amount_off_minor = 1, currency = 'EUR'"],
  ])('discount, code and count of a coupon never change by hand: %s', async (change) => {
    await coupon({ code: 'FIXED' });
    await expect(run(`update coupons set ${change} where code = 'FIXED'`)).rejects.toMatchObject(
      illegal,
    );
  });

  it('neither products nor coupons are deleted', async () => {
    await coupon({ code: 'KEPT' });
    await run('savepoint before');
    await expect(run("delete from coupons where code = 'KEPT'")).rejects.toMatchObject(append);
    await run('rollback to before');
    await run('delete from product_prices');
    await expect(run("delete from products where code = 'mug'")).rejects.toMatchObject(append);
  });
});

describe.each(roles)('redemptions, as %s', (role: Role) => {
  const run = (text: string, values: unknown[] = []) => fixture.as[role].query(text, values);
  let sessionId: string;
  let code: string;
  beforeEach(async () => {
    const db = fixture.db.database;
    code = await aStoredCoupon(db, fixture.client, { maxRedemptions: 1 });
    const session = await aCouponSession(db, fixture.gateway, [code]);
    sessionId = session.id;
    await payWithCoupons(db, session);
    await run('begin');
  });
  afterEach(() => run('rollback'));

  it('one more than the limit is refused', async () => {
    const other = await aCouponSession(fixture.db.database, fixture.gateway, []);
    const row = { session_id: other.id, client_id: fixture.client.id, coupon_code: code };
    await expect(
      fixture.put(role, 'coupon_redemptions', { ...row, redeemed_at: at }),
    ).rejects.toMatchObject(illegal);
  });

  it('twice for one session is refused', async () => {
    const row = { session_id: sessionId, client_id: fixture.client.id, coupon_code: code };
    await expect(
      fixture.put(role, 'coupon_redemptions', { ...row, redeemed_at: at }),
    ).rejects.toMatchObject(taken);
  });

  it("another merchant's coupon on this session is refused", async () => {
    const theirs = await aStoredCoupon(fixture.db.database, rival);
    const row = { session_id: sessionId, client_id: rival.id, coupon_code: theirs };
    await fixture.put(role, 'coupon_redemptions', { ...row, redeemed_at: at });
    await expect(run('set constraints all immediate')).rejects.toMatchObject(append);
  });

  it("this merchant's coupon on another merchant's session is refused", async () => {
    const db = fixture.db.database;
    const theirs = await aCouponSession(db, await aGateway(db, rival), []);
    await payWithCoupons(db, theirs);
    const free = await aStoredCoupon(db, fixture.client);
    const row = { session_id: theirs.id, client_id: fixture.client.id, coupon_code: free };
    await fixture.put(role, 'coupon_redemptions', { ...row, redeemed_at: at });
    await expect(run('set constraints all immediate')).rejects.toMatchObject(append);
  });

  it('it is neither changed nor given back while the payment lives', async () => {
    const where = `where session_id = '${sessionId}'`;
    await run('savepoint before');
    await expect(
      run(`update coupon_redemptions set coupon_code = 'X' ${where}`),
    ).rejects.toMatchObject(append);
    await run('rollback to before');
    await expect(run(`delete from coupon_redemptions ${where}`)).rejects.toMatchObject(append);
  });
});
