// Many creates at once are sent in one statement, and each keeps its own result. Contract §3.

import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aCustomer,
  aGateway,
  freshDatabase,
  newId,
  type TestDatabase,
} from '../../../test/harness.ts';
import { findSession } from './checkout-sessions.ts';
import { insertShell } from './session-claims.ts';
import { insertSession, type NewSession } from './session-inserts.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const sha256 = () => createHash('sha256').update(randomBytes(32)).digest();

async function aShop() {
  const client = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  let made = 0;
  const newSessionWith = (given: Partial<NewSession> = {}): NewSession => ({
    id: newId(),
    clientId: client.id,
    nonceSha256: sha256(),
    captureMethod: 'automatic',
    gatewayId: gateway.id,
    currency: 'EUR',
    country: null,
    userId: newId(),
    externalId: null,
    email: `buyer${made++}@example.test`,
    isBuyerVerified: false,
    allowsSecond: false,
    isGuest: false,
    reference: null,
    takesCoupons: true,
    lines: [
      {
        code: `mug-${made}`,
        name: 'Mug "\\',
        kind: 'item',
        quantity: made,
        unitMinor: 1,
        overrideMinor: null,
        interval: null,
        discountMinor: 0,
      },
    ],
    couponCodes: made % 2 ? [] : ['A', `B,"${made}`],
    subtotalMinor: made,
    discountMinor: 0,
    totalMinor: made,
    successUrl: made % 3 ? '/thanks' : null,
    cancelUrl: null,
    metadata: { order: `${made}` },
    lifeMs: 1000 * made,
    ...given,
  });
  return { client, gateway, aNew: newSessionWith };
}

describe('insertSession, many at once', () => {
  it('100 together: each as it was asked for, and as it is read again', async () => {
    const [one, other] = [await aShop(), await aShop()];
    const wanted = Array.from({ length: 100 }, (_, n) => (n % 2 ? one : other).aNew());
    const made = await Promise.all(wanted.map((session) => insertSession(db.database, session)));
    for (const [n, session] of wanted.entries()) {
      const { nonceSha256, lifeMs, ...facts } = session;
      expect(made[n]).toMatchObject(facts);
      const found = await findSession(db.database, nonceSha256, session.id);
      expect(found?.session).toEqual(made[n]);
      const life = (made[n]?.expiresAt.getTime() ?? 0) - (made[n]?.createdAt.getTime() ?? 0);
      expect(life).toBe(lifeMs);
    }
  });

  it('100 together, some with an end of their own: each ends when it was told', async () => {
    const { aNew } = await aShop();
    const endTimeOf = (n: number) => (n % 3 ? null : new Date(Date.UTC(2031, 0, 1, 0, n, 0, n)));
    const wanted = Array.from({ length: 100 }, (_, n) => aNew({ endsAt: endTimeOf(n) }));
    const made = await Promise.all(wanted.map((session) => insertSession(db.database, session)));
    for (const [n, session] of made.entries()) {
      const told = endTimeOf(n) ?? new Date(session.createdAt.getTime() + (wanted[n]?.lifeMs ?? 0));
      expect(session.expiresAt).toEqual(told);
    }
    const alone = await insertSession(db.database, aNew({ endsAt: endTimeOf(0) }));
    expect(alone.expiresAt).toEqual(endTimeOf(0));
  });

  it('one that cannot be written fails alone', async () => {
    const { aNew } = await aShop();
    const taken = aNew();
    await insertSession(db.database, taken);
    const wanted = Array.from({ length: 20 }, (_, n) =>
      aNew(n === 7 ? { nonceSha256: taken.nonceSha256 } : {}),
    );
    const made = await Promise.allSettled(wanted.map((each) => insertSession(db.database, each)));
    const failed = made.flatMap((each, n) => (each.status === 'rejected' ? [n] : []));
    expect(failed).toEqual([7]);
  });

  /** Opens another transaction that locks the buyer in this mode. */
  const whoLocked = async (buyerId: string, mode: string) => {
    const other = new pg.Client({ connectionString: db.url });
    await other.connect();
    await other.query('begin');
    await other.query(`select 1 from customers where id = $1 ${mode}`, [buyerId]);
    return other;
  };

  it.each(['for update', 'for no key update'])('a buyer locked %s waits alone', async (mode) => {
    const { client, aNew } = await aShop();
    const buyer = await aCustomer(db.database, client);
    const other = await whoLocked(buyer.id, mode);
    let isMade = false;
    const waiting = insertSession(db.database, aNew({ userId: buyer.id })).then(() => {
      isMade = true;
    });
    await Promise.all(Array.from({ length: 10 }, () => insertSession(db.database, aNew())));
    expect(isMade).toBe(false);
    await other.query('commit');
    await other.end();
    await waiting;
  });

  it('sessions of one buyer do not wait for each other', async () => {
    const { client, aNew } = await aShop();
    const buyer = await aCustomer(db.database, client);
    // Holds the lock that another session takes while it is created.
    const other = await whoLocked(buyer.id, 'for share');
    const insert = () => insertSession(db.database, aNew({ userId: buyer.id }));
    await insert();
    await Promise.all(Array.from({ length: 10 }, insert));
    await other.query('rollback');
    await other.end();
  });

  it('who would change the buyer waits for the session that is being made', async () => {
    const { client, aNew } = await aShop();
    const buyer = await aCustomer(db.database, client);
    const other = new pg.Client({ connectionString: db.url, options: '-c lock_timeout=200' });
    await other.connect();
    const changeName = () =>
      other.query('update customers set name = $2 where id = $1', [buyer.id, 'A']);
    await db.database.transaction(client.id, async (tx) => {
      await insertSession(tx, aNew({ userId: buyer.id }));
      await expect(changeName()).rejects.toMatchObject({ code: '55P03' });
    });
    expect((await changeName()).rowCount).toBe(1);
    await other.end();
  });
});

describe('insertShell, many at once', () => {
  it('each on the gateway of its own client and country; none for a client without one', async () => {
    const [one, other] = [await aShop(), await aShop()];
    const bare = await aClient(db.database);
    const clients = [one.client, other.client, bare];
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        insertShell(db.database, {
          id: newId(),
          clientId: clients[n % 3]?.id ?? '',
          nonceSha256: sha256(),
          currency: n % 2 ? 'EUR' : 'JPY',
          country: n % 4 ? 'DE' : null,
          lifeMs: 3_600_000,
        }),
      ),
    );
    for (const [n, shell] of made.entries()) {
      const shop = [one, other, undefined][n % 3];
      if (!shop) expect(shell).toBeUndefined();
      else {
        expect(shell?.session).toMatchObject({
          clientId: shop.client.id,
          gatewayId: shop.gateway.id,
          status: 'unclaimed',
          currency: n % 2 ? 'EUR' : 'JPY',
          country: n % 4 ? 'DE' : null,
        });
      }
    }
  });
});
