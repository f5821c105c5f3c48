// One start per data folder: a second one waits for the first and shows its block.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLock } from '../../entry/lock.mjs';
import type { Block } from './block.ts';

const blockOf = (folder: string) => join(folder, 'running.json');

/**
 * Takes the data folder. When another start runs, it resolves with that one's block once that is ready. The
 * folder of a start that was killed is taken over.
 */
export async function takeFolder(
  folder: string,
  say: (line: string) => void,
): Promise<{ other: Block } | { release: () => void }> {
  for (let isSaid = false; ; await pause(200)) {
    const held = takeLock(join(folder, 'start.lock'));
    if (held) {
      withdraw(folder);
      return held;
    }
    const other = read<Block>(blockOf(folder));
    if (other) return { other };
    if (!isSaid) say('another start is under way here; waiting for it');
    isSaid = true;
  }
}

/** Stores what is running, for other starts. */
export function writeRunning(folder: string, block: Block): void {
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
