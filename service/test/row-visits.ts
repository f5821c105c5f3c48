import type pg from 'pg';
import type { Database } from '../src/storage/database/database.ts';
import { sql } from '../src/storage/database/sql.ts';

const tell = sql('test_row_visits', 'select pg_stat_force_next_flush(), pg_sleep(0.05)');

/**
 * Returns how many rows and index entries of the table all sessions have read. The database's sessions report first:
 * `sessions` is at least how many it has.
 */
export async function countVisits(
  table: string,
  { database, owner, sessions }: { database: Database; owner: pg.Client; sessions: number },
): Promise<number> {
  await Promise.all(Array.from({ length: sessions }, () => database.write(tell, [])));
  await owner.query('select pg_stat_force_next_flush()');
  const { rows } = await owner.query<{ visits: string }>(
    `select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes i
       where i.relid = t.relid) as visits
     from pg_stat_user_tables t where relname = $1`,
    [table],
  );
  return Number(rows[0]?.visits);
}
