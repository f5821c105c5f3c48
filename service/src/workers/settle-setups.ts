// Resumes set-ups of cards whose lease holder died or whose outcome is open. Any number of processes may
// run it.

import type { Ports } from '../engine/ports.ts';
import { settleSetups } from '../engine/runs/card-setups/settle-setups.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Starts the worker; `stop` waits for the pass in progress. */
export function startSettleSetups(ports: Ports, options: PassOptions): Worker {
  return startPasses(options, () =>
    settleSetups(ports, {
      limit: 10,
      onError: ({ clientId }, error) =>
        options.log.error({ clientId, err: error }, 'set-up of a card not resumed'),
    }),
  );
}
