// Ends what a test run has started when the run itself ends early, by Ctrl-C, SIGTERM or even SIGKILL:
// servers, databases and browsers have process groups of their own, which no signal to the run reaches.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Set when a keeper is already watching: one keeper serves everything that a run starts. */
const keptVariable = 'SVC_TEST_KEPT';

export type Keeper = {
  /** Ends everything that this process has started. */
  endAll(): void;
  /** Ends the keeper in order: running processes may continue. */
  release(): void;
};

const none: Keeper = { endAll: () => {}, release: () => {} };

/** Starts a keeper that watches this process until `release`. */
export function startKeeper(): Keeper {
  if (process.env[keptVariable] || process.platform === 'win32') return none;
  process.env[keptVariable] = 'yes';
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'keeper-process.ts'), String(process.pid)],
    // A process group of its own, so that a signal to the run's group does not end the keeper.
    { stdio: ['pipe', 'ignore', 'inherit'], detached: true },
  );
  return followKeeper(keeper);
}

function followKeeper(keeper: ChildProcess): Keeper {
  // The end of this pipe shows the keeper that this process has ended, however it ended.
  const channel = keeper.stdin;
  // The keeper itself may have been ended.
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
