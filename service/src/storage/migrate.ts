// Brings the database to the newest migration. Several processes may start at once: an advisory
// lock lets one do it while the others wait.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

const folder = join(import.meta.dirname, '../../migrations');
const migrationsTable = 'schema_migrations';

/** Names of all migrations, in order. */
export const migrationNames = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();

/** Applies what is missing, each file in a transaction of its own. `ownerUrl` may alter tables. */
export async function migrate(ownerUrl: string): Promise<void> {
  // Needed once per start, and not at all by what only reads: imported here for its weight.
  const { runner } = await import('node-pg-migrate');
  await runner({
    databaseUrl: ownerUrl,
    dir: folder,
    direction: 'up',
    migrationsTable,
    checkOrder: true,
    singleTransaction: false,
    advisoryLockMode: 'wait',
    log: () => undefined,
  });
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
