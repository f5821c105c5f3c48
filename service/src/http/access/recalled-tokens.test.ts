// Tokens that were cached a moment ago: what ends a token ends it for the very next request.

import { passTime } from '@svc/tools/pass-time';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aToken,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestGateway,
  type TestToken,
} from '../../../test/harness.ts';
import { aStoredPayment } from '../../../test/payments/stored-rows.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { VerifiedToken } from '../../engine/steps/api-tokens/verify-api-token.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Query } from '../../storage/database/sql.ts';
import { RecalledTokens } from './recalled-tokens.ts';

let db: Awaited<ReturnType<typeof freshDatabase>>;
let server: TestServer;
let client: TestClient;
let gateway: TestGateway;
let paymentId: string;
const later = "update payments set authorization_expires_at = now() + interval '1 hour'";
/** Reads that the server sent to the database. */
const asked: string[] = [];

beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  gateway = await aGateway(db.database, client);
  const held = { gateway, status: 'authorized', captureMethod: 'manual' } as const;
  ({ id: paymentId } = await aStoredPayment(db.database, client, held));
  await write(later);
  // One owner always remains, whoever leaves.
  await aToken(db.database, client);
  const watched: Database = {
    ...db.database,
    read: (query, values) => {
      asked.push(query.name);
      return db.database.read(query, values);
    },
  };
  server = await aServer(portsFor(watched));
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

const names = new Map<string, string>();
/** Statements of this test, each prepared once. */
const query = <Row extends Record<string, unknown>>(text: string): Query<Row> => {
  const name = names.get(text) ?? `test_recalled_${names.size}`;
  names.set(text, name);
  return { name, text };
};
const write = (text: string, ...values: unknown[]) => db.database.write(query(text), values);
const readings = () => asked.filter((name) => name.startsWith('find_api_token')).length;

type Send = {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
};
type RequestBuilder = (token: TestToken) => Send;

const getPayment =
  (id: string): RequestBuilder =>
  ({ authorization }) => ({
    method: 'GET',
    url: `/v1/payments/${id}`,
    headers: { authorization },
  });
const move =
  (
    call: string,
    given: { payload?: string; headers?: Record<string, string> } = {},
  ): RequestBuilder =>
  ({ authorization }) => ({
    method: call.startsWith('refund') ? 'POST' : 'PUT',
    url: `/v1/payments/${call.includes('/') ? call : `${paymentId}/${call}`}`,
    headers: {
      authorization,
      'content-type': 'application/json',
      'idempotency-key': newId(),
      ...given.headers,
    },
    payload: given.payload ?? '{}',
  });
const refund: RequestBuilder = (token) => ({ ...move('refunds')(token), method: 'POST' });
const missing = newId();

async function statusAndCode(send: Send) {
  const { statusCode, body } = await server.app.inject(send);
  const { code } = JSON.parse(body) as { code?: string };
  return [statusCode, code];
}
const refused = [401, 'authentication_required'];

/** Creates a token that the server has cached. */
async function aRecalledToken(given: Parameters<typeof aToken>[2] = {}): Promise<TestToken> {
  const token = await aToken(db.database, client, given);
  expect((await statusAndCode(getPayment(paymentId)(token)))[0]).toBe(200);
  return token;
}

const newValue = 'token_sha256 = sha256(gen_random_uuid()::text::bytea)';
const ends: readonly (readonly [string, (token: TestToken) => Promise<unknown>])[] = [
  ['revoked', ({ id }) => write('update api_tokens set revoked_at = now() where id = $1', id)],
  [
    'expired',
    ({ id }) =>
      write("update api_tokens set expires_at = now() - interval '1 s' where id = $1", id),
  ],
  ['replaced', ({ id }) => write(`update api_tokens set ${newValue} where id = $1`, id)],
  [
    'replaced, and its overlap over',
    ({ id }) =>
      write(
        `update api_tokens set previous_sha256 = token_sha256, ${newValue},
           previous_until = now() - interval '1 s' where id = $1`,
        id,
      ),
  ],
  [
    'of somebody who has left',
    ({ userId }) => write('delete from memberships where user_id = $1', userId),
  ],
];

