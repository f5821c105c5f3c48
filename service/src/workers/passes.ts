import { workerFailure } from '../engine/worker-failure.ts';

export type Worker = { stop(): Promise<void> };
export type WorkerLog = { error(facts: object, message: string): void };

export type PassOptions = {
  readonly log: WorkerLog;
  readonly pollMs?: number;
  readonly onNudge?: (listener: () => void) => void;
};

/** How much a pass did; or how long to rest before the next, though there is work. */
type PassResult = number | { readonly restMs: number };

/** Runs one pass after the other: the next at once while there is work, else at the next poll or nudge. */
export function startPasses(
  { log, pollMs = 1000, onNudge }: PassOptions,
  pass: () => Promise<PassResult>,
): Worker {
  let isStopped = false;
  let isNudged = false;
  let wake: () => void = () => undefined;
  onNudge?.(() => {
    isNudged = true;
    wake();
  });
  const running = (async () => {
    while (!isStopped) {
      let passed: PassResult = 0;
      isNudged = false;
      try {
        passed = await pass();
      } catch (error) {
        log.error({ err: error }, workerFailure);
      }
      // A nudge during the pass may be about work that the pass did not see.
      if (isNudged || isStopped) continue;
      if (typeof passed === 'number' && passed > 0) continue;
      const restMs = typeof passed === 'number' ? pollMs : passed.restMs;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restMs);
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
