// A database as a whole, for its backup: one moment of it, and how many rows each table has.
// As an administrator, who reads the tables of service and vault alike.

import { splitAddress } from '@svc/contract/servers/database-address';
import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import { findApplied, servicePart, vaultPart } from '../database/upgrade.ts';

export type Counts = Readonly<Record<string, number>>;
export type Moment = {
  /** Names the snapshot to pg_dump. */
  readonly snapshot: string;
  readonly server: string;
  readonly mode: string | null;
  readonly migrations: readonly string[];
  readonly vaultMigrations: readonly string[];
  readonly counts: Counts;
};

/** Returns the address of another database of the same server. */
export function atDatabase(address: string, name: string): string {
  const { scheme = '', account = '', servers = '', query = '' } = splitAddress(address) ?? {};
  return `${scheme}${account}${servers}/${encodeURIComponent(name)}${query && `?${query}`}`;
}

export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new (clientOfHosts(pg.Client))({
    ...{ connectionString: url, application_name: 'svc backup', connectionTimeoutMillis: 10_000 },
    // Without the first, row security would hide rows from some roles, and no error would tell.
    options: `-c row_security=off -c statement_timeout=0 -c lock_timeout=30000
      -c idle_in_transaction_session_timeout=0`.replace(/\s+/g, ' '),
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function serverMajor(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ num: number }>(
    "select current_setting('server_version_num')::int / 10000 as num",
  );
  return rows[0]?.num ?? 0;
}

/** Runs the work while one moment of the database is kept. */
export function atOneMoment<T>(url: string, work: (moment: Moment) => Promise<T>): Promise<T> {
  return withClient(url, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ snapshot: string; server: string }>(
      `select pg_export_snapshot() as snapshot, current_setting('server_version') as server`,
    );
    const migrations = await findApplied(client, servicePart);
    if (migrations === null) throw new NoService();
    const { rows: clocks } = await client.query<{ mode: string | null }>(
      'select mode from public.clock_shift',
    );
    return work({
      snapshot: rows[0]?.snapshot ?? '',
      server: rows[0]?.server.split(' ')[0] ?? '',
      mode: clocks[0]?.mode ?? null,
      migrations,
      vaultMigrations: (await findApplied(client, vaultPart)) ?? [],
      counts: await countRows(client),
    });
  });
}

/** The database has no tables of a service. */
export class NoService extends Error {}

/** The tables of all schemas that are not PostgreSQL's own. */
export async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1`,
  );
  return rows.map(({ name }) => name);
}

export async function countRows(client: pg.Client): Promise<Counts> {
  const names = await listTables(client);
  if (names.length === 0) return {};
  const each = names.map((name) => `(select count(*) from ${name})`);
  const { rows } = await client.query<{ counts: string[] }>(
    `select array[${each.join(', ')}]::text[] as counts`,
  );
  return Object.fromEntries(names.map((name, at) => [name, Number(rows[0]?.counts[at])]));
}
