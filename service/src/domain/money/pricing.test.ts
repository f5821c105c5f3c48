import { describe, expect, it } from 'vitest';
import {
  aCartProduct,
  aCoupon,
  anAmountOff,
  now,
  requirePriced,
} from '../../../test/payments/carts.ts';
import { type Coupon, inOrderOfUse } from './coupon.ts';
import { mostMinor } from './money.ts';
import { type Cart, type PricedCart, priceCart } from './pricing.ts';

const price = (given: Partial<Cart> = {}): PricedCart =>
  priceCart({
    lines: [{ code: 'mug', quantity: 1 }],
    couponCodes: (given.coupons ?? []).map(({ code }) => code),
    products: [aCartProduct()],
    coupons: [],
    currency: 'EUR',
    now,
    isTrusted: false,
    ...given,
  });

function problems(result: PricedCart): [string, string][] {
  if (result.kind === 'priced') throw new Error('the cart was priced');
  return result.errors.map(({ path, code }) => [path, code]);
}

describe('priceCart: lines', () => {
  it('Contract §8 sum: unit price times quantity, and the sums', () => {
    const result = requirePriced(
      price({
        lines: [
          { code: 'mug', quantity: 3 },
          { code: 'tea', quantity: 2 },
        ],
        products: [aCartProduct(), aCartProduct({ code: 'tea', unitMinor: 450 })],
      }),
    );
    expect(result.lines.map(({ unitMinor, quantity }) => unitMinor * quantity)).toEqual([
      5970, 900,
    ]);
    expect(result.totals).toEqual({
      subtotalMinor: 6870,
      discountMinor: 0,
      totalMinor: 6870,
      currency: 'EUR',
    });
    expect(result.discounts).toEqual([]);
  });

  it('a total that equals the catalog is accepted from anyone, and is no override', () => {
    const line = { code: 'mug', quantity: 2, totalAmount: 39.8, overrideAmount: null };
    expect(requirePriced(price({ lines: [line] })).lines[0]?.overrideMinor).toBeNull();
  });

  it('price_differs: a buyer sets no price, neither as total nor as override', () => {
    const lines = [
      { code: 'mug', quantity: 1, totalAmount: 0.01 },
      { code: 'mug', quantity: 1, overrideAmount: 0 },
    ];
    expect(problems(price({ lines }))).toEqual([
      ['products[0].totalAmount', 'price_differs'],
      ['products[1].overrideAmount', 'price_differs'],
    ]);
  });

  it('a line of the merchant’s own: its amount is that of the whole line, exactly', () => {
    const words = {
      description: 'Wool',
      imageUrl: 'https://shop.example/hat.jpg',
      reference: 'S-1',
    };
    const own = { name: ' Hat ', quantity: 3, amount: 10, ...words };
    const priced = requirePriced(
      price({ lines: [{ code: 'mug', quantity: 1 }, own], isTrusted: true }),
    );
    expect(priced.lines[1]).toEqual({
      ...{ code: null, name: 'Hat', kind: 'item', interval: null, quantity: 3, ...words },
      ...{ unitMinor: 0, overrideMinor: 1000, discountMinor: 0 },
    });
    expect(priced.totals.totalMinor).toBe(2990);
  });

  it('own_line, name_differs: a buyer makes no line, and gives none another name', () => {
    const lines = [
      { name: 'Hat', quantity: 1, amount: 0.01 },
      { code: 'mug', name: 'Cheaper mug', quantity: 1 },
      { code: 'mug', name: 'A mug', quantity: 1 },
    ];
    expect(problems(price({ lines }))).toEqual([
      ['products[0]', 'own_line'],
      ['products[1].name', 'name_differs'],
    ]);
  });

  it('a line of the merchant’s own needs name and amount, with the decimals of the currency', () => {
    const lines = [
      { quantity: 1, amount: 1 },
      { name: ' ', quantity: 1, amount: 1 },
      { name: 'Hat', quantity: 1 },
      { name: 'Hat', quantity: 1, amount: 1.005 },
      { name: 'Hat', quantity: 1, amount: 1, overrideAmount: 2 },
      { name: 'Hat', quantity: 1, amount: 1, currency: 'USD' },
      { code: 'mug', quantity: 1, amount: 1 },
      { code: 'mug', quantity: 1, reference: 'S-1' },
    ];
    expect(problems(price({ lines, isTrusted: true }))).toEqual([
      ['products[0].name', 'name_required'],
      ['products[1].name', 'name_required'],
      ['products[2].amount', 'amount_required'],
      ['products[3].amount', 'amount_precision'],
      ['products[4].overrideAmount', 'not_without_code'],
      ['products[5].currency', 'currency_differs'],
      ['products[6].amount', 'not_beside_code'],
      ['products[7].reference', 'not_beside_code'],
    ]);
  });

  it('a coupon for products passes over a line of the merchant’s own; one for all does not', () => {
    const lines = [{ name: 'Shipping', quantity: 1, amount: 10 }];
    const coupons = [aCoupon({ productCodes: null, percentOffBasisPoints: 1000 })];
    expect(requirePriced(price({ lines, coupons, isTrusted: true })).totals.totalMinor).toBe(900);
    const bound = [aCoupon({ productCodes: ['mug'], percentOffBasisPoints: 1000 })];
    expect(problems(price({ lines, coupons: bound, isTrusted: true }))).toEqual([
      ['couponCodes[0]', 'coupon_without_effect'],
    ]);
  });

  it('the merchant sets a price by either; overrideAmount decides', () => {
    const priceMugs = (line: object) =>
      requirePriced(price({ lines: [{ code: 'mug', quantity: 2, ...line }], isTrusted: true }));
    expect(priceMugs({ totalAmount: 10 }).lines[0]).toMatchObject({
      unitMinor: 1990,
      overrideMinor: 1000,
    });
    expect(priceMugs({ totalAmount: 10, overrideAmount: 0 }).totals.totalMinor).toBe(0);
    expect(priceMugs({ totalAmount: 10, overrideAmount: 39.8 }).lines[0]?.overrideMinor).toBeNull();
  });

  it('product_unknown, price_missing and currency_differs, each by the path of its field', () => {
    const lines = [
      { code: 'nothing', quantity: 1 },
      { code: 'old', quantity: 1 },
      { code: 'dear', quantity: 1 },
      { code: 'mug', quantity: 1, currency: 'USD' },
    ];
    const products = [
      aCartProduct(),
      aCartProduct({ code: 'old', isActive: false }),
      aCartProduct({ code: 'dear', unitMinor: null }),
    ];
    const result = price({ lines, products });
    expect(problems(result)).toEqual([
      ['products[0].code', 'product_unknown'],
      ['products[1].code', 'product_unknown'],
      ['products[2].code', 'price_missing'],
      ['products[3].currency', 'currency_differs'],
    ]);
    expect(result).toMatchObject({ code: 'invalid_catalog_data' });
  });

  it('amount_precision has a code of its own where nothing else is wrong', () => {
    const line = { code: 'mug', quantity: 1, totalAmount: 19.901 };
    expect(price({ lines: [line] })).toMatchObject({
      code: 'amount_precision',
      errors: [{ path: 'products[0].totalAmount', code: 'amount_precision' }],
    });
    expect(price({ lines: [line, { code: 'x', quantity: 1 }] })).toMatchObject({
      code: 'invalid_catalog_data',
    });
  });

  it('amount_too_large: a line, an amount of over 15 digits, and the whole cart', () => {
    const dear = aCartProduct({ unitMinor: mostMinor });
    const priceMug = (line: object, isTrusted = false) =>
      price({ lines: [{ code: 'mug', quantity: 1, ...line }], products: [dear], isTrusted });
    expect(problems(priceMug({ quantity: 2 }))).toEqual([
      ['products[0].quantity', 'amount_too_large'],
    ]);
    expect(problems(priceMug({ totalAmount: 1e14 }, true))).toEqual([
      ['products[0].totalAmount', 'amount_too_large'],
    ]);
    const lines = [
      { code: 'mug', quantity: 1 },
      { code: 'mug', quantity: 1 },
    ];
    expect(problems(price({ lines, products: [dear] }))).toEqual([
      ['products', 'amount_too_large'],
    ]);
  });

  it('amount_negative: not even the merchant pays buyers', () => {
    const lines = [{ code: 'mug', quantity: 1, overrideAmount: -1 }];
    expect(problems(price({ lines, isTrusted: true }))).toEqual([
      ['products[0].overrideAmount', 'amount_negative'],
    ]);
  });
});

