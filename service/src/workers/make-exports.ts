import type { Ports } from '../engine/ports.ts';
import { beginMonthlyExports } from '../engine/runs/exports/begin-monthly-exports.ts';
import { makeExports } from '../engine/runs/exports/make-exports.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Makes the files that people asked to keep, also those of each month, and deletes them when their time is over. */
export function startMakeExports(ports: Ports, options: PassOptions): Worker {
  const onError = (clientId: string, error: unknown) =>
    options.log.error({ clientId, err: error }, 'a kept file was not made');
  return startPasses({ pollMs: 5_000, ...options }, async () => {
    const begun = await beginMonthlyExports(ports, { onError });
    return begun + (await makeExports(ports, { onError }));
  });
}
