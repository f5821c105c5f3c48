// Which processes a process has started, directly or through others, including those that have left its
// group or lost their parent since.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { processIdentity } from '@svc/service/start/postgres/processes';

export type RunningProcess = {
  /** Differs between two processes that had the same number one after the other. */
  readonly birth: string | undefined;
  readonly parent: number;
  readonly group: number;
};

/** The processes of the machine. */
export type ProcessTable = {
  pids(): number[];
  /** Undefined for a process that has ended. */
  read(pid: number): RunningProcess | undefined;
  birth(pid: number): string | undefined;
  /** Whether asking for many births at each look costs little. */
  readonly areBirthsCheap: boolean;
};

export type ProcessTree = {
  /** Records the processes started since the last look. A process whose parents ended before is missed. */
  look(): void;
  /** Returns the running processes, without the first one, and without `spared` and its children. */
  living(spared?: number): number[];
};

const machine: ProcessTable = {
  pids,
  read: readProcess,
  birth: processIdentity,
  // Elsewhere each answer takes a process of its own.
  areBirthsCheap: process.platform === 'linux',
};

/** The tree of the process `first`, without the process `except` and what that starts. */
export function processTree(
  first: number,
  except: number = process.pid,
  table: ProcessTable = machine,
): ProcessTree {
  const others = new Set<number>();
  const ours = new Map<number, RunningProcess>();
  const isOwnProcess = ({ parent, group }: RunningProcess) =>
    parent === first || group === first || ours.has(parent) || ours.has(group);
  return {
    look() {
      const running = new Set(table.pids());
      for (const pid of others) if (!running.has(pid)) others.delete(pid);
      // The system gives the number of an ended process to a stranger's later.
      if (table.areBirthsCheap) {
        for (const [pid, { birth }] of ours) {
          if (running.has(pid) && (table.birth(pid) ?? birth) !== birth) ours.delete(pid);
        }
      }
      let open = [...running].filter((pid) => !others.has(pid) && !ours.has(pid));
      // A child may have a smaller number than its parent: repeats until no further one is found.
      for (let found = true; found; ) {
        found = false;
        for (const pid of open) {
          const known = pid === except || pid === first ? undefined : table.read(pid);
          if (!known || known.parent === except || !isOwnProcess(known)) continue;
          ours.set(pid, known);
          found = true;
        }
        open = open.filter((pid) => !ours.has(pid));
      }
      for (const pid of open) others.add(pid);
      forgetEnded(ours, running);
    },
    living: (spared) =>
      [...ours]
        .filter(([pid, { birth }]) => table.birth(pid) === birth)
        .filter(([pid, { parent }]) => pid !== spared && parent !== spared)
        .map(([pid]) => pid),
  };
}

/** A group keeps the number of the process that began it, also when that one has ended. */
function forgetEnded(ours: Map<number, RunningProcess>, running: ReadonlySet<number>): void {
  const groups = new Set(
    [...ours].filter(([pid]) => running.has(pid)).map(([, { group }]) => group),
  );
  for (const pid of ours.keys()) if (!running.has(pid) && !groups.has(pid)) ours.delete(pid);
}

function pids(): number[] {
  const names =
    process.platform === 'linux'
      ? readdirSync('/proc')
      : spawnSync('ps', ['-axo', 'pid='], { encoding: 'utf8' }).stdout.split('\n');
  return names.map(Number).filter((pid) => pid > 0);
}

function readProcess(pid: number): RunningProcess | undefined {
  const birth = processIdentity(pid);
  if (birth === undefined) return undefined;
  try {
    const fields =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/stat`, 'utf8')
            .replace(/^.*\) \S /s, '')
            .split(' ')
        : spawnSync('ps', ['-o', 'ppid=,pgid=', '-p', String(pid)], { encoding: 'utf8' })
            .stdout.trim()
            .split(/\s+/);
    return { birth, parent: Number(fields[0]), group: Number(fields[1]) };
  } catch {
    return undefined;
  }
}
