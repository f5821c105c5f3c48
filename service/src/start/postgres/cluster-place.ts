// Decides where the database is stored. Root must run PostgreSQL under another account, which may be unable
// to enter the project (a clone below /root): then programs and data are stored elsewhere.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { markFile, shelters } from '../../cli/operator/stray-databases.ts';
import { type Account, accountFor, canEnter } from './account.ts';
import { copyBinaries, linkLibraries, versionOf } from './binaries.ts';
import { codeOf, PostgresTrouble } from './postgres-trouble.ts';

export type Place = {
  /** The folder that contains everything of this database. */
  home: string;
  /** The folder with `bin/postgres`, in a place that the account can reach. */
  native: string;
  version: string;
  account: Account;
};

type PlaceOptions = { dataDir: string; native: string; say: (line: string) => void };

export function clusterFolder(home: string): string {
  return join(home, 'cluster');
}

export function dataFolder(home: string): string {
  return join(clusterFolder(home), 'data');
}

/**
 * Returns the folder of this data folder's database, if it has one. It may be outside the data folder, and
 * then stays when that is removed.
 */
export function homeOf(dataDir: string): string | undefined {
  const near = resolve(dataDir);
  return [near, shelterFolder(near)].find((home) => existsSync(clusterFolder(home)));
}

const shelterFolder = (dataDir: string): string => join(shelters, shortHash(dataDir));

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Makes the folders and, if needed, the copy of the programs. Prints a line when it uses a folder outside.
 */
export function choosePlace(wish: PlaceOptions): Place {
  const dataDir = resolve(wish.dataDir);
  const shelter = shelterFolder(dataDir);
  makeFolder(dataDir);
  const moved = existsSync(clusterFolder(shelter)) && !existsSync(clusterFolder(dataDir));
  const home = moved || !canEnter(dataDir, accountFor(dataFolder(dataDir))) ? shelter : dataDir;
  if (home === shelter && existsSync(clusterFolder(dataDir))) {
    throw new PostgresTrouble(
      `The database in ${dataDir} belongs to an account that cannot enter that folder any more. ` +
        `Give it the right to pass (chmod o+x on the folders above), or choose another --data.`,
    );
  }
  if (home === shelter) {
    makeFolder(shelters);
    makeFolder(shelter);
    // Whoever removes the data folder leaves this one: `svc doctor` then tells by the name.
    writeFileSync(join(shelter, markFile), `${dataDir}\n`);
  }
  const account = accountFor(dataFolder(home));
  if (home === shelter) {
    wish.say(
      `PostgreSQL must not run as root, and its account (uid ${account.uid}) cannot enter ` +
        `${dataDir}: the database lives in ${shelter}`,
    );
  }
  return { home, account, ...reachableBinaries(wish.native, home, account) };
}

function reachableBinaries(native: string, home: string, account: Account) {
  let root = native;
  let version = linkLibraries(native) ? versionOf(native, account, '/') : 'unreachable';
  if (version === 'unreachable') {
    root = copyBinaries(native, join(home, `native-${shortHash(native)}`));
    version = versionOf(root, account, home);
  }
  if (version === 'unreachable') {
    throw new PostgresTrouble(
      `PostgreSQL cannot be run as uid ${account.uid} from ${home}. Set DATABASE_URL instead.`,
    );
  }
  return { native: root, version };
}

/** Makes a folder that others may pass through but not list. Throws a clear error if it cannot. */
function makeFolder(path: string): void {
  try {
    if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o711);
    // Writes a file to find out: root passes every permission check but not a read-only file system.
    const probe = join(path, `.probe.${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new PostgresTrouble(
      `Cannot write to the data folder ${path} (${codeOf(error) ?? error}). ` +
        `Choose another with --data, or set DATABASE_URL.`,
    );
  }
}
