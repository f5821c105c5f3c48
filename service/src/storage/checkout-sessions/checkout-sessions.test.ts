import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  freshDatabase,
  newId,
  type TestClient,
  type TestDatabase,
  type TestGateway,
} from '../../../test/harness.ts';
import { readClock } from '../database/clock.ts';
import {
  findLines,
  findSession,
  lockSession,
  lockSessionOfPayment,
  settleSession,
  startSessionAttempt,
} from './checkout-sessions.ts';
import { insertSession, type NewSession } from './session-inserts.ts';

let db: TestDatabase;
let client: TestClient;
let gateway: TestGateway;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  gateway = await aGateway(db.database, client);
});
afterAll(() => db?.close());

const lines = [
  {
    code: 'mug',
    name: 'Mug',
    kind: 'item',
    quantity: 2,
    unitMinor: 995,
    overrideMinor: null,
    interval: null,
    discountMinor: 0,
  },
] as const;
const newSessionWith = (given: Partial<NewSession> = {}): NewSession => ({
  id: newId(),
  clientId: client.id,
  nonceSha256: createHash('sha256').update(randomBytes(32)).digest(),
  captureMethod: 'manual',
  gatewayId: gateway.id,
  currency: 'EUR',
  country: 'DE',
  userId: newId(),
  externalId: null,
  email: 'buyer@example.test',
  isBuyerVerified: true,
  allowsSecond: false,
  isGuest: false,
  reference: null,
  takesCoupons: true,
  lines,
  couponCodes: ['A', 'B'],
  subtotalMinor: 1990,
  discountMinor: 0,
  totalMinor: 1990,
  successUrl: '/thanks',
  cancelUrl: null,
  metadata: { order: '7' },
  lifeMs: 3_600_000,
  ...given,
});

describe('insertSession', () => {
  it('is read again as it was written, open, for as long as told', async () => {
    const wanted = newSessionWith();
    const session = await insertSession(db.database, wanted);
    const { nonceSha256, lifeMs, ...facts } = wanted;
    expect(session).toMatchObject({ ...facts, status: 'open', mode: 'payment', version: 0 });
    expect(session.expiresAt.getTime() - session.createdAt.getTime()).toBe(lifeMs);
    const found = await findSession(db.database, nonceSha256, session.id);
    expect(found?.session).toEqual(session);
    expect(
      await db.database.transaction(client.id, (tx) => findLines(tx, client.id, session.id)),
    ).toEqual(lines);
  });

  it('inside a transaction that fails it was never there', async () => {
    const wanted = newSessionWith();
    const failed = db.database.transaction(client.id, async (tx) => {
      await insertSession(tx, wanted);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await findSession(db.database, wanted.nonceSha256, wanted.id)).toBeUndefined();
  });

  it('no two sessions share a nonce', async () => {
    const first = newSessionWith();
    await insertSession(db.database, first);
    const second = insertSession(db.database, newSessionWith({ nonceSha256: first.nonceSha256 }));
    await expect(second).rejects.toMatchObject({ code: '23505' });
  });
});

describe('findSession and lockSession', () => {
  it('a nonce opens its own session, nothing else does', async () => {
    const [one, other] = [newSessionWith(), newSessionWith()];
    await insertSession(db.database, one);
    await insertSession(db.database, other);
    const wrong: [Buffer, string][] = [
      [one.nonceSha256, other.id],
      [other.nonceSha256, one.id],
      [Buffer.alloc(32), one.id],
      [one.nonceSha256, newId()],
    ];
    for (const [nonce, id] of wrong) {
      expect(await findSession(db.database, nonce, id)).toBeUndefined();
      expect(
        await db.database.transaction(client.id, (tx) => lockSession(tx, nonce, id)),
      ).toBeUndefined();
    }
    const locked = db.database.transaction(client.id, (tx) =>
      lockSession(tx, one.nonceSha256, one.id),
    );
    expect((await locked)?.id).toBe(one.id);
  });

  it('the workers’ way in asks for the client', async () => {
    const { id } = await insertSession(db.database, newSessionWith());
    const stranger = await aClient(db.database);
    const lock = (clientId: string) =>
      db.database.transaction(client.id, (tx) =>
        lockSessionOfPayment(tx, { clientId, sessionId: id }),
      );
    expect(await lock(stranger.id)).toBeUndefined();
    expect((await lock(client.id))?.id).toBe(id);
    const linesOf = db.database.transaction(client.id, (tx) => findLines(tx, stranger.id, id));
    expect(await linesOf).toEqual([]);
  });
});

describe('an attempt', () => {
  it('starts with nothing left of the one before, and each change is a version', async () => {
    const wanted = newSessionWith();
    const session = await insertSession(db.database, wanted);
    const readSession = async () =>
      (await findSession(db.database, wanted.nonceSha256, wanted.id))?.session;
    const attempt = { paymentId: newId(), operationId: newId() };
    const now = await db.database.transaction(client.id, readClock);
    await db.database.transaction(client.id, (tx) =>
      startSessionAttempt(tx, session, { ...attempt, now }),
    );
    expect(await readSession()).toMatchObject({
      status: 'processing',
      paymentId: attempt.paymentId,
      attemptId: attempt.operationId,
      attemptResult: 'PENDING',
      attemptDeclineCode: null,
      attemptAt: now,
      version: 1,
    });
    const change = {
      status: 'open',
      attemptResult: 'DECLINED',
      attemptDeclineCode: 'lost_card',
      authorizationExpiresAt: null,
    } as const;
    await db.database.transaction(client.id, (tx) =>
      settleSession(tx, session, { ...change, eventSeq: 0, now }),
    );
    expect(await readSession()).toMatchObject({ ...change, version: 2 });
    await db.database.transaction(client.id, (tx) =>
      startSessionAttempt(tx, session, { paymentId: newId(), operationId: newId(), now }),
    );
    expect(await readSession()).toMatchObject({ attemptDeclineCode: null, version: 3 });
  });
});
