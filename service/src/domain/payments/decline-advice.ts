import { type Advice, advices } from '@svc/contract/checkout-sessions/checkout-sessions';
import { cardNotKept } from './payment-method.ts';

// Decline codes that mean that another card is needed, where the provider gives no advice of its
// own: the cardholder can do nothing about them.
const never = new Set([
  'lost_card',
  'stolen_card',
  'pickup_card',
  'fraudulent',
  'merchant_blacklist',
  'do_not_try_again',
  'stop_payment_order',
  'transaction_not_allowed',
  'not_permitted',
  'service_not_allowed',
  'card_not_supported',
  'currency_not_supported',
  'revocation_of_authorization',
  'revocation_of_all_authorizations',
  'restricted_card',
  'security_violation',
  'wallet_restricted',
  cardNotKept,
]);
// Decline codes that mean that something was typed wrongly.
const data = new Set([
  'expired_card',
  'incorrect_cvc',
  'invalid_cvc',
  'incorrect_number',
  'invalid_number',
  'incorrect_zip',
  'incorrect_address',
  'invalid_expiry_month',
  'invalid_expiry_year',
  'invalid_account',
]);

/**
 * The advice for the buyer: the provider's own, or else that of the code. Wrong data can always be
 * corrected, whatever the provider advises for the card as it was typed. Contract §3: `advice` of
 * `card_declined`.
 */
export function adviceFor(declineCode: string | null, said: string | null = null): Advice {
  const isWrongData = declineCode !== null && data.has(declineCode);
  const given = isWrongData ? undefined : advices.find((advice) => advice === said);
  return given ?? adviceOfCode(declineCode);
}

function adviceOfCode(declineCode: string | null): Advice {
  if (declineCode !== null && never.has(declineCode)) return 'do_not_try_again';
  if (declineCode !== null && data.has(declineCode)) return 'confirm_card_data';
  return 'try_again_later';
}

/** A message for the buyer, which never reveals that a card was reported lost or stolen. */
export function declineMessage(declineCode: string | null): string {
  const known: Readonly<Record<string, string>> = {
    insufficient_funds: 'The card has insufficient funds.',
    expired_card: 'The card has expired.',
    incorrect_cvc: 'The security code is not right.',
    processing_error: 'The card could not be processed just now.',
    authentication_failed: 'The card was not authenticated.',
    authentication_canceled: 'The authentication was cancelled.',
    authentication_abandoned: 'The authentication was not finished.',
    wallet_declined: 'The wallet declined the payment.',
    wallet_restricted: 'The wallet declined the payment.',
    [cardNotKept]: 'This card is not saved any more. Use another one.',
    approved_too_late: 'The approval came too late. The card was not charged.',
  };
  return known[declineCode ?? ''] ?? 'The card was declined.';
}
