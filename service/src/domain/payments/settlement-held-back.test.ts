// Tests of a call that was held back, by our own pace or by the provider's: nothing was done, so
// nothing changes and nobody is told.

import type { PaymentStatus } from '@svc/contract/payments/payments';
import { describe, expect, it } from 'vitest';
import { anOperation, aPayment } from '../../../test/payments/money.ts';
import { decideAttempt } from './attempt-settlement.ts';
import type { Operation } from './operation.ts';
import { nextRefundState } from './refund.ts';
import { decideHold } from './settlement.ts';

const now = new Date('2026-05-01T12:00:00.000Z');
const answer = { kind: 'in_doubt', cause: 'held_back', isHeldBack: true } as const;
const unchanged = { change: null, event: null, session: null, isHeldBack: true };

const hold = (kind: Operation['kind'], status: PaymentStatus) =>
  decideHold({ payment: aPayment({ status }), operation: anOperation({ kind }), answer, now });
const attempt = (status: PaymentStatus, challenge: Operation['challenge'] = null) =>
  decideAttempt({
    payment: aPayment({ status }),
    operation: anOperation({ kind: 'authorize', challenge }),
    answer,
    now,
  });

describe('a call that was held back', () => {
  it.each(['capture', 'cancel'] as const)('a %s goes on, and its payment stays a hold', (kind) => {
    expect(hold(kind, 'authorized')).toMatchObject({
      ...unchanged,
      state: 'active',
      answer: { final: false, code: 'payment_operation_in_progress' },
    });
  });

  it('what an earlier call may have done stays in doubt', () => {
    const settled = hold('capture', 'unknown');
    expect(settled).toMatchObject({ state: 'in_doubt', event: null });
    expect(settled.answer).toEqual({ final: false, code: 'gateway_outcome_unknown' });
    expect(settled).not.toHaveProperty('isHeldBack');
    expect(attempt('unknown')).toMatchObject({ state: 'in_doubt' });
  });

  it('an attempt goes on; a challenge that the buyer has stays open', () => {
    expect(attempt('pending')).toMatchObject({ ...unchanged, state: 'active' });
    const challenge = { url: 'https://bank.example/', clientSecret: null };
    expect(attempt('pending', challenge)).toMatchObject({
      ...unchanged,
      state: 'awaiting_customer',
    });
  });

  it('a refund keeps its status', () => {
    for (const status of ['pending', 'processing', 'unknown', 'succeeded']) {
      expect(nextRefundState(status, answer)).toBeNull();
    }
  });
});
