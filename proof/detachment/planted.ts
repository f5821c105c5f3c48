// Faults in the detachment of saved cards that its seeds must find. Reliability §2.9, §3.6.

import type { PlantedFault } from '../planting/planted-fault.ts';

const detachments = 'detachments';
const races = 'detachment races';

const hold = 'service/src/engine/steps/payment-methods/lease-detachment.ts';
const steps = 'service/src/engine/steps/payment-methods/detachment-steps.ts';
const run = 'service/src/engine/runs/payment-methods/run-detachment.ts';

const noLiveUse = {
  file: hold,
  from: 'if (await hasLiveUse(tx, method)) return',
  to: 'if ((await hasLiveUse(tx, method)) && !method.id) return',
};

export const detachmentFaults: readonly PlantedFault[] = [
  {
    name: 'detachment: a live use is not looked for',
    changes: [noLiveUse],
    suite: detachments,
    caughtBy: /P5: /,
  },
  {
    name: 'detachment: a live use is not looked for, found by racing',
    changes: [noLiveUse],
    suite: races,
    caughtBy: /P5: detached under a|threw/,
  },
  {
    name: 'detachment: detached before anything has moved',
    changes: [
      {
        file: steps,
        from: "const next = { ...known, step: 'replacement_chosen' } as const;",
        to: "const next = { ...known, step: 'verified' } as const;",
      },
    ],
    suite: detachments,
    caughtBy: /P2: detached (under|while)/,
    isQuick: true,
  },
  {
    name: 'detachment: the funding is not verified',
    changes: [
      {
        file: steps,
        from: "if (isDefault(methodId, customer)) return 'funding_not_moved';",
        to: '',
      },
    ],
    suite: detachments,
    caughtBy: /P2: detached while/,
  },
  {
    name: 'detachment: a tombstone without reading back',
    changes: [
      {
        file: steps,
        from: "if (own.kind === 'found' && own.method.customerId !== null) {",
        to: "if (own.kind === 'missing' && customer.kind === 'missing') {",
      },
    ],
    suite: detachments,
    caughtBy: /P2: 204, and it is attached|P2: removed/,
  },
  {
    name: 'detachment: a lost detach counts as refused',
    changes: [
      {
        file: steps,
        from: "if (outcome.kind === 'in_doubt') return 'detach_in_doubt';",
        to: "if (outcome.kind === 'in_doubt') return 'detach_refused';",
      },
    ],
    suite: detachments,
    caughtBy: /P3: .*provider has let it go|P2: .* has let go/,
  },
  {
    name: 'detachment: a detach that was surely not done counts as under way',
    changes: [
      {
        file: steps,
        from: "if (outcome.kind === 'not_done') return 'detach_not_done';",
        to: "if (outcome.kind === 'not_done') return 'detach_in_doubt';",
      },
    ],
    suite: detachments,
    caughtBy: /P3: half removed/,
  },
  {
    name: 'detachment: a default that was chosen meanwhile is taken back',
    changes: [
      {
        file: run,
        from: 'const back = { from: replacementId, to: id, now, version: customerVersion };',
        to: 'const back = { from: replacementId, to: id, now, version: customerVersion && null };',
      },
    ],
    suite: 'service/src/engine/runs/payment-methods/detachment-failures.test.ts',
    caughtBy: /chose meanwhile/,
  },
  {
    name: 'detachment: a failure leaves what has moved',
    changes: [
      {
        file: run,
        from: 'await moveMethodSubscriptions(tx, move, movedSubscriptions);',
        to: 'await moveMethodSubscriptions(tx, move, []);',
      },
    ],
    suite: detachments,
    caughtBy: /P3: .*has moved/,
  },
  {
    name: 'detachment: the vault is forgotten about',
    changes: [
      {
        file: steps,
        from: "if (outcome.kind === 'in_doubt') return 'vault_in_doubt';",
        to: '',
      },
    ],
    suite: detachments,
    caughtBy: /the vault knows it/,
  },
  {
    name: 'detachment: another one being removed may take over',
    changes: [
      {
        file: steps,
        from: "return method?.status === 'active' && !(await isBeingRemoved(tx, method));",
        to: "return method?.status === 'active' && (await isBeingRemoved(tx, method)) !== null;",
      },
    ],
    suite: races,
    caughtBy: /threw|P2/,
  },
  {
    name: 'detachment: a payment does not ask whether its card is going',
    changes: [
      {
        file: 'service/src/storage/payments/attempt-methods.ts',
        from: 'if (!method || !isUsableBy(method, payment) || (await isBeingRemoved(tx, method))) {',
        to: 'if (!method || !isUsableBy(method, payment)) {',
      },
      {
        file: 'service/src/storage/payments/attempt-methods.ts',
        from: 'isUsableBy(method, session) && !(await isBeingRemoved(tx, method));',
        to: 'isUsableBy(method, session) && method.id.length > 0;',
      },
    ],
    suite: races,
    caughtBy: /threw|P5/,
  },
  {
    name: 'detachment: the card is read without a lock',
    changes: [
      {
        file: 'service/src/storage/payment-methods/payment-methods.ts',
        from: 'where m.client_id = $1 and m.id = $2 for update`',
        to: 'where m.client_id = $1 and m.id = $2`',
      },
    ],
    suite: 'service/src/engine/runs/payment-methods/detachment-storms.test.ts',
    caughtBy: /P5/,
  },
];
