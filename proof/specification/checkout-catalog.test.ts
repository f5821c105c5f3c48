// The catalog of contract §8 over HTTP: what a cart costs, and what a coupon takes off it. A title
// begins with the place that it shows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken } from '../../service/test/harness.ts';
import { cards } from '../../service/test/world.ts';
import { catalogProblem, mug, openShop, refusal, type Shop } from './buyer.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop?.close());

const minuteMs = 60_000;
const lineOf = (code: string, quantity = 1) => ({ code, quantity });
const priceOfCart = async (products: object[], couponCodes: string[] = [], currency = 'EUR') => {
  const { status, text, body } = await shop.create({ products, couponCodes, currency });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return body.totals;
};
const eur = (amount: number) => [{ currency: 'EUR', amount }];
const timeFromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('Contract §1, codes of a total', () => {
  it('Contract §1 amount_not_supported: 422 for what the provider never takes; nothing is charged, and a payable total is', async () => {
    const price = (amount: number, currency = 'EUR') => ({ prices: [{ currency, amount }] });
    const cheap = await shop.aProduct(price(1));
    const aCart = async (code: string, more = {}) =>
      shop.open({ products: [{ code, quantity: 1 }], ...more });
    const isRefused = refusal(422, 'amount_not_supported', { retryable: false });
    for (const [amount, currency, declineCode] of [
      [0.49, 'EUR', 'amount_not_supported'],
      [500, 'KPW', 'currency_not_supported'],
    ] as const) {
      const session = await aCart(await shop.aProduct(price(amount, currency)), { currency });
      expect(await shop.pay(session)).toMatchObject(isRefused);
      expect(await shop.intent(session)).toMatchObject(isRefused);
      expect(await shop.stands(session)).toMatchObject({
        status: 'open',
        latestTransactionAttempt: { result: 'ERROR', declineCode },
      });
    }
    const session = await aCart(cheap);
    expect(await shop.setCoupons(session, [await shop.aCoupon({ percentOff: 60 })])).toMatchObject({
      status: 200,
    });
    expect(await shop.charge(session, await shop.card(session))).toMatchObject(isRefused);
    expect(await shop.setCoupons(session, [])).toMatchObject({ status: 200 });
    expect(await shop.pay(session)).toMatchObject({ status: 200, body: { type: 'success' } });
  });
});

describe('Contract §8, products', () => {
  it('Contract §8 product code: unique per client, and free for another', async () => {
    const code = await shop.aProduct();
    const same = { code, name: 'Another', kind: 'item', prices: eur(1) };
    expect(await shop.addProduct(same)).toMatchObject(refusal(409, 'product_code_taken'));
    const token = await aToken(shop.database, await aClient(shop.database));
    expect(await shop.ask('POST /v1/products', { token, body: same })).toMatchObject({
      status: 201,
    });
    expect((await shop.ask(`GET /v1/products/${code}`)).body).toMatchObject({ name: 'A pen' });
  });

  it('Contract §8 product name: shown on the line, as it was when the session was made', async () => {
    const code = await shop.aProduct({ name: 'A red pen' });
    const session = await shop.open({ products: [lineOf(code)] });
    expect(session.body.products).toMatchObject([{ code, name: 'A red pen' }]);
    await shop.ask(`PATCH /v1/products/${code}`, { body: { name: 'A blue pen' } });
    expect((await shop.get(session)).body.products).toMatchObject([{ name: 'A red pen' }]);
    expect((await shop.open({ products: [lineOf(code)] })).body.products).toMatchObject([
      { name: 'A blue pen' },
    ]);
  });

  it('Contract §8 product kind and product interval: an item, or a subscription with its interval, which is never held', async () => {
    const interval = 'month';
    const code = await shop.aProduct({ kind: 'subscription', interval });
    const found = (await shop.ask(`GET /v1/products/${code}`)).body;
    expect(found).toMatchObject({ kind: 'subscription', interval });
    for (const wrong of [{ kind: 'subscription' }, { kind: 'item', interval }, { kind: 'gift' }]) {
      expect(await shop.addProduct(wrong)).toMatchObject(refusal(400, 'invalid_request'));
    }
    const held = { captureMethod: 'manual', products: [lineOf(code)] };
    expect(await shop.create(held)).toMatchObject(refusal(422, 'capture_method_not_supported'));
    const anonymous = await shop.create({ products: [lineOf(code)] });
    expect(anonymous).toMatchObject(refusal(403, 'buyer_not_verified', { param: 'products' }));
    const bought = await shop.open({ products: [lineOf(code)] }, true);
    expect(await shop.pay(bought)).toMatchObject({ status: 200 });
  });

  it('Contract §8 product active: only then it can be bought', async () => {
    const code = await shop.aProduct();
    const before = await shop.open({ products: [lineOf(code)] });
    await shop.ask(`PATCH /v1/products/${code}`, { body: { active: false } });
    expect(await shop.create({ products: [lineOf(code)] })).toMatchObject(
      catalogProblem('products[0].code', 'product_unknown'),
    );
    expect(await shop.pay(before)).toMatchObject({ status: 200 });
  });

  it('Contract §8 product prices: one per currency, and none is made from another', async () => {
    const prices = [
      ...eur(10),
      { currency: 'JPY', amount: 1500 },
      { currency: 'KWD', amount: 3.12 },
    ];
    const products = [lineOf(await shop.aProduct({ prices }), 2)];
    expect(await priceOfCart(products)).toMatchObject({ total: 20, currency: 'EUR' });
    expect(await priceOfCart(products, [], 'JPY')).toMatchObject({ total: 3000, currency: 'JPY' });
    expect(await priceOfCart(products, [], 'KWD')).toMatchObject({ total: 6.24, currency: 'KWD' });
    expect(await shop.create({ products, currency: 'USD' })).toMatchObject(
      catalogProblem('products[0].code', 'price_missing'),
    );
    expect(await shop.addProduct({ prices: [...eur(1), ...eur(2)] })).toMatchObject(
      refusal(400, 'invalid_request'),
    );
    expect(await shop.addProduct({ prices: eur(1.005) })).toMatchObject(
      refusal(422, 'amount_precision'),
    );
  });
});

