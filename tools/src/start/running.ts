// One start per data folder: a second one waits for the first and shows its block.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Block } from './block.ts';

type Holder = { readonly pid: number; readonly birth: string };

/** Start time of a process, so that a reused pid is not mistaken for it; empty where unknown. */
function birthOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '';
  } catch {
    return '';
  }
}

function isAlive({ pid, birth }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return birth === '' || birthOf(pid) === birth;
}

const lockOf = (folder: string) => join(folder, 'start.lock');
const blockOf = (folder: string) => join(folder, 'running.json');

/**
 * Takes the data folder. Another live start: resolves with its block once it is ready. A dead one
 * (kill -9) is taken over.
 */
export async function takeFolder(
  folder: string,
  say: (line: string) => void,
): Promise<{ other: Block } | { release: () => void }> {
  const own: Holder = { pid: process.pid, birth: birthOf(process.pid) };
  let isSaid = false;
  for (;;) {
    const draft = `${lockOf(folder)}.${process.pid}`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft);
    writeFileSync(join(draft, 'holder'), JSON.stringify(own));
    try {
      // Renaming onto a folder that is not empty fails: the lock never stands without a holder.
      renameSync(draft, lockOf(folder));
      rmSync(blockOf(folder), { force: true });
      return { release: () => rmSync(lockOf(folder), { recursive: true, force: true }) };
    } catch {
      rmSync(draft, { recursive: true, force: true });
    }
    const holder = read<Holder>(join(lockOf(folder), 'holder'));
    if (holder && !isAlive(holder)) {
      rmSync(lockOf(folder), { recursive: true, force: true });
      continue;
    }
    const other = read<Block>(blockOf(folder));
    if (holder && other) return { other };
    if (!isSaid) say('another start is under way here; waiting for it');
    isSaid = true;
    await pause(200);
  }
}

/** Tells other starts what is running. */
export function announce(folder: string, block: Block): void {
  const draft = `${blockOf(folder)}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(block), { mode: 0o600 });
  renameSync(draft, blockOf(folder));
}

export function withdraw(folder: string): void {
  rmSync(blockOf(folder), { force: true });
}

function read<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
