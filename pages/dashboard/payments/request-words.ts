// A refund request in words: who may decide it, what the decision does, and how it ended.

import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import type { RefundRule } from '@svc/contract/settings/refund-rule';
import { type Merchant, mayApprove } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { person } from '../../kit/person.ts';

export type DecisionKind = 'approve' | 'decline';

export const sumOf = ({ amount, currency }: RefundRequest): string => money(amount, currency);
export const nameOf = ({ name, email }: RefundRequest['requestedBy']): string => name ?? email;
export const isOwnRequest = ({ requestedBy }: RefundRequest): boolean =>
  requestedBy.userId === person.value?.id;

/** Whether the person decides the request; the person who asked for it can only take it back. */
export const mayDecide = (
  request: RefundRequest,
  merchant: Merchant,
  rule: RefundRule | null,
): boolean => !isOwnRequest(request) && mayApprove(merchant, rule);

export function dialogTexts(
  request: RefundRequest,
  kind: DecisionKind,
  buyer: string | null = null,
) {
  const sum = sumOf(request);
  const who = nameOf(request.requestedBy);
  if (kind === 'approve') {
    return {
      title: `Approve ${sum}`,
      verb: 'approve',
      text: `Refunds ${sum} to ${buyer ?? 'the buyer'} at once. ${who} asked for it. Your name is recorded as the approver.`,
    };
  }
  return isOwnRequest(request)
    ? {
        title: 'Take it back',
        verb: 'withdraw the request',
        text: `Withdraws the request for ${sum}.`,
      }
    : { title: 'Decline', verb: 'decline', text: `${sum} is not refunded. ${who} may ask again.` };
}

export function outcomeSentence(decided: RefundRequest, buyer: string | null = null): string {
  const sum = sumOf(decided);
  const toWhom = buyer === null ? '' : ` to ${buyer}`;
  if (decided.status !== 'approved') {
    return isOwnRequest(decided)
      ? 'Withdrawn: nothing was refunded.'
      : 'Declined: nothing was refunded.';
  }
  if (decided.refundStatus === 'succeeded') return `Approved: ${sum} refunded${toWhom}.`;
  return decided.refundStatus === 'refund_failed'
    ? `Approved, but the refund of ${sum} was refused: nothing was refunded.`
    : `Approved: the refund of ${sum}${toWhom} is on its way.`;
}
