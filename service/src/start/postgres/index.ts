// The embedded PostgreSQL: one call gives a running server with the roles and the database of svc, whether
// it finds nothing, a stopped or killed server, or a running one.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { choosePlace } from './cluster-place.ts';
import { registerHolder } from './holders.ts';
import { codeOf } from './postgres-trouble.ts';
import { prepareDatabase } from './prepare.ts';
import type { Passwords, Role } from './roles.ts';
import { type Launch, type LiveServer, serve, stopServer } from './server.ts';

export { homeOf } from './cluster-place.ts';
export { prepareDatabase } from './prepare.ts';
export type { Passwords, Role } from './roles.ts';

export type PostgresOptions = {
  /** The folder of the database, unless its account cannot enter there. Made if it is missing. */
  dataDir: string;
  /** A folder from which the package with the programs is resolved first. */
  project?: string;
  /** A folder with `bin/initdb` and `bin/postgres` of PostgreSQL 14 or later. */
  binaries?: string;
  /** The file to which PostgreSQL's messages are appended. */
  log?: string;
  settings?: Readonly<Record<string, string>>;
  say?: (line: string) => void;
};

export type Postgres = {
  version: string;
  socketDir: string;
  home: string;
  pid: number;
  /** True when the server was already running, or another start was faster. */
  reused: boolean;
  /** `database` is `svc` by default. */
  url(role: Role, database?: string): string;
  /** Ends this use of the server. The last process that uses it stops it. Repeatable. */
  stop(): Promise<void>;
};

const database = 'svc';

/**
 * Starts the database, or shares the running one. Repeatable, also by several processes at once. Throws
 * `PostgresTrouble`, whose text can be shown to a user.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const project = resolve(options.project ?? import.meta.dirname);
  const native = findBinaries(project, options.binaries);
  const place = choosePlace({
    dataDir: options.dataDir,
    native,
    say: options.say ?? (() => {}),
  });
  const passwords = ensureCluster(place, options.settings?.fsync !== 'off');
  const log = resolve(options.log ?? join(place.home, 'postgres.log'));
  mkdirSync(dirname(log), { recursive: true });
  const use = registerHolder(place.home);
  try {
    const launch = { place, passwords, log, settings: options.settings ?? {} };
    const live = await prepareServer(launch);
    const url = (role: Role, name = database) => roleUrl(live, passwords, role, name);
    let stopping: Promise<void> | undefined;
    const stop = () =>
      (stopping ??= use.release() ? stopServer(live.pid, place.home) : Promise.resolve());
    const { socketDir, pid, reused, version } = live;
    return { version, socketDir, home: place.home, pid, reused, url, stop };
  } catch (error) {
    use.release();
    throw error;
  }
}

type PreparedServer = Omit<LiveServer, 'superuser'> & { reused: boolean; version: string };

/**
 * Returns the server with roles and permissions. Tries again when the server that it found is being
 * stopped.
 */
async function prepareServer(launch: Launch): Promise<PreparedServer> {
  for (let attempt = 1; ; attempt++) {
    const { superuser, ...live } = await serve(launch);
    try {
      const inside = roleUrl(live, launch.passwords, 'postgres', database);
      // initdb has already set the superuser's password.
      const { postgres: _, ...passwords } = launch.passwords;
      await prepareDatabase({ admin: superuser, inside, passwords, database });
      const { rows } = await superuser.query<{ server_version: string }>('show server_version');
      return { ...live, version: rows[0]?.server_version.split(' ')[0] ?? '' };
    } catch (error) {
      const code = codeOf(error);
      const isLost = code === undefined || code.startsWith('57P') || code.startsWith('E');
      if (!isLost || attempt === 3) throw error;
    } finally {
      await superuser.end().catch(() => {});
    }
  }
}

function roleUrl(
  { socketDir }: { socketDir: string },
  passwords: Passwords,
  role: Role,
  name: string,
): string {
  const host = encodeURIComponent(socketDir);
  return `postgres://${role}:${passwords[role]}@/${encodeURIComponent(name)}?host=${host}`;
}
