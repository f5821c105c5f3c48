// Refunds: what may be refunded, and what a refund changes in its purchase. Contract §2, Refunds.

import type { PaymentStatus } from '@svc/contract/payments/payments';
import type { unrefundable } from '@svc/contract/payments/refunds';
import { assertCarried, toMinor } from '../money/money.ts';
import { Refusal } from '../protocol/refusal.ts';
import { confirmedOtherwise } from './operation.ts';
import type { Payment } from './payment.ts';

/** What is left to refund, in minor units; refunds under way count as refunded. */
export const refundableMinor = (purchase: Payment): number =>
  purchase.capturedMinor - purchase.refundedMinor - purchase.refundPendingMinor;

/** Reads the field `amount` of a refund. Refuses amount_precision, invalid_request. Contract §12. */
export function refundMinor(
  amount: number,
  purchase: { readonly currency: string; readonly provider: string },
): number {
  try {
    const minor = toMinor(amount, purchase.currency);
    assertCarried(minor, purchase);
    return minor;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.code, { ...error.facts, param: 'amount' });
  }
}

type Unrefundable = (typeof unrefundable)[number];

/** Why a row that is no purchase cannot be refunded; null for a purchase. */
export const refuseRefundOf = ({ type }: Pick<Payment, 'type'>): Unrefundable | null =>
  type === 'purchase' ? null : `payment_is_${type}`;

/** Purchases of other statuses were paid. */
const unpaid: Partial<Record<PaymentStatus, Unrefundable>> = {
  authorized: 'payment_not_captured',
  voided: 'payment_voided',
  failed: 'payment_failed',
  pending: 'payment_unfinished',
  processing: 'payment_unfinished',
  unknown: 'payment_unfinished',
};

/** Why a refund may not start; null when it may. Decided under the purchase's lock. */
export function refuseRefund(
  purchase: Payment,
  amountMinor: number,
  isDisputed: boolean,
): Unrefundable | 'payment_disputed' | null {
  if (isDisputed) return 'payment_disputed';
  const code = unpaid[purchase.status];
  if (code) return code;
  const isLeft = amountMinor > 0 && amountMinor <= refundableMinor(purchase);
  return isLeft ? null : 'refund_amount_exceeds_available';
}

/** The purchase's status after its succeeded refunds; a purchase in doubt stays in doubt. */
function statusAfter(purchase: Payment, refundedMinor: number): PaymentStatus {
  if (purchase.status === 'unknown') return 'unknown';
  if (refundedMinor === 0) return 'succeeded';
  return refundedMinor === purchase.capturedMinor ? 'refunded' : 'partially_refunded';
}

export type RefundState = 'pending' | 'processing' | 'succeeded' | 'refund_failed' | 'unknown';

const isReserved = (status: string): boolean =>
  status === 'pending' || status === 'processing' || status === 'unknown';

/** The change of the purchase when the status of one of its refunds changes. */
export function moveRefund(
  purchase: Payment,
  refund: Payment,
  to: RefundState,
): Pick<Payment, 'status' | 'refundedMinor' | 'refundPendingMinor'> {
  const amount = refund.amountMinor;
  const share = (status: string) => ({
    done: status === 'succeeded' ? amount : 0,
    pending: isReserved(status) ? amount : 0,
  });
  const before = share(refund.status);
  const after = share(to);
  const refundedMinor = purchase.refundedMinor - before.done + after.done;
  const isMoved = refundedMinor !== purchase.refundedMinor;
  return {
    status: isMoved ? statusAfter(purchase, refundedMinor) : purchase.status,
    refundedMinor,
    refundPendingMinor: purchase.refundPendingMinor - before.pending + after.pending,
  };
}

/** The provider's answer about a refund. */
export type RefundAnswer =
  | {
      readonly kind: 'confirmed';
      readonly refund: {
        readonly state: 'pending' | 'succeeded' | 'failed';
        readonly failureReason: string | null;
      };
    }
  | { readonly kind: 'refused'; readonly code: string }
  | {
      readonly kind: 'in_doubt';
      readonly cause: string;
      /** This call did nothing, because its turn has not come yet. */
      readonly isHeldBack?: true;
    };

/**
 * The refund's next status; null leaves it as it is. A refund in doubt never changes the purchase's
 * status.
 */
export function nextRefundState(status: string, answer: RefundAnswer): RefundState | null {
  // Nothing was sent, so nothing is in doubt that was not before.
  if (answer.kind === 'in_doubt' && answer.isHeldBack) return null;
  const to = stateOf(answer);
  if (status === to || status === 'refund_failed') return null;
  // A refund that succeeded can only fail late; nothing else changes it.
  if (status === 'succeeded') return to === 'refund_failed' ? to : null;
  // An answer that is less certain than what is known changes nothing.
  if (status === 'processing' && to === 'unknown') return null;
  if (status === 'unknown' && to === 'processing') return null;
  return to;
}

function stateOf(answer: RefundAnswer): RefundState {
  if (answer.kind === 'refused') return 'refund_failed';
  if (answer.kind === 'in_doubt') return 'unknown';
  if (answer.refund.state === 'succeeded') return 'succeeded';
  return answer.refund.state === 'failed' ? 'refund_failed' : 'processing';
}

/** A refund that somebody made at the provider, not through us. */
export type ForeignRefund = {
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly amountMinor: number;
  readonly currency: string;
  readonly effectiveAt: Date | null;
};

/**
 * Whether the refund becomes a row of its locked purchase. `wait`: the purchase, or another refund
 * of it, has to be settled first. `leave`: it moved no money, or moved it before its gateway's
 * movements are classified (spec: Payment, rule 4). `misfit`: it cannot be a refund of this
 * purchase, and people are notified.
 */
export function judgeForeignRefund(
  purchase: Payment,
  refund: ForeignRefund,
  classifiedFrom: Date,
): 'record' | 'wait' | 'leave' | 'misfit' {
  if (refund.state === 'failed') return 'leave';
  // The money of an attempt that has failed was returned by that attempt.
  if (purchase.failureCode === confirmedOtherwise) return 'leave';
  // The provider's instants are in whole seconds.
  const from = Math.floor(classifiedFrom.getTime() / 1000) * 1000;
  if (refund.effectiveAt && refund.effectiveAt.getTime() < from) return 'leave';
  if (purchase.type !== 'purchase' || refund.currency !== purchase.currency) return 'misfit';
  if (!Number.isSafeInteger(refund.amountMinor) || refund.amountMinor <= 0) return 'misfit';
  if (!['succeeded', 'partially_refunded', 'refunded'].includes(purchase.status)) return 'wait';
  if (refund.amountMinor > purchase.capturedMinor) return 'misfit';
  // Too little is left to refund: a refund that is still counted has failed, and its notice has not
  // arrived yet.
  return refund.amountMinor > refundableMinor(purchase) ? 'wait' : 'record';
}
