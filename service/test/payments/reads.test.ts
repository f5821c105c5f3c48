// The reading calls through the real routes: the response about another merchant's object equals,
// byte for byte, that about a missing one, and query strings become what the lists expect.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aClient,
  aGateway,
  aProduct,
  aToken,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../harness.ts';
import { aServer, type TestServer } from '../server.ts';
import {
  aStoredEvent,
  aStoredPayment,
  aStoredSession,
  type StoredEvent,
  type StoredPayment,
} from './stored-rows.ts';

type Shop = {
  readonly token: TestToken;
  readonly nonce: string;
  readonly sessionId: string;
  readonly payment: StoredPayment;
  readonly event: StoredEvent;
};

let db: TestDatabase;
let server: TestServer;
let shop: Shop;
let rival: Shop;

async function aShop(name: string): Promise<Shop> {
  const client = await aClient(db.database, { name });
  const token = await aToken(db.database, client);
  const gateway = await aGateway(db.database, client);
  const nonce = randomBytes(32).toString('base64url');
  const email = `${name}+1@example.test`;
  const session = await aStoredSession(db.database, client, { gateway, email, nonce });
  const payment = await aStoredPayment(db.database, client, {
    gateway,
    email,
    sessionId: session.id,
    userId: newId(),
    gatewayChargeId: `ch_${name}`,
  });
  const event = await aStoredEvent(db.database, client, { resourceId: payment.id });
  await aProduct(db.database, client, { code: `mug-${name}` });
  return { token, nonce, sessionId: session.id, payment, event };
}

beforeAll(async () => {
  db = await freshDatabase();
  [shop, rival] = [await aShop('shop'), await aShop('rival')];
  server = await aServer(portsFor(db.database));
});
afterAll(async () => {
  await server.close();
  await db.close();
});

const get = (path: string, as: TestToken | { nonce: string } | null = shop.token) => {
  const headers: Record<string, string> = {};
  if (as && 'authorization' in as) headers.authorization = as.authorization;
  if (as && 'nonce' in as) headers['x-checkout-session-token'] = as.nonce;
  return server.app.inject({ method: 'GET', url: path, headers });
};

/** Everything that a caller can compare, except the request's id. */
const comparablePart = ({ statusCode, headers, body }: Awaited<ReturnType<typeof get>>) => ({
  statusCode,
  headers: Object.keys(headers).sort(),
  body: body.replaceAll(String(headers['request-id']), 'req'),
});

/** Not the nil id, at which a read begins. */
const aMissingEvent = `evt_${newId().replaceAll('-', '')}`;

describe('what is foreign looks like what does not exist', () => {
  const asked: [name: string, foreign: (of: Shop) => string, missing: string][] = [
    ['one payment', (of) => `/v1/payments/${of.payment.id}`, `/v1/payments/${newId()}`],
    ['one event', (of) => `/v1/events/${of.event.id}`, `/v1/events/evt_${'0'.repeat(32)}`],
    ['after', (of) => `/v1/events?after=${of.event.id}`, `/v1/events?after=${aMissingEvent}`],
    [
      'sessionId',
      (of) => `/v1/payments?sessionId=${of.sessionId}`,
      `/v1/payments?sessionId=${newId()}`,
    ],
    [
      'email',
      (of) => `/v1/payments?email=${encodeURIComponent(of.payment.email ?? '')}`,
      '/v1/payments?email=x',
    ],
    ['id filter', (of) => `/v1/payments?id[eq]=${of.payment.id}`, `/v1/payments?id[eq]=${newId()}`],
    [
      'user filter',
      (of) => `/v1/payments?userId[in]=${of.payment.userId}`,
      `/v1/payments?userId[in]=${newId()}`,
    ],
    [
      'charge filter',
      () => '/v1/payments?gatewayChargeId[eq]=ch_rival',
      '/v1/payments?gatewayChargeId[eq]=x',
    ],
    [
      'resource filter',
      (of) => `/v1/events?resourceId[eq]=${of.payment.id}`,
      `/v1/events?resourceId[eq]=${newId()}`,
    ],
    ['code filter', () => '/v1/products?code[eq]=mug-rival', '/v1/products?code[eq]=x'],
  ];
  for (const [name, foreign, missing] of asked) {
    test(`${name}: same status, same header names, same bytes`, async () => {
      const [one, other, own] = [
        await get(foreign(rival)),
        await get(missing),
        await get(foreign(shop)),
      ];
      expect(comparablePart(one)).toEqual(comparablePart(other));
      // The same query does find the merchant's own object.
      if (foreign(shop) !== foreign(rival))
        expect(comparablePart(own)).not.toEqual(comparablePart(other));
    });
  }

  test('lists without filters hold nothing of another merchant', async () => {
    for (const path of ['/v1/payments', '/v1/events', '/v1/products', '/v1/client']) {
      const [mine, theirs] = [await get(path), await get(path, rival.token)];
      expect([mine.statusCode, theirs.statusCode]).toEqual([200, 200]);
      expect(mine.body).not.toContain('rival');
      expect(mine.body).not.toContain(rival.token.clientId);
      expect(mine.body).not.toContain(rival.payment.id);
      if (path !== '/v1/client') expect([mine.json().total, theirs.json().total]).toEqual([1, 1]);
    }
  });

  test('an event is told whole, in what it carries beyond the common fields too', async () => {
    const one = await get(`/v1/events/${shop.event.id}`);
    const object = { id: shop.payment.id, more: { kept: true } };
    expect(one.json().data).toEqual({ object, failure: { code: 'x' } });
    expect((await get('/v1/events')).json().data).toEqual([one.json()]);
  });

  test('a session: its own payment, and one empty page for whatever else is asked', async () => {
    const nonce = { nonce: shop.nonce };
    const own = await get('/v1/payments', nonce);
    expect(own.json()).toEqual({
      data: [{ id: shop.payment.id }],
      page: 1,
      limit: 20,
      total: 1,
      nextCursor: null,
    });
    expect((await get('/v1/payments?email=shop%2B1%40example.test', nonce)).json()).toEqual(
      own.json(),
    );
    const others = ['email=rival%2B1%40example.test', 'email=nobody', `id[eq]=${rival.payment.id}`];
    const answers = await Promise.all(others.map((q) => get(`/v1/payments?${q}`, nonce)));
    for (const answer of answers)
      expect(comparablePart(answer)).toEqual(comparablePart(answers[0] ?? answer));
    expect(answers[0]?.json().total).toBe(0);
  });

  test('a session: wrong nonce and foreign session id are the same 404', async () => {
    const wrong = { nonce: randomBytes(32).toString('base64url') };
    const answers = [
      await get('/v1/payments', wrong),
      await get(`/v1/payments?sessionId=${shop.sessionId}`, wrong),
      await get(`/v1/payments?sessionId=${rival.sessionId}`, { nonce: shop.nonce }),
      await get(`/v1/payments?sessionId=${newId()}`, { nonce: shop.nonce }),
    ];
    expect(answers[0]?.json()).toMatchObject({ status: 404, code: 'checkout_session_not_found' });
    for (const answer of answers) {
      expect({ ...comparablePart(answer), headers: [] }).toEqual({
        ...comparablePart(answers[0] ?? answer),
        headers: [],
      });
    }
  });

  test('401 without a credential', async () => {
    for (const path of ['/v1/payments', '/v1/events', '/v1/products', '/v1/client']) {
      expect((await get(path, null)).statusCode).toBe(401);
    }
  });
});

