import { adviceFor, declineMessage } from '../domain/payments/decline-advice.ts';
import type { Payment } from '../domain/payments/payment.ts';
import { refuse } from './implement.ts';

/**
 * Refuses card_declined (402) for a card that was to pay or to be saved, always with the same text.
 * Contract §3, `card_declined`.
 */
export const refuseDeclined = ({
  declineCode,
  declineAdvice,
}: Pick<Payment, 'declineCode' | 'declineAdvice'>): never =>
  refuse('card_declined', {
    declineCode,
    advice: adviceFor(declineCode, declineAdvice),
    message: declineMessage(declineCode),
  });
