import { may } from '@svc/contract/rows/roles';
import type { RefundRule as WireRule } from '@svc/contract/settings/refund-rule';
import { toMajor } from '../../../domain/money/money.ts';
import type { RefundRule } from '../../../domain/payments/refund-rule.ts';
import type { Database } from '../../../storage/database/database.ts';
import {
  findApprovers,
  type StoredRule,
  sumBoundedRefunds,
} from '../../../storage/refund-requests/refund-rules.ts';
import type { ServerCaller } from '../../require-server.ts';

/** The rule as it is set, in major units. */
export const ruleFacts = ({ limits, otherCurrencies, financeApproves }: RefundRule) => ({
  limits: limits.map(({ currency, perRefundMinor, perDayMinor }) => ({
    currency,
    perRefund: toMajor(perRefundMinor, currency),
    perDay: toMajor(perDayMinor, currency),
  })),
  otherCurrencies,
  financeApproves,
});

/** The rule as the person who asks meets it. Additions §2, Refund rule. */
export async function showRefundRule(
  database: Database,
  rule: StoredRule,
  { clientId, userId, role }: ServerCaller,
): Promise<WireRule> {
  const [used, approvers] = await Promise.all([
    sumBoundedRefunds(database, clientId, userId),
    findApprovers(database, { clientId, userId }, rule),
  ]);
  return {
    object: 'refund_rule',
    ...ruleFacts(rule),
    updatedAt: rule.updatedAt?.toISOString() ?? null,
    isBounded: !may(role, 'refunds.unbounded'),
    used: used.map(({ currency, minor }) => ({ currency, amount: toMajor(minor, currency) })),
    approvers,
  };
}
