// Stale methods are deleted without reading every session.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aCustomer,
  aGateway,
  freshDatabase,
  type TestDatabase,
} from '../../../test/harness.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { deleteStalePending } from './setup-sessions.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const plant = `with s as (
    insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
      gateway_id, country, user_id, email, is_buyer_verified, expires_at, created_at, updated_at)
    select gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), 'setup', 'open',
      'automatic', $2, 'DE', $3, 'a@example.test', true, now(), at, at
    from generate_series(1, $5::int), (values (now() - $4::interval)) v (at)
    returning id, created_at)
  insert into payment_methods (id, client_id, user_id, gateway_id, provider, type, session_id,
    is_live, status, created_at, updated_at)
  select gen_random_uuid(), $1, $3, $2, 'cardprovider', 'card', id, false, 'pending', created_at,
    created_at from s`;
const end = `update checkout_sessions set status = 'canceled' where created_at < now() - $1::interval`;

const reads = sql<{ scanned: number; found: number }>(
  'test_session_reads',
  `select seq_tup_read::int as scanned, idx_tup_fetch::int as found
   from pg_stat_xact_user_tables where relname = 'checkout_sessions'`,
);

describe('deleteStalePending', () => {
  it('forgets what ended an hour ago, the oldest first, and reads no session of a younger one', async () => {
    const client = await aClient(db.database);
    const gateway = await aGateway(db.database, client);
    const { id: userId } = await aCustomer(db.database, client);
    await plantInDatabase(db.ownerUrl, async (run) => {
      await run('alter table checkout_sessions disable trigger user');
      for (const [age, count] of [
        ['10 minutes', 2000],
        ['90 minutes', 40],
        ['3 hours', 30],
      ] as const) {
        await run(plant, [client.id, gateway.id, userId, age, count]);
      }
      await run(end, ['2 hours']);
      await run('alter table checkout_sessions enable trigger user');
    });
    const sweep = (limit: number) =>
      db.database.transaction(client.id, async (tx) => {
        const within = { write: tx.query } as Pick<Database, 'write'> as Database;
        const [before] = await tx.query(reads, []);
        const forgotten = await deleteStalePending(within, {
          graceMs: 3600_000,
          limit,
          looked: [],
          patienceMs: 24 * 3600_000,
        });
        const [after] = await tx.query(reads, []);
        const scanned = (after?.scanned ?? 0) - (before?.scanned ?? 0);
        return { forgotten, scanned, found: (after?.found ?? 0) - (before?.found ?? 0) };
      });
    expect(await sweep(20)).toEqual({ forgotten: 20, scanned: 0, found: 20 });
    // The methods of open sessions are read, and stay.
    expect(await sweep(500)).toEqual({ forgotten: 10, scanned: 0, found: 50 });
    expect(await sweep(500)).toEqual({ forgotten: 0, scanned: 0, found: 40 });
  });
});
