// What a failed renewal tells about its card.

import { attemptRefusal } from './attempt-failures.ts';
import { adviceFor } from './decline-advice.ts';
import type { Payment } from './payment.ts';

/** How many of the newest failures, newest first, were not answers of the card. */
export function countUnasked(failures: readonly Pick<Payment, 'failureCode'>[]): number {
  const heard = failures.findIndex(isAttemptOfCard);
  return heard < 0 ? failures.length : heard;
}

/** Whether a failed payment was caused by its card, or by its amount, which never changes. */
export const isAttemptOfCard = ({ failureCode }: Pick<Payment, 'failureCode'>): boolean =>
  failureCode === 'amount_not_supported' || attemptRefusal(failureCode) === 'card_declined';

/** Whether the bank has refused the card for good. It is not charged for the subscription any more. */
export const isRefusedForGood = (
  declineCode: string | null,
  advice: string | null = null,
): boolean => advice === 'do_not_try_again' || adviceFor(declineCode) === 'do_not_try_again';
