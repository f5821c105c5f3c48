// What can be known of a process by its number. Numbers are used again: a number alone proves
// nothing, so a process is told by its number and the moment it began.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeOf } from './trouble.ts';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Something that no later process with this number has; undefined when there is none. */
export function birthOf(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  try {
    // The 22nd field; the second, the name, may itself hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has only not asked yet.
    return state === 'Z' ? undefined : rest[18];
  } catch {
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).stdout?.trim();
  }
}

/** Whether the process is the server of these files, by its command line. */
export function isServerOf(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data);
  } catch {
    const asked = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return asked.stdout?.includes(` ${data} `) ?? false;
  }
}