const calls: readonly (readonly [string, RequestBuilder])[] = [
  ['a read', (token) => getPayment(paymentId)(token)],
  ['a read of nothing', (token) => getPayment(missing)(token)],
  ['a read with a bad id', (token) => getPayment('x')(token)],
  ['a capture', (token) => move('capture')(token)],
  ['a capture of nothing', (token) => move(`${missing}/capture`)(token)],
  [
    'a capture without its key',
    (token) => move('capture', { headers: { 'idempotency-key': '' } })(token),
  ],
  ['a capture that is no JSON', (token) => move('capture', { payload: '{' })(token)],
  ['a capture with a body too many', (token) => move('capture', { payload: '{"a":1}' })(token)],
  ['a cancel', (token) => move('cancel')(token)],
  ['a refund', refund],
];

describe('a token that was read a moment ago', () => {
  it.each(ends)('401 at once when it is %s, whatever is called', async (_, end) => {
    for (const [title, call] of calls) {
      const token = await aRecalledToken();
      await end(token);
      expect(await statusAndCode(call(token)), title).toEqual(refused);
      expect(await statusAndCode(call(token)), title).toEqual(refused);
    }
    const [row] = await db.database.read<{ status: string }>(
      query('select status from payments where id = $1'),
      [paymentId],
    );
    expect(row?.status).toBe('authorized');
  });

  it('the same bytes as for a token that never was', async () => {
    const token = await aRecalledToken();
    await write('update api_tokens set revoked_at = now() where id = $1', token.id);
    const readAnswer = async (ask: Send) => {
      const { body, headers } = await server.app.inject(ask);
      const { requestId, ...rest } = JSON.parse(body);
      const { 'request-id': id, date, ...same } = headers;
      expect([requestId, typeof id, typeof date]).toEqual([id, 'string', 'string']);
      return { rest, same };
    };
    const never = await aToken(db.database, client, { revokedAt: new Date() });
    expect(await readAnswer(getPayment(paymentId)(token))).toEqual(
      await readAnswer(getPayment(paymentId)(never)),
    );
  });

  it('200 while the overlap of a rotation lasts', async () => {
    const token = await aRecalledToken();
    await write(
      `update api_tokens set previous_sha256 = token_sha256, ${newValue},
         previous_until = now() + interval '1 minute' where id = $1`,
      token.id,
    );
    for (let n = 0; n < 3; n++)
      expect((await statusAndCode(getPayment(paymentId)(token)))[0]).toBe(200);
    expect(await statusAndCode(getPayment(missing)(token))).toEqual([404, 'payment_not_found']);
  });

  it('without a reading before it, what a good token is refused with stays', async () => {
    const token = await aRecalledToken();
    expect(await statusAndCode(getPayment(missing)(token))).toEqual([404, 'payment_not_found']);
    expect(await statusAndCode(getPayment('x')(token))).toEqual([400, 'invalid_payment_id']);
    expect(await statusAndCode(move('capture', { payload: '{' })(token))).toEqual([
      400,
      'invalid_body',
    ]);
  });

  it('403 merchant_role_required once the role is member, and no more once it is admin', async () => {
    const token = await aRecalledToken({ role: 'admin' });
    const setRole = (role: string) =>
      write('update memberships set role = $2 where user_id = $1', token.userId, role);
    await setRole('member');
    for (const call of [move('capture'), move('cancel'), refund]) {
      expect(await statusAndCode(call(token))).toEqual([403, 'merchant_role_required']);
    }
    expect((await statusAndCode(getPayment(paymentId)(token)))[0]).toBe(200);
    await setRole('admin');
    const none = move(`${missing}/capture`);
    expect(await statusAndCode(none(token))).toEqual([404, 'payment_not_found']);
  });

  it('a capture reads no token before it claims', async () => {
    const held = { gateway, status: 'authorized', captureMethod: 'manual' } as const;
    const { id } = await aStoredPayment(db.database, client, held);
    await write(later);
    const token = await aRecalledToken();
    const before = readings();
    await server.app.inject(move(`${id}/capture`)(token));
    expect(readings()).toBe(before);
    const [operation] = await db.database.read<{ kind: string }>(
      query('select kind from payment_operations where payment_id = $1'),
      [id],
    );
    expect(operation?.kind).toBe('capture');
  });

  it('a read of a payment asks for it within its own statement', async () => {
    const token = await aRecalledToken();
    const before = readings();
    const statements = asked.length;
    expect((await statusAndCode(getPayment(paymentId)(token)))[0]).toBe(200);
    expect(readings()).toBe(before);
    expect(asked.slice(statements)).toEqual(['payments.find_many']);
  });

  it('is read all the same for every other call', async () => {
    const token = await aRecalledToken();
    const before = readings();
    const { authorization } = token;
    await server.app.inject({ url: '/v1/payments', headers: { authorization } });
    expect(readings()).toBe(before + 1);
  });

  it('is read again once its last use is an hour ago, and the use written down', async () => {
    const token = await aToken(db.database, client);
    const setLastUsed = (seconds: number) =>
      write(
        "update api_tokens set last_used_at = now() - $2 * interval '1 s' where id = $1",
        token.id,
        seconds,
      );
    await setLastUsed(3599);
    expect((await statusAndCode(getPayment(paymentId)(token)))[0]).toBe(200);
    await passTime(1100, 'a recalled token is judged by the real clock');
    await server.app.inject(move(`${missing}/capture`, { payload: '{' })(token));
    const isFresh = async () =>
      (
        await db.database.read<{ fresh: boolean }>(
          query(
            "select last_used_at > now() - interval '1 minute' as fresh from api_tokens where id = $1",
          ),
          [token.id],
        )
      )[0]?.fresh;
    await expect.poll(isFresh).toBe(true);
  });
});

