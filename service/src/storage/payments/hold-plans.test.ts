// What the fast path of a capture reads when its plans were made while the tables were small.

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  askerOf,
  aToken,
  freshDatabase,
  type TestClient,
  type TestDatabase,
  type TestGateway,
  type TestToken,
} from '../../../test/harness.ts';
import { aClaimRequest, aSettlement } from '../../../test/payments/claim-requests.ts';
import { countVisits } from '../../../test/row-visits.ts';
import { claimHoldFast, settleHoldFast } from './hold-fast-path.ts';

let db: TestDatabase;
let client: TestClient;
let token: TestToken;
let gateway: TestGateway;
let owner: pg.Client;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  token = await aToken(db.database, client);
  gateway = await aGateway(db.database, client);
  owner = new pg.Client({ connectionString: db.ownerUrl });
  await owner.connect();
  await owner.query('alter table payment_operations set (autovacuum_enabled = off)');
});
afterAll(async () => {
  await owner?.end();
  await db?.close();
});

const holds = `insert into payments (id, client_id, gateway_id, type, provider, amount_minor,
    currency, capture_method, status, is_live, created_at, updated_at, authorized_at,
    authorization_expires_at)
  select gen_random_uuid(), $1, $2, 'purchase', 'cardprovider', 1990, 'EUR', 'manual',
    'authorized', false, now(), now(), now(), now() + interval '7 days'
  from generate_series(1, $3::int) returning id`;

const operationsOf = `insert into payment_operations (id, client_id, payment_id, kind, state,
    amount_minor, canon_sha256, idempotency_key, first_sent_at, next_check_at, created_at,
    finished_at)
  select gen_random_uuid(), $1, id, $3, $4, 1990, '\\x00', case when $5 then id::text end, now(),
    now(), now(), case when $4 = 'succeeded' then now() end
  from unnest($2::uuid[]) as payment(id)`;

async function aHeld(count: number): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(holds, [client.id, gateway.id, count]);
  return rows.map(({ id }) => id);
}
/** Inserts authorised payments without a caller's key; with `then`, each has another operation. */
async function createUsedHolds(
  count: number,
  then?: { kind: string; state: string },
): Promise<string[]> {
  const ids = await aHeld(count);
  await owner.query(operationsOf, [client.id, ids, 'authorize', 'succeeded', false]);
  if (then) await owner.query(operationsOf, [client.id, ids, then.kind, then.state, true]);
  return ids;
}

const countOperationVisits = () =>
  countVisits('payment_operations', { database: db.database, owner, sessions: 32 });

async function capture(paymentIds: readonly string[]): Promise<void> {
  const claimed = await Promise.all(
    paymentIds.map((paymentId) =>
      claimHoldFast(
        db.database,
        aClaimRequest({ clientId: client.id, paymentId, asker: askerOf(token) }),
      ),
    ),
  );
  const settled = await Promise.all(
    claimed.map((one) => {
      if (!one) throw new Error('not claimed');
      return settleHoldFast(db.database, aSettlement(one));
    }),
  );
  expect(settled).toEqual(paymentIds.map(() => ({ deliveries: 0 })));
}

/** Makes all connections plan their statements now. */
async function plan(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await Promise.all((await aHeld(12)).map((id) => capture([id])));
    await capture(await aHeld(8));
  }
}

it('reads what it changes and little more, with plans from the day before anybody used a key', async () => {
  // The statistics contain no entry in the index of keys, and no open operation.
  await createUsedHolds(300);
  await owner.query('vacuum analyze payments, payment_operations');
  await plan();
  await createUsedHolds(3000, { kind: 'refund', state: 'succeeded' });
  await createUsedHolds(2000, { kind: 'capture', state: 'in_doubt' });
  for (const count of [1, 16, 64]) {
    const ids = await aHeld(count);
    const seen = await countOperationVisits();
    await capture(ids);
    const read = (await countOperationVisits()) - seen;
    expect(read).toBeGreaterThanOrEqual(count);
    expect(read).toBeLessThan(20 + count * 10);
  }
});
