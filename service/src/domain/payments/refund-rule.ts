// How much a person may refund alone, by the merchant's rule. Additions §2, Refund rule.

import { exponentOf } from '@svc/contract/values/currencies';
import { mostMinor, toMajor, toMinor } from '../money/money.ts';

export type Bounds = { readonly perRefund: number; readonly perDay: number };

export type RefundRule = {
  readonly limits: readonly {
    readonly currency: string;
    readonly perRefundMinor: number;
    readonly perDayMinor: number;
  }[];
  /** The bounds in each other currency, in major units; null: every refund there needs approval. */
  readonly otherCurrencies: Bounds | null;
  readonly financeApproves: boolean;
};

/** What holds until somebody sets a rule: the same numbers in each currency. */
export const defaultRule: RefundRule = {
  limits: [],
  otherCurrencies: { perRefund: 200, perDay: 1000 },
  financeApproves: false,
};

/** What somebody may give back alone: days are any 24 hours, so that no midnight doubles them. */
const dayMs = 24 * 3_600_000;

/** A request can be approved for seven days. */
export const refundRequestLifeMs = 7 * dayMs;

export type Limit = { readonly perRefundMinor: number; readonly perDayMinor: number };

/** The limit in one currency; of a currency that the rule does not bound by numbers, nothing at all. */
export function limitIn(rule: RefundRule, currency: string): Limit {
  const named = rule.limits.find((each) => each.currency === currency);
  if (named) return named;
  const { perRefund, perDay } = rule.otherCurrencies ?? { perRefund: 0, perDay: 0 };
  return { perRefundMinor: minorOf(perRefund, currency), perDayMinor: minorOf(perDay, currency) };
}

/**
 * Decimals that the currency does not have are cut: the limit is never wider than it says. No payment is
 * larger than the largest amount, so a larger limit means the same.
 */
const minorOf = (major: number, currency: string): number =>
  Math.min(toMinor(Math.min(Math.floor(major), mostMajor(currency)), currency), mostMinor);

const mostMajor = (currency: string): number => Math.floor(mostMinor / 10 ** exponentOf(currency));

type RefundAmount = {
  readonly amountMinor: number;
  readonly usedMinor: number;
  readonly currency: string;
};

/** Returns why the refund is not allowed, naming the limit; null when it is allowed. */
export function beyondLimit(
  limit: Limit,
  { amountMinor, usedMinor, currency }: RefundAmount,
): string | null {
  const left = Math.max(0, limit.perDayMinor - usedMinor);
  if (amountMinor <= limit.perRefundMinor && amountMinor <= left) return null;
  const sum = (minor: number) => `${toMajor(minor, currency)} ${currency}`;
  return `You may refund up to ${sum(limit.perRefundMinor)} at once and ${sum(limit.perDayMinor)} within 24 hours, of which ${sum(left)} are left. Ask somebody to approve this refund. Nothing was done.`;
}
