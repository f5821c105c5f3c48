// Resumes operations whose holder died or whose outcome is open, at latest a poll after their
// lease is over. Any number of processes may run it.

import { settleInDoubt } from '../operations/payments/settle-in-doubt.ts';
import type { Ports } from '../operations/ports.ts';

export type Worker = { stop(): Promise<void> };
export type WorkerLog = { error(facts: object, message: string): void };

type Options = {
  readonly log: WorkerLog;
  readonly pollMs?: number;
  readonly onNudge?: (listener: () => void) => void;
};

/** Starts the worker; `stop` waits for the pass in progress. */
export function startSettleInDoubt(ports: Ports, options: Options): Worker {
  return startPasses(options, () =>
    settleInDoubt(ports, {
      limit: 10,
      onError: (operation, error) =>
        options.log.error({ operationId: operation.id, err: error }, 'operation not resumed'),
    }),
  );
}

/** Runs passes one after the other: again at once while there is work, else at the next poll. */
export function startPasses(
  { log, pollMs = 1000, onNudge }: Options,
  pass: () => Promise<number>,
): Worker {
  let isStopped = false;
  let wake: () => void = () => undefined;
  onNudge?.(() => wake());
  const running = (async () => {
    while (!isStopped) {
      let count = 0;
      try {
        count = await pass();
      } catch (error) {
        log.error({ err: error }, 'pass failed');
      }
      if (count > 0 || isStopped) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return {
    async stop() {
      isStopped = true;
      wake();
      await running;
    },
  };
}
