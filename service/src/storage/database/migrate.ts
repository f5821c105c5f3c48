// Migrates the database to the newest version. Several processes may start at once: one migrates while the others
// wait.

import { applyMigrations } from '@svc/contract/servers/apply-migrations';
import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import type { Database } from './database.ts';
import { sql } from './sql.ts';
import { namesOf, servicePart } from './upgrade.ts';

const migrationsTable = servicePart.table;
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

/** Applies the missing migrations. The role of `ownerUrl` may alter tables. */
export async function migrate(ownerUrl: string): Promise<void> {
  const client = new (clientOfHosts(pg.Client))({ connectionString: ownerUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await refuseOlder(async ({ text }) => (await client.query(text)).rows);
    await applyMigrations(client, servicePart);
  } finally {
    await client.end().catch(() => undefined);
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
