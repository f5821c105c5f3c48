// Figures of reports as lines that add up, and the list of the payments behind each number.

import type { ReportFigures } from '@svc/contract/reports/reports';
import { describe, expect, it } from 'vitest';
import { movedMoney, signedMoney } from '../../kit/money.ts';
import { countryRows, countryTitle, declinedList, type Group, sumOf } from './decline-lists.ts';
import { declineOf } from './declines.ts';
import { changeSince, comparedLines, daysOf, linesOf, listOf } from './report-figures.ts';

const figures = {
  paid: 59.7,
  refunded: 5,
  refundsFailed: 0,
  paymentsFailed: 0,
  chargedBack: 19.9,
  reinstated: 2,
  fees: 2.33,
} as ReportFigures;

const added = (sums: readonly number[]) => sums.reduce((sum, amount) => sum + amount, 0);

describe('the change since the span before', () => {
  it.each([
    [100, 138, { isUp: true, words: '38 %' }],
    [100, 100, { isUp: true, words: '0 %' }],
    [100, 25, { isUp: false, words: '75 %' }],
    [100, 0, { isUp: false, words: '100 %' }],
    [26.4, 1130.39, { isUp: true, words: 'more than tenfold' }],
  ])('from %s to %s is told in per cent', (past, now, told) => {
    expect(changeSince(past, now)).toEqual(told);
  });

  it.each([
    [0, 10],
    [-5, 10],
    [10, -5],
  ])('from %s to %s is no per cent', (past, now) => {
    expect(changeSince(past, now)).toBeNull();
  });
});

describe('the lines of a report', () => {
  it('beside the span before: each column adds up to its net, what neither has is left out', () => {
    const before = { ...figures, paid: 10, refunded: 0, chargedBack: 0, reinstated: 0, fees: 0 };
    const lines = comparedLines({ ...figures, refunded: 0 }, { ...before, refundsFailed: 4 });
    expect(lines.map(({ name }) => name)).toEqual([
      ...['Paid', 'Refunds that failed later', 'Chargebacks', 'Reinstated', 'Fees'],
    ]);
    expect(added(lines.map(({ amount }) => amount))).toBeCloseTo(59.7 - 19.9 + 2 - 2.33, 6);
    expect(added(lines.map(({ past }) => past))).toBe(14);
  });

  it('add up: what comes in is positive, what goes out negative', () => {
    const lines = linesOf({ ...figures, refundsFailed: 1, paymentsFailed: 3 });
    const signs = Object.entries(lines).map(([name, { amount }]) => [name, amount]);
    expect(Object.fromEntries(signs)).toEqual({
      paid: 59.7,
      refunds: -5,
      refundsFailed: 1,
      paymentsFailed: -3,
      chargebacks: -19.9,
      reinstated: 2,
      fees: -2.33,
    });
  });

  it('lead to the list that adds up to them, and nowhere where no list does', () => {
    const queries = (of: Partial<ReportFigures>) => {
      const { paid, refunds, chargebacks, fees } = linesOf({ ...figures, ...of });
      return [paid, refunds, chargebacks, fees].map(({ query }) => query);
    };
    const [ofPaid, ofRefunds, ofChargebacks] = [
      'type=purchase',
      'type=refund&status=succeeded',
      'type=chargeback&amount=0.01..',
    ];
    expect(queries({})).toEqual([ofPaid, ofRefunds, ofChargebacks, null]);
    expect(queries({ refundsFailed: 5 })).toEqual([ofPaid, null, ofChargebacks, null]);
    expect(queries({ paymentsFailed: 5 })).toEqual([null, ofRefunds, ofChargebacks, null]);
    const scope = { clientId: 'c', currency: 'EUR', days: '2026-11-01..2026-11-30' };
    expect(listOf(scope, 'type=purchase')).toBe(
      '/dashboard/c/payments?type=purchase&currency=EUR&financialEffectiveAt=2026-11-01..2026-11-30',
    );
    expect(listOf(scope, '')).toContain('payments?currency=EUR');
  });

  it('have a minus sign, days of the zone, and no decimals in yen', () => {
    expect(signedMoney(-5, 'EUR')).toBe('−€5.00');
    expect(signedMoney(2500, 'JPY')).toBe('¥2,500');
    const moved = (type: 'purchase' | 'refund' | 'chargeback', amount: number) =>
      movedMoney({ type, amount, currency: 'EUR' });
    expect([moved('purchase', 5), moved('refund', 5)]).toEqual(['€5.00', '−€5.00']);
    expect([moved('chargeback', 5), moved('chargeback', -5)]).toEqual(['−€5.00', '€5.00']);
    expect(daysOf('2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z', 'Europe/Berlin')).toBe(
      '2026-11-01..2026-11-30',
    );
  });
});

const group = (given: Partial<Group>) => ({ succeeded: 0, failed: 0, ...given }) as Group;

describe('declines', () => {
  const days = '2026-11-01..2026-11-30';
  const filtersOf = (declined: Omit<Parameters<typeof declinedList>[1], 'days'>) => {
    const list = declinedList('c', { ...declined, days });
    return list && Object.fromEntries(new URL(list, 'https://pay.example').searchParams);
  };
  const failed = { type: 'purchase', status: 'failed', createdAt: days };

  it('lead to the list of a reason, a brand, a country and of several', () => {
    const reason = 'insufficient_funds';
    const ofReason = { ...failed, declineCode: reason };
    expect(filtersOf({ reason })).toEqual(ofReason);
    expect(filtersOf({ brand: 'visa' })).toEqual({ ...failed, brand: 'visa' });
    expect(filtersOf({ reason, brand: 'visa' })).toEqual({ ...ofReason, brand: 'visa' });
    expect(filtersOf({ country: 'US' })).toEqual({ ...failed, cardCountry: 'US' });
    expect(filtersOf({ reason, country: 'US' })).toEqual({ ...ofReason, cardCountry: 'US' });
  });

  it('lead nowhere where no filter finds them', () => {
    for (const none of [{ reason: null }, { brand: null }, { country: null }]) {
      expect(filtersOf(none)).toBeNull();
    }
  });

  it('by country name the most frequent reason, that with the most failures first', () => {
    const groups = [
      group({ country: 'DE', name: 'do_not_honor', failed: 1 }),
      group({ country: 'US', name: 'do_not_honor', failed: 1 }),
      group({ country: 'US', name: 'insufficient_funds', failed: 2 }),
      group({ country: 'FR', name: null, succeeded: 4 }),
    ];
    expect(countryRows(groups)).toEqual([
      { country: 'US', succeeded: 0, failed: 3, reason: 'insufficient_funds' },
      { country: 'DE', succeeded: 0, failed: 1, reason: 'do_not_honor' },
      { country: 'FR', succeeded: 4, failed: 0 },
    ]);
    expect(sumOf(groups, 'failed')).toBe(4);
    expect([countryTitle('US'), countryTitle(null)]).toEqual(['United States', 'Not known']);
  });

  it('say what the bank said, and what to ask the buyer; of an unknown code as well', () => {
    expect(declineOf('insufficient_funds').what).toMatch(/insufficient funds/);
    expect(declineOf('insufficient_funds').ask).toMatch(/^Ask the buyer to pay with another card/);
    for (const code of ['no_such_code', null]) {
      expect(declineOf(code).what).toBe('The card was declined.');
    }
  });
});
