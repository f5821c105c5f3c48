export type Worker = { stop(): Promise<void> };
export type WorkerLog = { error(facts: object, message: string): void };

export type PassOptions = {
  readonly log: WorkerLog;
  readonly pollMs?: number;
  readonly onNudge?: (listener: () => void) => void;
};

/** Runs passes one after the other: again at once while there is work, else at the next poll. */
export function startPasses(
  { log, pollMs = 1000, onNudge }: PassOptions,
  pass: () => Promise<number>,
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
      let count = 0;
      isNudged = false;
      try {
        count = await pass();
      } catch (error) {
        log.error({ err: error }, 'pass failed');
      }
      // A nudge during the pass may be about what the pass no longer saw.
      if (count > 0 || isNudged || isStopped) continue;
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
