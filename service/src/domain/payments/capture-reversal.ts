// A capture that the provider took back later. Pure. Contract §2, Moves.

import { reversalOf } from './balance.ts';
import type { Payment } from './payment.ts';
import type { ProviderFacts } from './provider-facts.ts';

export const captureReversed = {
  code: 'capture_taken_back',
  message: 'The provider took the captured money back.',
} as const;

export const failTakenBack: Partial<Payment> = {
  status: 'failed',
  capturedMinor: 0,
  failureCode: captureReversed.code,
  failureMessage: captureReversed.message,
};

/** The provider's balance records of the capture and of its reversal. */
export const combineBookings = (
  payment: Pick<Payment, 'balance' | 'financialEffectiveAt'>,
  said: Pick<ProviderFacts, 'balance' | 'effectiveAt' | 'reversal'>,
  now: Date,
): Pick<Payment, 'balance' | 'reversal'> => ({
  balance: payment.balance ?? said.balance ?? null,
  reversal: reversalOf(payment, said, now),
});

/** The type of a notice that the service stores for itself: the payment is to be read again. */
export const lookAgain = 'svc.look_again';

/** The notices that report a capture taken back; a declined charge has the same types. */
export const failureNotices: readonly string[] = ['charge.failed', 'payment_intent.payment_failed'];

/** The notices after which a payment beyond its hold is read again. */
export const beyondHoldNotices: readonly string[] = [...failureNotices, lookAgain];

/** The states that a notice can move, while no operation of ours is open. */
export const movable: Readonly<Record<'byAny' | 'beyondHold', readonly Payment['status'][]>> = {
  byAny: ['authorized'],
  beyondHold: ['authorized', 'succeeded', 'unknown'],
};

export type TakeBack = {
  /** Applied one after the other: a purchase fails only from `unknown`. */
  readonly changes: readonly Partial<Payment>[];
  /** Null while the money is refunded or a refund is under way, whose end decides. */
  readonly failure: { readonly code: string; readonly message: string } | null;
};

/**
 * Decides what a capture that the provider took back means for a payment that no operation of ours
 * works on. Null leaves the payment as it is. Contract §2, Moves.
 */
export function settleTakeBack(
  payment: Payment,
  said: Pick<ProviderFacts, 'isTakenBack' | 'balance' | 'effectiveAt' | 'reversal'>,
  now: Date,
): TakeBack | null {
  const isOpen = ['authorized', 'succeeded', 'unknown'].includes(payment.status);
  if (!said.isTakenBack || payment.type !== 'purchase' || !isOpen) return null;
  const doubt = payment.status === 'unknown' ? [] : [{ status: 'unknown' } as const];
  if (payment.refundedMinor + payment.refundPendingMinor > 0) {
    return doubt.length > 0 ? { changes: doubt, failure: null } : null;
  }
  const failed = { ...failTakenBack, ...combineBookings(payment, said, now) };
  return { changes: [...doubt, failed], failure: captureReversed };
}
