// GET /v1/overview through the real route.

import type { Overview } from '@svc/contract/dashboard/overview';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClub, nowOf } from '../../../test/customers/subscriptions.ts';
import {
  aClient,
  aGateway,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aStoredPayment } from '../../../test/payments/stored-rows.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld } from '../../../test/world.ts';
import { sql } from '../../storage/database/sql.ts';

const hourMs = 3_600_000;
const expire = sql(
  'test_overview_expire',
  'update payments set authorization_expires_at = $2, authorized_at = created_at where id = $1',
);
let db: TestDatabase;
let server: TestServer;
let client: TestClient;
let token: TestToken;
let holds: string[];
beforeAll(async () => {
  db = await freshDatabase();
  server = await aServer(portsFor(db.database));
  client = await aClient(db.database);
  token = await aToken(db.database, client);
  const gateway = await aGateway(db.database, client);
  const storePayment = async (status: 'authorized' | 'unknown') =>
    (await aStoredPayment(db.database, client, { gateway, status, captureMethod: 'manual' })).id;
  holds = [];
  // Seven end within two days, the last made first; one later.
  for (const hours of [47, 40, 30, 20, 10, 5, 1, 49]) {
    const id = await storePayment('authorized');
    await db.database.write(expire, [id, new Date(Date.now() + hours * hourMs)]);
    holds.unshift(id);
  }
  await storePayment('unknown');
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

const getOverview = async (as: TestToken) =>
  (await callAs(server.app, as, 'GET /v1/overview')).json();

describe('getOverview', () => {
  it('counts each kind exactly and shows the first five, also from the copy of the payments', async () => {
    const check = async () => {
      const overview: Overview = await getOverview(token);
      const { expiringHolds, unknownPayments, failedRefunds, disputes } = overview;
      expect(expiringHolds.total).toBe(7);
      expect(expiringHolds.data.map(({ id }) => id)).toEqual(holds.slice(1, 6));
      expect([unknownPayments.total, failedRefunds.total, disputes.total]).toEqual([1, 0, 0]);
      expect(overview.pastDueSubscriptions).toEqual({ total: 0, data: [] });
    };
    await check();
    await copyEveryPayment(db);
    await check();
  });

  it('lists running subscriptions whose card is good until the end of this month at most', async () => {
    const world = await startWorld();
    const own = await aServer(world.ports);
    try {
      const { id, methodId } = await aClub(world);
      const readExpiring = async () =>
        (await callAs(own.app, world.token, 'GET /v1/overview')).json().expiringCards;
      expect(await readExpiring()).toEqual({ total: 0, data: [] });
      const now = await nowOf(world);
      const setExpiry = (month: number) =>
        plantInDatabase(world.ownerUrl, (plant) =>
          plant('update payment_methods set expiry_year = $2, expiry_month = $3 where id = $1', [
            methodId,
            now.getUTCFullYear() + Math.floor(month / 12),
            (month % 12) + 1,
          ]),
        );
      await setExpiry(now.getUTCMonth() + 1);
      expect((await readExpiring()).total).toBe(0);
      await setExpiry(now.getUTCMonth());
      expect(await readExpiring()).toMatchObject({ total: 1, data: [{ id }] });
      // Nothing is charged to the card of an ended subscription any more.
      await callAs(own.app, world.token, `POST /v1/subscriptions/${id}/cancel`);
      expect(await readExpiring()).toEqual({ total: 0, data: [] });
    } finally {
      await own.close();
      await world.close();
    }
  });

  it('another merchant’s is empty', async () => {
    const stranger = await aToken(db.database, await aClient(db.database));
    const kinds: Overview[keyof Overview][] = Object.values(await getOverview(stranger));
    expect(kinds).toEqual(kinds.map(() => ({ total: 0, data: [] })));
  });

  it('403 insufficient_scope: without payments:read; what else a token may not read is empty', async () => {
    const other = await aToken(db.database, client, { scopes: ['customers:read'] });
    expect((await getOverview(other)).code).toBe('insufficient_scope');
    const narrow = await aToken(db.database, client, { scopes: ['payments:read'] });
    expect((await getOverview(narrow)).expiringHolds.total).toBe(7);
  });

  it('400 invalid_query: a parameter that it does not know', async () => {
    const answer = await callAs(server.app, token, 'GET /v1/overview?colour=red');
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_query']);
  });
});
