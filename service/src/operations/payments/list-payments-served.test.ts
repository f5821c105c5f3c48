// GET /v1/payments over HTTP, in both modes of contract §2: what each may ask, and every refusal.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aToken,
  type Credential,
  callAs,
  freshDatabase,
  portsFor,
  type TestDatabase,
} from '../../../test/harness.ts';
import { aStoredPayment, aStoredSession } from '../../../test/payments/stored-rows.ts';
import { aServer, type TestServer } from '../../../test/server.ts';

let db: TestDatabase;
let server: TestServer;
const modes: Record<'merchant' | 'browser', Credential> = { merchant: null, browser: null };
let scoped: Credential;
let paid: string[];
let stray: string;
beforeAll(async () => {
  db = await freshDatabase();
  const client = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  const nonce = 'n'.repeat(43);
  const email = 'ada@example.test';
  const session = await aStoredSession(db.database, client, { gateway, email, nonce });
  const pay = (sessionId: string | null) =>
    aStoredPayment(db.database, client, { gateway, sessionId, email });
  paid = [];
  for (let i = 0; i < 3; i++) paid.push((await pay(session.id)).id);
  stray = (await pay(null)).id;
  modes.merchant = await aToken(db.database, client);
  modes.browser = { nonce };
  scoped = await aToken(db.database, client, { scopes: ['refunds:write'] });
  server = await aServer(portsFor(db.database));
});
afterAll(async () => {
  await server?.close(1000);
  await db?.close();
});

const listPayments = async (credential: Credential, query: string) => {
  const answer = await callAs(server.app, credential, `GET /v1/payments?${query}`);
  return { status: answer.statusCode, body: answer.json() };
};

describe.each(['merchant', 'browser'] as const)('GET /v1/payments, %s', (mode) => {
  const total = mode === 'merchant' ? 4 : 3;

  it('Spec 4.2.3 · Spec 8.9 · 200: every sort field, direction, filter and operator, within what the caller may see', async () => {
    const id = paid[0];
    const far = '2999-01-01T00:00:00.000Z';
    const asked: [string, number][] = [
      ['', total],
      ['sortField=createdAt&sortDirection=ASC', total],
      ['sortField=updatedAt&sortDirection=DESC', total],
      ['sortField=amount', total],
      [`id[eq]=${id}`, 1],
      [`id[ne]=${id}`, total - 1],
      [`id[in]=${paid.join(',')}`, 3],
      [`createdAt[lt]=${far}`, total],
      [`createdAt[lte]=${far}&updatedAt[gt]=${far}`, 0],
      [`createdAt[gte]=${far}`, 0],
      ['amount[gt]=0', total],
      ['email=ada@example.test', total],
      ['email=other@example.test', 0],
      ['status[eq]=voided&type[eq]=purchase&currency[eq]=EUR', 0],
      ['captureMethod[eq]=manual&provider[eq]=wallet', 0],
      [`id[eq]=${stray}`, mode === 'merchant' ? 1 : 0],
    ];
    for (const [query, wanted] of asked) {
      const { status, body } = await listPayments(modes[mode], query);
      expect(`${status} ${body.total}`, query).toBe(`200 ${wanted}`);
      expect(body.data, query).toHaveLength(wanted);
    }
  });

  it(`each row is ${mode === 'merchant' ? 'the whole payment' : 'its id alone'}`, async () => {
    const { body } = await listPayments(modes[mode], 'limit=1');
    expect(Object.keys(body).sort()).toEqual(['data', 'limit', 'nextCursor', 'page', 'total']);
    const [row] = body.data;
    const whole = await callAs(server.app, modes.merchant, `GET /v1/payments/${row.id}`);
    const { customerName, shortReference, balance, ...rest } = row;
    expect(rest).toEqual(mode === 'merchant' ? whole.json() : { id: row.id });
    expect([customerName, balance]).toEqual(
      mode === 'merchant' ? [null, null] : [undefined, undefined],
    );
    if (mode === 'merchant') expect(shortReference).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    else expect(shortReference).toBeUndefined();
  });

  it.each([
    'status[eq]=paid',
    'color[eq]=red',
    'color=red',
    'email[like]=a',
    'email[]=a',
    'id[eq]=1',
    'sessionId=1',
    'createdAt[gt]=yesterday',
    'createdAt[gt]=2026-02-31T00:00:00.000Z',
    'amount[gt]=much',
    'status[eq]=failed&status[eq]=failed',
    `id[in]=${Array(101).fill('00000000-0000-7000-8000-000000000000')}`,
    'id[in]=',
    'sortField=email',
    'sortField=created_at',
    'sortDirection=desc',
    'page=0',
    'page=-1',
    'page=1.5',
    'page=1&page=2',
    'limit=0',
    'limit=101',
    'limit=',
    'page=5001&limit=20&status[eq]=failed',
    'page=99999999999999999999',
    'cursor=',
    'cursor=bm90IG91cnM',
  ])('400 invalid_query: %.60s', async (query) => {
    const { status, body } = await listPayments(modes[mode], query);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_query' });
    expect(body.type).toBe('validation_error');
  });

  it('400 invalid_query: a cursor with a page, in another order, or of the other mode', async () => {
    const other = mode === 'merchant' ? 'browser' : 'merchant';
    const { nextCursor } = (await listPayments(modes[mode], 'limit=1')).body;
    expect((await listPayments(modes[mode], `limit=1&cursor=${nextCursor}`)).status).toBe(200);
    for (const [who, query] of [
      [mode, 'page=2'],
      [mode, 'sortDirection=ASC'],
      [mode, 'sortField=amount'],
      [mode, 'status[eq]=failed'],
      [other, 'limit=1'],
    ] as const) {
      const { status, body } = await listPayments(modes[who], `${query}&cursor=${nextCursor}`);
      expect(`${query}: ${status} ${body.code}`).toBe(`${query}: 400 invalid_query`);
    }
  });
});

describe('GET /v1/payments, neither', () => {
  it('401 authentication_required without a credential', async () => {
    const { status, body } = await listPayments(null, 'email=ada@example.test');
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'authentication_required' });
  });

  it('403 insufficient_scope without payments:read', async () => {
    const { status, body } = await listPayments(scoped, '');
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_scope' });
  });
});
