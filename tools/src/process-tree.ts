// Which processes a process has started, directly or through others, including those that have left its
// group or lost their parent since.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { processIdentity } from './postgres/processes.ts';

type KnownProcess = {
  readonly birth: string | undefined;
  readonly parent: number;
  readonly group: number;
};

export type ProcessTree = {
  /** Records the processes started since the last look. A process whose parents ended before is missed. */
  look(): void;
  /** Returns the running processes, without the first one, and without `spared` and its children. */
  living(spared?: number): number[];
};

/** The tree of the process `first`, without the process `except` and what that starts. */
export function processTree(first: number, except: number = process.pid): ProcessTree {
  const others = new Set<number>();
  const ours = new Map<number, KnownProcess>();
  const isOwnProcess = ({ parent, group }: KnownProcess) =>
    parent === first || group === first || ours.has(parent) || ours.has(group);
  return {
    look() {
      const running = new Set(pids());
      for (const pid of others) if (!running.has(pid)) others.delete(pid);
      let open = [...running].filter((pid) => !others.has(pid) && !ours.has(pid));
      // A child may have a smaller number than its parent: repeats until no further one is found.
      for (let found = true; found; ) {
        found = false;
        for (const pid of open) {
          const known = pid === except || pid === first ? undefined : readProcess(pid);
          if (!known || known.parent === except || !isOwnProcess(known)) continue;
          ours.set(pid, known);
          found = true;
        }
        open = open.filter((pid) => !ours.has(pid));
      }
      for (const pid of open) others.add(pid);
    },
    living: (spared) =>
      [...ours]
        .filter(([pid, { birth }]) => processIdentity(pid) === birth)
        .filter(([pid, { parent }]) => pid !== spared && parent !== spared)
        .map(([pid]) => pid),
  };
}

function pids(): number[] {
  const names =
    process.platform === 'linux'
      ? readdirSync('/proc')
      : spawnSync('ps', ['-axo', 'pid='], { encoding: 'utf8' }).stdout.split('\n');
  return names.map(Number).filter((pid) => pid > 0);
}

function readProcess(pid: number): KnownProcess | undefined {
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