describe('priceCart: coupons', () => {
  it.each<[string, Partial<Coupon> | null]>([
    ['coupon_unknown', null],
    ['coupon_inactive', { isActive: false }],
    ['coupon_not_started', { startsAt: new Date(now.getTime() + 1) }],
    ['coupon_ended', { endsAt: now }],
    [
      'coupon_currency_differs',
      { currency: 'USD', percentOffBasisPoints: null, amountOffMinor: 1 },
    ],
    ['coupon_exhausted', { maxRedemptions: 3, redemptions: 3 }],
    ['coupon_without_effect', { productCodes: ['tea'] }],
    ['coupon_without_effect', { percentOffBasisPoints: 1, productCodes: ['mug'] }],
  ])('%s is a problem at the path of the code', (code, given) => {
    const coupons = given ? [aCoupon(given)] : [];
    const products = [aCartProduct({ unitMinor: 100 })];
    expect(problems(price({ coupons, couponCodes: ['TEN'], products }))).toEqual([
      ['couponCodes[0]', code],
    ]);
  });

  it('a window holds from its first instant until just before its last', () => {
    const endsAt = new Date(now.getTime() + 1);
    expect(
      requirePriced(price({ coupons: [aCoupon({ startsAt: now, endsAt })] })).discounts,
    ).toEqual([{ code: 'TEN', amountMinor: 199 }]);
  });

  it('the last redemption is still to be had', () => {
    const coupons = [aCoupon({ maxRedemptions: 3, redemptions: 2 })];
    expect(requirePriced(price({ coupons })).totals.discountMinor).toBe(199);
  });

  it('the spelling does not matter; twice the same is coupon_repeated', () => {
    const coupons = [aCoupon()];
    expect(requirePriced(price({ coupons, couponCodes: ['ten'] })).discounts[0]?.code).toBe('TEN');
    expect(problems(price({ coupons, couponCodes: ['TEN', 'ten'] }))).toEqual([
      ['couponCodes[1]', 'coupon_repeated'],
    ]);
  });

  it('Contract §8 rounding: percentages are rounded half up on each line', () => {
    const lines = [
      { code: 'a', quantity: 1 },
      { code: 'b', quantity: 1 },
      { code: 'c', quantity: 1 },
    ];
    const products = [5, 15, 14].map((unitMinor, index) =>
      aCartProduct({ code: 'abc'.charAt(index), unitMinor }),
    );
    const result = requirePriced(price({ lines, products, coupons: [aCoupon()] }));
    // The discounts are 0.5, 1.5 and 1.4: each line is rounded by itself.
    expect(result.lines.map(({ discountMinor }) => discountMinor)).toEqual([1, 2, 1]);
  });

  it('an amount is spread in proportion, to the last unit, the greatest remainder first', () => {
    const lines = ['a', 'b', 'c'].map((code) => ({ code, quantity: 1 }));
    const products = lines.map(({ code }) => aCartProduct({ code, unitMinor: 1000 }));
    const result = requirePriced(price({ lines, products, coupons: [anAmountOff(1000)] }));
    expect(result.lines.map(({ discountMinor }) => discountMinor)).toEqual([334, 333, 333]);
    expect(result.totals).toMatchObject({ discountMinor: 1000, totalMinor: 2000 });
  });

  it('only eligible lines are cheaper, and an amount never takes more than they cost', () => {
    const lines = [
      { code: 'mug', quantity: 1 },
      { code: 'tea', quantity: 1 },
    ];
    const products = [aCartProduct(), aCartProduct({ code: 'tea', unitMinor: 300 })];
    const coupons = [anAmountOff(5000, { productCodes: ['tea', 'gone'] })];
    const result = requirePriced(price({ lines, products, coupons }));
    expect(result.lines.map(({ discountMinor }) => discountMinor)).toEqual([0, 300]);
    expect(result.discounts).toEqual([{ code: 'OFF', amountMinor: 300 }]);
  });

  it('Contract §8 order: percentages before amounts, then by code: the order given changes nothing', () => {
    const coupons = [anAmountOff(500), aCoupon({ code: 'B' }), aCoupon({ code: 'A' })];
    const orders = [
      ['OFF', 'B', 'A'],
      ['A', 'OFF', 'B'],
    ];
    const results = orders.map((couponCodes) => requirePriced(price({ coupons, couponCodes })));
    expect(results[0]).toEqual(results[1]);
    // 19.90 less 1.99 is 17.91, less 1.79 is 16.12, less 5.00.
    expect(results[0]?.discounts).toEqual([
      { code: 'A', amountMinor: 199 },
      { code: 'B', amountMinor: 179 },
      { code: 'OFF', amountMinor: 500 },
    ]);
    expect(results[0]?.totals.totalMinor).toBe(1112);
  });

  it('what is taken off is taken off the override, where there is one', () => {
    const lines = [{ code: 'mug', quantity: 1, overrideAmount: 10 }];
    const result = requirePriced(price({ lines, isTrusted: true, coupons: [aCoupon()] }));
    expect(result.totals).toMatchObject({ subtotalMinor: 1000, discountMinor: 100 });
  });

  it('a coupon that finds nothing left is refused, not redeemed for nothing', () => {
    const coupons = [aCoupon({ code: 'ALL', percentOffBasisPoints: 10_000 }), anAmountOff(100)];
    expect(problems(price({ coupons }))).toEqual([['couponCodes[1]', 'coupon_without_effect']]);
  });

  it('three decimals: a discount is what the provider can carry', () => {
    const products = [aCartProduct({ unitMinor: 3330 })];
    const result = requirePriced(price({ products, currency: 'KWD', coupons: [aCoupon()] }));
    expect(result.totals).toMatchObject({ discountMinor: 330, totalMinor: 3000 });
  });

  it('inOrder is an order of all coupons', () => {
    const coupons = [anAmountOff(1), aCoupon({ code: 'B' }), aCoupon({ code: 'A' })];
    expect(inOrderOfUse(coupons).map(({ code }) => code)).toEqual(['A', 'B', 'OFF']);
  });
});
