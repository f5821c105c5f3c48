// Removes what is older than the settings keep it, in small batches with pauses. docs/operating/retention.md.

import type { Ports } from '../engine/ports.ts';
import { removeBatches } from '../engine/runs/retention/remove-old.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

/** Starts the worker; `stop` waits for the batch in progress. */
export function startRemoveOld(
  ports: Pick<Ports, 'database' | 'settings'>,
  options: { log: WorkerLog; pollMs?: number; onNudge?: (listener: () => void) => void },
): Worker {
  return startPasses({ pollMs: 60_000, ...options }, async () => {
    const { restMs } = await removeBatches(ports);
    return restMs === null ? 0 : { restMs };
  });
}
