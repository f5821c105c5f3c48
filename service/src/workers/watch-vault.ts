// Asks the vault at the start and every minute whether it agrees with this process, and logs what does not.

import type { Ports } from '../engine/ports.ts';
import { troubleOf } from '../engine/runs/doctor/judge-vault.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

/** A restart of the vault takes less. */
const againMs = 10_000;

type WatchLog = WorkerLog & { info(facts: object, message: string): void };

/** Starts the worker: one line for each trouble, and one at its end. */
export function startWatchVault(
  { vault }: Pick<Ports, 'vault'>,
  { log, pollMs = 60_000, restMs = againMs }: { log: WatchLog; pollMs?: number; restMs?: number },
): Worker {
  let seen = 'well';
  let isTold = false;
  return startPasses({ log, pollMs }, async () => {
    const look = await vault.look();
    const trouble = troubleOf(look);
    // The size of an offset changes without news.
    const now = trouble ? look.state : 'well';
    const isNew = now !== seen;
    seen = now;
    if (!trouble) {
      if (isTold) log.info({}, 'vault and service agree again');
      isTold = false;
      return 0;
    }
    // At a start the vault may only be slower, and a restart is no trouble: what lasts is told.
    const mayPass = look.state === 'unreachable' || look.state === 'not ready';
    if (mayPass ? !isNew && !isTold : isNew) {
      isTold = true;
      log.error({}, `${trouble.said}. To mend: ${trouble.mend}`);
    }
    return { restMs };
  });
}
