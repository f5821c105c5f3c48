// Migrates the database to this version at a start, or reports in one line why it cannot.

import type { Database } from '../storage/database/database.ts';
import { isMigrated, migrate } from '../storage/database/migrate.ts';
import { poolerStates } from '../storage/database/session-settings.ts';
import type { Config } from './config.ts';

/** Ends the process with one line that states what to do, and no stack. */
export class CannotStart extends Error {}

/** Applies missing migrations; when none is missing, the owner's credentials are not needed. */
export async function migrateDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseOwnerUrl'>,
  database: Database,
): Promise<void> {
  let name = 'DATABASE_URL';
  try {
    if (await isMigrated(database)) return;
    name = config.databaseOwnerUrl === config.databaseUrl ? name : 'DATABASE_OWNER_URL';
    await migrate(config.databaseOwnerUrl);
  } catch (error) {
    throw new CannotStart(`the database of ${name} cannot be used: ${reasonOf(error)}`);
  }
}

/**
 * Returns the reason of an error; for a connection that was refused on several addresses the
 * reasons are nested.
 */
export function reasonOf(error: unknown): string {
  const { errors, message, code } = error as AggregateError & { code?: string };
  const pooler = poolerStates[code ?? ''];
  if (pooler) return pooler;
  const inner = errors?.[0] as Error | undefined;
  return (message || inner?.message || code || String(error)).split('\n')[0] ?? '';
}
