// Reads of many callers in one statement: each gets its own payment and its own token.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aToken,
  freshDatabase,
  newId,
  type TestClient,
  type TestToken,
} from '../../../test/harness.ts';
import { aStoredPayment } from '../../../test/payments/stored-rows.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { readPayment } from './payment-reads.ts';
import { findPayment } from './payments.ts';

let db: Awaited<ReturnType<typeof freshDatabase>>;
let watched: Database;
let client: TestClient;
let stranger: TestClient;
let payments: { readonly id: string }[];
const asked: string[] = [];

beforeAll(async () => {
  db = await freshDatabase();
  watched = {
    ...db.database,
    read: (query, values) => {
      asked.push(query.name);
      return db.database.read(query, values);
    },
  };
  client = await aClient(db.database);
  stranger = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  payments = await Promise.all(
    [1, 2, 3].map(() => aStoredPayment(db.database, client, { gateway })),
  );
});
afterAll(async () => db?.close());

const shownToken = (token: TestToken) => ({
  id: token.id,
  userId: token.userId,
  sha256: hash('sha256', token.token, 'buffer'),
});
const revoke = sql(
  'test_reads_revoke',
  'update api_tokens set revoked_at = svc_clock() where id = $1',
);

describe('readPayment', () => {
  it('answers all who ask at once with one statement, each with its own', async () => {
    asked.length = 0;
    const [first, second, third] = payments.map(({ id }) => id);
    const questions = [
      [client, third],
      [client, first],
      [stranger, first],
      [client, newId()],
      [client, second],
      [client, first],
    ] as const;
    const answers = await Promise.all(
      questions.map(([{ id: clientId }, paymentId = '']) =>
        readPayment(watched, { clientId, paymentId }),
      ),
    );
    expect(answers.map(({ payment }) => payment?.id)).toEqual([
      third,
      first,
      undefined,
      undefined,
      second,
      first,
    ]);
    expect(answers.map(({ stands }) => stands)).toEqual(Array(6).fill(true));
    expect(asked).toEqual(['payments.find_many']);
    expect(answers[1]?.payment).toEqual(await findPayment(db.database, client.id, first ?? ''));
  });

  it('tells of each token apart whether it stands: of this client, this person and this value', async () => {
    const good = shownToken(await aToken(db.database, client));
    const ended = shownToken(await aToken(db.database, client));
    await db.database.write(revoke, [ended.id]);
    const foreign = shownToken(await aToken(db.database, stranger));
    const tokens = [
      good,
      ended,
      undefined,
      good,
      foreign,
      { ...good, sha256: Buffer.alloc(32) },
      { ...good, userId: foreign.userId, sha256: Buffer.from(good.sha256) },
    ];
    const paymentId = payments[0]?.id ?? '';
    const answers = await Promise.all(
      tokens.map((token) => readPayment(watched, { clientId: client.id, paymentId, token })),
    );
    expect(answers.map(({ stands }) => stands)).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('is answered with what stands after it was asked', async () => {
    const token = shownToken(await aToken(db.database, client));
    const readWatched = () =>
      readPayment(watched, { clientId: client.id, paymentId: payments[0]?.id ?? '', token });
    const before = Array.from({ length: 40 }, readWatched);
    await db.database.write(revoke, [token.id]);
    expect((await readWatched()).stands).toBe(false);
    await Promise.all(before);
  });
});
