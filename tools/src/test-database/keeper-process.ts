// The process behind keeper.ts: `node keeper-process.ts <process to watch>`. Its standard input ends when
// the watched process does. The word `all` on it ends everything that the watched process has started.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { processTree } from '../process-tree.ts';

const tree = processTree(Number(process.argv[2]));
// A process that is started and orphaned between two looks would be missed.
const look = setInterval(() => tree.look(), 200);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

let isReleased = false;
process.stdin.on('data', (part: Buffer) => {
  if (part.includes('released')) isReleased = true;
  else void endAll();
});
process.stdin.once('close', () => {
  clearInterval(look);
  if (!isReleased) void endAll();
});

async function endAll(): Promise<void> {
  const { removeLeftFolders, sharedServer } = await import('./memory.ts');
  const spared = sharedServer();
  const deadline = Date.now() + 1500;
  for (;;) {
    tree.look();
    const living = tree.living(spared);
    if (living.length === 0) break;
    // A database that is killed leaves shared memory behind, so it is asked to stop first.
    const isPatient = Date.now() < deadline;
    for (const pid of living)
      signalProcess(pid, isPatient && isDatabase(pid) ? 'SIGQUIT' : 'SIGKILL');
    await pause(50);
  }
  removeLeftFolders();
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended by itself.
  }
}

function isDatabase(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes('(postgres)');
  } catch {
    return false;
  }
}
