// The database of a start: the embedded one, or the one that DATABASE_URL names.

import { join, resolve } from 'node:path';
import { homeOf, prepareDatabase, startPostgres } from '@svc/service/start/postgres/index';
import { isAlive } from '@svc/service/start/postgres/processes';
import { OlderDatabase, refuseOlder } from '@svc/service/storage/database/migrate';
import pg from 'pg';
import { keepBounded } from './logs.ts';
import { root } from './options.ts';

export type StartedDatabase = {
  /** The name of the database in use, for the banner. */
  readonly label: string;
  /** Of a role that may make roles and databases; absent where no such role is known. */
  readonly adminUrl?: string;
  readonly ownerUrl: string;
  readonly serviceUrl: string;
  readonly vaultUrl: string;
  /** Calls `onEnd` once when the server has ended by itself; never for a database from DATABASE_URL. */
  watch(onEnd: () => void): void;
  stop(): Promise<void>;
};

export type DatabaseKeys = {
  readonly databasePasswords: { svc_owner: string; svc_service: string; svc_vault: string };
};

const postgresFolder = (folder: string): string => join(folder, 'postgres');

/**
 * Returns where this folder's embedded database is stored, if there is one; it may be outside the folder.
 */
export const databaseOf = (folder: string): string | undefined => homeOf(postgresFolder(folder));

/**
 * Returns the folders that belong to a data folder: itself, and that of its database if it is elsewhere.
 */
export function foldersOf(folder: string): readonly string[] {
  const database = databaseOf(folder);
  return database === undefined || database === resolve(postgresFolder(folder))
    ? [folder]
    : [folder, database];
}

export async function startDatabase(
  folder: string,
  keys: DatabaseKeys,
  say: (line: string) => void,
): Promise<StartedDatabase> {
  const given = process.env.DATABASE_URL;
  if (given) return useGiven(given, keys);
  // The driver reads PGPORT, PGSSLMODE and the like for what an address does not say.
  for (const name of Object.keys(process.env)) {
    if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
  }
  const log = join(folder, 'logs', 'postgres.log');
  const unbound = keepBounded(log);
  const server = await startPostgres({
    dataDir: postgresFolder(folder),
    project: root,
    log,
    say,
  });
  return {
    label: `embedded PostgreSQL ${server.version.split('.')[0]}`,
    adminUrl: server.url('postgres'),
    ownerUrl: server.url('svc_owner'),
    serviceUrl: server.url('svc_service'),
    vaultUrl: server.url('svc_vault'),
    watch: (onEnd) => watchProcess(server.pid, onEnd),
    stop: () => server.stop().finally(unbound),
  };
}

/**
 * Watches by process id, because another start may have left the server running and it is no child of this
 * one.
 */
function watchProcess(pid: number, onEnd: () => void): void {
  const timer = setInterval(() => {
    if (isAlive(pid)) return;
    clearInterval(timer);
    onEnd();
  }, 1000).unref();
}

const oldest = 140_000;

async function useGiven(given: string, keys: DatabaseKeys): Promise<StartedDatabase> {
  const admin = new pg.Client({ connectionString: given, connectionTimeoutMillis: 5000 });
  admin.on('error', () => undefined);
  try {
    await admin.connect();
  } catch (error) {
    throw new Error(
      `DATABASE_URL (${withoutPassword(given)}) cannot be used: ${(error as Error).message}. ` +
        'Correct it, or unset it to use the embedded PostgreSQL.',
    );
  }
  try {
    const { rows } = await admin.query<{ version: number; name: string; may_make_roles: boolean }>(
      `select current_setting('server_version_num')::int as version, current_database() as name,
         (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
           as may_make_roles`,
    );
    const [facts] = rows;
    if (!facts || facts.version < oldest) {
      throw new Error('DATABASE_URL names a PostgreSQL older than 14.');
    }
    await refuseOlder(async ({ text }) => (await admin.query(text)).rows).catch((error: Error) => {
      if (!(error instanceof OlderDatabase)) throw error;
      throw new Error(`DATABASE_URL (${withoutPassword(given)}) cannot be used: ${error.message}.`);
    });
    const label = `PostgreSQL ${Math.floor(facts.version / 10_000)} at ${withoutPassword(given)}`;
    const others = { watch: () => undefined, stop: async () => undefined };
    if (process.env.VAULT_DATABASE_URL) {
      const vaultUrl = process.env.VAULT_DATABASE_URL;
      return { label, ownerUrl: given, serviceUrl: given, vaultUrl, ...others };
    }
    if (!facts.may_make_roles) throw new Error(rolesNeeded(facts.name));
    const { databasePasswords: passwords } = keys;
    const urlAs = (role: keyof typeof passwords) => withRole(given, role, passwords[role]);
    await refuseForeignRoles(admin, ['svc_owner', 'svc_service', 'svc_vault'], urlAs);
    await prepareDatabase({ admin, inside: given, passwords, database: facts.name });
    return {
      label,
      adminUrl: given,
      ownerUrl: urlAs('svc_owner'),
      serviceUrl: urlAs('svc_service'),
      vaultUrl: urlAs('svc_vault'),
      ...others,
    };
  } finally {
    await admin.end();
  }
}

