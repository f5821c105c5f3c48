// What must happen among a number of runs of the models, or they prove too little.

const pureCommands =
  'pay capture cancel refund answer clock recover byHand notice refundNotice expire warn late dispute staleDispute takeBack';
const pureCalls = [
  ...['200', 'payment_not_found', 'payment_not_authorized', 'authorization_expired'],
  ...['payment_operation_in_progress', 'idempotency_key_reused', 'gateway_outcome_unknown'],
  ...['replayed', 'starts', 'resumes', 'waits'],
];
const pureCoincidences = [
  ...pureCalls.map((end) => `capture ${end}`),
  ...pureCalls.map((end) => `cancel ${end}`),
  'capture gateway_capture_failed',
  'cancel gateway_cancel_failed',
  ...['201', 'payment_not_found', 'payment_disputed', 'refund_amount_exceeds_available'].map(
    (end) => `refund ${end}`,
  ),
  ...['idempotency_key_reused', 'gateway_outcome_unknown', 'replayed', 'resumes', 'waits'].map(
    (end) => `refund ${end}`,
  ),
  ...['captured', 'released', 'held', 'refused', 'silence'].map((word) => `capture heard ${word}`),
  ...['captured', 'released', 'refused', 'silence'].map((word) => `cancel heard ${word}`),
  ...['captured', 'held', 'released', 'refused', 'silence', 'action', 'processing'].map(
    (word) => `authorize heard ${word}`,
  ),
  ...['given', 'refused', 'silence', 'under_way'].map((word) => `refund heard ${word}`),
  'expire authorization_expired',
  'expire payment_not_authorized',
  'a holder died',
  'a holder died after the effect',
  'a holder without its lease',
  'a late effect',
  'a hold ends soon',
  'a notice: captured',
  'a notice: released',
  'an amount',
  'a notice: taken_back',
  'a capture taken back',
  'a refund notice: returned',
  'a dispute reading: behind',
  ...['capture', 'cancel', 'expire'].map((act) => `by hand: ${act}`),
  ...['open', 'inquire', 'withdraw', 'evidence', 'win', 'lose', 'reinstate'].map(
    (act) => `dispute: ${act}`,
  ),
  "others' cancel came before ours",
  'the buyer: finish',
  'the buyer: give_up',
];

export const wantedOfPureModel: readonly string[] = [
  ...pureCommands.split(' '),
  ...pureCoincidences,
];

const apiCommands =
  'pay payAgain capture cancel refund clock byHand action notice recover expire late takeBack dispute close twins race bad';
const ofBoth = [
  ...['200', 'replayed', 'payment_not_found', 'payment_not_authorized', 'authorization_expired'],
  ...['payment_operation_in_progress', 'idempotency_key_reused', 'gateway_outcome_unknown'],
];
const apiAnswers = [
  ...ofBoth.flatMap((end) => [`capture ${end}`, `cancel ${end}`]),
  'capture gateway_capture_failed',
  'cancel gateway_cancel_failed',
  ...['201', 'replayed', 'payment_not_found', 'payment_disputed'].map((end) => `refund ${end}`),
  ...['refund_amount_exceeds_available', 'idempotency_key_reused', 'gateway_outcome_unknown'].map(
    (end) => `refund ${end}`,
  ),
  ...['idempotency_key_required', 'idempotency_key_invalid', 'invalid_payment_id'].map(
    (code) => `bad: ${code}`,
  ),
  ...['invalid_body', 'partial_capture_not_supported', 'payment_not_found'].map(
    (code) => `bad: ${code}`,
  ),
  ...['authentication_required', 'amount_precision', 'invalid_request'].map(
    (code) => `bad: ${code}`,
  ),
];
const apiCoincidences = [
  ...['held', 'captured', 'refused', 'silence', 'action', 'replayed'].map((word) => `pay ${word}`),
  ...['captured', 'held', 'released', 'given', 'action'].map((word) => `recovery heard ${word}`),
  ...['capture', 'cancel', 'expire'].map((act) => `by hand: ${act}`),
  'a notice: captured',
  'a notice: released',
  'a refund failed late',
  'a capture taken back',
  'a hold ends soon',
  'a hold ends at the provider',
  'the buyer: approve',
  'twins 200',
  'race won by capture',
  'race won by cancel',
  'an answer heard again',
  'dispute: needs_response',
  'dispute: warning_needs_response',
  'dispute: lost',
];

export const wantedOfApiModel: readonly string[] = [
  ...apiCommands.split(' '),
  ...apiAnswers,
  ...apiCoincidences,
];
