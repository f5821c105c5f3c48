// Faults in the protocol that the simulation must find with its seeds, whatever the unit tests
// find: the list of reliability 3.6. Each names the provider mode that shows it.

import type { PlantedFault } from '../planting/planted-fault.ts';

const guarded = 'simulation guarded';
const unguarded = 'simulation unguarded';

const settle = 'service/src/engine/steps/payments/settle-operation.ts';
const operation = 'service/src/domain/payments/operation.ts';
const card = 'service/src/providers/card/holds.ts';
const claim = 'service/src/storage/payments/claim-operation.ts';
const statements = 'service/src/storage/payments/hold-fast-path-sql.ts';

const isCurrent = 'if (operation.epoch !== epoch || isFinished(operation)) return undefined;';
const epochOfOne = 'and o.payment_id = held.payment_id and o.epoch = held.epoch';
const keyTextFrom = (field: string) => `\`op-\${operation.id}-\${operation.${field}}\``;
/** Disables the fast path, so that every statement is decided separately. */
const neverAtOnce = {
  file: claim,
  from: 'await claimHoldFast(database, request);',
  to: 'request.leaseMs < 0 ? await claimHoldFast(database, request) : undefined;',
};

export const simulationFaults: readonly PlantedFault[] = [
  {
    name: 'simulation: a settlement does not look at the epoch',
    changes: [
      { file: settle, from: isCurrent, to: 'if (isFinished(operation)) return undefined;' },
      { file: statements, from: epochOfOne, to: epochOfOne.replace('o.epoch =', 'o.epoch >=') },
    ],
    suite: guarded,
    caughtBy: /^R2 /,
  },
  {
    name: 'simulation: a settlement looks at neither epoch nor state',
    changes: [
      { file: settle, from: isCurrent, to: '' },
      { file: statements, from: epochOfOne, to: epochOfOne.replace('o.epoch =', 'o.epoch >=') },
    ],
    suite: guarded,
    caughtBy: /^(R2|E\d|M\d+|X1) /,
  },
  {
    name: 'simulation: provider key from the epoch',
    changes: [
      {
        file: operation,
        from: keyTextFrom('attempt'),
        to: keyTextFrom('epoch'),
      },
    ],
    suite: unguarded,
    caughtBy: /^(M1 |M3 |M10 |stuck)/,
  },
  {
    name: 'simulation: no answer counts as a refusal',
    changes: [
      {
        file: card,
        from: "return readBack(wire, call, { wanted, trace, otherwise: 'no_answer' });",
        to: "return refusedOutcome('no_answer', trace);",
      },
    ],
    suite: guarded,
    caughtBy: /^(E3|M\d+) /,
  },
  {
    name: 'simulation: a reading that still shows the hold counts as a refusal',
    changes: [
      {
        file: card,
        from: '  return inDoubtOutcome(read.otherwise, read.trace);\n}',
        to: '  return refusedOutcome(read.otherwise, read.trace);\n}',
      },
    ],
    suite: unguarded,
    caughtBy: /^(E3|M\d+) /,
  },
  {
    name: 'simulation: an operation in doubt is given up as failed',
    changes: [
      {
        file: 'service/src/domain/payments/settlement.ts',
        from: "state: 'in_doubt',\n    answer: { final: false, code: 'gateway_outcome_unknown' },\n    session: null,",
        to: "state: 'failed',\n    answer: { final: false, code: 'gateway_outcome_unknown' },\n    session: null,",
      },
    ],
    suite: guarded,
    caughtBy: /^(M\d+|R1|X1|stuck) ?/,
  },
  {
    name: 'simulation: the payment is read without a lock',
    changes: [
      neverAtOnce,
      {
        file: 'service/src/storage/payments/payments.ts',
        from: 'from payments p where p.client_id = $1 and p.id = $2 for update`',
        to: 'from payments p where p.client_id = $1 and p.id = $2`',
      },
    ],
    suite: guarded,
    caughtBy: /./,
  },
  {
    name: 'simulation: "unexpected state" counts as a refusal',
    changes: [
      {
        file: card,
        from: "return readBack(wire, call, { wanted, isOthers, trace, otherwise: 'unexpected_state' });",
        to: "return refusedOutcome('unexpected_state', trace);",
      },
    ],
    suite: guarded,
    caughtBy: /^(E3|M\d+|R1|stuck) ?/,
  },
  {
    name: 'simulation: a new operation instead of resuming after 502',
    changes: [
      {
        file: operation,
        from: '  if (!sameKey) {',
        to: "  if (!sameKey || sameKey.state === 'in_doubt' || sameKey.state === 'failed') {",
      },
    ],
    suite: guarded,
    caughtBy: /^(R1|I1|X1|M\d+) |I5/,
  },
  {
    name: 'simulation: the clock is read before the lock is granted',
    changes: [
      neverAtOnce,
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
    suite: guarded,
    caughtBy: /^M5 /,
  },
];
