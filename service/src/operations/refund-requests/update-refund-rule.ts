import { rows } from '@svc/contract';
import { toMinor } from '../../domain/money/money.ts';
import type { RefundRule } from '../../domain/payments/refund-rule.ts';
import { implement } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { ruleFacts, showRefundRule } from '../../engine/steps/refund-requests/show-refund-rule.ts';
import { lockClientPeople } from '../../storage/members/memberships.ts';
import { findRule, saveRule } from '../../storage/refund-requests/refund-rules.ts';

type Body = {
  readonly limits: readonly { currency: string; perRefund: number; perDay: number }[];
  readonly otherCurrencies: RefundRule['otherCurrencies'];
  readonly financeApproves: boolean;
};

/**
 * Sets the rule for all later refunds. Additions §2, Refund rule. Refuses invalid_request when a
 * currency is named twice, and amount_precision.
 */
export const updateRefundRule = implement(rows.updateRefundRule)(
  async ({ body }, caller, ports) => {
    const server = requireServer(caller, rows.updateRefundRule);
    const { clientId } = server;
    const rule = readRule(body);
    const saved = await ports.database.transaction(clientId, async (tx) => {
      // Changes are made one at a time, so that each entry of the audit log has the values from
      // before it.
      await lockClientPeople(tx, clientId);
      const before = await findRule(tx, clientId);
      const after = await saveRule(tx, clientId, rule);
      const change = {
        action: 'refund_rule.updated',
        resourceType: 'refund_rule',
        resourceId: clientId,
        before: ruleFacts(before),
        after: ruleFacts(after),
      };
      await recordChange(tx, caller, change, ports);
      return after;
    });
    return { status: 200, body: await showRefundRule(ports.database, saved, server) };
  },
);

function readRule({ limits, otherCurrencies, financeApproves }: Body): RefundRule {
  const twice = limits.findIndex(({ currency }, at) =>
    limits.slice(0, at).some((other) => other.currency === currency),
  );
  if (twice >= 0) refuseField(`limits[${twice}].currency`, 'Each currency has one limit.');
  return {
    limits: limits.map(({ currency, perRefund, perDay }) => ({
      currency,
      perRefundMinor: toMinor(perRefund, currency),
      perDayMinor: toMinor(perDay, currency),
    })),
    otherCurrencies,
    financeApproves,
  };
}