describe('query strings', () => {
  test('operators, decimals, several values and the cursor come through', async () => {
    const page = await get(
      '/v1/payments?amount[gte]=19.9&amount[lt]=19.91&status[in]=pending,failed&limit=1&sortField=amount',
    );
    expect(page.json()).toMatchObject({
      total: 1,
      limit: 1,
      data: [{ id: shop.payment.id, amount: 19.9 }],
    });
    expect((await get('/v1/payments?amount[gt]=19.9')).json().total).toBe(0);
    expect((await get('/v1/products?active[eq]=true')).json().total).toBe(1);
    const { createdAt } = page.json().data[0];
    expect((await get(`/v1/payments?createdAt[eq]=${createdAt}`)).json().total).toBe(1);
  });

  test('400 invalid_query: everything that the lists do not offer', async () => {
    const bad = [
      'page=0',
      'page=-1',
      'page=1.5',
      'page=x',
      'page=1e300',
      'limit=0',
      'limit=101',
      'limit=',
      'sortField=id',
      'sortField=',
      'sortDirection=desc',
      'cursor=',
      'cursor=x',
      'nothing=1',
      'client_id[eq]=1',
      'status[like]=p',
      'status[eq]=paid',
      'amount[eq]=abc',
      'id[eq]=1',
      'createdAt[eq]=2026-02-30T00:00:00.000Z',
      'createdAt[gt]=yesterday',
      'status[eq]=failed&page=5001',
      'email=a&email=b',
      'email=a&email[eq]=b',
      'page=1&page=2',
      'status=failed',
      'status[]=failed',
      'email=%00',
      'email[eq]=%00',
      'email=%ff',
      'sessionId=1',
    ];
    for (const query of bad) {
      const answer = await get(`/v1/payments?${query}`);
      expect([answer.statusCode, answer.json().code], query).toEqual([400, 'invalid_query']);
    }
  });

  test('a report takes an instant in every form of the wire rules, and no day that does not exist', async () => {
    const ask = async (from: string) => {
      const query = `from=${encodeURIComponent(from)}&to=2026-11-25T00:00:00Z`;
      const answer = await get(`/v1/reports/activity?${query}`);
      return [answer.statusCode, answer.json().from ?? answer.json().param];
    };
    expect(await ask('2026-11-23T00:00:00+01')).toEqual([200, '2026-11-22T23:00:00.000Z']);
    expect(await ask('2026-11-23T00:00:00,5Z')).toEqual([200, '2026-11-23T00:00:00.500Z']);
    expect(await ask('2026-11-23T00:00:00.5-08')).toEqual([200, '2026-11-23T08:00:00.500Z']);
    expect(await ask('2026-13-01T00:00Z')).toEqual([400, 'from']);
    expect(await ask('2026-02-30T00:00:00Z')).toEqual([400, 'from']);
  });
});
