import { type Database, everyClient } from './database.ts';
import { sql } from './sql.ts';

const describe = sql<{ version: string; name: string }>(
  'describe_database',
  `select current_setting('server_version') as version, current_database() as name`,
);

/** Returns version and name of the connected database. */
export async function describeDatabase(db: Database): Promise<{ version: string; name: string }> {
  const [row] = await db.read(describe, []);
  if (!row) throw new Error('no answer from the database');
  return row;
}

const touch = sql<{ waits: boolean }>(
  'health.touch',
  `update clock_shift set shift = shift
   returning current_setting('synchronous_standby_names') <> '' as waits`,
);

// On a full disk a row still fits into an existing page. This statement exceeds work_mem and so
// writes a temporary file beside the tables, which needs free space.
const spill = sql('health.spill', 'select count(*) from generate_series(1, 20000)');

class ProbeRollback extends Error {}

/**
 * Writes as a request would, and rolls back; throws the error that a request would get. When
 * commits wait for a standby, only a commit shows whether there is one: then the unchanged row is
 * committed.
 */
export async function tryWrite(db: Database): Promise<void> {
  const work = db.transaction(
    everyClient,
    async (tx) => {
      const [row] = await tx.query(touch, []);
      await tx.query(spill, []);
      if (!row?.waits) throw new ProbeRollback();
    },
    ['lock_timeout = 1500', "work_mem = '64kB'"],
  );
  await work.catch((error: unknown) => {
    if (!(error instanceof ProbeRollback)) throw error;
  });
}
