import type { Ports } from '../engine/ports.ts';
import { makeExports } from '../engine/runs/exports/make-exports.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Makes the files that people asked to keep, and deletes them when their time is over. */
export const startMakeExports = (ports: Ports, options: PassOptions): Worker =>
  startPasses({ pollMs: 5_000, ...options }, () =>
    makeExports(ports, {
      onError: (clientId, error) =>
        options.log.error({ clientId, err: error }, 'a kept file was not made'),
    }),
  );
