// Ends what a run of the tests has started when the run itself ends early, by Ctrl-C, SIGTERM or even
// SIGKILL: servers, databases and browsers have groups of their own, and no signal to the run reaches them.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Set where a keeper watches already: one for all that a run starts. */
const keptVariable = 'SVC_TEST_KEPT';

export type Keeper = {
  /** Ends all that this process has started. */
  endAll(): void;
  /** The orderly end: what runs now may go on. */
  release(): void;
};

const none: Keeper = { endAll: () => {}, release: () => {} };

/** Watches this process until `release`. */
export function keepRun(): Keeper {
  if (process.env[keptVariable] || process.platform === 'win32') return none;
  process.env[keptVariable] = 'yes';
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'keeper-process.ts'), String(process.pid)],
    // A group of its own, so that a signal to the group of the run leaves it alive.
    { stdio: ['pipe', 'ignore', 'inherit'], detached: true },
  );
  return follow(keeper);
}

function follow(keeper: ChildProcess): Keeper {
  // The end of this pipe tells the keeper of our end, whatever ends us.
  const channel = keeper.stdin;
  // The keeper may have been ended itself.
  channel?.on('error', () => {});
  keeper.unref();
  return {
    endAll: () => void channel?.write('all\n'),
    release() {
      delete process.env[keptVariable];
      channel?.end('released\n');
    },
  };
}
