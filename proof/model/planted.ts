// One-line faults that the model must find: in the transition core, and between the core and the
// API. They are listed with the other planted faults; reliability 3.6.

import { oneChange } from '../planting/planted-fault.ts';

const core = 'proof/model/pure-model.test.ts';
const wire = 'proof/model/api-model.test.ts';
const operation = 'service/src/domain/payments/operation.ts';
const settlement = 'service/src/domain/payments/settlement.ts';
const refund = 'service/src/domain/payments/refund.ts';
const payment = 'service/src/domain/payments/payment.ts';
const atOnce = 'service/src/storage/payments/hold-fast-path-sql.ts';

const uncheckedExpiry = oneChange(
  payment,
  "return expiry && expiry > now ? null : 'authorization_expired';",
  'return expiry && now ? null : null;',
);
const forgottenBody = oneChange(
  operation,
  '  operation.paymentId === request.paymentId &&\n  (operation',
  '  operation.paymentId === request.paymentId ||\n  (operation',
);
const lostSum = oneChange(
  refund,
  'purchase.refundedMinor - before.done + after.done',
  'purchase.refundedMinor + after.done',
);
const givenUp = oneChange(
  settlement,
  "state: 'in_doubt',\n    answer: { final: false, code: 'gateway_outcome_unknown' },\n    session: null,",
  "state: 'failed',\n    answer: { final: false, code: 'gateway_outcome_unknown' },\n    session: null,",
);

const coreFaults = [
  { name: 'an expired hold is captured', changes: uncheckedExpiry },
  { name: 'the body of a request is no part of it', changes: forgottenBody },
  { name: 'a refund that fails late stays in the sum', changes: lostSum },
  { name: 'nobody knows is taken for failed', changes: givenUp },
  {
    name: 'a final answer is not replayed',
    changes: oneChange(
      operation,
      "if (sameKey.responseStatus !== null) return { step: 'replay' };",
      '',
    ),
  },
  {
    name: 'a refused cancel tells of a failed capture',
    changes: oneChange(
      settlement,
      "event: isCapture ? 'payment.capture_failed' : null,",
      "event: 'payment.capture_failed',",
    ),
  },
  {
    name: 'a hold that ran out was ended by the provider',
    changes: oneChange(
      settlement,
      "const reason = isOurs ? 'merchant_requested' : isOver ? 'expired' : 'provider_canceled';",
      "const reason = isOurs ? 'merchant_requested' : isOver ? 'provider_canceled' : 'expired';",
    ),
  },
  {
    name: 'a refund goes back from succeeded',
    changes: oneChange(
      refund,
      "if (status === 'succeeded') return to === 'refund_failed' ? to : null;",
      '',
    ),
  },
  {
    name: 'refunds under way are not counted as given',
    changes: oneChange(
      refund,
      'purchase.capturedMinor - purchase.refundedMinor - purchase.refundPendingMinor',
      'purchase.capturedMinor - purchase.refundedMinor',
    ),
  },
  {
    name: 'a second operation starts beside an open one',
    changes: oneChange(
      operation,
      "    if (open) return { step: 'refuse', code: refuseBesideOpen(payment) };\n    const code = refuseHoldOperation(payment, now);\n    return code ? { step: 'refuse', code } : { step: 'start' };",
      "    const code = refuseHoldOperation(payment, now);\n    return code ? { step: 'refuse', code } : { step: 'start' };",
    ),
  },
];

const amountFaults = [
  {
    name: 'a currency of three decimals has two',
    changes: oneChange(
      'contract/src/values/currencies.ts',
      "'BHD IQD JOD KWD LYD OMR TND'",
      "'BHD IQD JOD LYD OMR TND'",
    ),
  },
  {
    name: 'more decimals than the currency has are cut off',
    changes: oneChange(
      'service/src/domain/money/money.ts',
      "if (fraction.length > exponent) throw new Refusal('amount_precision');",
      '',
    ),
  },
  {
    name: 'what the provider cannot carry is not refused',
    changes: oneChange(
      'service/src/domain/money/money.ts',
      'if (minor % step === 0) return;',
      'return;',
    ),
  },
];

const wireFaults = [
  {
    name: 'over HTTP: an expired hold is captured',
    changes: [
      ...uncheckedExpiry,
      ...oneChange(
        'service/src/engine/steps/payments/send-hold-operation.ts',
        'if (expiry && now < expiry) return provider.capture',
        'if (expiry && now) return provider.capture',
      ),
      ...oneChange(
        atOnce,
        'from held, moment where held.authorization_expires_at > moment.now order by held.id',
        'from held, moment where true order by held.id',
      ),
    ],
  },
  { name: 'over HTTP: the body of a request is no part of it', changes: forgottenBody },
  { name: 'over HTTP: a refund that fails late stays in the sum', changes: lostSum },
  { name: 'over HTTP: nobody knows is taken for failed', changes: givenUp },
  {
    name: 'over HTTP: a replay has a new body',
    changes: oneChange(
      'service/src/engine/runs/payments/run-hold-operation.ts',
      'const body = await recallAnswer(operation, ports);',
      'const body = (await recallAnswer(operation, ports)).replace(\'"version":\', \'"version":1\');',
    ),
  },
  {
    name: 'over HTTP: a new operation instead of the same one after 502',
    changes: oneChange(
      operation,
      '  if (!sameKey) {',
      "  if (!sameKey || sameKey.state === 'in_doubt' || sameKey.state === 'failed') {",
    ),
  },
  {
    name: 'over HTTP: refunds do not wait for a dispute',
    changes: oneChange(
      'service/src/domain/payments/dispute.ts',
      "  'needs_response',\n  'under_review',\n  'appeal_needs_response',",
      "  'appeal_needs_response',",
    ),
  },
];

const plant = (suite: string, caughtBy: RegExp) => (fault: (typeof coreFaults)[number]) => ({
  ...fault,
  suite,
  caughtBy,
});

export const modelFaults = [
  ...[...coreFaults, ...amountFaults].map(plant(core, /agrees with the reference model/)),
  ...wireFaults.map(plant(wire, /answers as the reference model does/)),
];
