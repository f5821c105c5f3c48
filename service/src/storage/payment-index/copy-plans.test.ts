// What the copy reads of itself when its plans were made while it was empty, as after an installation or a restore.

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aClient, aGateway, freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import { type OpenDatabase, openDatabase } from '../database/database.ts';
import { sql } from '../database/sql.ts';

let db: TestDatabase;
let owner: pg.Client;
/** One connection, which plans each statement once. */
let database: OpenDatabase;
beforeAll(async () => {
  db = await freshDatabase();
  database = openDatabase({ url: db.url, poolSize: 1 });
  owner = new pg.Client({ connectionString: db.ownerUrl });
  await owner.connect();
  await owner.query('alter table payment_index set (autovacuum_enabled = off)');
});
afterAll(async () => {
  await database?.close();
  await owner?.end();
  await db?.close();
});

const tell = sql('test_copy_tell', 'select pg_stat_force_next_flush(), pg_sleep(0.05)');
/** Returns how many rows and index entries of the copy its connection has read, which reports first. */
async function countVisits(): Promise<number> {
  await database.write(tell, []);
  const { rows } = await owner.query<{ visits: string }>(
    `select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes i
       where i.relid = t.relid) as visits
     from pg_stat_user_tables t where relname = 'payment_index'`,
  );
  return Number(rows[0]?.visits);
}

it('reads each payment that it copies and no other', async () => {
  const client = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  const copyNew = async (count: number) => {
    await owner.query(
      `insert into payments (id, client_id, gateway_id, type, provider, amount_minor, currency,
         capture_method, status, is_live, created_at, updated_at)
       select gen_random_uuid(), $1, $2, 'purchase', 'cardprovider', 1990, 'EUR', 'automatic',
         'pending', false, now(), now() from generate_series(1, $3::int)`,
      [client.id, gateway.id, count],
    );
    await copyEveryPayment({ database });
  };
  await copyNew(2);
  await copyNew(600);
  const before = await countVisits();
  await copyNew(100);
  expect(await countVisits()).toBeLessThan(before + 500);
});
