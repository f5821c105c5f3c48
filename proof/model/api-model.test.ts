// Layer Y2: the service over HTTP against the reference model. Reliability 3.1, 3.4.

import { beforeAll, describe, expect, it } from 'vitest';
import { runApiModel } from './run-api.ts';
import type { ModelRun } from './run-pure.ts';

/** As many as fit into a test run on two cores; the soak has the rest. */
const runs = 300;
/** The same each day, so that what is red here is red again; the soak goes other ways. */
const seed = 4_000_000;

let run: ModelRun;
beforeAll(async () => {
  run = await runApiModel({ runs, seed });
}, 400_000);

const commands =
  'pay payAgain capture cancel refund clock byHand action notice recover expire late takeBack dispute close twins race bad';
const both = [
  ...['200', 'replayed', 'payment_not_found', 'payment_not_authorized', 'authorization_expired'],
  ...['payment_operation_in_progress', 'idempotency_key_reused', 'gateway_outcome_unknown'],
];
const answers = [
  ...both.flatMap((end) => [`capture ${end}`, `cancel ${end}`]),
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
const coincidences = [
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

describe('the service over HTTP', () => {
  it('answers as the reference model does, and history, lists and ledger agree at the end', () => {
    expect(run.violations).toEqual([]);
    expect(run.runs).toBe(runs);
  });

  it.each([...commands.split(' '), ...answers, ...coincidences])('has met: %s', (name) => {
    expect(run.sometimes[name] ?? 0).toBeGreaterThan(0);
  });
});