describe('one connection, kept for many requests', () => {
  it('answers each header by itself, whatever the last one said', async () => {
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
    const one = new Client(url, { pipelining: 1 });
    const statusOf = async (authorization: string | string[] | undefined, id = paymentId) => {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await one.request({ method: 'GET', path: `/v1/payments/${id}`, headers });
      await answer.body.dump();
      return answer.statusCode;
    };
    const stranger = await aToken(db.database, await aClient(db.database));
    const first = await aToken(db.database, client);
    const second = await aToken(db.database, client);
    const good = first.authorization;
    const twice = [good, good];
    expect([await statusOf(good), await statusOf(good)]).toEqual([200, 200]);
    expect([await statusOf(twice), await statusOf(undefined)]).toEqual([401, 401]);
    expect(await statusOf(stranger.authorization)).toBe(404);
    expect(await statusOf(stranger.authorization)).toBe(404);
    expect([await statusOf(`${good}x`), await statusOf(good.slice(0, -1))]).toEqual([401, 401]);
    expect([await statusOf(second.authorization), await statusOf(good)]).toEqual([200, 200]);
    await write('update api_tokens set revoked_at = now() where id = $1', first.id);
    expect([await statusOf(good), await statusOf(good)]).toEqual([401, 401]);
    expect(await statusOf(second.authorization)).toBe(200);
    await one.close();
  });
});

describe('RecalledTokens', () => {
  const verified: VerifiedToken = {
    tokenId: newId(),
    userId: newId(),
    role: 'owner',
    scopes: null,
    useDueMs: 3_600_000,
    isCurrent: true,
  };
  const digest = (n: number) => Buffer.alloc(32, n);

  it('a minute, and no longer than until a use is to be written', () => {
    let now = 0;
    const tokens = new RecalledTokens(() => now);
    tokens.keep('a', digest(1), verified);
    tokens.keep('a', digest(2), { ...verified, useDueMs: 500 });
    tokens.keep('a', digest(3), { ...verified, useDueMs: 0 });
    const isKept = (n: number) => tokens.find('a', digest(n)) !== undefined;
    now = 499;
    expect([1, 2, 3].map(isKept)).toEqual([true, true, true]);
    now = 500;
    expect([1, 2, 3].map(isKept)).toEqual([true, false, true]);
    now = 60_000;
    expect([1, 2, 3].map(isKept)).toEqual([false, false, false]);
  });

  it('of one client only, never a value that was replaced, and nothing once it is forgotten', () => {
    const tokens = new RecalledTokens(() => 0);
    tokens.keep('a', digest(1), verified);
    expect(tokens.find('b', digest(1))).toBeUndefined();
    tokens.keep('a', digest(1), { ...verified, isCurrent: false });
    expect(tokens.find('a', digest(1))).toBeUndefined();
    tokens.keep('a', digest(1), verified);
    tokens.forget('a', digest(1));
    expect(tokens.find('a', digest(1))).toBeUndefined();
  });

  it('a thousand at most: the one that was read longest ago goes', () => {
    const tokens = new RecalledTokens(() => 0);
    for (let n = 0; n < 1001; n++) tokens.keep(`client ${n}`, digest(1), verified);
    expect(tokens.find('client 0', digest(1))).toBeUndefined();
    expect(tokens.find('client 1', digest(1))).toBeDefined();
    expect(tokens.find('client 1000', digest(1))).toBeDefined();
  });
});
