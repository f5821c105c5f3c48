// Faults in saving a card: the card is reported as failed although it is verified, or is usable too
// early.

import type { PlantedFault } from '../planting/planted-fault.ts';

const steps = 'service/src/engine/steps/card-setups';
const runs = 'service/src/engine/runs/card-setups';
const ask = `${steps}/ask-for-setup.ts`;
const rules = 'service/src/domain/payments/card-setup.ts';
const recovery = `${runs}/settle-setups.test.ts`;
const ends = `${runs}/ends-of-setups.test.ts`;

export const setupFaults: readonly PlantedFault[] = [
  {
    name: 'a set-up is told as ended without being closed at the provider',
    changes: [
      {
        file: ask,
        from: 'if (setup.providerSetupId === null) return refusedOutcome(code, declined);',
        to: 'if (setup.providerSetupId !== "") return refusedOutcome(code, declined);',
      },
    ],
    suite: ends,
    caughtBy: /an open challenge is closed at the provider first/,
  },
  {
    name: 'a set-up that could not be closed is told as ended',
    changes: [
      {
        file: ask,
        from: "if (closed.kind !== 'confirmed') return inDoubtOutcome('not_closed', closed.trace);",
        to: "if (closed.kind !== 'confirmed') return refusedOutcome(code, declined);",
      },
    ],
    suite: ends,
    caughtBy: /the provider cannot be reached: the session stays/,
  },
  {
    name: 'a set-up in doubt is told as declined',
    changes: [
      {
        file: rules,
        from: "if (word.kind === 'in_doubt') return { state: 'in_doubt', isProcessing: false };",
        to: "if (word.kind === 'in_doubt') return { state: 'failed', code: 'declined', declineCode: null };",
      },
    ],
    suite: recovery,
    caughtBy: /202 processing without an id/,
  },
  {
    name: 'a card is saved while its bank still asks',
    changes: [
      {
        file: rules,
        from: "if (state === 'succeeded') {",
        to: "if (state === 'succeeded' || state === 'requires_action') {",
      },
      {
        file: rules,
        from: 'return customerId && methodId && card\n',
        to: 'return customerId && card\n',
      },
      {
        file: rules,
        from: "? { state: 'succeeded', customerId, methodId, card }",
        to: "? { state: 'succeeded', customerId, methodId: methodId ?? 'pm_early', card }",
      },
    ],
    suite: recovery,
    caughtBy: /P1: at no call of the provider is the method usable/,
  },
  {
    name: 'a holder of a set-up that was taken over settles it',
    changes: [
      {
        file: `${steps}/settle-setup.ts`,
        from: '|| setup.epoch !== held.epoch || isSetupOver(setup)',
        to: '|| isSetupOver(setup)',
      },
    ],
    suite: recovery,
    caughtBy: /a holder with an older epoch writes nothing/,
  },
  {
    name: 'a holder of a set-up that was taken over confirms it',
    changes: [
      {
        file: ask,
        from: 'if (!(await setProviderSetupId(ports.database, setup, created))) throw new SetupTakenOver();',
        to: 'await setProviderSetupId(ports.database, setup, created);',
      },
    ],
    suite: recovery,
    caughtBy: /a holder that was taken over confirms nothing/,
  },
  {
    name: 'a card that was verified for another customer is saved',
    changes: [
      {
        file: ask,
        from: 'if (!said || said.customerId === customerId) return outcome;',
        to: "if (!said || said.customerId !== '') return outcome;",
      },
    ],
    suite: recovery,
    caughtBy: /verified for another customer/,
  },
  {
    name: 'a session expires while its set-up is open',
    changes: [
      {
        file: 'service/src/engine/runs/checkout-sessions/expire-sessions.ts',
        from: 'const setup = await claimSetupEnd(tx, session, lease);',
        to: "const setup = { kind: 'free' as 'free' | 'busy' };",
      },
    ],
    suite: ends,
    caughtBy: /an open challenge is closed at the provider first/,
  },
];
