// Spec: States and transitions, Errors. Contract §2, Hold.

import { paymentStatuses, paymentTypes } from '@svc/contract/payments/payments';
import { describe, expect, it } from 'vitest';
import { aPayment } from '../../../test/payments/money.ts';
import {
  authorize,
  capture,
  captureMarginMs,
  defaultHoldMs,
  holdExpiry,
  refuseHoldOperation,
  release,
} from './payment.ts';

const now = new Date('2026-05-01T12:00:00.000Z');
const timeAfter = (ms: number) => new Date(now.getTime() + ms);

describe('holdExpiry', () => {
  it('closes 60 s before the deadline of the provider', () => {
    const deadline = timeAfter(3_600_000);
    expect(deadline.getTime() - holdExpiry(now, deadline).getTime()).toBe(60_000);
    expect(captureMarginMs).toBe(60_000);
  });

  it('seven days after the authorisation, where the provider names none', () => {
    expect(holdExpiry(now, null)).toEqual(timeAfter(7 * 86_400_000));
    expect(defaultHoldMs).toBe(7 * 86_400_000);
  });
});

describe('refuseHoldOperation', () => {
  const held = { captureMethod: 'manual', status: 'authorized' } as const;

  it('a live hold may be moved', () => {
    const payment = aPayment({ ...held, authorizationExpiresAt: timeAfter(1) });
    expect(refuseHoldOperation(payment, now)).toBeNull();
  });

  it.each([0, -1, -86_400_000])('authorization_expired: %i ms after its end', (ms) => {
    const payment = aPayment({ ...held, authorizationExpiresAt: timeAfter(ms) });
    expect(refuseHoldOperation(payment, now)).toBe('authorization_expired');
  });

  it('authorization_expired: a hold without an end is none', () => {
    const payment = aPayment({ ...held, authorizationExpiresAt: null });
    expect(refuseHoldOperation(payment, now)).toBe('authorization_expired');
  });

  it('payment_not_authorized: every other status, also unknown', () => {
    for (const status of paymentStatuses.filter((one) => one !== 'authorized')) {
      const payment = aPayment({ ...held, status, authorizationExpiresAt: timeAfter(1000) });
      expect(refuseHoldOperation(payment, now), status).toBe('payment_not_authorized');
    }
  });

  it('authorization_expired: voided by its expiry, told as such', () => {
    const voided = { ...held, status: 'voided', authorizationExpiresAt: timeAfter(-1) } as const;
    const refusalReason = (reason: 'expired' | 'merchant_requested' | 'provider_canceled') =>
      refuseHoldOperation(aPayment({ ...voided, authorizationVoidReason: reason }), now);
    expect(refusalReason('expired')).toBe('authorization_expired');
    expect(refusalReason('merchant_requested')).toBe('payment_not_authorized');
    expect(refusalReason('provider_canceled')).toBe('payment_not_authorized');
  });

  it('payment_not_authorized: what is no purchase by hand', () => {
    const end = { authorizationExpiresAt: timeAfter(1000) };
    for (const type of paymentTypes.filter((one) => one !== 'purchase')) {
      expect(refuseHoldOperation(aPayment({ ...held, ...end, type }), now)).toBe(
        'payment_not_authorized',
      );
    }
    const automatic = aPayment({ ...held, ...end, captureMethod: 'automatic' });
    expect(refuseHoldOperation(automatic, now)).toBe('payment_not_authorized');
  });
});

describe('changes that the provider confirms', () => {
  const facts = {
    chargeId: 'ch_2',
    captureBefore: timeAfter(600_000),
    effectiveAt: timeAfter(-5000),
  };

  it('capture: the whole amount, at the time of the provider', () => {
    const payment = aPayment({
      status: 'authorized',
      amountMinor: 1990,
      authorizedAt: timeAfter(-9),
    });
    expect(capture(payment, facts, now)).toEqual({
      status: 'succeeded',
      capturedMinor: 1990,
      gatewayChargeId: 'ch_2',
      financialEffectiveAt: timeAfter(-5000),
      balance: null,
      capturedAt: now,
      authorizedAt: timeAfter(-9),
    });
  });

  it('capture: no time of our own where the provider names none, and the charge is kept', () => {
    const payment = aPayment({ gatewayChargeId: 'ch_1' });
    const said = { chargeId: null, captureBefore: null, effectiveAt: null };
    expect(capture(payment, said, now)).toMatchObject({
      financialEffectiveAt: null,
      gatewayChargeId: 'ch_1',
    });
  });

  it('authorize: an end that was once told never moves', () => {
    const first = authorize(aPayment(), facts, now);
    expect(first).toMatchObject({
      status: 'authorized',
      authorizedAt: now,
      authorizationExpiresAt: timeAfter(540_000),
    });
    const told = aPayment({ authorizedAt: timeAfter(-1000), authorizationExpiresAt: timeAfter(7) });
    expect(authorize(told, facts, now)).toMatchObject({
      authorizedAt: timeAfter(-1000),
      authorizationExpiresAt: timeAfter(7),
    });
  });

  it.each(['merchant_requested', 'expired', 'provider_canceled'] as const)(
    'release: voided, %s',
    (reason) => {
      expect(release(reason, now)).toEqual({
        status: 'voided',
        authorizationVoidReason: reason,
        voidedAt: now,
      });
    },
  );
});
