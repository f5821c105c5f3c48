// Spec: Checkout session. Contract §3.

import { sessionStatuses } from '@svc/contract/checkout-sessions/checkout-sessions';
import { describe, expect, it } from 'vitest';
import { allowsManualCapture, type CheckoutSession, refuseAttempt } from './checkout-session.ts';
import { type Line, lineDue, lineTotal } from './line.ts';

describe('lines', () => {
  const lineWith = (more: Partial<Line> = {}): Line => ({
    code: 'mug',
    name: 'Mug',
    kind: 'item',
    quantity: 2,
    unitMinor: 500,
    overrideMinor: null,
    interval: null,
    discountMinor: 0,
    ...more,
  });

  it('the total is price times quantity, what is due may be overridden, also to nothing', () => {
    expect([lineTotal(lineWith()), lineDue(lineWith())]).toEqual([1000, 1000]);
    const free = lineWith({ overrideMinor: 0 });
    expect([lineTotal(free), lineDue(free)]).toEqual([1000, 0]);
  });

  it('manual capture is for carts of items alone', () => {
    expect(allowsManualCapture([lineWith(), lineWith()])).toBe(true);
    expect(allowsManualCapture([lineWith(), lineWith({ kind: 'subscription' })])).toBe(false);
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
