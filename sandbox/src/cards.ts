// The test cards and their behaviour (Contract §13), the well-known ids that represent them, and the checks
// of a typed number. A number is read here and not stored: only brand, last four digits, expiry,
// fingerprint and behaviour are.
import { findBrand, isLuhnValid } from './card-digits.ts';
import { ApiError } from './errors.ts';

export type Decline = {
  code: string;
  declineCode: string;
  message: string;
  advice: 'try_again_later' | 'do_not_try_again' | 'confirm_card_data';
};

export type Behaviour = {
  charge: 'approved' | keyof typeof declines;
  /** The card is also declined when it is attached to a customer or set up. */
  refusesSaving: boolean;
  challenge: 'never' | 'unless_set_up' | 'always';
  /** After a confirmation the intent stays `processing` for some seconds until the bank has decided. */
  isSlow: boolean;
  afterwards:
    | 'nothing'
    | 'dispute'
    | 'dispute_not_received'
    | 'inquiry'
    | 'refund_pends'
    | 'refund_fails';
};

const decline = (
  code: string,
  declineCode: string,
  message: string,
  advice: Decline['advice'],
) => ({
  code,
  declineCode,
  message,
  advice,
});

const declined = 'Your card was declined.';

export const declines = {
  generic_decline: decline('card_declined', 'generic_decline', declined, 'try_again_later'),
  insufficient_funds: decline(
    'card_declined',
    'insufficient_funds',
    'Your card has insufficient funds.',
    'try_again_later',
  ),
  lost_card: decline('card_declined', 'lost_card', declined, 'do_not_try_again'),
  stolen_card: decline('card_declined', 'stolen_card', declined, 'do_not_try_again'),
  expired_card: decline(
    'expired_card',
    'expired_card',
    'Your card has expired.',
    'do_not_try_again',
  ),
  incorrect_cvc: decline(
    'incorrect_cvc',
    'incorrect_cvc',
    "Your card's security code is incorrect.",
    'confirm_card_data',
  ),
  processing_error: decline(
    'processing_error',
    'processing_error',
    'An error occurred while processing your card. Try again in a little bit.',
    'try_again_later',
  ),
  authentication_required: decline(
    'authentication_required',
    'authentication_required',
    'Your card was declined. This transaction requires authentication.',
    'confirm_card_data',
  ),
} satisfies Record<string, Decline>;

const approved: Behaviour = {
  charge: 'approved',
  refusesSaving: false,
  challenge: 'never',
  isSlow: false,
  afterwards: 'nothing',
};
const refused = (charge: keyof typeof declines): Behaviour => ({
  ...approved,
  charge,
  refusesSaving: true,
});

export const behaviours = {
  approved,
  generic_decline: refused('generic_decline'),
  insufficient_funds: refused('insufficient_funds'),
  lost_card: refused('lost_card'),
  stolen_card: refused('stolen_card'),
  expired_card: refused('expired_card'),
  incorrect_cvc: refused('incorrect_cvc'),
  processing_error: refused('processing_error'),
  declines_once_saved: { ...approved, charge: 'generic_decline' },
  challenged_unless_set_up: { ...approved, challenge: 'unless_set_up' },
  challenged_always: { ...approved, challenge: 'always' },
  challenged_then_declined: { ...refused('generic_decline'), challenge: 'always' },
  challenged_then_no_funds: { ...refused('insufficient_funds'), challenge: 'always' },
  approved_later: { ...approved, isSlow: true },
  declined_later: { ...approved, isSlow: true, charge: 'generic_decline' },
  disputed: { ...approved, afterwards: 'dispute' },
  disputed_not_received: { ...approved, afterwards: 'dispute_not_received' },
  inquired: { ...approved, afterwards: 'inquiry' },
  refund_pends: { ...approved, afterwards: 'refund_pends' },
  refund_fails: { ...approved, afterwards: 'refund_fails' },
} satisfies Record<string, Behaviour>;
export type BehaviourName = keyof typeof behaviours;

export type TestCard = { number: string; behaviour: BehaviourName; effect: string; ids: string[] };

const row = (
  number: string,
  behaviour: BehaviourName,
  [effect, ...ids]: [string, ...string[]],
): TestCard => ({ number: number.replaceAll(' ', ''), behaviour, effect, ids });

