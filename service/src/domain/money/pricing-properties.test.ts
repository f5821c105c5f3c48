import { exponentOf } from '@svc/contract/values/currencies';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aCartProduct,
  aCoupon,
  anAmountOff,
  now,
  requirePriced,
} from '../../../test/payments/carts.ts';
import { smallestStep, toMajor } from './money.ts';
import { type Cart, priceCart } from './pricing.ts';

// One currency of each exponent, and of each rule of the provider.
const currencies = ['JPY', 'EUR', 'MGA', 'KWD', 'CLF'] as const;
const codes = ['a', 'b', 'c', 'd'];

// Small numbers make ties and remainders frequent; large ones reach past a double's digits.
const aMinor = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 12 }) },
  fc.integer({ min: 0, max: 90_000_000_000 }),
);

const aCart: fc.Arbitrary<Cart> = fc.constantFrom(...currencies).chain((currency) => {
  const step = smallestStep({ currency, provider: 'cardprovider' });
  const products = fc
    .tuple(...codes.map(() => aMinor))
    .map((minors) =>
      minors.map((minor, index) =>
        aCartProduct({ code: codes[index] ?? '', unitMinor: minor * step }),
      ),
    );
  const productCodes = fc.option(fc.subarray(codes, { minLength: 1 }));
  const percent = fc.tuple(fc.integer({ min: 1, max: 10_000 }), productCodes);
  const amount = fc.tuple(aMinor, productCodes);
  const coupons = fc
    .tuple(fc.array(percent, { maxLength: 3 }), fc.array(amount, { maxLength: 3 }))
    .map(([percents, amounts]) => [
      ...percents.map(([percentOffBasisPoints, of], index) =>
        aCoupon({ code: `P${index}`, percentOffBasisPoints, productCodes: of }),
      ),
      ...amounts.map(([minor, of], index) =>
        anAmountOff((minor + 1) * step, { code: `O${index}`, currency, productCodes: of }),
      ),
    ]);
  const line = fc
    .record({
      code: fc.constantFrom(...codes),
      quantity: fc.integer({ min: 1, max: 20 }),
      override: fc.option(aMinor),
    })
    .map(({ code, quantity, override }) => ({
      code,
      quantity,
      overrideAmount: override === null ? null : toMajor(override * step, currency),
    }));
  return fc
    .record({ products, coupons, lines: fc.array(line, { minLength: 1, maxLength: 5 }) })
    .chain((cart) =>
      fc
        .shuffledSubarray(cart.coupons.map(({ code }) => code))
        .map((couponCodes) => ({ ...cart, couponCodes, currency, now, isTrusted: true })),
    );
});

/** Leaves out the coupons that would take nothing off, so that most carts are priced. */
function withEffect(cart: Cart): Cart {
  const result = priceCart(cart);
  if (result.kind === 'priced') return cart;
  const idle = new Set(
    result.errors
      .filter(({ code }) => code === 'coupon_without_effect')
      .map(({ path }) => Number(/\[(\d+)\]/.exec(path)?.[1])),
  );
  if (idle.size === 0) throw new Error(JSON.stringify(result));
  return withEffect({ ...cart, couponCodes: cart.couponCodes.filter((_, i) => !idle.has(i)) });
}

describe('priceCart: whatever the cart', () => {
  const testForAll = (
    name: string,
    check: (cart: Cart, result: ReturnType<typeof requirePriced>) => void,
  ) =>
    test(name, () => {
      let discounted = 0;
      fc.assert(
        fc.property(aCart, (given) => {
          const cart = withEffect(given);
          const result = requirePriced(priceCart(cart));
          if (result.totals.discountMinor > 0) discounted += 1;
          check(cart, result);
        }),
        { numRuns: 1000 },
      );
      expect(discounted, 'carts with a discount').toBeGreaterThan(200);
    });

  testForAll(
    'the sums of the lines are the totals, and so are those of the coupons',
    (_cart, result) => {
      const { lines, totals, discounts } = result;
      const dueBefore = lines.map((line) => line.overrideMinor ?? line.unitMinor * line.quantity);
      const sum = (minors: readonly number[]) => minors.reduce((a, b) => a + b, 0);
      expect(sum(dueBefore)).toBe(totals.subtotalMinor);
      expect(sum(lines.map(({ discountMinor }) => discountMinor))).toBe(totals.discountMinor);
      expect(sum(discounts.map(({ amountMinor }) => amountMinor))).toBe(totals.discountMinor);
      expect(totals.totalMinor).toBe(totals.subtotalMinor - totals.discountMinor);
    },
  );

  testForAll(
    'no line, total or discount below zero or with a fraction',
    (_cart, { lines, ...rest }) => {
      for (const line of lines) {
        const due = line.overrideMinor ?? line.unitMinor * line.quantity;
        expect(Number.isSafeInteger(line.discountMinor)).toBe(true);
        expect(line.discountMinor).toBeGreaterThanOrEqual(0);
        expect(line.discountMinor).toBeLessThanOrEqual(due);
      }
      for (const { amountMinor } of rest.discounts) expect(amountMinor).toBeGreaterThan(0);
      expect(rest.totals.totalMinor).toBeGreaterThanOrEqual(0);
    },
  );

  testForAll('the order in which the codes were given changes nothing', (cart, result) => {
    const couponCodes = cart.couponCodes.toReversed().map((code) => code.toLowerCase());
    expect(priceCart({ ...cart, couponCodes })).toEqual(result);
  });

  testForAll(
    'what the provider carries stays so, in digits of the currency',
    (cart, { totals }) => {
      const step = smallestStep({ currency: cart.currency, provider: 'cardprovider' });
      expect(totals.totalMinor % step).toBe(0);
      const text = String(toMajor(totals.totalMinor, cart.currency)).split('.')[1] ?? '';
      expect(text.length).toBeLessThanOrEqual(exponentOf(cart.currency));
    },
  );

  testForAll(
    'a coupon takes off at most its amount, and a percentage what it says',
    (cart, result) => {
      const only = cart.couponCodes[0];
      const coupon = cart.coupons.find(({ code }) => code === only);
      if (!coupon) return;
      const single = priceCart({ ...cart, couponCodes: [coupon.code] });
      if (single.kind === 'refused') return;
      const { discountMinor } = single.totals;
      const eligible = result.lines
        .filter(({ code }) => coupon.productCodes?.includes(code ?? '') ?? true)
        .map((line) => line.overrideMinor ?? line.unitMinor * line.quantity);
      const sum = eligible.reduce((a, b) => a + b, 0);
      if (coupon.amountOffMinor !== null) {
        expect(discountMinor).toBe(Math.min(sum, coupon.amountOffMinor));
        return;
      }
      const step = smallestStep({ currency: cart.currency, provider: 'cardprovider' });
      const exact = (sum * (coupon.percentOffBasisPoints ?? 0)) / 10_000;
      // Half a step on each line: exact shares that a double cannot represent.
      expect(Math.abs(discountMinor - exact)).toBeLessThanOrEqual((eligible.length * step) / 2 + 1);
    },
  );
});
