// What a failed payment means, and what to ask the buyer for. The codes are the provider's.

type Decline = { readonly what: string; readonly ask: string };

const another = 'Ask the buyer to pay with another card.';
const bank = 'Ask the buyer to call the bank of the card, or to pay with another card.';
const again = 'Ask the buyer to try again later, or to pay with another card.';
const correct = 'Ask the buyer to check the card and type it again.';

const declines: Readonly<Record<string, Decline>> = {
  insufficient_funds: {
    what: 'The card has insufficient funds.',
    ask: 'Ask the buyer to pay with another card, or to try again when this one has funds.',
  },
  generic_decline: { what: 'The bank declined without saying why.', ask: bank },
  do_not_honor: { what: 'The bank declined without saying why.', ask: bank },
  lost_card: { what: 'The bank does not allow payments with this card.', ask: another },
  stolen_card: { what: 'The bank does not allow payments with this card.', ask: another },
  pickup_card: { what: 'The bank does not allow payments with this card.', ask: another },
  restricted_card: { what: 'The bank does not allow payments with this card.', ask: bank },
  fraudulent: { what: 'The payment was suspected of fraud.', ask: another },
  expired_card: { what: 'The card has expired.', ask: another },
  incorrect_cvc: { what: 'The security code was wrong.', ask: correct },
  invalid_cvc: { what: 'The security code was wrong.', ask: correct },
  incorrect_number: { what: 'The card number was wrong.', ask: correct },
  processing_error: { what: 'The card could not be processed at that moment.', ask: again },
  issuer_not_available: { what: 'The card’s bank did not answer.', ask: again },
  card_velocity_exceeded: {
    what: 'The card was used too often, or for too much, in a short time.',
    ask: again,
  },
  card_not_supported: { what: 'The card does not support this kind of purchase.', ask: another },
  currency_not_supported: { what: 'The card does not support this currency.', ask: another },
  authentication_required: {
    what: 'The bank asks the buyer to authenticate the payment.',
    ask: 'Ask the buyer to pay again and complete the bank’s authentication.',
  },
  authentication_failed: {
    what: 'The buyer failed the bank’s authentication.',
    ask: 'Ask the buyer to try again, or to pay with another card.',
  },
  authentication_canceled: { what: 'The buyer cancelled the bank’s authentication.', ask: again },
  authentication_abandoned: {
    what: 'The buyer did not finish the bank’s authentication.',
    ask: again,
  },
};

/** Returns the meaning of the provider's decline code. Unknown codes get a general text. */
export const declineOf = (code: string | null): Decline =>
  (code && declines[code]) || { what: 'The card was declined.', ask: bank };

/** The same as the name of a row: without the stop at its end. */
export const declineWords = (code: string): string => declineOf(code).what.replace(/\.$/, '');
