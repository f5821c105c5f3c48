// Words of the copy that a payment no longer has: they stay, and find nothing.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { aClient, freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import {
  copyEveryPayment,
  fillPayments,
  listQuery,
} from '../../../test/payments/listed-payments.ts';
import { sql } from '../database/sql.ts';
import { findProjected, listPaymentRows } from '../payments/payment-lists.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const plantOldWords = sql(
  'test_payment_words_plant',
  `insert into payment_words (client_id, word, created_at, payment_id)
   select client_id, word, created_at, id from payments,
     unnest('{charge:ch_before,intent:pi_before}'::text[]) word where id = $1`,
);

it.each([
  ['gatewayChargeId', 'ch_before'],
  ['providerId', 'ch_before'],
  ['providerId', 'pi_before'],
])('%s %s: an id that the payment had before finds nothing', async (field, id) => {
  const client = await aClient(db.database);
  const [payment] = await fillPayments(db.database, client, 'renamed');
  await copyEveryPayment(db);
  await db.database.write(plantOldWords, [payment?.id]);
  const query = listQuery({ filters: [{ field, op: 'eq', values: [id] }] });
  expect(await findProjected(db.database, query)).toBeDefined();
  expect((await listPaymentRows(db.database, client.id, query)).total).toBe(0);
});
