// Tests of a capture that the provider reversed before we knew that it took effect. Contract §2: a
// purchase may fail only from `unknown`, so a hold passes through that status.

import type { PaymentStatus } from '@svc/contract/payments/payments';
import { describe, expect, it } from 'vitest';
import { anOperation, aPayment, providerFacts } from '../../../test/payments/money.ts';
import { decideHold } from './settlement.ts';

const now = new Date('2026-05-01T12:00:00.000Z');
const takenBack = providerFacts(now, { isTakenBack: true });

describe('decideHold, of a capture that was taken back before we heard of it', () => {
  const settle = (kind: 'capture' | 'cancel' | 'expire', status: PaymentStatus) =>
    decideHold({
      payment: aPayment({ status }),
      operation: anOperation({ kind }),
      answer: { kind: 'confirmed', payment: takenBack },
      now,
    });

  it.each([
    ['capture', 'gateway_capture_failed'],
    ['cancel', 'gateway_cancel_failed'],
  ] as const)('a %s in doubt fails with the payment, answered %s', (kind, code) => {
    expect(settle(kind, 'unknown')).toMatchObject({
      change: { status: 'failed', capturedMinor: 0 },
      event: 'payment.capture_failed',
      answer: { final: false, code },
    });
  });

  it.each(['capture', 'cancel', 'expire'] as const)(
    'a %s of a hold makes it unknown first',
    (kind) => {
      expect(settle(kind, 'authorized')).toMatchObject({
        change: { status: 'unknown' },
        event: null,
        state: 'in_doubt',
      });
    },
  );
});
