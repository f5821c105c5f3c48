// Whether the provider's state of a payment equals ours. Pure.

import { toMajor } from '../../../domain/money/money.ts';
import { confirmedOtherwise, type Operation } from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type {
  ProviderPayment,
  ProviderRefund,
  Reading,
  RefundList,
  RefundOutcome,
} from '../../ports.ts';

/** A payment on which the two sides differ, or that could not be compared. */
export type Difference = {
  readonly paymentId: string;
  readonly clientId: string;
  readonly type: Payment['type'];
  /**
   * `state`, `amount` or `missing` at the provider; `refunds`: it refunded more than we know of;
   * `dispute`: another status of a dispute, or other movements of money, whose sum is the amount;
   * `never_sent`: it has no provider id; `unread`: it could not be read.
   */
  readonly kind: 'state' | 'amount' | 'missing' | 'refunds' | 'dispute' | 'never_sent' | 'unread';
  readonly ours: DifferenceSide;
  readonly providers: DifferenceSide & { readonly id: string | null };
};

/** One side of a difference. The amount is in major units. */
export type DifferenceSide = {
  readonly status: string;
  readonly amount: number | null;
  readonly currency: string | null;
};

type State = ProviderPayment['state'];

// The provider's states that agree with each status of ours. The status `unknown` agrees with none,
// so a payment that is still undecided is always reported.
const expected: Readonly<Record<string, readonly State[]>> = {
  pending: ['new', 'requires_action', 'processing'],
  processing: ['new', 'requires_action', 'processing'],
  authorized: ['authorized'],
  succeeded: ['captured'],
  partially_refunded: ['captured'],
  refunded: ['captured'],
  voided: ['released'],
  failed: ['new', 'released'],
  unknown: [],
};

/**
 * For an unknown payment whose operation waits for its buyer: the request itself is not in doubt
 * any more.
 */
const expectedAwaited: readonly State[] = ['new', 'requires_action'];

const expectedRefund: Readonly<Record<string, readonly ProviderRefund['state'][]>> = {
  pending: ['pending'],
  processing: ['pending'],
  succeeded: ['succeeded'],
  refund_failed: ['failed'],
  unknown: [],
};

/** One side of a difference, from minor units. */
export const side = (status: string, minor: number, currency: string): DifferenceSide => ({
  status,
  amount: toMajor(minor, currency),
  currency,
});

/** Returns a difference on the payment in its present state. */
export function differenceOf(
  payment: Payment,
  kind: Difference['kind'],
  said: Partial<Difference['providers']> & { status: string },
): Difference {
  return {
    paymentId: payment.id,
    clientId: payment.clientId,
    type: payment.type,
    kind,
    ours: side(payment.status, payment.amountMinor, payment.currency),
    providers: {
      id: payment.type === 'refund' ? payment.providerRefundId : payment.providerIntentId,
      amount: null,
      currency: null,
      ...said,
    },
  };
}

/**
 * Checks a payment that has no provider id, so that there is nothing to compare. Null when its
 * status allows that.
 */
export function compareUnsent(payment: Payment): Difference | null {
  const isRight = payment.status === 'failed' || payment.status === 'refund_failed';
  return isRight ? null : differenceOf(payment, 'never_sent', { status: 'no id' });
}

/**
 * Null when the provider's reading of a purchase agrees with ours. `isAwaited`: the payment was in
 * doubt, and its operation now waits for the buyer. The buyer decides, and until then its only
 * possible status is `unknown`.
 */
export function comparePurchase(
  payment: Payment,
  reading: Reading,
  isAwaited = false,
): Difference | null {
  if (reading.kind === 'missing') {
    const isRunOut = reading.runsOut === true && payment.status === 'failed';
    return isRunOut ? null : differenceOf(payment, 'missing', { status: 'missing' });
  }
  if (reading.kind === 'in_doubt')
    return differenceOf(payment, 'unread', { status: reading.cause });
  const { state, amountMinor, currency, intentId } = reading.payment;
  const status = reading.payment.isTakenBack ? 'taken_back' : state;
  const said = { id: intentId, ...side(status, amountMinor, currency) };
  // The wallet's order was approved: its buyer has acted, and the capture is ours to make.
  const isApproved = payment.provider === 'wallet' && state === 'new';
  const states = isAwaited && !isApproved ? expectedAwaited : expected[payment.status];
  if (isReturned(payment, reading.payment)) return null;
  if (!states?.includes(state)) return differenceOf(payment, 'state', said);
  const isSame = amountMinor === payment.amountMinor && currency === payment.currency;
  if (!isSame) return differenceOf(payment, 'amount', said);
  if (!isRefundedBeyond(payment, reading.payment)) return null;
  const refundedAmount = (minor: number) => toMajor(minor, currency);
  const ours = payment.refundedMinor + payment.refundPendingMinor;
  const theirs = { ...said, amount: refundedAmount(reading.payment.refundedMinor ?? 0) };
  const difference = differenceOf(payment, 'refunds', theirs);
  return { ...difference, ours: { ...difference.ours, amount: refundedAmount(ours) } };
}

/** Whether the attempt failed because the page took the money otherwise, and all of it was returned. */
const isReturned = (payment: Payment, { state, refundedMinor }: ProviderPayment): boolean =>
  payment.failureCode === confirmedOtherwise &&
  state === 'captured' &&
  refundedMinor === payment.amountMinor;

/**
 * Whether the provider has refunded more than our refunds, including those under way: somebody
 * refunded there.
 */
export const isRefundedBeyond = (payment: Payment, said: ProviderPayment): boolean =>
  said.state === 'captured' &&
  (said.refundedMinor ?? 0) > payment.refundedMinor + payment.refundPendingMinor;

// The most refunds that a provider lists: only a shorter list is known to be complete.
const mostListed = 100;

/**
 * Compares a refund that no answer has named with the refunds that the provider has of its
 * purchase: each names the operation that asked for it.
 */
export function compareUnnamedRefund(
  payment: Payment,
  operation: Pick<Operation, 'id' | 'state'>,
  list: RefundList,
): Difference | null {
  if (list.kind === 'in_doubt') return differenceOf(payment, 'unread', { status: list.cause });
  const { refunds, trace } = list;
  const refund = refunds.find(({ operationId }) => operationId === operation.id);
  if (refund) return compareRefund(payment, { kind: 'confirmed', refund, trace });
  if (refunds.length >= mostListed) {
    return differenceOf(payment, 'unread', { status: 'too_many_refunds' });
  }
  // Another process may be sending the refund right now.
  const status = operation.state === 'active' ? 'no such refund yet' : 'no such refund';
  return differenceOf(payment, 'missing', { status });
}

/** Null when the provider's answer on a refund agrees with ours. */
export function compareRefund(payment: Payment, outcome: RefundOutcome): Difference | null {
  if (outcome.kind !== 'confirmed') {
    const isMissing = outcome.trace.httpStatus === 404;
    const cause = outcome.kind === 'in_doubt' ? outcome.cause : outcome.code;
    return differenceOf(payment, isMissing ? 'missing' : 'unread', {
      status: isMissing ? 'missing' : cause,
    });
  }
  const { state, amountMinor, currency, refundId } = outcome.refund;
  const said = { id: refundId, ...side(state, amountMinor, currency) };
  if (!expectedRefund[payment.status]?.includes(state)) return differenceOf(payment, 'state', said);
  const isSame = amountMinor === payment.amountMinor && currency === payment.currency;
  return isSame ? null : differenceOf(payment, 'amount', said);
}
