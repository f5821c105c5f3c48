import { createRefund as row } from '@svc/contract/payments/refunds';
import { refundMinor } from '../../domain/payments/refund.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { runRefund } from '../../engine/runs/payments/run-refund.ts';
import { showPayment } from '../../engine/steps/payments/show-payment.ts';
import { boundByRule } from '../../engine/steps/refund-requests/bound-by-rule.ts';
import { askForRefundMail } from '../../storage/notifications/asked-mails.ts';

/**
 * Gives money back, once per key. The refund is a payment row of its own; one that the provider
 * refuses is answered as `refund_failed`. Contract §2, Refunds; additions §2, Refund rule. Refuses, in
 * order: merchant_role_required, payment_not_found, idempotency_key_reused, payment_changed,
 * amount_precision, payment_disputed, refund_amount_exceeds_available, refund_limit_exceeded,
 * gateway_outcome_unknown.
 */
export const createRefund = implement(row)(async (input, caller, ports) => {
  const asker = requireServer(caller, row);
  const { amount, reason, metadata, ifVersion, notifyBuyer = false } = input.body;
  const wish = {
    ...input,
    amountOf: (purchase: { currency: string; provider: string }) =>
      amount === undefined ? null : refundMinor(amount, purchase),
    reason: reason ?? null,
    metadata: metadata ?? {},
    ifVersion: ifVersion ?? null,
    permission: 'refunds.make',
    ...boundByRule(asker),
    async answered(refundId: string) {
      if (!notifyBuyer) return;
      await askForRefundMail(ports.database, { ...asker, refundId });
      ports.nudge('mail-buyers');
    },
  } as const;
  const end = await runRefund(wish, asker, ports);
  return end.kind === 'answered'
    ? { status: 201, replay: end.body, isReplayed: end.isReplayed }
    : { status: 201, body: showPayment(end.refund) };
});
