// Resumes set-ups of cards whose holder died or whose outcome is open. Any number of processes may
// run it.

import { settleSetups } from '../operations/card-setups/settle-setups.ts';
import type { Ports } from '../operations/ports.ts';
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
