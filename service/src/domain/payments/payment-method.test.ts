// Which card takes over from another: a pure choice. Reliability P6.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseReplacement, mayReplace, type PaymentMethod } from './payment-method.ts';

const timeAt = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const aMethod = (given: Partial<PaymentMethod> = {}): PaymentMethod => ({
  id: 'a',
  clientId: 'client',
  userId: 'user',
  gatewayId: 'gateway',
  provider: 'cardprovider',
  type: 'card',
  sessionId: 'session',
  providerCustomerId: 'cus',
  providerPaymentMethodId: 'pm',
  brand: 'visa',
  lastFour: '4242',
  expiryMonth: 12,
  expiryYear: 2034,
  payerEmail: null,
  isLive: false,
  status: 'active',
  verifiedAt: timeAt(0),
  lastChargedAt: null,
  removedAt: null,
  removedBy: null,
  eventSeq: 1,
  version: 1,
  createdAt: timeAt(0),
  updatedAt: timeAt(0),
  ...given,
});

const target = aMethod({ id: 'target' });

describe('mayReplace', () => {
  it('one that shares user, gateway, provider, type and provider customer', () => {
    expect(mayReplace(aMethod(), target)).toBe(true);
  });

  it.each<[string, Partial<PaymentMethod>]>([
    ['itself', { id: 'target' }],
    ['a pending one', { status: 'pending' }],
    ['a removed one', { status: 'removed' }],
    ['another client’s', { clientId: 'other' }],
    ['another user’s', { userId: 'other' }],
    ['one of another gateway', { gatewayId: 'other' }],
    ['one of another provider', { provider: 'wallet' }],
    ['one of another type', { type: 'google_pay' }],
    ['one of another provider customer', { providerCustomerId: 'other' }],
    ['one of no provider customer', { providerCustomerId: null }],
  ])('Spec 4.3 candidates: not %s', (_what, given) => {
    expect(mayReplace(aMethod(given), target)).toBe(false);
  });

  it('nobody takes over from one that the provider knows no customer of', () => {
    const unknown = aMethod({ id: 'target', providerCustomerId: null });
    expect(mayReplace(aMethod({ providerCustomerId: null }), unknown)).toBe(false);
  });
});

/** Tiny numbers make ties, cards of other customers and pending cards common. */
const anyMethod: fc.Arbitrary<PaymentMethod> = fc
  .record({
    id: fc.integer({ min: 0, max: 9 }),
    verified: fc.option(fc.integer({ min: 0, max: 2 })),
    charged: fc.option(fc.integer({ min: 0, max: 2 })),
    status: fc.constantFrom('active' as const, 'active' as const, 'pending' as const),
    userId: fc.constantFrom('user', 'user', 'user', 'other'),
    type: fc.constantFrom('card' as const, 'card' as const, 'google_pay' as const),
  })
  .map(({ id, verified, charged, ...rest }) =>
    aMethod({
      ...rest,
      id: `m${id}`,
      verifiedAt: verified === null ? null : timeAt(verified),
      lastChargedAt: charged === null ? null : timeAt(charged),
    }),
  );

const lastProvenAt = ({ verifiedAt, lastChargedAt }: PaymentMethod) =>
  Math.max(verifiedAt?.getTime() ?? 0, lastChargedAt?.getTime() ?? 0);

describe('chooseReplacement', () => {
  it('P6: the most recently charged or verified of those that may, the greatest id of equals; else none', () => {
    const several = fc.uniqueArray(anyMethod, { selector: ({ id }) => id, maxLength: 6 });
    fc.assert(
      fc.property(several, (candidates) => {
        const chosen = chooseReplacement(target, candidates);
        const able = candidates.filter((one) => mayReplace(one, target));
        expect(chosen === undefined).toBe(able.length === 0);
        if (!chosen) return;
        expect(able).toContain(chosen);
        for (const other of able) {
          const [mine, theirs] = [lastProvenAt(chosen), lastProvenAt(other)];
          const isBetter = mine > theirs || (mine === theirs && chosen.id >= other.id);
          expect(isBetter).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('P6: pure: the order of the candidates makes no difference, and nothing is changed', () => {
    const several = fc.uniqueArray(anyMethod, { selector: ({ id }) => id, maxLength: 6 });
    fc.assert(
      fc.property(several, fc.func(fc.integer()), (candidates, order) => {
        const before = structuredClone(candidates);
        const mixed = candidates.toSorted((a, b) => order(a.id) - order(b.id));
        expect(chooseReplacement(target, mixed)).toBe(chooseReplacement(target, candidates));
        expect(candidates).toEqual(before);
      }),
    );
  });

  it('a charge counts as much as a verification, whichever is later', () => {
    const charged = aMethod({ id: 'a', verifiedAt: timeAt(1), lastChargedAt: timeAt(5) });
    const verified = aMethod({ id: 'b', verifiedAt: timeAt(4), lastChargedAt: timeAt(2) });
    expect(chooseReplacement(target, [verified, charged])?.id).toBe('a');
  });
});
