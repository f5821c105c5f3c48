import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aClient,
  aToken,
  callerOf,
  freshDatabase,
  moveClock,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { refuse } from '../implement.ts';
import type { Ports, Role } from '../ports.ts';
import { getClient } from './get-client.ts';
import { updateClient } from './update-client.ts';

let db: TestDatabase;
let ports: Ports;
let shop: TestToken;
let rival: TestToken;

beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  const allowedOrigins = ['https://first.example'];
  shop = await aToken(db.database, await aClient(db.database, { allowedOrigins }));
  rival = await aToken(db.database, await aClient(db.database, { allowedOrigins }));
});
afterAll(() => db.close());

const bodyOf = (answer: Awaited<ReturnType<typeof getClient>>) => {
  if (!('body' in answer)) throw new Error('the answer has a body');
  return answer.body;
};
const read = async (as: TestToken) => bodyOf(await getClient({}, callerOf(as), ports, refuse));
const update = async (allowedOrigins: string[], role: Role = 'owner') =>
  bodyOf(await updateClient({ body: { allowedOrigins } }, callerOf(shop, { role }), ports, refuse));
const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => Promise.reject(new Error('accepted')),
    (error) => error as Refusal,
  );

describe('updateClient', () => {
  test('200: origins are normalised and stored once, in the order given', async () => {
    const before = await read(shop);
    await moveClock(db.database, 1000);
    const given = ['https://B.example:443', 'http://localhost:3000', 'https://b.example'];
    const updated = await update(given);
    expect(updated.allowedOrigins).toEqual(['https://b.example', 'http://localhost:3000']);
    expect(updated.updatedAt > before.updatedAt).toBe(true);
    expect({ ...updated, allowedOrigins: [], updatedAt: '' }).toEqual({
      ...before,
      allowedOrigins: [],
      updatedAt: '',
    });
    expect(await read(shop)).toEqual(updated);
    expect((await read(rival)).allowedOrigins).toEqual(['https://first.example']);
  });

  test('200: an admin may, and an empty list takes all back', async () => {
    expect((await update([], 'admin')).allowedOrigins).toEqual([]);
  });

  test('400 invalid_request: names every origin that may not be allowed, and keeps the old ones', async () => {
    const before = await update(['https://kept.example']);
    const given = ['https://ok.example', 'http://shop.example', 'https://*.example'];
    const refusal = await refusalOf(update(given));
    expect(refusal.code).toBe('invalid_request');
    expect(refusal.facts.param).toBe('allowedOrigins');
    expect(refusal.facts.errors?.map(({ path, code }) => [path, code])).toEqual([
      ['allowedOrigins[1]', 'origin_invalid'],
      ['allowedOrigins[2]', 'origin_invalid'],
    ]);
    expect(await read(shop)).toEqual(before);
  });

  test('403 merchant_role_required: a member may not, whatever the body says', async () => {
    for (const origins of [['https://ok.example'], ['nonsense'], []]) {
      expect((await refusalOf(update(origins, 'member'))).code).toBe('merchant_role_required');
    }
  });
});

describe('getClient', () => {
  test("200: the caller's own settings, for a member too", async () => {
    const answer = await getClient({}, callerOf(shop, { role: 'member' }), ports, refuse);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: shop.clientId, object: 'client', name: 'A shop', livemode: false },
    });
  });
});
