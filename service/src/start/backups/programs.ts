// pg_dump and pg_restore of the machine: those of PATH, and those that packages put beside it.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { splitAddress } from '@svc/contract/servers/database-address';
import { CommandError } from '../../cli/line/command.ts';

export type Programs = {
  readonly folder: string;
  readonly version: string;
  readonly major: number;
};

const suffix = process.platform === 'win32' ? '.exe' : '';

/** Folders of Debian's, Red Hat's and Homebrew's packages, one for each version. */
const usualFolders = ['/usr/lib/postgresql/*/bin', '/usr/*/bin', '/opt/homebrew/opt/*/bin'];

function foldersOf(pattern: string): string[] {
  const [parent = '', rest = ''] = pattern.split('/*/');
  if (!existsSync(parent)) return [];
  const isWanted = (name: string) =>
    parent.endsWith('postgresql') || /^(pgsql|postgresql)/.test(name);
  return readdirSync(parent)
    .filter(isWanted)
    .map((name) => join(parent, name, rest));
}

export const programFolders = (path = process.env.PATH ?? ''): string[] => [
  ...path.split(delimiter).filter(Boolean),
  ...usualFolders.flatMap(foldersOf),
];

/**
 * Finds both programs of at least this major version: an older pg_dump refuses the server. Of several the oldest,
 * which is nearest to the server. Throws CommandError.
 */
export function findPrograms(least: number, folders: readonly string[]): Programs {
  const found = folders.flatMap((folder) => {
    const isThere = ['pg_dump', 'pg_restore'].every((name) =>
      existsSync(join(folder, name + suffix)),
    );
    const version = isThere ? versionIn(folder) : undefined;
    return version === undefined ? [] : [{ folder, version, major: Number.parseInt(version, 10) }];
  });
  const [first] = found.filter(({ major }) => major >= least).sort((a, b) => a.major - b.major);
  if (first) return first;
  const newest = found.sort((a, b) => b.major - a.major)[0];
  const seen = newest ? `; the newest here is ${newest.version} in ${newest.folder}` : '';
  throw new CommandError(
    `pg_dump_missing: it needs pg_dump and pg_restore of PostgreSQL ${least} or later in PATH${seen}. ` +
      `Install PostgreSQL's client programs (Debian: postgresql-client-${least})`,
  );
}

function versionIn(folder: string): string | undefined {
  try {
    const said = execFileSync(join(folder, `pg_dump${suffix}`), ['--version'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return /\d+(?:\.\d+)*/.exec(said)?.[0];
  } catch {
    return undefined;
  }
}

/** The address as variables of libpq: arguments would show the password to every user of the machine. */
export function libpqEnvironment(address: string): NodeJS.ProcessEnv {
  const { account = '', servers = '', path = '', query = '' } = splitAddress(address) ?? {};
  const asked = new URLSearchParams(query);
  const [user = '', password = ''] = account.slice(0, -1).split(/:(.*)/s).map(decodeURIComponent);
  const places = servers.split(',').map((one) => /^(.*?)(?::(\d+))?$/.exec(one) ?? []);
  const hosts = places.map(([, host = '']) => decodeURIComponent(host.replace(/^\[|\]$/g, '')));
  const values = {
    PGHOST: asked.get('host') ?? hosts.join(),
    PGPORT: asked.get('port') ?? places.map(([, , port = '5432']) => port).join(),
    PGUSER: asked.get('user') ?? user,
    PGPASSWORD: asked.get('password') ?? password,
    PGDATABASE: decodeURIComponent(path.slice(1)),
    PGTARGETSESSIONATTRS: asked.get('target_session_attrs') ?? '',
    PGSSLMODE: asked.get('sslmode') ?? '',
    PGSSLROOTCERT: asked.get('sslrootcert') ?? '',
    PGSSLCERT: asked.get('sslcert') ?? '',
    PGSSLKEY: asked.get('sslkey') ?? '',
  };
  const given = Object.entries(values).filter(([, value]) => value !== '');
  const { PATH, HOME, SYSTEMROOT } = process.env;
  return {
    PATH,
    HOME,
    SYSTEMROOT,
    LC_ALL: 'C',
    PGAPPNAME: 'svc backup',
    ...Object.fromEntries(given),
  };
}

export type Running = {
  readonly child: ChildProcess;
  /** Resolves when it has ended well. Throws CommandError with its first line. */
  readonly ended: Promise<void>;
};

export function runProgram(
  { folder }: Programs,
  {
    name,
    args,
    url,
    signal,
  }: {
    readonly name: 'pg_dump' | 'pg_restore';
    readonly args: readonly string[];
    readonly url: string;
    readonly signal: AbortSignal;
  },
): Running {
  const child = spawn(join(folder, name + suffix), ['--no-password', ...args], {
    ...{ env: libpqEnvironment(url), signal },
    stdio: 'pipe',
  });
  let said = '';
  child.stderr.on('data', (part) => {
    said += part;
  });
  // A program that ends early closes what is written to it; its own words tell why.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve();
      const reason = said.split('\n').find((line) => /error:/.test(line)) ?? said.trim();
      reject(new CommandError(`${name} failed: ${reason.replace(/^.*?error: /, '') || code}`));
    });
  });
  ended.catch(() => undefined);
  return { child, ended };
}
