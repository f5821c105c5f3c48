import { describe, expect, it } from 'vitest';
import { aPayment } from '../../../test/payments/money.ts';
import { refuseRefund, refuseRefundOf } from './refund.ts';
import { limitIn } from './refund-rule.ts';

const ruleOf = (major: number) => ({
  limits: [],
  otherCurrencies: { perRefund: major, perDay: major },
  financeApproves: false,
});

describe('limitIn', () => {
  it.each([
    ['EUR', 200.99, 20_000],
    ['JPY', 200.99, 200],
    ['BHD', 200.99, 200_000],
    // No payment is larger than the largest amount in minor units.
    ['EUR', 1e12, 100_000_000_000_000],
    ['BHD', 1e12, 999_999_999_999_000],
    ['CLF', 1e12, 999_999_999_990_000],
  ])('%s, %d in major units: %d', (currency, major, minor) => {
    const limit = limitIn(ruleOf(major), currency);
    expect(limit).toEqual({ perRefundMinor: minor, perDayMinor: minor });
  });
});

describe('why a refund is refused', () => {
  it.each([
    ['authorized', 'payment_not_captured'],
    ['voided', 'payment_voided'],
    ['failed', 'payment_failed'],
    ['pending', 'payment_unfinished'],
    ['processing', 'payment_unfinished'],
    ['unknown', 'payment_unfinished'],
  ] as const)('a payment that is %s: %s', (status, code) => {
    expect(refuseRefund(aPayment({ status }), 100, false)).toBe(code);
  });

  it('a paid one only for its amount, and for a dispute before all else', () => {
    const paid = aPayment({ status: 'succeeded', amountMinor: 100, capturedMinor: 100 });
    expect([1, 100, 101, 0].map((amount) => refuseRefund(paid, amount, false))).toEqual([
      ...[null, null],
      ...['refund_amount_exceeds_available', 'refund_amount_exceeds_available'],
    ]);
    expect(refuseRefund(paid, 1, true)).toBe('payment_disputed');
  });

  it('a row that is no purchase by what it is', () => {
    const codes = (['purchase', 'refund', 'chargeback'] as const).map((type) =>
      refuseRefundOf({ type }),
    );
    expect(codes).toEqual([null, 'payment_is_refund', 'payment_is_chargeback']);
  });
});
