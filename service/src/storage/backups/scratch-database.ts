// Databases that a command makes beside the installation's own and drops again.

import type pg from 'pg';
import { atDatabase, withClient } from './whole-database.ts';

/** The role may not make a database. */
export class NoScratchDatabase extends Error {
  constructor() {
    super(
      'no_scratch_database: the role may not create the database that this is tried in: name an administrator in ' +
        'DATABASE_ADMIN_URL',
    );
  }
}

type Scratch = {
  /** Names the kind of work, and `id` this run of it. */
  readonly prefix: string;
  readonly id: string;
};

/**
 * Makes a database for the work and drops it. Those of killed runs go first; a run keeps a connection to its own,
 * which refuses the drop.
 */
export async function inScratchDatabase<T>(
  url: string,
  { prefix, id }: Scratch,
  work: (scratchUrl: string, client: pg.Client) => Promise<T>,
): Promise<T> {
  return withClient(url, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      `select format('%I', datname) as name from pg_database
       where starts_with(datname, $1::text || '_')
         and not exists (select from pg_stat_activity a where a.datname = pg_database.datname)`,
      [prefix],
    );
    for (const { name } of rows) {
      await admin.query(`drop database if exists ${name}`).catch(() => undefined);
    }
    const name = `${prefix}_${id}`;
    await admin
      .query(`create database ${name} template template0`)
      .catch((error: { code?: string }) => {
        throw error.code === '42501' ? new NoScratchDatabase() : error;
      });
    try {
      const scratchUrl = atDatabase(url, name);
      return await withClient(scratchUrl, (client) => work(scratchUrl, client));
    } finally {
      await admin.query(`drop database if exists ${name} with (force)`).catch(() => undefined);
    }
  });
}

/** Gives each role of an installation its place, as `svc prepare database` does. */
export const placeRoles = (inside: pg.Client): Promise<unknown> =>
  inside.query(`alter schema public owner to svc_owner;
    revoke all on schema public from public;
    grant usage on schema public to svc_service;
    create schema vault authorization svc_vault;
    alter default privileges for role svc_owner in schema public
      grant select, insert, update, delete on tables to svc_service;
    alter default privileges for role svc_owner in schema public
      grant usage on sequences to svc_service`);

/** Returns the address with which the administrator acts as another role. */
export function actingAs(url: string, role: string): string {
  const [address = '', query] = url.split(/\?(.*)/s);
  const asked = new URLSearchParams(query);
  const theirs = asked.get('options');
  asked.set('options', `${theirs ? `${theirs} ` : ''}-c role=${role}`);
  return `${address}?${asked}`;
}

export type DatabaseSize = {
  readonly bytes: number;
  /** Of the server's write-ahead log, since its beginning. */
  readonly logBytes: number;
  readonly backend: number;
};

/** Brings the planner's figures up to date, and measures. */
export async function measureDatabase(client: pg.Client): Promise<DatabaseSize> {
  await client.query('analyze');
  const { rows } = await client.query<Record<keyof DatabaseSize, string>>(
    `select pg_database_size(current_database()) as bytes, pg_backend_pid() as backend,
       pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as "logBytes"`,
  );
  const { bytes, logBytes, backend } = rows[0] ?? {};
  return { bytes: Number(bytes), logBytes: Number(logBytes), backend: Number(backend) };
}

/** The server's version, and settings of its that decide about the speed of commits. */
export async function describeServer(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, current_setting(name) as setting from pg_settings
     where name in ('server_version', 'fsync', 'full_page_writes', 'shared_buffers',
       'synchronous_standby_names') order by name`,
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

/** The mode that the first start stored with a database; null where there is no service, or none has started. */
export async function findStoredMode(client: pg.Client): Promise<string | null> {
  const { rows: tables } = await client.query<{ found: string | null }>(
    "select to_regclass('public.clock_shift')::text as found",
  );
  if (!tables[0]?.found) return null;
  const { rows } = await client.query<{ mode: string | null }>(
    'select mode from public.clock_shift',
  );
  return rows[0]?.mode ?? null;
}
