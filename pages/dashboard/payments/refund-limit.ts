// How much of a payment the person may give back alone. The service decides; this chooses the button.

import type { RefundRule } from '@svc/contract/settings/refund-rule';
import { exponentOf } from '@svc/contract/values/currencies';

/** Returns the amount in minor units, because sums of decimals are not exact. */
const minorOf = (amount: number, currency: string): number =>
  Math.round(amount * 10 ** exponentOf(currency));

/**
 * Returns what the person may give back alone now, in major units: the smaller one of a refund's limit and
 * of what is left of the day. Null where the rule does not bound the person.
 */
export function limitWithoutApproval(rule: RefundRule, currency: string): number | null {
  if (!rule.isBounded) return null;
  const limit = rule.limits.find((each) => each.currency === currency) ?? rule.otherCurrencies;
  if (!limit) return 0;
  const used = rule.used.find((each) => each.currency === currency)?.amount ?? 0;
  const left = minorOf(limit.perDay, currency) - minorOf(used, currency);
  const most = Math.max(0, Math.min(minorOf(limit.perRefund, currency), left));
  return most / 10 ** exponentOf(currency);
}

/** The bound above which a refund needs approval. */
export type RefundBound = {
  /** False until the rule was read: until then the button neither refunds nor asks for approval. */
  readonly isKnown: boolean;
  /** The most that the person may refund now without approval; null for no limit. */
  readonly most: number | null;
  /** The amount that the service has refused as too large; null when it has refused none. */
  readonly refused: number | null;
  /** Names of other people who may approve a larger refund. */
  readonly approvers: readonly string[];
};

/** Whether a refund of the amount needs approval. */
export const needsApproval = ({ most, refused }: RefundBound, amount: number): boolean =>
  (most !== null && amount > most) || (refused !== null && amount >= refused);
