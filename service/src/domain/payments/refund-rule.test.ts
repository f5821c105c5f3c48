import { describe, expect, it } from 'vitest';
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
