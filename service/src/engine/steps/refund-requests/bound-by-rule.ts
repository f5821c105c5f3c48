// The merchant's rule where a refund is claimed. Additions §2, Refund rule.

import { may } from '@svc/contract/rows/roles';
import { beyondLimit, limitIn } from '../../../domain/payments/refund-rule.ts';
import { findRoleIn } from '../../../storage/members/account-memberships.ts';
import type { RefundRequest } from '../../../storage/payments/claim-refund.ts';
import {
  findRule,
  insertBoundedRefund,
  lockBoundedPerson,
  sumBoundedRefunds,
} from '../../../storage/refund-requests/refund-rules.ts';
import type { ServerCaller } from '../../require-server.ts';

/**
 * Applies the rule to a refund when it bounds the person's present role. The person's refunds without
 * approval are summed and recorded under a lock of the person, so that of two concurrent refunds the
 * second counts the first.
 */
export function boundByRule({
  clientId,
  userId,
}: ServerCaller): Pick<RefundRequest, 'mayStart' | 'started'> {
  let isBounded = false;
  return {
    async mayStart(tx, { purchase: { currency }, amountMinor }) {
      isBounded = false;
      // No lock for owners and admins, whom the rule does not bound: many of their programs refund at once.
      if (may(await findRoleIn(tx, clientId, userId), 'refunds.unbounded')) return null;
      const role = await lockBoundedPerson(tx, clientId, userId);
      if (!may(role, 'refunds.make')) return { code: 'merchant_role_required' };
      isBounded = !may(role, 'refunds.unbounded');
      if (!isBounded) return null;
      const limit = limitIn(await findRule(tx, clientId), currency);
      const used = await sumBoundedRefunds(tx, clientId, userId);
      const usedMinor = used.find((each) => each.currency === currency)?.minor ?? 0;
      const message = beyondLimit(limit, { amountMinor, usedMinor, currency });
      return message === null
        ? null
        : { code: 'refund_limit_exceeded', facts: { param: 'amount', message } };
    },
    async started(tx, { id: refundId, currency, amountMinor }, createdAt) {
      if (!isBounded) return;
      const refund = { refundId, clientId, userId, currency, amountMinor, createdAt };
      await insertBoundedRefund(tx, refund);
    },
  };
}
