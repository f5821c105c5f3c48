// What test cards do (Contract §13), and the checks of a typed number. A number is read here and not stored:
// only brand, last four digits, expiry, fingerprint and behaviour are.

import { ApiError } from '../requests/errors.ts';
import { findBrand, isLuhnValid } from './card-digits.ts';

export type Decline = {
  code: string;
  /** Why the bank declined. The error has it as `decline_code` only where `code` does not say it. */
  declineCode: string;
  message: string;
  advice: 'try_again_later' | 'do_not_try_again' | 'confirm_card_data';
  /** The network's response code; null where no bank was asked. */
  network: string | null;
  /** The network's advice, where it gives one. */
  networkAdvice?: string;
  /** What of the card's data is wrong. */
  param?: string;
};

type CheckResult = 'fail' | 'unavailable';

export type Behaviour = {
  charge: 'approved' | keyof typeof declines;
  /** The card is also declined when it is attached to a customer or set up. */
  refusesSaving: boolean;
  /** `on_session`: the card was set up elsewhere, so that only a buyer who is present is asked. */
  challenge: 'never' | 'unless_set_up' | 'on_session' | 'always';
  /**
   * How the provider rates the charge. It declines a card that it blocks before the request reaches
   * a bank.
   */
  risk: 'normal' | 'elevated' | 'highest';
  isBlocked: boolean;
  /** Results of checks that do not pass, for data that was given. */
  checks: { line1?: CheckResult; postalCode?: CheckResult; cvc?: CheckResult };
  /** The captured money is available without the usual days of waiting. */
  isAvailableAtOnce: boolean;
  /** After a confirmation the intent stays `processing` for some seconds until the bank has decided. */
  isSlow: boolean;
  afterwards:
    | 'nothing'
    | 'dispute'
    | 'dispute_not_received'
    | 'inquiry'
    | 'ce3_dispute'
    | 'smart_dispute'
    | 'fraud_warning'
    | 'review'
    | 'refund_pends'
    | 'refund_fails';
};

type Told = Pick<Decline, 'networkAdvice' | 'param'>;

const decline = (
  [code, declineCode]: readonly [code: string, declineCode: string],
  message: string,
  [advice, network, told = {}]: readonly [Decline['advice'], string | null, Told?],
): Decline => ({ code, declineCode, message, advice, network, ...told });

/** A decline with a `code` of its own, which has no `decline_code`. */
const named = (
  code: string,
  message: string,
  said: readonly [Decline['advice'], string | null, Told?],
): Decline => decline([code, code], message, said);

const declined = 'Your card was declined.';

// Fields and advice are those of the provider's recorded answers in public fixtures of other projects,
// where there are any; the response codes are the networks' published ones.
export const declines = {
  generic_decline: decline(['card_declined', 'generic_decline'], declined, [
    'try_again_later',
    '01',
  ]),
  insufficient_funds: decline(
    ['card_declined', 'insufficient_funds'],
    'Your card has insufficient funds.',
    ['try_again_later', '51'],
  ),
  lost_card: decline(['card_declined', 'lost_card'], declined, [
    'do_not_try_again',
    '41',
    { networkAdvice: '03' },
  ]),
  stolen_card: decline(['card_declined', 'stolen_card'], declined, [
    'do_not_try_again',
    '43',
    { networkAdvice: '03' },
  ]),
  fraudulent: decline(['card_declined', 'fraudulent'], declined, ['do_not_try_again', null]),
  card_velocity_exceeded: decline(
    ['card_declined', 'card_velocity_exceeded'],
    'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
    ['try_again_later', '65'],
  ),
  expired_card: named('expired_card', 'Your card has expired.', [
    'confirm_card_data',
    '54',
    { param: 'exp_month' },
  ]),
  incorrect_cvc: named('incorrect_cvc', "Your card's security code is incorrect.", [
    'confirm_card_data',
    'N7',
    { param: 'cvc' },
  ]),
  processing_error: named(
    'processing_error',
    'An error occurred while processing your card. Try again in a little bit.',
    ['try_again_later', '96'],
  ),
  authentication_required: decline(
    ['authentication_required', 'authentication_required'],
    'Your card was declined. This transaction requires authentication.',
    ['confirm_card_data', '1A'],
  ),
} satisfies Record<string, Decline>;

