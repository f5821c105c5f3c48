// What can be known of a process by its number. Numbers are reused, so a number alone proves nothing: a
// process is identified by its number and the time at which it started.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeOf } from './postgres-trouble.ts';

/** Returns state and the fields after it (proc_pid_stat(5)); undefined when the system has no /proc. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before these fields may itself contain spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/**
 * Returns whether the process runs. A zombie has ended: its parent has not collected it yet, and the first
 * process of a container may never do so.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  const [state] = statOf(pid) ?? [];
  return state !== 'Z' && state !== 'X';
}

/** Returns a value that no later process with this number has; undefined when no such process runs. */
export function processIdentity(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  const stat = statOf(pid);
  if (stat) return stat[19];
  return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim();
}

/** Returns whether the process is the server of these files, by its command line. */
export function isServerOf(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data);
  } catch {
    const asked = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return asked.stdout?.includes(` ${data} `) ?? false;
  }
}
