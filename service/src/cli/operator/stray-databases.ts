// Embedded databases of root whose data folder was removed: they stand apart from it, because root runs the
// server under an account that may be unable to enter the folder.

import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { noteFinding } from '../../engine/runs/doctor/finding.ts';

/** Where `npm start` and the tests put such a database. */
export const shelters = '/var/lib/svc';
/** The file beside a database that names its data folder. */
export const markFile = 'data-folder';

export type Stray = { readonly folder: string; readonly dataDir: string; readonly bytes: number };

/** Finds the databases whose data folder is gone. One that still runs, or does not name its folder, is left out. */
export function findStrays(parent: string = shelters): Stray[] {
  return namesIn(parent).flatMap((name) => {
    const folder = join(parent, name);
    const dataDir = /^[0-9a-f]{12}$/.test(name) ? markOf(folder) : undefined;
    if (dataDir === undefined || existsSync(dataDir) || isRunning(folder)) return [];
    return [{ folder, dataDir, bytes: sizeOf(folder) }];
  });
}

/** Removes what `findStrays` found, unless its folder has come back meanwhile. */
export function removeStrays(strays: readonly Stray[]): void {
  for (const { folder, dataDir } of strays) {
    if (existsSync(dataDir) || isRunning(folder)) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Says which databases were left behind; with `isRemoved` that they were removed. */
export function judgeStrays(strays: readonly Stray[], isRemoved: boolean) {
  const one = strays.length === 1;
  const bytes = strays.reduce((sum, stray) => sum + stray.bytes, 0);
  const folders = strays.map(({ folder, dataDir }) => `${folder} of ${dataDir}`).join(', ');
  const count = `${strays.length} embedded ${one ? 'database' : 'databases'} whose data ${one ? 'folder is' : 'folders are'} gone (${megabytes(bytes)})`;
  return isRemoved
    ? noteFinding('embedded databases', `removed ${count}: ${folders}`)
    : noteFinding(
        'embedded databases',
        `${count}: ${folders}`,
        'svc doctor --remove-databases removes them for good; a folder on a disk that is not mounted counts as gone',
      );
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;

/** Empty where the folder is missing or not readable, as for anybody but root. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function markOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, markFile), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(folder: string): boolean {
  try {
    const noted = readFileSync(join(folder, 'cluster/data/postmaster.pid'), 'utf8');
    process.kill(Number.parseInt(noted, 10), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function sizeOf(path: string): number {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (!facts?.isDirectory()) return (facts?.blocks ?? 0) * 512;
  return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
