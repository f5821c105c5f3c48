// A folder in memory for the server of a whole test run. Each of its hundreds of databases has 900 files,
// which are made and removed again; a disk's file system may take twenty times as long.

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
import { dataFolder, homeOf } from '@svc/service/start/postgres/cluster-place';
import { registerHolder } from '@svc/service/start/postgres/holders';
import { isAlive, isServerOf } from '@svc/service/start/postgres/processes';
import { cacheFolder, folderVariable, homeIn } from './cluster.ts';

const prefix = 'svc-test';
const memory = '/dev/shm';
const gibibyte = 2 ** 30;

/** Returns undefined when memory is short. Removes what killed runs have left first. */
export function openMemoryFolder(shelter = memory): string | undefined {
  if (!existsSync(shelter)) return undefined;
  removeLeftFolders(shelter);
  const { bavail, bsize } = statfsSync(shelter);
  // The server needs about one gibibyte; browsers and services need the rest.
  if (bavail * bsize < 3 * gibibyte || freemem() < 6 * gibibyte) return undefined;
  const folder = mkdtempSync(join(shelter, `${prefix}-${process.pid}-`));
  // When we are root, the server runs under another account, which must be able to enter.
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
      // The folder belongs to another user's run.
    }
  }
}

/** Returns the process id of this run's server when another run uses it too; undefined otherwise. */
export function sharedServer(): number | undefined {
  const home = homeOf(homeIn(process.env[folderVariable] ?? cacheFolder));
  if (!home || registerHolder(home).release()) return undefined;
  const pid = notedServer(home);
  return pid !== undefined && isServerOf(pid, dataFolder(home)) ? pid : undefined;
}

export function removeMemoryFolder(folder: string): void {
  removeServer(homeOf(homeIn(folder)) ?? homeIn(folder));
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the home of a server. The server is ended if it still runs. */
export function removeServer(home: string): void {
  const pid = notedServer(home);
  if (pid !== undefined && isServerOf(pid, dataFolder(home))) process.kill(pid, 'SIGQUIT');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

function notedServer(home: string): number | undefined {
  const noted = join(dataFolder(home), 'postmaster.pid');
  return existsSync(noted) ? Number.parseInt(readFileSync(noted, 'utf8'), 10) : undefined;
}