describe('Contract §8, coupons', () => {
  it('Contract §8 coupon code: unique per client, in any spelling', async () => {
    const code = await shop.aCoupon();
    const spelling = code.toLowerCase();
    expect(await shop.addCoupon({ code: spelling, percentOff: 5 })).toMatchObject(
      refusal(409, 'coupon_code_taken'),
    );
    expect(await priceOfCart([mug], [spelling])).toMatchObject({ discount: 1.99 });
    expect(await shop.create({ couponCodes: [code, spelling] })).toMatchObject(
      catalogProblem('couponCodes[1]', 'coupon_repeated'),
    );
  });

  it('Contract §8 coupon percentOff: up to two decimals, over 0 and up to 100', async () => {
    expect(await priceOfCart([mug], [await shop.aCoupon({ percentOff: 12.55 })])).toMatchObject({
      discount: 2.5,
    });
    for (const percentOff of [0, -1, 100.01, 12.555]) {
      expect(await shop.addCoupon({ percentOff })).toMatchObject(refusal(400, 'invalid_request'));
    }
  });

  it('Contract §8 coupon amountOff and coupon currency: together, in carts of that currency, never below zero', async () => {
    const code = await shop.aCoupon({ amountOff: 5, currency: 'EUR' });
    expect(await priceOfCart([mug], [code])).toMatchObject({ discount: 5, total: 14.9 });
    expect(await shop.create({ currency: 'JPY', couponCodes: [code] })).toMatchObject(
      catalogProblem('couponCodes[0]', 'coupon_currency_differs'),
    );
    const cheap = await shop.aProduct({ prices: eur(3) });
    const onCheap = await shop.aCoupon({ amountOff: 5, currency: 'EUR', productCodes: [cheap] });
    expect(await priceOfCart([mug, lineOf(cheap)], [onCheap])).toMatchObject({
      discount: 3,
      total: 19.9,
    });
    for (const wrong of [
      { amountOff: 5 },
      { percentOff: 5, currency: 'EUR' },
      { percentOff: 5, amountOff: 5, currency: 'EUR' },
    ]) {
      expect(await shop.addCoupon(wrong)).toMatchObject(refusal(400, 'invalid_request'));
    }
  });

  it('Contract §8 coupon productCodes: only those lines, refused where there is none', async () => {
    const pen = await shop.aProduct();
    const code = await shop.aCoupon({ percentOff: 50, productCodes: [pen] });
    expect(await priceOfCart([mug, lineOf(pen, 2)], [code])).toMatchObject({
      discount: 10,
      total: 29.9,
    });
    expect(await shop.create({ couponCodes: [code] })).toMatchObject(
      catalogProblem('couponCodes[0]', 'coupon_without_effect'),
    );
    expect(await shop.addCoupon({ percentOff: 5, productCodes: ['no-such'] })).toMatchObject(
      catalogProblem('productCodes[0]', 'product_unknown'),
    );
  });

  it('Contract §8 coupon startsAt: not before it', async () => {
    const code = await shop.aCoupon({ percentOff: 10, startsAt: timeFromNow(minuteMs) });
    expect(await shop.create({ couponCodes: [code] })).toMatchObject(
      catalogProblem('couponCodes[0]', 'coupon_not_started'),
    );
    await shop.advance(61);
    expect(await priceOfCart([mug], [code])).toMatchObject({ discount: 1.99 });
  });

  it('Contract §8 coupon endsAt: not from it on; a session keeps the price that it was made with', async () => {
    const now = Date.parse(String((await shop.open()).body.createdAt));
    const endsAt = new Date(now + minuteMs).toISOString();
    const code = await shop.aCoupon({ percentOff: 10, endsAt });
    const session = await shop.open({ couponCodes: [code] });
    await shop.advance(61);
    expect(await shop.create({ couponCodes: [code] })).toMatchObject(
      catalogProblem('couponCodes[0]', 'coupon_ended'),
    );
    const { body } = await shop.pay(session);
    expect(await shop.read(String(body.paymentId))).toMatchObject({ amount: 17.91 });
  });

  it('Contract §8 coupon maxRedemptions: payments, not carts; of many at once one gets the last', async () => {
    const code = await shop.aCoupon({ percentOff: 10, maxRedemptions: 1 });
    const couponCodes = [code];
    const all = await Promise.all(Array.from({ length: 5 }, () => shop.open({ couponCodes })));
    const [first] = all;
    if (first) await shop.pay(first, cards.declined);
    const answers = await Promise.all(all.map((session) => shop.pay(session)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    for (const { status, body } of answers) {
      if (status === 409) expect(body.code).toBe('coupon_exhausted');
    }
    expect((await shop.ask(`GET /v1/coupons/${code}`)).body).toMatchObject({ redemptions: 1 });
    expect(await shop.create({ couponCodes })).toMatchObject(
      catalogProblem('couponCodes[0]', 'coupon_exhausted'),
    );
  });
});

describe('Contract §8, discounts', () => {
  it('Contract §8 order: percentages before amounts, whatever order they are given in', async () => {
    const percent = await shop.aCoupon({ percentOff: 10 });
    const amount = await shop.aCoupon({ amountOff: 5, currency: 'EUR' });
    for (const codes of [
      [percent, amount],
      [amount, percent],
    ]) {
      // 19.90 less 1.99 less 5.00; in the other order it would be 13.41.
      expect(await priceOfCart([mug], codes)).toMatchObject({ discount: 6.99, total: 12.91 });
    }
  });

  it('Contract §8 rounding: half up on each line, not on the sum', async () => {
    const code = await shop.aCoupon({ percentOff: 10 });
    const [one, two, low] = [
      await shop.aProduct({ prices: eur(1.05) }),
      await shop.aProduct({ prices: eur(1.05) }),
      await shop.aProduct({ prices: eur(1.04) }),
    ];
    // A tenth of 1.05 is 0.105 and becomes 0.11 on each; of their sum it would be 0.21.
    expect(await priceOfCart([lineOf(one), lineOf(two)], [code])).toMatchObject({ discount: 0.22 });
    expect(await priceOfCart([lineOf(low)], [code])).toMatchObject({ discount: 0.1 });
    const amount = await shop.aCoupon({ amountOff: 1, currency: 'EUR' });
    // A hundred cents are divided among three lines without a remainder.
    const three = [lineOf(one), lineOf(two), lineOf(await shop.aProduct({ prices: eur(1.05) }))];
    expect(await priceOfCart(three, [amount])).toMatchObject({ discount: 1, total: 2.15 });
  });

  it('Contract §8 sum: subtotal, discount and total stand in totals, and the total is what is charged', async () => {
    const couponCodes = [await shop.aCoupon({ percentOff: 33.33 })];
    const session = await shop.open({ products: [lineOf('mug', 3)], couponCodes });
    const totals = { subtotal: 59.7, discount: 19.9, total: 39.8, currency: 'EUR' };
    expect(session.body.totals).toEqual(totals);
    const { body } = await shop.pay(session);
    const id = String(body.paymentId);
    expect(await shop.read(id)).toMatchObject({ amount: 39.8, currency: 'EUR' });
    const moved = await shop.ledger(await shop.intentOf(id));
    expect(moved.map(({ amount }) => amount)).toEqual([3980, 3980]);
  });
});
