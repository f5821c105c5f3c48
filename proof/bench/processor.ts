// CPU time and memory of processes, read from /proc (Linux only). Each rate is reported with its
// CPU time per operation, which varies far less on a shared machine.

import { readdirSync, readFileSync } from 'node:fs';

// The length of a tick in /proc on every architecture on which Linux runs Node (USER_HZ).
const msPerTick = 10;

export const canMeasure = process.platform === 'linux';

/**
 * Processor time in ms of one `/proc/<pid>/stat`, children that have ended included (proc(5):
 * utime, stime, cutime, cstime). The name in brackets may itself hold spaces and brackets.
 */
export function parseProcessStat(text: string): number {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  return ticks * msPerTick;
}

/** Returns the busy and total ms of all cores since boot, from `/proc/stat` (proc(5)). */
export function parseMachineStat(text: string): { busyMs: number; totalMs: number } {
  const line = text.split('\n').find((each) => each.startsWith('cpu ')) ?? '';
  // user nice system idle iowait irq softirq steal; guest time is inside user already.
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const total = ticks.reduce((sum, each) => sum + each, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { busyMs: (total - idle) * msPerTick, totalMs: total * msPerTick };
}

/** Returns the resident memory in MB from a `/proc/<pid>/status`. */
export function parseResident(text: string): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
}

/** Calls `visit` once for each of these processes and each of their descendants. */
export function visitTree(roots: readonly number[], visit: (pid: number) => void): void {
  const seen = new Set<number>();
  const walkTree = (pid: number) => {
    if (seen.has(pid)) return;
    seen.add(pid);
    try {
      visit(pid);
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8');
        for (const child of children.split(' ')) if (child) walkTree(Number(child));
      }
    } catch {
      // The process ended between two reads; its parent's counters include it.
    }
  };
  for (const pid of roots) walkTree(pid);
}

/** Returns the CPU time in ms of these processes and their descendants. */
export function treeCpuMs(roots: readonly number[]): number {
  let sum = 0;
  visitTree(roots, (pid) => {
    sum += parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  });
  return sum;
}

export const machineCpu = () => parseMachineStat(readFileSync('/proc/stat', 'utf8'));

/**
 * Returns the resident memory in MB of the process and its descendants. Shared memory counts for
 * each of them.
 */
export function residentTreeMb(root: number): number {
  let sum = 0;
  visitTree([root], (pid) => {
    sum += parseResident(readFileSync(`/proc/${pid}/status`, 'utf8'));
  });
  return sum;
}
