// Deletes OAuth records that nobody can use any more, in batches. Any number of processes may run it.

import type { Ports } from '../engine/ports.ts';
import { sweepOauth } from '../engine/steps/oauth/sweep-oauth.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

const batch = 500;

/** Starts the worker; `stop` waits for the pass in progress. */
export function startSweepOauth(
  ports: Pick<Ports, 'database'>,
  options: { log: WorkerLog; pollMs?: number },
): Worker {
  return startPasses({ pollMs: 60_000, ...options }, async () => {
    const swept = await sweepOauth(batch, ports);
    // After a full batch there may be more.
    return swept >= batch ? swept : 0;
  });
}
