// Continues detachments of saved methods that were interrupted. Any number of processes may run it.

import type { Ports } from '../engine/ports.ts';
import { finishDetachments } from '../engine/runs/payment-methods/finish-detachments.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

/** Starts the worker; `stop` waits for the pass in progress. */
export function startFinishDetachments(
  ports: Ports,
  options: { log: WorkerLog; pollMs?: number },
): Worker {
  return startPasses({ pollMs: 2000, ...options }, () =>
    finishDetachments(ports, {
      limit: 10,
      onError: (detachment, error) =>
        options.log.error({ clientId: detachment.clientId, err: error }, 'detachment not finished'),
    }),
  );
}
