// Creates the database files and the passwords of its roles, both or neither.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { programEnvironment } from './binaries.ts';
import { clusterFolder, dataFolder, type Place } from './cluster-place.ts';
import { codeOf, messageOf, PostgresTrouble } from './postgres-trouble.ts';
import { isAlive } from './processes.ts';
import { type Passwords, roles } from './roles.ts';

/**
 * Makes the cluster unless there is one. With two calls at once both work, and the second to finish uses
 * the first one's.
 */
export function ensureCluster(place: Place, isDurable: boolean): Passwords {
  const cluster = clusterFolder(place.home);
  sweep(place.home);
  if (!existsSync(cluster)) create(place, cluster, isDurable);
  assertVersion(place);
  return readPasswords(cluster);
}

function create(place: Place, cluster: string, isDurable: boolean): void {
  const fresh = mkdtempSync(join(place.home, `fresh.${process.pid}.`));
  try {
    chmodSync(fresh, 0o711);
    const passwords = Object.fromEntries(
      roles.map((role) => [role, randomBytes(24).toString('base64url')]),
    );
    writeFileSync(join(fresh, 'roles.json'), JSON.stringify(passwords), { mode: 0o600 });
    const wordFile = join(fresh, 'superuser');
    writeFileSync(wordFile, `${passwords.postgres}\n`, { mode: 0o600 });
    const data = join(fresh, 'data');
    mkdirSync(data, { mode: 0o700 });
    giveOwnership(place, data, wordFile);
    initialise(place, data, [`--pwfile=${wordFile}`, ...(isDurable ? [] : ['--no-sync'])]);
    rmSync(wordFile);
    renameSync(fresh, cluster);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    const lost = codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST';
    if (!(lost && existsSync(cluster))) throw error;
  }
}

export function giveOwnership({ account }: Place, ...paths: string[]): void {
  if (account.uid === undefined || account.gid === undefined) return;
  for (const path of paths) chownSync(path, account.uid, account.gid);
}

function initialise(place: Place, data: string, more: string[]): void {
  // The built-in provider exists from version 17; before it, the C library's locale of the same name is
  // used.
  const locale =
    Number.parseInt(place.version, 10) >= 17
      ? ['--locale-provider=builtin', '--locale=C.UTF-8']
      : [`--locale=${process.platform === 'linux' ? 'C.UTF-8' : 'C'}`];
  // Passwords also on the socket: with `trust` anybody could use any role, and the roles would protect
  // nothing.
  const ran = spawnSync(
    join(place.native, 'bin/initdb'),
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-E',
      'UTF8',
      ...locale,
      '--auth-local=scram-sha-256',
      '--auth-host=reject',
      '--no-instructions',
      ...more,
    ],
    { ...place.account, cwd: place.home, env: programEnvironment(), encoding: 'utf8' },
  );
  if (ran.status === 0) return;
  const said = ran.error ? messageOf(ran.error) : `${ran.stdout}\n${ran.stderr}`.trim();
  throw new PostgresTrouble(
    `The database could not be created in ${place.home}:\n${said}\n` +
      `Choose another folder with --data, or set DATABASE_URL.`,
  );
}

/** Removes the incomplete folders of killed starts. */
function sweep(home: string): void {
  for (const name of readdirSync(home)) {
    const pid = /^fresh\.(\d+)\./.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(home, name), { recursive: true, force: true });
  }
}

function assertVersion(place: Place): void {
  const made = readOwn(join(dataFolder(place.home), 'PG_VERSION')).trim();
  if (Number.parseInt(made, 10) === Number.parseInt(place.version, 10)) return;
  throw new PostgresTrouble(
    `The database in ${place.home} was made by PostgreSQL ${made}, but the programs at hand are ` +
      `${place.version}. Choose another folder with --data, or dump and load it.`,
  );
}

function readPasswords(cluster: string): Passwords {
  return JSON.parse(readOwn(join(cluster, 'roles.json'))) as Passwords;
}

function readOwn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    throw new PostgresTrouble(
      `The database in ${path} belongs to another account. Start as the user who made it, or ` +
        `choose another folder with --data.`,
    );
  }
}
