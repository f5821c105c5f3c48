// Coupons over the wire. Contract §8.

import type { Coupon } from '@svc/contract/catalog/coupons';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aProduct,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestDatabase,
  type TestGateway,
  type TestToken,
} from '../../../test/harness.ts';
import { raceFor } from '../../../test/held-row.ts';
import { aCouponSession, payWithCoupons } from '../../../test/payments/coupons.ts';
import { aServer, type TestServer } from '../../../test/server.ts';

let db: TestDatabase;
let server: TestServer;
let gateway: TestGateway;
let token: TestToken;
let reader: TestToken;
let rival: TestToken;
beforeAll(async () => {
  db = await freshDatabase({ poolSize: 20 });
  const [shop, other] = [await aClient(db.database), await aClient(db.database)];
  gateway = await aGateway(db.database, shop);
  token = await aToken(db.database, shop);
  reader = await aToken(db.database, shop, { scopes: ['catalog:read'] });
  rival = await aToken(db.database, other);
  await aProduct(db.database, shop, { code: 'mug' });
  await aProduct(db.database, other, { code: 'theirs' });
  server = await aServer(portsFor(db.database));
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

let made = 0;
const couponBody = (given: object = {}) => {
  made += 1;
  return { code: `C-${made}`, ...('amountOff' in given ? {} : { percentOff: 10 }), ...given };
};
const create = (given: object = {}, as = token) =>
  callAs(server.app, as, 'POST /v1/coupons', { body: couponBody(given) });
const change = (code: string, body: object, as = token) =>
  callAs(server.app, as, `PATCH /v1/coupons/${code}`, { body });
const readCoupon = (code: string, as = token) => callAs(server.app, as, `GET /v1/coupons/${code}`);
const storeCoupon = async (given: object = {}): Promise<Coupon> => (await create(given)).json();
const redeem = async (code: string) =>
  payWithCoupons(db.database, await aCouponSession(db.database, gateway, [code]));

type RefusedResponse = {
  statusCode: number;
  json(): { code: string; errors?: { path: string; code: string }[] };
};
const statusAndErrors = (response: RefusedResponse): unknown[] => {
  const { code, errors } = response.json();
  return [response.statusCode, code, ...(errors ?? []).map((each) => `${each.path} ${each.code}`)];
};

describe('createCoupon', () => {
  it('Contract §8 coupon percentOff, coupon code · 201: a percentage, its code in upper case, every condition null; read in any spelling', async () => {
    const response = await create({ code: 'Spring_25', percentOff: 12.5 });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({
      object: 'coupon',
      code: 'SPRING_25',
      percentOff: 12.5,
      amountOff: null,
      currency: null,
      productCodes: null,
      startsAt: null,
      endsAt: null,
      maxRedemptions: null,
      redemptions: 0,
      active: true,
      version: 0,
    });
    expect((await readCoupon('spring_25')).json()).toEqual(response.json());
  });

  it('Contract §8 coupon amountOff, coupon currency, coupon productCodes, coupon startsAt, coupon endsAt, coupon maxRedemptions · 201: an amount with every condition', async () => {
    const given = {
      amountOff: 5.5,
      currency: 'EUR',
      productCodes: ['mug'],
      startsAt: '2026-02-28T23:59:59.999Z',
      endsAt: '2026-03-01T00:00:00.000Z',
      maxRedemptions: 1,
      active: false,
    };
    expect(await storeCoupon(given)).toMatchObject(given);
  });

  it.each([0.01, 0.29, 1.1, 33.33, 99.99, 100])(
    '%d percent is kept exactly',
    async (percentOff) => {
      expect(await storeCoupon({ percentOff })).toMatchObject({ percentOff });
    },
  );

  it.each<[string, object, string[]]>([
    ['no discount', { percentOff: null }, ['percentOff one_discount']],
    [
      'two discounts',
      { percentOff: 10, amountOff: 1, currency: 'EUR' },
      ['amountOff one_discount'],
    ],
    ['0 percent', { percentOff: 0 }, ['percentOff invalid_request']],
    ['101 percent', { percentOff: 101 }, ['percentOff invalid_request']],
    ['three decimals of a percent', { percentOff: 0.125 }, ['percentOff percent_precision']],
    ['a tiny percentage', { percentOff: 1e-7 }, ['percentOff percent_precision']],
    ['an amount of zero', { amountOff: 0, currency: 'EUR' }, ['amountOff invalid_request']],
    ['an amount below zero', { amountOff: -1, currency: 'EUR' }, ['amountOff invalid_request']],
    ['an amount without a currency', { amountOff: 1 }, ['currency currency_required']],
    ['an amount in no money', { amountOff: 1, currency: 'XQX' }, ['currency currency_unknown']],
    ['a percentage with a currency', { currency: 'EUR' }, ['currency currency_not_allowed']],
    [
      'an amount over 15 digits',
      { amountOff: 1e12, currency: 'CLF' },
      ['amountOff amount_too_large'],
    ],
    ['a blank in the code', { code: 'TEN OFF' }, ['code invalid_request']],
    ['101 characters of code', { code: 'C'.repeat(101) }, ['code invalid_request']],
    ['no products', { productCodes: [] }, ['productCodes invalid_request']],
    ['101 products', { productCodes: Array(101).fill('mug') }, ['productCodes invalid_request']],
    ['a day that is none', { startsAt: '2026-02-30T00:00:00.000Z' }, ['startsAt invalid_request']],
    ['the year 0', { startsAt: '0000-01-01T00:00:00.000Z' }, ['startsAt invalid_request']],
    ['an instant without zone', { endsAt: '2026-02-03T00:00:00.000' }, ['endsAt invalid_request']],
    [
      'a window that ends as it starts',
      { startsAt: '2026-02-03T00:00:00.000Z', endsAt: '2026-02-03T00:00:00.000Z' },
      ['endsAt window_closed'],
    ],
    ['no redemption', { maxRedemptions: 0 }, ['maxRedemptions invalid_request']],
    ['half a redemption', { maxRedemptions: 1.5 }, ['maxRedemptions invalid_request']],
    ['an unknown field', { percent: 10 }, ['percent invalid_request']],
  ])('400 invalid_request: %s', async (_what, given, errors) => {
    expect(statusAndErrors(await create(given))).toEqual([400, 'invalid_request', ...errors]);
  });

  it.each([
    ['EUR', 1.001],
    ['JPY', 0.5],
    ['KWD', 1.001],
  ])('422 amount_precision: %s %d', async (currency, amountOff) => {
    expect(statusAndErrors(await create({ amountOff, currency }))).toEqual([
      422,
      'amount_precision',
      'amountOff amount_precision',
    ]);
  });

  it("422 invalid_catalog_data: products that are not there, another merchant's among them", async () => {
    const productCodes = ['nothing', 'mug', 'theirs'];
    expect(statusAndErrors(await create({ productCodes }))).toEqual([
      422,
      'invalid_catalog_data',
      'productCodes[0] product_unknown',
      'productCodes[2] product_unknown',
    ]);
  });

  it('409 coupon_code_taken, in another spelling too; of ten at once one is made', async () => {
    const { code } = await storeCoupon();
    expect(statusAndErrors(await create({ code: code.toLowerCase() }))).toEqual([
      409,
      'coupon_code_taken',
    ]);
    const all = await Promise.all(Array.from({ length: 10 }, () => create({ code: 'ONCE' })));
    expect(all.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect((await create({ code: 'ONCE' }, rival)).statusCode).toBe(201);
  });

  it('403 insufficient_scope with catalog:read alone', async () => {
    expect(statusAndErrors(await create({}, reader))).toEqual([403, 'insufficient_scope']);
  });
});

describe('getCoupon', () => {
  it("404 coupon_not_found: unknown, malformed and another merchant's", async () => {
    const { code } = await storeCoupon();
    for (const response of [
      await readCoupon('NOWHERE'),
      await readCoupon('%20'),
      await readCoupon(code, rival),
    ]) {
      expect(statusAndErrors(response).slice(0, 2)).toEqual([404, 'coupon_not_found']);
    }
    expect((await readCoupon(code, reader)).statusCode).toBe(200);
  });
});

describe('updateCoupon', () => {
  it('200: what is given changes, null lifts, the discount stays', async () => {
    const before = await storeCoupon({ maxRedemptions: 3, endsAt: '2030-01-01T00:00:00.000Z' });
    const body = { productCodes: ['mug'], maxRedemptions: null, active: false };
    const after = (await change(before.code, body)).json();
    const expected = { ...before, ...body, version: 1, updatedAt: after.updatedAt };
    expect(after).toEqual(expected);
    expect((await readCoupon(before.code)).json()).toEqual(expected);
    expect((await change(before.code, {})).json()).toEqual(expected);
  });

  it.each([{ percentOff: 20 }, { amountOff: 1, currency: 'EUR' }, { code: 'OTHER' }])(
    '400 invalid_request: %o never changes',
    async (body) => {
      const { code } = await storeCoupon();
      expect(statusAndErrors(await change(code, body)).slice(0, 2)).toEqual([
        400,
        'invalid_request',
      ]);
    },
  );

  it('400 invalid_request: a window is judged together with what is stored', async () => {
    const { code } = await storeCoupon({ startsAt: '2026-05-01T00:00:00.000Z' });
    const endsAt = '2026-04-01T00:00:00.000Z';
    expect(statusAndErrors(await change(code, { endsAt }))).toEqual([
      400,
      'invalid_request',
      'endsAt window_closed',
    ]);
  });

  it('400 invalid_request: a limit below what is redeemed', async () => {
    const { code } = await storeCoupon({ maxRedemptions: 5 });
    await redeem(code);
    await redeem(code);
    expect(statusAndErrors(await change(code, { maxRedemptions: 1 }))).toEqual([
      400,
      'invalid_request',
      'maxRedemptions below_redemptions',
    ]);
    expect((await change(code, { maxRedemptions: 2 })).json()).toMatchObject({ redemptions: 2 });
    expect(await redeem(code)).toBeNull();
  });

  it('a limit set while 30 redeem: never more than it allows', async () => {
    const { code } = await storeCoupon();
    const [changed] = await Promise.all([
      change(code, { maxRedemptions: 10 }),
      ...Array.from({ length: 30 }, () => redeem(code)),
    ]);
    const { redemptions, maxRedemptions } = (await readCoupon(code)).json();
    expect([200, 400]).toContain(changed.statusCode);
    if (changed.statusCode === 200) expect(redemptions).toBeLessThanOrEqual(maxRedemptions);
    else expect(redemptions).toBe(30);
  });

  it('409 version_conflict: of eight changes from one version, one is made', async () => {
    const { code } = await storeCoupon();
    const lock = 'select from coupons where client_id = $1 and code = $2 for update';
    const all = await raceFor(db.url, { lock, values: [token.clientId, code], waiting: 8 }, () =>
      Array.from({ length: 8 }, (_, index) =>
        change(code, { maxRedemptions: index + 1, version: 0 }),
      ),
    );
    const refused = all.filter(({ statusCode }) => statusCode !== 200).map(statusAndErrors);
    expect(refused).toEqual(Array(7).fill([409, 'version_conflict']));
  });

  it('200 for the same change from the same version again: its first answer was lost', async () => {
    const { code } = await storeCoupon();
    const body = { maxRedemptions: 9, endsAt: '2030-01-01T00:00:00.000Z', version: 0 };
    const first = await change(code, body);
    expect(first.statusCode).toBe(200);
    const again = await change(code, body);
    expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
    for (const other of [{ maxRedemptions: 8 }, {}]) {
      const refused = await change(code, { ...other, version: 0 });
      expect(statusAndErrors(refused)).toEqual([409, 'version_conflict']);
    }
  });

  it('422 invalid_catalog_data: products that are not there', async () => {
    const { code } = await storeCoupon();
    expect(statusAndErrors(await change(code, { productCodes: ['gone'] }))).toEqual([
      422,
      'invalid_catalog_data',
      'productCodes[0] product_unknown',
    ]);
  });

  it("404 coupon_not_found: another merchant's; 403 insufficient_scope with catalog:read", async () => {
    const { code } = await storeCoupon();
    expect(statusAndErrors(await change(code, { active: false }, rival))).toEqual([
      404,
      'coupon_not_found',
    ]);
    expect(statusAndErrors(await change(code, {}, reader))).toEqual([403, 'insufficient_scope']);
  });
});

describe('listCoupons', () => {
  it('the list envelope: sorted, filtered by code in any spelling and by active, exact total', async () => {
    const shop = await aToken(db.database, await aClient(db.database));
    for (const code of ['B', 'A', 'C']) await create({ code, active: code !== 'C' }, shop);
    const list = async (query: string) =>
      (await callAs(server.app, shop, `GET /v1/coupons?${query}`)).json();
    const codes = ({ data }: { data: Coupon[] }) => data.map(({ code }) => code);
    const page = await list('sortField=code&sortDirection=ASC&limit=2');
    expect([codes(page), page.total, page.page, page.limit]).toEqual([['A', 'B'], 3, 1, 2]);
    expect(codes(await list('code[eq]=b'))).toEqual(['B']);
    expect(codes(await list('code[in]=b,c&sortField=code'))).toEqual(['C', 'B']);
    expect(codes(await list('active[eq]=false'))).toEqual(['C']);
    expect((await list('percentOff[eq]=10')).code).toBe('invalid_query');
    expect((await list('sortField=redemptions')).code).toBe('invalid_query');
  });
});
