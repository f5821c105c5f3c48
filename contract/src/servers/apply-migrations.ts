// Applies SQL migrations while processes of the version before serve on the same database. Shared by service and
// vault. CONTRIBUTING.md, "Add a migration".

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A connection of one's own, as a role that may alter the tables. */
type Client = {
  query<Row>(text: string, values?: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
};

type Migrations = {
  readonly folder: string;
  /** The table of the applied ones, with its schema. */
  readonly table: string;
  /** How long a migration tries to get its locks; five minutes by default. */
  readonly patienceMs?: number;
};

// Every version takes this lock, so that two versions never migrate at once.
const lock = '7241865325823964';
const lockNotAvailable = '55P03';
/** While a migration waits for a lock, every later statement on the table waits behind it: so long at most. */
const lockTimeoutMs = 1000;
const concurrent = /^create (?:unique )?index concurrently\b/im;

/** Names of the migrations of a folder, in order. */
export const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();

/** Applies the migrations that are missing. A second caller waits for the first, and then finds none missing. */
export async function applyMigrations(client: Client, migrations: Migrations): Promise<void> {
  const { folder, table, patienceMs = 300_000 } = migrations;
  // The role may have the short timeouts of requests.
  await client.query(
    'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
  );
  await takeTurn(client);
  try {
    const known = namesIn(folder);
    const applied = await findApplied(client, table);
    const gap = applied.findIndex((name, at) => at < known.length && known[at] !== name);
    if (gap >= 0) {
      throw new Error(`its migration ${gap + 1} is ${applied[gap]}, and here it is ${known[gap]}`);
    }
    for (const name of known.slice(applied.length)) {
      const text = readFileSync(join(folder, `${name}.sql`), 'utf8');
      const mark = `insert into ${table} (name, run_on) values ('${name}', now())`;
      if (concurrent.test(text)) await runApart(client, [...statementsOf(text), mark]);
      else await runWhole(client, { name, text: `${text}\n;${mark}`, patienceMs });
    }
  } finally {
    await client.query(`select pg_advisory_unlock(${lock})`).catch(() => undefined);
  }
}

/**
 * Polls for the lock. `create index concurrently` waits until every earlier statement has ended, so a statement that
 * waits for the lock would deadlock with it.
 */
async function takeTurn(client: Client): Promise<void> {
  for (;;) {
    const text = `select pg_try_advisory_lock(${lock}) as is_mine`;
    const { rows } = await client.query<{ is_mine: boolean }>(text);
    if (rows[0]?.is_mine) return;
    await pause(100);
  }
}

async function findApplied(client: Client, table: string): Promise<string[]> {
  const found = 'select to_regclass($1) is not null as is_there';
  const { rows } = await client.query<{ is_there: boolean }>(found, [table]);
  if (!rows[0]?.is_there) {
    await client.query(
      `create table ${table} (id serial primary key, name varchar(255) not null, run_on timestamp not null)`,
    );
  }
  const names = `select name from ${table} order by run_on, id`;
  return (await client.query<{ name: string }>(names)).rows.map(({ name }) => name);
}

type Whole = { readonly name: string; readonly text: string; readonly patienceMs: number };

/**
 * Runs a migration in one transaction. When it cannot lock a table within `lockTimeoutMs`, it rolls back and tries
 * again later: every payment would queue behind its request for the lock.
 */
async function runWhole(client: Client, { name, text, patienceMs }: Whole): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}; ${text}; commit`);
      return;
    } catch (error) {
      await client.query('rollback');
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
      if (performance.now() > until) {
        const holder = await describeOldest(client);
        throw new Error(`${name} got no lock within ${patienceMs / 1000} s. ${holder}`, {
          cause: error,
        });
      }
      await pause(lockTimeoutMs * (1 + 2 * Math.random()));
    }
  }
}

async function describeOldest(client: Client): Promise<string> {
  const { rows } = await client.query<{ said: string }>(
    `select format('The oldest transaction: pid %s of %s, since %s s: %s', pid, coalesce(nullif(application_name, ''),
       usename), extract(epoch from now() - xact_start)::int, left(query, 80)) as said
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 1`,
  );
  return rows[0]?.said ?? '';
}

/** Splits a file into its statements; each ends at the end of a line. */
const statementsOf = (text: string): string[] =>
  text
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((one) => one.trim())
    .filter(Boolean);

/** Outside a transaction, where an index is built while rows are written. */
async function runApart(client: Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await client.query(statement);
}
