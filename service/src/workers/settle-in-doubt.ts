// Resumes operations whose lease holder died or whose outcome is open, at the latest one poll after their
// lease has expired. Any number of processes may run it.

import type { Ports } from '../engine/ports.ts';
import { settleInDoubt } from '../engine/runs/payments/settle-in-doubt.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Starts the worker; `stop` waits for the pass in progress. */
export function startSettleInDoubt(ports: Ports, options: PassOptions): Worker {
  return startPasses(options, () =>
    settleInDoubt(ports, {
      limit: 10,
      onError: (operation, error) =>
        options.log.error({ operationId: operation.id, err: error }, 'operation not resumed'),
    }),
  );
}
