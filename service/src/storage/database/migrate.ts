// Migrates the database to the newest version. Several processes may start at once: an advisory
// lock lets one migrate while the others wait.

import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import type { Database } from './database.ts';
import { sql } from './sql.ts';
import { namesOf, servicePart } from './upgrade.ts';

const { folder } = servicePart;
const migrationsTable = 'schema_migrations';
const undefinedTable = '42P01';

/** Tables from before the first release, whose migrations are gone. */
export class OlderDatabase extends Error {
  constructor() {
    super(
      'its tables were made before version 0.1.0 and cannot be migrated: name an empty database. ' +
        'Nothing was changed',
    );
  }
}

const findOlder = sql<{ is_older: boolean }>(
  'find_older_migrations',
  `select exists (select from ${migrationsTable})
     and not exists (select from ${migrationsTable} where name = '0001_baseline') as is_older`,
);

/** Throws OlderDatabase for such tables; `run` queries the database. */
export async function refuseOlder(
  run: (query: typeof findOlder) => Promise<readonly { readonly is_older: boolean }[]>,
): Promise<void> {
  const rows = await run(findOlder).catch((error: { code?: string }) => {
    if (error.code === undefinedTable) return [];
    throw error;
  });
  if (rows[0]?.is_older) throw new OlderDatabase();
}

/**
 * Applies the missing migrations, each file in its own transaction. The role of `ownerUrl` may
 * alter tables.
 */
export async function migrate(ownerUrl: string): Promise<void> {
  // Imported here because the module is large and only migrating needs it.
  const { runner } = await import('node-pg-migrate');
  const dbClient = new (clientOfHosts(pg.Client))({ connectionString: ownerUrl });
  dbClient.on('error', () => undefined);
  try {
    await dbClient.connect();
    await refuseOlder(async ({ text }) => (await dbClient.query(text)).rows);
    // A role that both serves and migrates may have the short timeouts of requests.
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

/** Returns true when every migration of this version has been applied. */
export async function isMigrated(database: Database): Promise<boolean> {
  try {
    const applied = new Set((await database.read(listMigrations, [])).map(({ name }) => name));
    return namesOf(servicePart).every((name) => applied.has(name));
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return false;
    throw error;
  }
}
