// Deletes finished deliveries with their attempts after 90 days, in batches. Contract §7. Any
// number of processes may run it, and one that is killed leaves nothing half deleted.

import type { Ports } from '../engine/ports.ts';
import { sweepDeliveries } from '../engine/runs/webhook-deliveries/sweep-deliveries.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

const batch = 500;

/** Starts the worker; `stop` waits for the pass in progress. */
export function startSweepDeliveries(
  ports: Pick<Ports, 'database'>,
  options: { log: WorkerLog; pollMs?: number },
): Worker {
  return startPasses({ pollMs: 60_000, ...options }, async () => {
    const swept = await sweepDeliveries(batch, ports);
    // After a full batch there may be more.
    return swept >= batch ? swept : 0;
  });
}
