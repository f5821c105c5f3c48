// A folder in memory for the server of a whole run of the tests. Each of its hundreds of databases is
// 900 files, made and removed again, for which a disk's file system may take twenty times as long.

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { hold } from '../postgres/holders.ts';
import { dataFolder, homeOf } from '../postgres/place.ts';
import { isAlive, isServerOf } from '../postgres/processes.ts';
import { cacheFolder, folderVariable, homeIn } from './cluster.ts';

const prefix = 'svc-test';
const memory = '/dev/shm';
const gibibyte = 2 ** 30;

/** None where memory is short. What killed runs have left is removed first. */
export function openMemoryFolder(shelter = memory): string | undefined {
  if (!existsSync(shelter)) return undefined;
  removeLeftFolders(shelter);
  const { bavail, bsize } = statfsSync(shelter);
  // It takes about one; browsers and services want the rest.
  if (bavail * bsize < 3 * gibibyte || freemem() < 6 * gibibyte) return undefined;
  const folder = mkdtempSync(join(shelter, `${prefix}-${process.pid}-`));
  // Where we are root the server runs as somebody else, who must get in.
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes what killed runs have left. */
export function removeLeftFolders(shelter = memory): void {
  if (!existsSync(shelter)) return;
  for (const name of readdirSync(shelter)) {
    const owner = new RegExp(`^${prefix}-(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    try {
      removeMemoryFolder(join(shelter, name));
    } catch {
      // Of another user's run: not ours to remove.
    }
  }
}

/** The server of this run, where another run uses it as well. */
export function sharedServer(): number | undefined {
  const home = homeOf(homeIn(process.env[folderVariable] ?? cacheFolder));
  if (!home || hold(home).release()) return undefined;
  const pid = notedServer(home);
  return pid !== undefined && isServerOf(pid, dataFolder(home)) ? pid : undefined;
}

export function removeMemoryFolder(folder: string): void {
  removeServer(homeIn(folder));
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the home of a server, which is ended if it still runs. */
export function removeServer(home: string): void {
  const pid = notedServer(home);
  if (pid !== undefined && isServerOf(pid, dataFolder(home))) process.kill(pid, 'SIGQUIT');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

function notedServer(home: string): number | undefined {
  const noted = join(dataFolder(home), 'postmaster.pid');
  return existsSync(noted) ? Number.parseInt(readFileSync(noted, 'utf8'), 10) : undefined;
}
