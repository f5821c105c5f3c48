// Continues removals of saved methods that were interrupted. Any number of processes may run it.

import type { Ports } from '../engine/ports.ts';
import { finishRemovals } from '../engine/runs/payment-methods/finish-removals.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

/** Starts the worker; `stop` waits for the pass in progress. */
export function startFinishRemovals(
  ports: Ports,
  options: { log: WorkerLog; pollMs?: number },
): Worker {
  return startPasses({ pollMs: 2000, ...options }, () =>
    finishRemovals(ports, {
      limit: 10,
      onError: (removal, error) =>
        options.log.error({ clientId: removal.clientId, err: error }, 'removal not finished'),
    }),
  );
}
