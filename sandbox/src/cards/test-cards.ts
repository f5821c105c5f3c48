// The published test cards and the ids that stand for them (`pm_card_visa`, `tok_visa`). The sandbox's pages
// list `testCards`; `plainCards` are approved and differ in brand, kind and country alone.
import type { BehaviourName } from './cards.ts';

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
  row('4000 0000 0000 6975', 'card_velocity_exceeded', [
    'declined: used too often',
    'visa_chargeDeclinedVelocityLimitExceeded',
  ]),
  row('4100 0000 0000 0019', 'blocked', ['blocked by the provider', 'radarBlock']),
  row('4000 0000 0000 4954', 'risk_highest', ['approved, highest risk', 'riskLevelHighest']),
  row('4000 0000 0000 9235', 'risk_elevated', [
    'approved, elevated risk: put in review',
    'riskLevelElevated',
  ]),
  row('4000 0000 0000 0101', 'cvc_fails', ['declined: the check of the CVC fails', 'cvcCheckFail']),
  row('4000 0000 0000 0010', 'address_fails', [
    'approved, checks of street and postal code fail',
    'avsFail',
  ]),
  row('4000 0000 0000 0028', 'line1_fails', [
    'approved, the check of the street fails',
    'avsLine1Fail',
  ]),
  row('4000 0000 0000 0036', 'postal_code_fails', [
    'approved, the check of the postal code fails',
    'avsZipFail',
  ]),
  row('4000 0000 0000 0044', 'address_unavailable', [
    'approved, the address is not checked',
    'avsUnchecked',
  ]),
  row('4000 0000 0000 0077', 'available_at_once', [
    'approved, the money is available at once',
    'bypassPending',
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
  row('4000 0038 0000 0446', 'challenged_on_session', [
    '3DS, but not off session: the card is set up already',
    'authenticationRequiredSetupForOffSession',
  ]),
  row('4000 0000 0000 3063', 'challenged_always', ['3DS always', 'threeDSecureRequired']),
  row('4000 0000 0000 3055', 'approved', ['approved, 3DS on demand', 'threeDSecureOptional']),
  row('4000 0084 0000 1280', 'generic_decline', [
    '3DS fails to begin: declined',
    'threeDSecureRequiredProcessingError',
  ]),
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
  row('4000 0000 0000 5423', 'warned_of', [
    'charged, then an early fraud warning',
    'createIssuerFraudRecord',
  ]),
  row('4000 0004 0400 0038', 'disputed_ce3', [
    'charged, then disputed: Visa Compelling Evidence 3.0 may answer',
    'createCe3EligibleDispute',
  ]),
  row('4000 0000 0100 0043', 'disputed_smart', [
    'charged, then disputed: the provider answers by itself',
    'createAutoRepresentmentEligibleDispute',
  ]),
  row('4000 0000 0000 7726', 'refund_pends', [
    'charged; a refund is pending, then succeeds',
    'pendingRefund',
  ]),
  row('4000 0000 0000 5126', 'refund_fails', ['charged; a refund fails later', 'refundFail']),
];

/** Country and number, in pairs; `pm_card_de` stands for the German one. */
const byCountry = `
  ar 4000000320000021 br 4000000760000002 ca 4000001240000000 cl 4000001520000001
  co 4000001700000003 cr 4000001880000005 ec 4000002180000000 mx 4000004840008001
  pa 4000005910000000 py 4000006000000066 pe 4000006040000068 uy 4000008580000003
  ae 4000007840000001 at 4000000400000008 be 4000000560000004 bg 4000001000000000
  by 4000001120000005 hr 4000001910000009 cy 4000001960000008 cz 4000002030000002
  dk 4000002080000001 ee 4000002330000009 fi 4000002460000001 fr 4000002500000003
  de 4000002760000016 gi 4000002920000005 gr 4000003000000030 hu 4000003480000005
  ie 4000003720000005 it 4000003800000008 lv 4000004280000005 li 4000004380000004
  lt 4000004400000000 lu 4000004420000006 mt 4000004700000007 nl 4000005280000002
  no 4000005780000007 pl 4000006160000005 pt 4000006200000007 ro 4000006420000001
  sa 4000006820000007 si 4000007050000006 sk 4000007030000001 es 4000007240000007
  se 4000007520000008 ch 4000007560000009 gb 4000008260000000 au 4000000360000006
  cn 4000001560000002 hk 4000003440000004 in 4000003560000008 jp 4000003920000003
  my 4000004580000002 nz 4000005540000008 sg 4000007020000003 tw 4000001580000008`;

type PlainCard = { id: string; number: string; country: string; funding: string };

const plainCard = (
  id: string,
  number: string,
  [country, funding]: [string, string],
): PlainCard => ({
  id,
  number,
  country,
  funding,
});

const plainCards: readonly PlainCard[] = [
  plainCard('visa_debit', '4000056655665556', ['US', 'debit']),
  plainCard('mastercard_debit', '5200828282828210', ['US', 'debit']),
  plainCard('mastercard_prepaid', '5105105105105100', ['US', 'prepaid']),
  plainCard('diners', '3056930009020004', ['US', 'credit']),
  plainCard('unionpay', '6200000000000005', ['CN', 'credit']),
  plainCard('unionpay_debit', '6200000000000047', ['CN', 'debit']),
  plainCard('discover_debit', '6011981111111113', ['US', 'debit']),
  plainCard('us', '4242424242424242', ['US', 'credit']),
  plainCard('domesticPricing', '4000000000000093', ['US', 'credit']),
  plainCard('amex_threeDSecureNotSupported', '378282246310005', ['US', 'credit']),
  plainCard('gb_debit', '4000058260000005', ['GB', 'debit']),
  plainCard('gb_mastercard', '5555558265554449', ['GB', 'credit']),
  plainCard('th_credit', '4000007640000003', ['TH', 'credit']),
  plainCard('th_debit', '4000057640000008', ['TH', 'debit']),
  ...[...byCountry.matchAll(/([a-z]{2}) (\d+)/g)].map(([, id = '', number = '']) =>
    plainCard(id, number, [id.toUpperCase(), 'credit']),
  ),
];

const byNumber = new Map(testCards.map((card) => [card.number, card]));
const plainByNumber = new Map(plainCards.map((card) => [card.number, card]));
const numbersById = new Map<string, string>([
  ...plainCards.map(({ id, number }): [string, string] => [id, number]),
  ...testCards.flatMap((card) => card.ids.map((id): [string, string] => [id, card.number])),
]);

/** The digits after `4000 00` or `4000 05` of a test number are its country's number in ISO 3166-1. */
const countries = new Map(
  plainCards
    .filter(({ number }) => /^40000[05]/.test(number))
    .map(({ number, country }) => [number.slice(6, 9), country]),
);

/** Every id that stands for a card, without `pm_card_`. */
export const testIds: readonly string[] = [...numbersById.keys()];

/** Returns the number behind `pm_card_visa` or `tok_visa`; undefined when there is none. */
export const findTestNumber = (id: string): string | undefined =>
  numbersById.get(id.replace(/^(pm_card_|tok_)/, ''));

/** Returns the behaviour of a number. A valid number that is no test card is approved. */
export const behaviourOf = (number: string): BehaviourName =>
  byNumber.get(number)?.behaviour ?? 'approved';

export const fundingOf = (number: string): string => plainByNumber.get(number)?.funding ?? 'credit';

/** Returns the country of the card's bank; US for a number that names none. */
export const countryOf = (number: string): string =>
  plainByNumber.get(number)?.country ??
  (/^40000[05]/.test(number) ? countries.get(number.slice(6, 9)) : undefined) ??
  'US';
