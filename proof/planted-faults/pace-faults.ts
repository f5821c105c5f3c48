// Faults in the pace towards the provider: more is sent than it takes, buyers wait behind captures,
// or a request to wait becomes a failure.

import type { PlantedFault } from '../planting/planted-fault.ts';

const turns = 'service/src/providers/pacing/turns.ts';
const card = 'service/src/providers/card/holds.ts';
const pacer = 'service/src/providers/pacing/pacer.test.ts';
const captures = 'service/src/engine/runs/payments/paced-captures.test.ts';

export const paceFaults: readonly PlantedFault[] = [
  {
    name: 'pace: calls leave without waiting for their turn',
    changes: [
      {
        file: 'service/src/providers/card/transport.ts',
        from: 'await waitForTurn(method, path);',
        to: 'await Promise.resolve();',
      },
    ],
    suite: captures,
    caughtBy: /keep the account’s pace/,
  },
  {
    name: 'pace: a capture that the provider asks to wait for is refused',
    changes: [
      {
        file: card,
        from: 'if (sent.isHeldBack) return heldBackOutcome(trace);',
        to: "if (sent.isHeldBack) return refusedOutcome('rate_limited', trace);",
      },
    ],
    suite: captures,
    caughtBy: /where the turn does not come in time/,
  },
  {
    name: 'pace: a capture that the provider asks to wait for is in doubt',
    changes: [
      {
        file: card,
        from: 'if (sent.isHeldBack) return heldBackOutcome(trace);',
        to: "if (sent.isHeldBack) return inDoubtOutcome('held_back', trace);",
      },
    ],
    suite: captures,
    caughtBy: /where the turn does not come in time/,
  },
  {
    name: 'pace: each process counts for itself',
    changes: [
      {
        file: 'service/src/storage/gateways/provider-pace.ts',
        from: 'const base = `greatest(p.next_at, ',
        to: "const base = `greatest('-infinity'::timestamptz, ",
      },
    ],
    suite: pacer,
    caughtBy: /of 4 process/,
  },
  {
    name: 'pace: the first to come goes first',
    changes: [
      {
        file: turns,
        from: 'const queue = this.#queues[urgency];',
        to: 'const queue = this.#queues[urgency === "" ? urgency : "money"];',
      },
    ],
    suite: pacer,
    caughtBy: /buyers go first/,
  },
  {
    name: 'pace: operations are counted by the ids in their paths',
    changes: [
      {
        file: 'service/src/providers/pacing/endpoint.ts',
        from: "at % 2 === 1 ? ':id' : segment",
        to: 'at < 0 ? "" : segment',
      },
    ],
    suite: pacer,
    caughtBy: /whatever the id in its path/,
  },
  {
    name: 'pace: the pause of the provider is not kept',
    changes: [{ file: turns, from: 'pauseMs: pauseMs + burstMs', to: 'pauseMs: 0' }],
    suite: pacer,
    caughtBy: /every process pauses/,
  },
];
