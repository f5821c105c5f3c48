// Brings the database to the newest migration. Several processes may start at once: an advisory
// lock lets one do it while the others wait.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

const folder = join(import.meta.dirname, '../../../migrations');
const migrationsTable = 'schema_migrations';

/** Names of all migrations, in order. */
const migrationNames = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();

/** Applies what is missing, each file in a transaction of its own. `ownerUrl` may alter tables. */
export async function migrate(ownerUrl: string): Promise<void> {
  // Needed once per start, and not at all by what only reads: imported here for its weight.
  const { runner } = await import('node-pg-migrate');
  const dbClient = new pg.Client({ connectionString: ownerUrl });
  dbClient.on('error', () => undefined);
  try {
    await dbClient.connect();
    // A role that both serves and migrates may have the limits of a request.
    await dbClient.query(
      'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
    );
    await runner({
      dbClient,
      dir: folder,
      direction: 'up',
      migrationsTable,
      checkOrder: true,
      singleTransaction: false,
      advisoryLockMode: 'wait',
      log: () => undefined,
    });
  } finally {
    await dbClient.end().catch(() => undefined);
  }
}

const listMigrations = sql<{ name: string }>(
  'list_migrations',
  `select name from ${migrationsTable}`,
);

/** True when every migration of this version has been applied. */
export async function isMigrated(database: Database): Promise<boolean> {
  try {
    const applied = new Set((await database.read(listMigrations, [])).map(({ name }) => name));
    return migrationNames().every((name) => applied.has(name));
  } catch (error) {
    const undefinedTable = '42P01';
    if ((error as { code?: string }).code === undefinedTable) return false;
    throw error;
  }
}
