// Spec: Checkout session. Contract §3: prices come from the catalog.

import { sessionStatuses } from '@svc/contract/checkout-sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowsManualCapture,
  type CatalogProduct,
  type CheckoutSession,
  type Line,
  lineDue,
  lineTotal,
  priceLines,
  refuseAttempt,
  totalsOf,
} from './checkout-session.ts';
import { mostMinor, toMajor } from './money.ts';

const mug: CatalogProduct = {
  code: 'mug',
  name: 'Mug',
  kind: 'item',
  isActive: true,
  unitMinor: 1990,
};
const catalog = [
  mug,
  { ...mug, code: 'old', isActive: false },
  { ...mug, code: 'unpriced', unitMinor: null },
  { ...mug, code: 'yacht', unitMinor: mostMinor },
];
const price = (wanted: Parameters<typeof priceLines>[0], mayOverride = false, currency = 'EUR') =>
  priceLines(wanted, catalog, { currency, mayOverride });
const problem = (path: string, code: string) => expect.objectContaining({ path, code });

describe('priceLines', () => {
  it('price and name come from the catalog', () => {
    expect(price([{ code: 'mug', quantity: 3 }])).toEqual({
      lines: [
        {
          code: 'mug',
          name: 'Mug',
          kind: 'item',
          quantity: 3,
          unitMinor: 1990,
          overrideMinor: null,
        },
      ],
      problems: [],
    });
  });

  it('names every problem by its place', () => {
    const { lines, problems } = price([
      { code: 'nothing', quantity: 1 },
      { code: 'mug', quantity: 1, totalAmount: 1 },
      { code: 'old', quantity: 1 },
      { code: 'mug', quantity: 1 },
      { code: 'unpriced', quantity: 1 },
      { code: 'yacht', quantity: 2 },
    ]);
    expect(lines).toHaveLength(1);
    expect(problems).toEqual([
      problem('products/0/code', 'product_unknown'),
      problem('products/1/totalAmount', 'price_differs'),
      problem('products/2/code', 'product_unknown'),
      problem('products/4/code', 'price_missing'),
      problem('products/5/quantity', 'amount_too_large'),
    ]);
  });

  it('an amount that equals the catalog is no override', () => {
    for (const mayOverride of [true, false]) {
      const { lines } = price([{ code: 'mug', quantity: 2, totalAmount: 39.8 }], mayOverride);
      expect(lines[0]?.overrideMinor).toBeNull();
    }
  });

  it('a buyer cannot name a price, a merchant can, also nothing', () => {
    const asked = [
      { code: 'mug', quantity: 1, totalAmount: 10 },
      { code: 'mug', quantity: 1, overrideAmount: 0 },
      { code: 'mug', quantity: 1, totalAmount: 19.9, overrideAmount: 5.5 },
    ];
    expect(price(asked).problems).toHaveLength(3);
    const { lines, problems } = price(asked, true);
    expect(problems).toEqual([]);
    expect(lines.map((line) => line.overrideMinor)).toEqual([1000, 0, 550]);
  });

  it('422 amount_precision: more decimals than the currency has', () => {
    const asked = [{ code: 'mug', quantity: 1, totalAmount: 19.901 }];
    expect(() => price(asked)).toThrow(expect.objectContaining({ code: 'amount_precision' }));
  });

  it('any cart that has no problem is due exactly what catalog and merchant say', () => {
    const wanted = fc.record({
      code: fc.constantFrom('mug', 'old', 'nothing'),
      quantity: fc.integer({ min: 1, max: 10_000 }),
      override: fc.option(fc.nat(1_000_000), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(wanted, { maxLength: 8 }), (cart) => {
        const asked = cart.map(({ code, quantity, override }) => ({
          code,
          quantity,
          ...(override === undefined ? {} : { overrideAmount: toMajor(override, 'EUR') }),
        }));
        const { lines, problems } = price(asked, true);
        expect(lines.length + problems.length).toBe(cart.length);
        const due = cart
          .filter(({ code }) => code === 'mug')
          .reduce((sum, { quantity, override }) => sum + (override ?? quantity * 1990), 0);
        expect(totalsOf(lines)).toEqual({
          subtotalMinor: due,
          discountMinor: 0,
          totalMinor: due,
        });
      }),
    );
  });
});

describe('lines', () => {
  const line = (more: Partial<Line> = {}): Line => ({
    code: 'mug',
    name: 'Mug',
    kind: 'item',
    quantity: 2,
    unitMinor: 500,
    overrideMinor: null,
    ...more,
  });

  it('the total is price times quantity, what is due may be overridden, also to nothing', () => {
    expect([lineTotal(line()), lineDue(line())]).toEqual([1000, 1000]);
    const free = line({ overrideMinor: 0 });
    expect([lineTotal(free), lineDue(free)]).toEqual([1000, 0]);
  });

  it('manual capture is for carts of items alone', () => {
    expect(allowsManualCapture([line(), line()])).toBe(true);
    expect(allowsManualCapture([line(), line({ kind: 'subscription' })])).toBe(false);
  });
});

describe('refuseAttempt', () => {
  const now = new Date('2026-05-01T12:00:00.000Z');
  const buyer = { userId: '0190AAAA-0000-7000-8000-000000000001', email: 'Buyer@Example.test' };
  const session = (more: Partial<CheckoutSession> = {}) =>
    ({
      mode: 'payment',
      status: 'open',
      userId: buyer.userId.toLowerCase(),
      email: 'buyer@example.test',
      expiresAt: new Date(now.getTime() + 1),
      ...more,
    }) as CheckoutSession;

  it.each([
    [{}, null],
    [{ status: 'processing', expiresAt: now }, null],
    [{ status: 'requires_action', expiresAt: now }, null],
    [{ status: 'completed' }, null],
    [{ status: 'open', expiresAt: now }, 'checkout_session_expired'],
    [{ status: 'expired' }, 'checkout_session_expired'],
    [{ status: 'canceled' }, 'checkout_session_expired'],
    [{ status: 'unclaimed' }, 'checkout_session_data_attachment_required'],
    [{ mode: 'setup' }, 'checkout_session_is_setup'],
    [{ userId: '01900000-0000-7000-8000-000000000002' }, 'buyer_mismatch'],
    [{ email: 'other@example.test' }, 'buyer_mismatch'],
    [{ userId: null }, 'buyer_mismatch'],
  ] as [Partial<CheckoutSession>, string | null][])('%j: %s', (more, code) => {
    expect(refuseAttempt(session(more), buyer, now)).toBe(code);
  });

  it('a stranger is told of the buyer alone, not of where the session stands', () => {
    const stranger = { ...buyer, userId: '01900000-0000-7000-8000-000000000002' };
    for (const status of sessionStatuses.filter((one) => one !== 'unclaimed')) {
      expect(refuseAttempt(session({ status }), stranger, now)).toBe('buyer_mismatch');
    }
  });
});
