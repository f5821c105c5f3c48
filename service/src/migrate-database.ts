// Brings the database to this version at a start, or says in one line why it cannot.

import type { Config } from './config.ts';
import type { Database } from './storage/database/database.ts';
import { isMigrated, migrate } from './storage/database/migrate.ts';

/** Ends the process with one line that says what to do, and no stack. */
export class CannotStart extends Error {}

/** Applies missing migrations; a database that has them all is not asked for its owner. */
export async function migrateDatabase(config: Config, database: Database): Promise<void> {
  let name = 'DATABASE_URL';
  try {
    if (await isMigrated(database)) return;
    name = config.databaseOwnerUrl === config.databaseUrl ? name : 'DATABASE_OWNER_URL';
    await migrate(config.databaseOwnerUrl);
  } catch (error) {
    throw new CannotStart(`the database of ${name} cannot be used: ${reasonOf(error)}`);
  }
}

/** A connection that is refused on several addresses keeps its reasons inside. */
export function reasonOf(error: unknown): string {
  const { errors, message, code } = error as AggregateError & { code?: string };
  const inner = errors?.[0] as Error | undefined;
  return (message || inner?.message || code || String(error)).split('\n')[0] ?? '';
}