/**
 * Throws for existing roles of another installation. Roles belong to the whole server: new passwords would
 * lock the other installation out.
 */
async function refuseForeignRoles<R extends string>(
  admin: pg.Client,
  roles: readonly R[],
  as: (role: R) => string,
): Promise<void> {
  const { rows } = await admin.query<{ rolname: R }>(
    'select rolname from pg_roles where rolname = any($1) order by rolname',
    [roles],
  );
  for (const { rolname } of rows) {
    const client = new pg.Client({ connectionString: as(rolname), connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    const refusal = await client.connect().then(
      () => undefined,
      (error: Error & { code?: string }) => error,
    );
    await client.end().catch(() => undefined);
    if (!refusal || afterPassword.includes(refusal.code ?? '')) continue;
    const { code, message } = refusal;
    throw new Error(code === '28P01' ? foreignRole(rolname) : untriedRole(rolname, message));
  }
}

const foreignRole = (role: string): string =>
  `The server of DATABASE_URL has a role ${role} with a password that is not of this data folder:
another installation uses it, and would be locked out by a new one. Choose another server, or go on
with the --data folder that has this password. Where nothing uses it any more, drop its databases and then the
roles svc_owner, svc_service and svc_vault, and start again.`;

/**
 * Codes that come after the password was accepted: the role may not connect to this database yet, or the
 * database is gone.
 */
const afterPassword = ['42501', '3D000'];

const untriedRole = (role: string, reason: string): string =>
  `The server of DATABASE_URL has a role ${role}, and its password could not be tried (${reason}):
another installation may use it, and would be locked out by a new one. Let the role in from here (it
needs LOGIN, and a line of pg_hba.conf), or choose another server. Where nothing uses it any more, drop
its databases and then the roles svc_owner, svc_service and svc_vault, and start again.`;

const rolesNeeded = (database: string): string =>
  `The user of DATABASE_URL may not create roles, and the vault needs a role of its own that no
other part of svc can use. Let an administrator run, in the database ${database}:

  create role svc_vault login password '<choose one>';
  create schema vault authorization svc_vault;
  revoke all on schema vault from public;
  grant connect on database ${database} to svc_vault;

and start again with VAULT_DATABASE_URL=postgres://svc_vault:<password>@<host>/${database}`;

/**
 * Returns the address of the same server and database for that role. A socket's address names no host
 * before its path, and a URL then takes no user; a user among the parameters would take precedence over
 * ours.
 */
function withRole(address: string, role: string, password: string): string {
  const hasNoHost = /^[a-z]+:\/\/([^/?#]*@)?(?=[/?#]|$)/i;
  const url = new URL(address.replace(hasNoHost, '$&localhost'));
  if (hasNoHost.test(address) && !url.searchParams.has('host') && process.env.PGHOST) {
    url.searchParams.set('host', process.env.PGHOST);
  }
  for (const name of ['user', 'password']) url.searchParams.delete(name);
  url.username = role;
  url.password = password;
  return url.href;
}

function withoutPassword(address: string): string {
  try {
    const url = new URL(address);
    return `${url.hostname || url.searchParams.get('host') || 'localhost'}${url.pathname}`;
  } catch {
    return 'not an address';
  }
}
