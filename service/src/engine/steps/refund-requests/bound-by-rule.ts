// The merchant's rule where a refund is claimed. Additions §2, Refund rule.

import { may } from '@svc/contract/roles';
import { beyondLimit, limitIn } from '../../../domain/payments/refund-rule.ts';
import { findRoleIn } from '../../../storage/accounts/memberships.ts';
import type { RefundRequest } from '../../../storage/payments/claim-refund.ts';
import {
  findRule,
  insertBoundedRefund,
  lockBoundedPerson,
  sumBoundedRefunds,
} from '../../../storage/refund-requests/refund-rules.ts';
import type { ServerCaller } from '../../require-server.ts';

/**
 * Holds a refund to the rule where the person's role of this moment is bounded by it. What the person
 * refunds alone is summed and written under a lock of the person, so that of two refunds at once the
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
      // Owners and admins wait for nobody: they refund at once, by many programs.
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
