// The vault's part of the database: its schema, its role and its migrations.
import { join } from 'node:path';
import { applyMigrations } from '@svc/contract/servers/apply-migrations';
import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import type { Mode } from './settings.ts';

const Client = clientOfHosts(pg.Client);

/** A start that cannot succeed. The message is meant for the operator and is complete. */
export class StartTrouble extends Error {}

const migrationsFolder = join(import.meta.dirname, '../migrations');

export type DatabaseLimits = {
  /** How long a request waits for a connection. */
  readonly connectMs: number;
  /** For a server that hangs and sends nothing: longer than its own statement_timeout. */
  readonly answerMs: number;
};

export const databaseLimits: DatabaseLimits = { connectMs: 5_000, answerMs: 7_000 };

const openSql = (role: string) =>
  `create schema if not exists vault authorization "${role.replaceAll('"', '""')}";`;

/** Throws, with the SQL to run, when the role may not create its own schema. */
async function assertSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; owner: string | null; may: boolean }>(
    `select current_user as role,
       (select nspowner::regrole::text from pg_namespace where nspname = 'vault') as owner,
       has_database_privilege(current_database(), 'create') as may`,
  );
  const [row] = rows;
  if (!row || (row.owner === null && row.may)) return;
  const { rows: rights } = await client.query<{ may: boolean }>(
    `select coalesce(bool_or(has_schema_privilege(oid, 'create') and
       has_schema_privilege(oid, 'usage')), false) as may
     from pg_namespace where nspname = 'vault'`,
  );
  if (rights[0]?.may) return;
  throw new StartTrouble(
    `VAULT_DATABASE_URL: the role ${row.role} may not use a schema of its own there. ` +
      `Run as the owner of the database: ${openSql(row.role)}`,
  );
}

/** Throws for tables from before the first release, whose migrations are gone. */
async function refuseOlder(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query<{ found: string | null }>(
    "select to_regclass('vault.migrations')::text as found",
  );
  if (!tables[0]?.found) return;
  const { rows } = await client.query<{ older: boolean }>(
    `select exists (select from vault.migrations) and not exists (
       select from vault.migrations where name = '0001_baseline') as older`,
  );
  if (!rows[0]?.older) return;
  throw new StartTrouble(
    "The vault's tables were made before version 0.1.0 and cannot be migrated: name an empty database. " +
      'Nothing was changed.',
  );
}

// The first start stores its mode. A separate statement reads it, which sees what another start has stored
// meanwhile.
const claimMode = 'insert into vault.installation (mode) values ($1) on conflict do nothing';
const readMode = 'select mode from vault.installation';

/** Throws for tables of another mode: their tokens refer to cards of the other mode's accounts. */
async function assertMode(client: pg.Client, mode: Mode): Promise<void> {
  await client.query(claimMode, [mode]);
  const { rows } = await client.query<{ mode: Mode }>(readMode);
  const stored = rows[0]?.mode;
  if (stored === mode) return;
  throw new StartTrouble(
    `The vault's tables are of ${stored} mode, and VAULT_MODE is ${mode}: set VAULT_MODE=${stored}, ` +
      'or name another database.',
  );
}

/**
 * Connects once, checks the schema, runs missing migrations and compares the mode. Two calls at once run
 * one after the other. Without a mode it only creates the tables.
 */
export async function migrate(databaseUrl: string, mode?: Mode): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: databaseLimits.connectMs,
  });
  try {
    await client.connect();
  } catch (error) {
    const reason = error instanceof Error ? error.message || String(error) : String(error);
    throw new StartTrouble(`VAULT_DATABASE_URL: the database cannot be reached (${reason}).`);
  }
  try {
    await assertSchema(client);
    await refuseOlder(client);
    await client.query(
      `do $$ begin
         if to_regnamespace('vault') is null then create schema vault; end if;
       end $$`,
    );
    await client.query('set search_path to vault');
    await applyMigrations(client, { folder: migrationsFolder, table: 'vault.migrations' });
    if (mode) await assertMode(client, mode);
  } finally {
    await client.end();
  }
}

// Set here whatever database, role and address configure: a database restored from a dump has lost the
// settings of its roles.
const settings =
  '-c search_path=vault -c synchronous_commit=on -c timezone=UTC -c datestyle=ISO ' +
  '-c statement_timeout=5000 -c idle_in_transaction_session_timeout=5000';

/** The address may also set some of these by name, which would take precedence. */
const inAddress = ['options', 'statement_timeout', 'idle_in_transaction_session_timeout'];

/** The address's own options come before ours. The driver would otherwise use them in place of ours. */
function withOptions(databaseUrl: string, options: string): pg.ClientConfig {
  const [address = '', query] = databaseUrl.split(/\?(.*)/s);
  const asked = new URLSearchParams(query);
  const theirs = asked.get('options');
  for (const name of inAddress) asked.delete(name);
  return {
    connectionString: asked.size > 0 ? `${address}?${asked}` : address,
    options: theirs ? `${theirs} ${options}` : options,
  };
}

/** A small pool: every statement of the vault touches one row by its key. */
export function openPool(
  databaseUrl: string,
  { connectMs, answerMs }: DatabaseLimits = databaseLimits,
): pg.Pool {
  const pool = new pg.Pool({
    Client,
    ...withOptions(databaseUrl, settings),
    max: 8,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    application_name: 'svc-vault',
  });
  // An idle connection whose backend dies emits an error at the pool, one in use at its client, even after the pool
  // has ended. Without listeners the process would end.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}
