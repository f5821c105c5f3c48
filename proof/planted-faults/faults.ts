// One-line faults in the code that moves money, each with the test that must fail. A suite that
// passes with one of them proves nothing. Reliability 3.6.

import { chaosFaults } from '../chaos/planted.ts';
import { checkoutFaults } from '../checkout/planted.ts';
import { detachmentFaults } from '../detachment/planted.ts';
import { inboxFaults } from '../merchant/planted.ts';
import { modelFaults } from '../model/planted.ts';
import type { PlantedFault } from '../planting/planted-fault.ts';
import { revocationFaults } from '../revocation/planted.ts';
import { simulationFaults } from '../simulation/planted.ts';
import { deliveryFaults } from '../webhooks/planted.ts';
import { accountFaults } from './account-faults.ts';
import { buyerFaults } from './buyer-faults.ts';
import { noticeFaults } from './notice-faults.ts';
import { paceFaults } from './pace-faults.ts';
import { renewalFaults } from './renewal-faults.ts';
import { setupFaults } from './setup-faults.ts';

const holds = 'proof/chaos/hold-engine.test.ts';
const captures = 'service/src/operations/payments/capture-payment.test.ts';
const leaks = 'proof/leaks/leaks.test.ts';
const attempts = 'service/src/operations/checkout-sessions/process-checkout-session.test.ts';

const operation = 'service/src/domain/payments/operation.ts';
const claim = 'service/src/storage/payments/claim-operation.ts';
const atOnce = 'service/src/storage/payments/hold-fast-path-sql.ts';
const batches = 'service/src/storage/payments/hold-fast-path.test.ts';
const settle = 'service/src/engine/steps/payments/settle-operation.ts';
const apply = 'service/src/engine/steps/payments/apply-to-payment.ts';
const card = 'service/src/providers/card/holds.ts';

const isCurrent = 'if (operation.epoch !== epoch || isFinished(operation)) return undefined;';
const keyFrom = (field: string) => `\`op-\${operation.id}-\${operation.${field}}\``;
const keyFromEpoch = {
  file: operation,
  from: keyFrom('attempt'),
  to: keyFrom('epoch'),
};