/** What an error says of the decline. */
export const factsOf = (decline: Decline) => ({
  type: 'card_error' as const,
  code: decline.code,
  ...(['card_declined', 'authentication_required'].includes(decline.code)
    ? { decline_code: decline.declineCode }
    : {}),
  advice_code: decline.advice,
  message: decline.message,
  ...(decline.network === null ? {} : { network_decline_code: decline.network }),
  ...(decline.networkAdvice ? { network_advice_code: decline.networkAdvice } : {}),
  ...(decline.param ? { param: decline.param } : {}),
});

const approved: Behaviour = {
  charge: 'approved',
  refusesSaving: false,
  challenge: 'never',
  risk: 'normal',
  isBlocked: false,
  checks: {},
  isAvailableAtOnce: false,
  isSlow: false,
  afterwards: 'nothing',
};
const refusedBehaviour = (charge: keyof typeof declines): Behaviour => ({
  ...approved,
  charge,
  refusesSaving: true,
});

export const behaviours = {
  approved,
  generic_decline: refusedBehaviour('generic_decline'),
  insufficient_funds: refusedBehaviour('insufficient_funds'),
  lost_card: refusedBehaviour('lost_card'),
  stolen_card: refusedBehaviour('stolen_card'),
  expired_card: refusedBehaviour('expired_card'),
  incorrect_cvc: refusedBehaviour('incorrect_cvc'),
  processing_error: refusedBehaviour('processing_error'),
  card_velocity_exceeded: refusedBehaviour('card_velocity_exceeded'),
  blocked: { ...refusedBehaviour('fraudulent'), risk: 'highest', isBlocked: true },
  cvc_fails: { ...refusedBehaviour('incorrect_cvc'), checks: { cvc: 'fail' } },
  risk_elevated: { ...approved, risk: 'elevated', afterwards: 'review' },
  risk_highest: { ...approved, risk: 'highest' },
  address_fails: { ...approved, checks: { line1: 'fail', postalCode: 'fail' } },
  line1_fails: { ...approved, checks: { line1: 'fail' } },
  postal_code_fails: { ...approved, checks: { postalCode: 'fail' } },
  address_unavailable: { ...approved, checks: { line1: 'unavailable', postalCode: 'unavailable' } },
  available_at_once: { ...approved, isAvailableAtOnce: true },
  challenged_on_session: { ...approved, challenge: 'on_session' },
  declines_once_saved: { ...approved, charge: 'generic_decline' },
  challenged_unless_set_up: { ...approved, challenge: 'unless_set_up' },
  challenged_always: { ...approved, challenge: 'always' },
  challenged_then_declined: { ...refusedBehaviour('generic_decline'), challenge: 'always' },
  challenged_then_no_funds: { ...refusedBehaviour('insufficient_funds'), challenge: 'always' },
  approved_later: { ...approved, isSlow: true },
  declined_later: { ...approved, isSlow: true, charge: 'generic_decline' },
  disputed: { ...approved, afterwards: 'dispute' },
  disputed_not_received: { ...approved, afterwards: 'dispute_not_received' },
  inquired: { ...approved, afterwards: 'inquiry' },
  disputed_ce3: { ...approved, afterwards: 'ce3_dispute' },
  disputed_smart: { ...approved, afterwards: 'smart_dispute' },
  warned_of: { ...approved, afterwards: 'fraud_warning' },
  refund_pends: { ...approved, afterwards: 'refund_pends' },
  refund_fails: { ...approved, afterwards: 'refund_fails' },
} satisfies Record<string, Behaviour>;
export type BehaviourName = keyof typeof behaviours;

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
