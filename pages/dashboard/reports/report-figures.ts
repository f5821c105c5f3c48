// Numbers of a report, each a link to the list of what makes it.

import type { ReportFigures } from '@svc/contract/reports/reports';
import { msOf } from '@svc/contract/values/instants';
import { dayIn } from '@svc/contract/values/zone-days';
import { addressOf } from '../../kit/addresses.ts';

/** The days of a span whose end is its first instant that is not of it. */
export const daysOf = (from: string, to: string, zone: string): string =>
  `${dayIn(msOf(from), zone)}..${dayIn(msOf(to) - 1, zone)}`;

type LineKey =
  | 'paid'
  | 'refunds'
  | 'refundsFailed'
  | 'paymentsFailed'
  | 'chargebacks'
  | 'reinstated'
  | 'fees';

export type Line = {
  readonly name: string;
  readonly amount: number;
  /** The list's filters beside currency and days; null where no list has just these movements. */
  readonly query: string | null;
  /** True where a line of zero is left out. */
  readonly isRare?: boolean;
};

/**
 * The figures in the order in which they add up: what comes in is positive. What the provider took back has no
 * booking of its own any more, so no list by the day of booking has it.
 */
export const linesOf = (of: ReportFigures): Readonly<Record<LineKey, Line>> => ({
  paid: { name: 'Paid', amount: of.paid, query: of.paymentsFailed === 0 ? 'type=purchase' : null },
  refunds: {
    name: 'Refunds',
    amount: 0 - of.refunded,
    query: of.refundsFailed === 0 ? 'type=refund&status=succeeded' : null,
  },
  refundsFailed: {
    name: 'Refunds that failed later',
    amount: of.refundsFailed,
    query: null,
    isRare: true,
  },
  paymentsFailed: {
    name: 'Payments taken back',
    amount: 0 - of.paymentsFailed,
    query: null,
    isRare: true,
  },
  chargebacks: {
    name: 'Chargebacks',
    amount: 0 - of.chargedBack,
    query: 'type=chargeback&amount=0.01..',
  },
  reinstated: {
    name: 'Reinstated',
    amount: of.reinstated,
    query: 'type=chargeback&amount=..-0.01',
  },
  fees: { name: 'Fees', amount: 0 - of.fees, query: null },
});

/**
 * The lines beside those of the span before. They add up to the net of each, so a line is left out only where it
 * is zero in both.
 */
export function comparedLines(now: ReportFigures, before: ReportFigures) {
  const past = linesOf(before);
  return Object.entries(linesOf(now)).flatMap(([key, { name, amount, query }]) => {
    const line = { name, amount, past: past[key as LineKey].amount, query };
    return key === 'paid' || line.amount !== 0 || line.past !== 0 ? [line] : [];
  });
}

export type Change = { readonly isUp: boolean; readonly words: string };

/**
 * The change in per cent of the span before. Null where a per cent would mislead: from nothing, or where one of
 * the two is negative.
 */
export function changeSince(past: number, now: number): Change | null {
  if (past <= 0 || now < 0) return null;
  const isUp = now >= past;
  if (now > past * 10) return { isUp, words: 'more than tenfold' };
  return { isUp, words: `${Math.round((Math.abs(now - past) / past) * 100)} %` };
}

type ReportScope = { readonly clientId: string; readonly currency: string; readonly days: string };

/** The list of payments of those days. */
export const listOf = ({ clientId, currency, days }: ReportScope, query: string): string =>
  `${addressOf(clientId, 'payments')}?${query && `${query}&`}currency=${currency}&financialEffectiveAt=${days}`;