const uncheckedClaim = {
  file: 'service/src/domain/payments/payment.ts',
  from: "return expiry && expiry > now ? null : 'authorization_expired';",
  to: 'return expiry && now ? null : null;',
};
const uncheckedRequest = {
  file: 'service/src/engine/steps/payments/send-hold-operation.ts',
  from: 'if (expiry && now < expiry) return provider.capture',
  to: 'if (expiry && now) return provider.capture',
};

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'provider key from the epoch instead of the attempt',
    changes: [keyFromEpoch],
    suite: holds,
    caughtBy: /the same key again, one capture/,
  },
  {
    name: 'provider key from the epoch, found by killing',
    changes: [keyFromEpoch],
    suite: 'chaos',
    caughtBy: /^M[13] /,
    inGate: { suite: holds, caughtBy: /the same key again, one capture/ },
  },
  {
    name: 'the payment is read without a lock',
    changes: [
      {
        file: 'service/src/storage/payments/payments.ts',
        from: 'from payments p where p.client_id = $1 and p.id = $2 for update`',
        to: 'from payments p where p.client_id = $1 and p.id = $2`',
      },
    ],
    suite: holds,
    caughtBy: /never both/,
  },
  {
    name: 'a settlement does not look at the epoch',
    changes: [
      { file: settle, from: isCurrent, to: 'if (isFinished(operation)) return undefined;' },
    ],
    suite: holds,
    caughtBy: /writes nothing/,
  },
  {
    name: 'a settlement looks at neither epoch nor state',
    changes: [{ file: settle, from: isCurrent, to: '' }],
    suite: holds,
    caughtBy: /writes nothing/,
  },
  {
    name: 'no answer counts as a refusal',
    changes: [
      {
        file: card,
        from: "return readBack(wire, call, { wanted, trace, otherwise: 'no_answer' });",
        to: "return refusedOutcome('no_answer', trace);",
      },
    ],
    suite: holds,
    caughtBy: /the same key again|never called failed/,
  },
  {
    name: 'a reading that still shows the hold counts as a refusal',
    changes: [
      {
        file: card,
        from: '  return inDoubtOutcome(read.otherwise, read.trace);\n}',
        to: '  return refusedOutcome(read.otherwise, read.trace);\n}',
      },
    ],
    suite: holds,
    caughtBy: /never called failed/,
  },
  {
    name: 'an operation in doubt is given up as failed',
    changes: [
      {
        file: 'service/src/domain/payments/settlement.ts',
        from: "state: 'in_doubt',\n    answer: { final: false, code: 'gateway_outcome_unknown' },\n    session: null,",
        to: "state: 'failed',\n    answer: { final: false, code: 'gateway_outcome_unknown' },\n    session: null,",
      },
    ],
    suite: holds,
    caughtBy: /one capture|never called failed|in doubt/,
  },
  {
    name: '"unexpected state" counts as a refusal without a reading',
    changes: [
      {
        file: card,
        from: "return readBack(wire, call, { wanted, isOthers, trace, otherwise: 'unexpected_state' });",
        to: "return refusedOutcome('unexpected_state', trace);",
      },
    ],
    suite: captures,
    caughtBy: /by hand at the provider/,
  },
  {
    name: 'the end of a hold is not checked at the claim',
    changes: [uncheckedClaim],
    suite: holds,
    caughtBy: /no capture leaves us/,
  },
  {
    name: 'the end of a hold is not checked before the request',
    changes: [uncheckedRequest],
    suite: holds,
    caughtBy: /is not sent again/,
  },
  {
    name: 'the end of a hold is not checked at all',
    changes: [uncheckedClaim, uncheckedRequest],
    suite: holds,
    caughtBy: /no capture leaves us/,
  },
  {
    name: 'the clock is read before the lock',
    changes: [
      {
        file: claim,
        from: '    const payment = await lockPayment(',
        to: "    const early = await tx.query({ name: 'early', text: 'select svc_clock() as now' }, []);\n    const payment = await lockPayment(",
      },
      {
        file: claim,
        from: 'const { now, sameKey, open } =',
        to: 'const now = early[0]?.now as Date;\n    const { sameKey, open } =',
      },
    ],
    suite: holds,
    caughtBy: /no capture leaves us/,
  },
  {
    name: 'at once: the end of the hold is not looked at',
    changes: [
      {
        file: atOnce,
        from: 'where held.authorization_expires_at > moment.now order by',
        to: 'where true order by',
      },
    ],
    suite: batches,
    caughtBy: /alone: nothing is claimed, .* of a hold that has ended/,
    isQuick: true,
  },
  {
    name: 'at once: a settlement does not look at the epoch',
    changes: [{ file: atOnce, from: 'and o.epoch = held.epoch\n', to: '\n' }],
    suite: holds,
    caughtBy: /writes nothing/,
  },
  {
    name: 'at once: the claim does not lock the payment',
    changes: [
      {
        file: atOnce,
        from: 'order by p.id for update of p skip locked),\n   moment',
        to: 'order by p.id),\n   moment',
      },
    ],
    suite: batches,
    caughtBy: /alone: a locked payment is left out/,
  },
  {
    name: 'in a batch: the end of a hold is not looked at',
    changes: [
      {
        file: atOnce,
        from: 'where held.authorization_expires_at > moment.now order by',
        to: 'where true order by',
      },
    ],
    suite: batches,
    caughtBy: /in a batch: nothing is claimed, .* of a hold that has ended/,
  },
  {
    name: 'in a batch: locked payments are waited for',
    changes: [
      {
        file: atOnce,
        from: "and p.status = 'authorized'\n     order by p.id for update of p skip locked),\n   operation",
        to: "and p.status = 'authorized'\n     order by p.id for update of p),\n   operation",
      },
    ],
    suite: batches,
    caughtBy: /nobody waits for it/,
  },
  {
    name: 'in a batch: a settlement does not look at the epoch',
    changes: [{ file: atOnce, from: 'and o.epoch = held.epoch\n', to: '\n' }],
    suite: batches,
    caughtBy: /in a batch: nothing is written, .* that somebody took over/,
  },
  {
    name: 'in a batch: a settlement does not look at the payment’s version',
    changes: [{ file: atOnce, from: 'where p.version = a.version and', to: 'where' }],
    suite: batches,
    caughtBy: /in a batch: nothing is written, .* that changed since/,
  },
  {
    name: 'in a batch: one client moves another’s hold',
    changes: [
      {
        file: atOnce,
        from: 'on p.id = a.payment_id and p.client_id = a.client_id\n     where p.type',
        to: 'on p.id = a.payment_id\n     where p.type',
      },
    ],
    suite: batches,
    caughtBy: /in a batch: nothing is claimed, .* another client’s payment/,
  },
  {
    name: 'a new operation instead of resuming after 502',
    changes: [
      {
        file: operation,
        from: '  if (!sameKey) {',
        to: "  if (!sameKey || sameKey.state === 'in_doubt' || sameKey.state === 'failed') {",
      },
    ],
    suite: captures,
    caughtBy: /502 gateway_capture_failed/,
  },
  {
    name: 'the fingerprint ignores the body',
    changes: [
      {
        file: operation,
        from: '  operation.paymentId === request.paymentId &&\n  (operation',
        to: '  operation.paymentId === request.paymentId ||\n  (operation',
      },
    ],
    suite: captures,
    caughtBy: /idempotency_key_reused/,
  },
  {
    name: 'a change without its event',
    changes: [{ file: apply, from: 'if (!settlement.event) return next;', to: 'return next;' }],
    suite: captures,
    caughtBy: /captures the whole hold once/,
  },
  {
    name: 'somebody else’s lease is not respected',
    changes: [
      {
        file: operation,
        from: "return { step: isLeasedByOther(sameKey, leaseOwner, now) ? 'wait' : 'take_over' };",
        to: "return { step: isLeasedByOther(sameKey, leaseOwner, now) && false ? 'wait' : 'take_over' };",
      },
    ],
    suite: holds,
    caughtBy: /is waited for/,
  },
  {
    name: 'a retry after a refusal keeps the refused key',
    changes: [
      {
        file: claim,
        from: "decision.step === 'retry' ? 1 : 0",
        to: "decision.step === 'retry' ? 0 : 0",
      },
    ],
    suite: captures,
    caughtBy: /502 gateway_capture_failed|recorded server error/,
  },
  {
    name: 'the answer is not stored',
    changes: [
      {
        file: settle,
        from: 'answer: body === null ? null : { status, body: kept },',
        to: 'answer: null,',
      },
    ],
    suite: captures,
    caughtBy: /in doubt by .* settled by recovery/,
  },
  {
    name: 'at once: the answer is not stored',
    changes: [
      {
        file: atOnce,
        from: 'response_body = held.body,',
        to: "response_body = '',",
      },
    ],
    suite: captures,
    caughtBy: /replays byte for byte/,
  },
  {
    name: 'a lost confirmation of a purchase counts as declined',
    changes: [
      {
        file: 'service/src/domain/payments/attempt-settlement.ts',
        from: "  session: attemptSession('processing', 'UNKNOWN'),",
        to: "  ...settleDeclined(payment, { code: 'canceled', declineCode: null, message: null }),",
      },
    ],
    suite: attempts,
    caughtBy: /lost confirmation|202 processing/,
  },
  {
    name: 'the nonce of a session is kept in clear',
    changes: [
      {
        file: 'service/src/operations/checkout-sessions/create-checkout-session.ts',
        from: '{ ...rest, products },',
        to: '{ ...rest, products, successUrl: "http://127.0.0.1/?" + nonce },',
      },
    ],
    suite: leaks,
    caughtBy: /no table of either schema/,
  },
  {
    name: 'bodies are logged',
    changes: [
      {
        file: 'service/src/http/wire/log-access.ts',
        from: "log.info('request', {",
        to: "log.info('request '.concat(JSON.stringify(request.body)), {",
      },
    ],
    suite: leaks,
    caughtBy: /neither do the logs/,
  },
  {
    name: 'a card number in a body is accepted',
    changes: [
      {
        file: 'service/src/http/wire/body.ts',
        from: 'hasCardNumber ||= scalar.length >= 13 && containsCardNumber(scalar);',
        to: 'hasCardNumber ||= scalar.length < 0 && containsCardNumber(scalar);',
      },
    ],
    suite: leaks,
    caughtBy: /no table of either schema/,
  },
  ...modelFaults,
  ...chaosFaults,
  ...simulationFaults,
  ...detachmentFaults,
  ...revocationFaults,
  ...checkoutFaults,
  ...inboxFaults,
  ...deliveryFaults,
  ...setupFaults,
  ...renewalFaults,
  ...buyerFaults,
  ...accountFaults,
  ...noticeFaults,
  ...paceFaults,
];