export const testCards: readonly TestCard[] = [
  row('4242 4242 4242 4242', 'approved', ['approved (Visa)', 'visa']),
  row('5555 5555 5555 4444', 'approved', ['approved (Mastercard)', 'mastercard']),
  row('3782 822463 10005', 'approved', ['approved (American Express)', 'amex']),
  row('6011 1111 1111 1117', 'approved', ['approved (Discover)', 'discover']),
  row('3566 0020 2036 0505', 'approved', ['approved (JCB)', 'jcb']),
  row('4000 0000 0000 0002', 'generic_decline', [
    'declined',
    'chargeDeclined',
    'visa_chargeDeclined',
  ]),
  row('4000 0000 0000 9995', 'insufficient_funds', [
    'declined: insufficient funds',
    'chargeDeclinedInsufficientFunds',
    'visa_chargeDeclinedInsufficientFunds',
  ]),
  row('4000 0000 0000 9987', 'lost_card', [
    'declined: lost card',
    'chargeDeclinedLostCard',
    'visa_chargeDeclinedLostCard',
  ]),
  row('4000 0000 0000 9979', 'stolen_card', [
    'declined: stolen card',
    'chargeDeclinedStolenCard',
    'visa_chargeDeclinedStolenCard',
  ]),
  row('4000 0000 0000 0069', 'expired_card', [
    'declined: expired card',
    'chargeDeclinedExpiredCard',
  ]),
  row('4000 0000 0000 0127', 'incorrect_cvc', [
    'declined: wrong CVC',
    'chargeDeclinedIncorrectCvc',
  ]),
  row('4000 0000 0000 0119', 'processing_error', [
    'declined: processing error',
    'chargeDeclinedProcessingError',
  ]),
  row('4000 0000 0000 0341', 'declines_once_saved', [
    'can be saved, every charge is declined',
    'chargeCustomerFail',
  ]),
  row('4000 0025 0000 3155', 'challenged_unless_set_up', [
    '3DS unless set up for later use',
    'authenticationRequiredOnSetup',
  ]),
  row('4000 0027 6000 3184', 'challenged_always', ['3DS always', 'authenticationRequired']),
  row('4000 0000 0000 3220', 'challenged_always', ['3DS always', 'threeDSecure2Required']),
  row('4000 0084 0000 1629', 'challenged_then_declined', [
    '3DS, then declined',
    'authenticationRequiredChargeDeclined',
    'threeDSecureRequiredChargeDeclined',
  ]),
  row('4000 0082 6000 3178', 'challenged_then_no_funds', [
    '3DS, then declined: insufficient funds',
    'authenticationRequiredChargeDeclinedInsufficientFunds',
  ]),
  row('4000 0000 0000 8104', 'approved_later', [
    'processing for three seconds, then approved',
    'chargeProcessing',
  ]),
  row('4000 0000 0000 8112', 'declined_later', [
    'processing for three seconds, then declined',
    'chargeProcessingDeclined',
  ]),
  row('4000 0000 0000 0259', 'disputed', ['charged, then disputed', 'createDispute']),
  row('4000 0000 0000 2685', 'disputed_not_received', [
    'charged, then disputed: product not received',
    'createDisputeProductNotReceived',
  ]),
  row('4000 0000 0000 1976', 'inquired', [
    'charged, then an inquiry, which moves no money',
    'createDisputeInquiry',
  ]),
  row('4000 0000 0000 7726', 'refund_pends', [
    'charged; a refund is pending, then succeeds',
    'pendingRefund',
  ]),
  row('4000 0000 0000 5126', 'refund_fails', ['charged; a refund fails later', 'refundFail']),
];

const byNumber = new Map(testCards.map((card) => [card.number, card]));
const byTestId = new Map(
  testCards.flatMap((card) => card.ids.map((id): [string, TestCard] => [id, card])),
);

/** Returns the card behind `pm_card_visa` or `tok_visa`, if there is one. */
export const findTestCard = (id: string): TestCard | undefined =>
  byTestId.get(id.replace(/^(pm_card_|tok_)/, ''));

/** Returns the behaviour of a number. A valid number that is no test card is approved. */
export const behaviourOf = (number: string): BehaviourName =>
  byNumber.get(number)?.behaviour ?? 'approved';

const cardError = (code: string, param: string, message: string) =>
  new ApiError(402, { type: 'card_error', code, message, param });

export type TypedCard = {
  number: string;
  expMonth: number;
  expYear: number;
  cvc: string | undefined;
};

/** Throws 402 with the field's own code for a card that no bank could look up. */
export const assertCardReadable = (card: TypedCard, now: Date): void => {
  if (!/^\d{12,19}$/.test(card.number) || !findBrand(card.number)) {
    throw cardError('invalid_number', 'number', 'The card number is not a valid card number.');
  }
  if (!isLuhnValid(card.number)) {
    throw cardError('incorrect_number', 'number', 'Your card number is incorrect.');
  }
  if (card.expMonth < 1 || card.expMonth > 12) {
    throw cardError(
      'invalid_expiry_month',
      'exp_month',
      "Your card's expiration month is invalid.",
    );
  }
  const year = now.getUTCFullYear();
  if (card.expYear < year || card.expYear > year + 50) {
    throw cardError('invalid_expiry_year', 'exp_year', "Your card's expiration year is invalid.");
  }
  if (card.expYear === year && card.expMonth < now.getUTCMonth() + 1) {
    throw cardError(
      'invalid_expiry_month',
      'exp_month',
      "Your card's expiration month is invalid.",
    );
  }
  const cvcLength = findBrand(card.number) === 'amex' ? /^\d{3,4}$/ : /^\d{3}$/;
  if (card.cvc !== undefined && !cvcLength.test(card.cvc)) {
    throw cardError('invalid_cvc', 'cvc', "Your card's security code is invalid.");
  }
};
