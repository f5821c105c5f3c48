// Contract, wire rules and §2: what a request may write in several ways, over HTTP: addresses in any
// letter case, instants as other languages print them, many values of one filter.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';

let db: TestDatabase;
let server: TestServer;
let token: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  server = await aServer(portsFor(db.database));
  token = await aToken(db.database, await aClient(db.database), { scopes: everyScope });
});
afterAll(async () => {
  await server?.close(0);
  await db?.close();
});

type RowCall = Parameters<typeof callAs>[2];
type ResponseBody = { code?: string; message?: string; total?: number; data?: { email: string }[] };

async function request(call: RowCall, body?: object) {
  const response = await callAs(server.app, token, call, body ? { body } : {});
  return { status: response.statusCode, body: response.json() as ResponseBody };
}

const totalOf = async (call: RowCall) => (await request(call)).body.total;
const get = (path: string) => `GET ${path}` as RowCall;

describe('Contract §2, addresses', () => {
  it('Contract §2 emails: customers, members and invitations are found in any letter case', async () => {
    const email = `Grace.${newId()}@Example.test`;
    expect((await request('POST /v1/customers', { id: newId(), email })).status).toBe(201);
    const invited = { email: `ada-${newId()}@example.test`, role: 'member' };
    expect((await request('POST /v1/invitations', invited)).status).toBe(201);
    const { data = [] } = (await request('GET /v1/members')).body;
    const member = data[0]?.email ?? '';
    const lists: [path: string, email: string][] = [
      ['/v1/customers', email],
      ['/v1/invitations', invited.email],
      ['/v1/members', member],
    ];
    for (const [path, address] of lists) {
      for (const spelling of [address, address.toLowerCase(), address.toUpperCase()]) {
        const value = encodeURIComponent(spelling);
        for (const op of ['eq', 'in']) {
          expect(await totalOf(get(`${path}?email[${op}]=${value}`)), `${path} ${op}`).toBe(1);
        }
        const all = (await totalOf(get(path))) ?? 0;
        expect(await totalOf(get(`${path}?email[ne]=${value}`))).toBe(all - 1);
      }
    }
  });

  it('Contract §2 emails: 400 with the hint where a raw + arrives as a blank', async () => {
    for (const path of [
      '/v1/payments?email=grace+1@example.test',
      '/v1/payments?email[eq]=grace+1@example.test',
      '/v1/customers?email[in]=a@example.test,grace+1@example.test',
      '/v1/members?email[eq]=grace+1@example.test',
      '/v1/invitations?email[eq]=grace+1@example.test',
    ]) {
      const { status, body } = await request(get(path));
      expect([status, body.code], path).toEqual([400, 'invalid_query']);
      expect(body.message).toContain('%2B');
    }
    expect((await request(get('/v1/payments?email=grace%2B1@example.test'))).status).toBe(200);
  });
});

describe('Contract, instants of requests', () => {
  const forms = (at: string) => {
    const [day, time] = [at.slice(0, 10), at.slice(11, 19)];
    return [
      `${day}T${time}Z`,
      `${day}T${time}.123456789Z`,
      `${day}T${time}+00:00`,
      `${day}T${time}-0000`,
    ];
  };

  it('Contract §2 instants: any ISO form with Z or an offset, in filters and in bodies', async () => {
    const before = new Date(Date.now() - 3_600_000).toISOString();
    for (const form of forms(before)) {
      const value = encodeURIComponent(form);
      const { status } = await request(get(`/v1/customers?createdAt[gte]=${value}`));
      expect(status, form).toBe(200);
    }
    const noon = { startsAt: '2040-11-26T13:00:00+01:00', endsAt: '2040-11-27T12:00Z' };
    const code = `C${newId().slice(0, 8)}`;
    const made = await request('POST /v1/coupons', { code, percentOff: 10, ...noon });
    expect(made).toMatchObject({
      status: 201,
      body: { startsAt: '2040-11-26T12:00:00.000Z', endsAt: '2040-11-27T12:00:00.000Z' },
    });
  });

  it('Contract §2 instants: 400 with the hint for a date alone, a time without offset, and none', async () => {
    const wrong = ['2026-11-26', '2026-11-26T12:00:00', '2026-02-31T12:00:00Z', 'yesterday'];
    for (const text of wrong) {
      const filter = await request(get(`/v1/payments?createdAt[gte]=${text}`));
      expect([filter.status, filter.body.code], text).toEqual([400, 'invalid_query']);
      const made = await request('POST /v1/coupons', { code: 'X', percentOff: 10, endsAt: text });
      expect([made.status, made.body.code], text).toEqual([400, 'invalid_request']);
      for (const { message } of [filter.body, made.body]) {
        expect(message).toContain('2026-01-31T00:00:00Z');
      }
    }
    const blank = await request(get('/v1/payments?createdAt[gte]=2026-11-26T12:00:00+01:00'));
    expect([blank.status, blank.body.message]).toEqual([400, expect.stringContaining('%2B')]);
  });
});

describe('Contract §2, many values', () => {
  it('Contract §2 in: takes a hundred values, and names the limit above it', async () => {
    const ids = (count: number) => Array.from({ length: count }, newId).join(',');
    expect((await request(get(`/v1/payments?id[in]=${ids(100)}`))).status).toBe(200);
    const over = await request(get(`/v1/payments?id[in]=${ids(101)}`));
    expect([over.status, over.body.code]).toEqual([400, 'invalid_query']);
    expect(over.body.message).toContain('101 values; 100 are the most');
  });
});

describe('Contract §1, coded bodies', () => {
  it.each(['gzip', 'identity, gzip', 'GZIP'])(
    'Contract §1 content encoding: 415 for %s',
    async (encoding) => {
      const response = await callAs(server.app, token, 'POST /v1/customers', {
        headers: { 'content-encoding': encoding },
        body: { id: newId(), email: 'a@example.test' },
      });
      expect([response.statusCode, response.json().code]).toEqual([415, 'unsupported_media_type']);
      expect(response.headers['accept-encoding']).toBe('identity');
    },
  );

  it('Contract §1 content encoding: identity is none', async () => {
    const response = await callAs(server.app, token, 'POST /v1/customers', {
      headers: { 'content-encoding': 'identity' },
      body: { id: newId(), email: 'a@example.test' },
    });
    expect(response.statusCode).toBe(201);
  });
});
