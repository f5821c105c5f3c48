// What can be done with a payment, why a refund is not possible, and what is told after an action.

import type { FraudWarning } from '@svc/contract/payments/fraud-signals';
import type { Payment } from '@svc/contract/payments/payments';
import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import type { Permission } from '@svc/contract/rows/roles';
import { money } from '../../kit/money.ts';
import { blocksRefund } from '../../kit/words.ts';
import type { FullPayment } from './full-payment.ts';
import type { ActionKind } from './money-action.ts';

export function refundNews(
  { amount, currency, status }: Payment,
  buyer: string | null = null,
): string {
  const toWhom = buyer === null ? '' : ` to ${buyer}`;
  const sum = money(amount, currency);
  if (status === 'succeeded') return `${sum} refunded${toWhom}.`;
  if (status === 'refund_failed') return `The refund of ${sum} was refused: nothing was refunded.`;
  return `The refund of ${sum}${toWhom} is on its way.`;
}

export const askedNews = ({ amount, currency }: RefundRequest): string =>
  `The refund of ${money(amount, currency)} waits for approval.`;

export function holdNews(
  { amount, currency, status }: Payment,
  buyer: string | null = null,
): string {
  const sum = money(amount, currency);
  if (status === 'voided') {
    return `The hold of ${sum} is released${buyer === null ? '' : ` for ${buyer}`}.`;
  }
  const fromWhom = buyer === null ? '' : ` from ${buyer}`;
  return status === 'succeeded'
    ? `${sum} captured${fromWhom}.`
    : `The capture of ${sum}${fromWhom} is under way.`;
}

const isRefundable = ({ payment }: FullPayment) =>
  payment.type === 'purchase' &&
  payment.amountRefundable > 0 &&
  /^(succeeded|partially_refunded)$/.test(payment.status);

export const isDisputed = ({ disputes }: FullPayment) => disputes.some(blocksRefund);

/** The actions that the page offers, in the order of their buttons. */
export function actionsOf(whole: FullPayment): readonly ActionKind[] {
  if (whole.payment.status === 'authorized') return ['capture', 'cancel'];
  return isRefundable(whole) && !isDisputed(whole) ? ['refund'] : [];
}

/** A bank reports fraud, and giving the money back may still avoid the dispute. */
export const openWarningOf = (whole: FullPayment): FraudWarning | undefined =>
  whole.disputes.length === 0 && actionsOf(whole).length > 0
    ? whole.details.fraudWarnings.find(({ isActionable }) => isActionable)
    : undefined;

export const refundButton = (whole: FullPayment): string =>
  openWarningOf(whole) ? 'Refund before the dispute' : 'Refund';

/** The provider's word in words: `made with stolen card`. */
export const plainWords = (word: string): string => word.replaceAll('_', ' ');

type RequiredPermission = { readonly action: string; readonly permission: Permission };

/** What can be done here, and what it takes. */
export function requiredPermissionOf(whole: FullPayment): RequiredPermission | null {
  const [first] = actionsOf(whole);
  if (first === 'capture') {
    return { action: 'capture or release a hold', permission: 'holds.end' };
  }
  return first === 'refund' ? { action: 'give money back', permission: 'refunds.make' } : null;
}

export function whyNoRefund(whole: FullPayment): string | null {
  const { payment, refunds } = whole;
  if (payment.type !== 'purchase') return null;
  if (isDisputed(whole)) {
    return 'This payment is disputed and cannot be refunded: the buyer would get the money twice.';
  }
  if (payment.status === 'refunded') return 'The payment is fully refunded.';
  const isOnItsWay = refunds.some(({ status }) => /^(pending|processing|unknown)$/.test(status));
  return isOnItsWay && payment.amountRefundable === 0
    ? 'The rest is already on its way back.'
    : null;
}

/** The dialog that captures or releases a hold, always all of it. */
export function holdTexts({ amount, currency, email }: Payment, kind: 'capture' | 'cancel') {
  const sum = money(amount, currency);
  const card = `the card of ${email ?? 'the buyer'}`;
  return kind === 'capture'
    ? {
        title: `Capture ${sum}`,
        verb: 'capture',
        text: `The whole ${sum} is taken from ${card}. A part alone cannot be taken.`,
      }
    : {
        title: 'Release the hold',
        verb: 'release',
        text: `The ${sum} become free again on ${card}, and can never be taken by this payment.`,
      };
}
