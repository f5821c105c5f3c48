import type { Database } from './database.ts';
import { sql } from './sql.ts';

const describe = sql<{ version: string; name: string }>(
  'describe_database',
  `select current_setting('server_version') as version, current_database() as name`,
);

/** Which database answers. */
export async function describeDatabase(db: Database): Promise<{ version: string; name: string }> {
  const [row] = await db.read(describe, []);
  if (!row) throw new Error('no answer from the database');
  return row;
}
