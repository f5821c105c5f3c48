// How many rows of the copy of payments PostgreSQL reads for each payment that is copied, with a plan from when the
// copy was empty, as after an installation or a restore.

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aClient, aGateway, freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import { countVisits } from '../../../test/row-visits.ts';
import { type OpenDatabase, openDatabase } from '../database/database.ts';

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
  const visits = () => countVisits('payment_index', { database, owner, sessions: 1 });
  const before = await visits();
  await copyNew(100);
  expect(await visits()).toBeLessThan(before + 500);
});
