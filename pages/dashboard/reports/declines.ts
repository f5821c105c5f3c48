// What a failed payment means, and what to ask the buyer for. The codes are the provider's.

type Decline = { readonly what: string; readonly ask: string };

const another = 'Ask the buyer to pay with another card.';
const bank = 'Ask the buyer to call the bank of the card, or to pay with another card.';
const again = 'Ask the buyer to try again in a while, or to pay with another card.';
const correct = 'Ask the buyer to look at the card and type it again.';

const declines: Readonly<Record<string, Decline>> = {
  insufficient_funds: {
    what: 'The card has insufficient funds: there is not enough money on it.',
    ask: 'Ask the buyer to pay with another card, or to try again once there is money on this one.',
  },
  generic_decline: { what: 'The bank declined without saying why.', ask: bank },
  do_not_honor: { what: 'The bank declined without saying why.', ask: bank },
  lost_card: { what: 'The bank will not let this card pay.', ask: another },
  stolen_card: { what: 'The bank will not let this card pay.', ask: another },
  pickup_card: { what: 'The bank will not let this card pay.', ask: another },
  restricted_card: { what: 'The bank will not let this card pay.', ask: bank },
  fraudulent: { what: 'The payment was taken for fraud.', ask: another },
  expired_card: { what: 'The card has expired.', ask: another },
  incorrect_cvc: { what: 'The security code was not right.', ask: correct },
  invalid_cvc: { what: 'The security code was not right.', ask: correct },
  incorrect_number: { what: 'The card number was not right.', ask: correct },
  processing_error: { what: 'The card could not be processed just then.', ask: again },
  issuer_not_available: { what: 'The bank of the card did not answer.', ask: again },
  card_velocity_exceeded: {
    what: 'The card has paid too often or too much in a short time.',
    ask: again,
  },
  card_not_supported: { what: 'The card cannot pay this kind of purchase.', ask: another },
  currency_not_supported: { what: 'The card cannot pay in this currency.', ask: another },
  authentication_required: {
    what: 'The bank wants the buyer to confirm the payment.',
    ask: 'Ask the buyer to pay again and to answer the question of the bank.',
  },
  authentication_failed: {
    what: 'The buyer did not pass the question of the bank.',
    ask: 'Ask the buyer to try again, or to pay with another card.',
  },
  authentication_canceled: { what: 'The buyer cancelled the question of the bank.', ask: again },
  authentication_abandoned: {
    what: 'The buyer did not finish the question of the bank.',
    ask: again,
  },
};

/** Returns the meaning of the provider's decline code. Unknown codes get a general text. */
export const declineOf = (code: string | null): Decline =>
  (code && declines[code]) || { what: 'The card was declined.', ask: bank };
