// GET /v1/payments.csv through the real route: the list's rows, as a file.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, type TestToken } from '../../../test/harness.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';

let world: World;
let server: TestServer;
let refundId: string;
let origin: string;

async function aSale(metadata: Record<string, string>, currency = 'EUR'): Promise<string> {
  const session = await aSession(world, { captureMethod: 'automatic', currency, metadata });
  const answer = await pay(world, session);
  return (answer as { body: { paymentId: string } }).body.paymentId;
}

beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  origin = await server.app.listen();
  const sold = await aSale({ order: '=1+1', note: 'a "quoted", text;\nof two lines' });
  await aSale({}, 'JPY');
  const headers = { 'idempotency-key': randomUUID() };
  const path = `POST /v1/payments/${sold}/refunds` as const;
  const given = { headers, body: { amount: 5, reason: 'duplicate' } };
  refundId = (await callAs(server.app, world.token, path, given)).json().id;
  const body = { timeZone: 'Europe/Berlin' };
  await callAs(server.app, world.token, 'PATCH /v1/client', { body });
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const file = (query: string, as: TestToken = world.token) =>
  callAs(server.app, as, `GET /v1/payments.csv?${query}`);

/** Opens files of 25 000 rows that nobody reads. They stay open until `leave`. */
function unreadFiles() {
  const leaving = new AbortController();
  // A response that nothing refers to is collected, and fetch then ends it.
  const opened: Response[] = [];
  return {
    async open(method: 'GET' | 'HEAD' = 'GET'): Promise<number> {
      const { authorization } = world.token;
      const url = `${origin}/v1/payments.csv?${half}`;
      const response = await fetch(url, {
        method,
        headers: { authorization },
        signal: leaving.signal,
      });
      opened.push(response);
      return response.status;
    },
    leave() {
      expect(opened.filter(({ bodyUsed }) => bodyUsed)).toEqual([]);
      leaving.abort();
    },
  };
}

/** Two files of a merchant at once, of three in all; a HEAD takes none. Their readers read nothing. */
async function checkSlots(): Promise<void> {
  const { open, leave } = unreadFiles();
  expect(await open('HEAD')).toBe(405);
  expect([await open(), await open()]).toEqual([200, 200]);
  expect(await open()).toBe(429);
  const other = await aToken(world.database, await aClient(world.database));
  expect((await file('style=json', other)).statusCode).toBe(200);
  leave();
  await expect.poll(async () => (await file('currency[eq]=JPY')).statusCode).toBe(200);
}

const rowsOf = (body: string): Record<string, string | null>[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('exportPayments', () => {
  it('has the rows of the list in its order, with fee and net', async () => {
    const rows = rowsOf((await file('style=json')).body);
    const listed = await callAs(server.app, world.token, 'GET /v1/payments?limit=100');
    expect(rows.map(({ id }) => id)).toEqual(
      listed.json().data.map(({ id }: { id: string }) => id),
    );
    expect(rows.find(({ currency }) => currency === 'JPY')).toMatchObject({
      ...{ amount: '2500', fee: '103', net: '2397', status: 'succeeded', brand: 'visa' },
    });
    expect(rows.find(({ id }) => id === refundId)).toMatchObject({
      ...{ type: 'refund', amount: '5.00', fee: '0.00', net: '-5.00', reason: 'duplicate' },
    });
  });

  it('European: mark, semicolon, decimal comma, the zone and the unit in the head', async () => {
    const answer = await file('style=european&currency[eq]=EUR&type[eq]=purchase');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [head = '', first = ''] = answer.body.split('\r\n');
    expect(head).toMatch(/^\uFEFFid;type;status;amount \(EUR\);/);
    expect(head).toContain('created (Europe/Berlin)');
    expect(first).toContain(';19,90;');
    expect(answer.headers['content-disposition']).toBe(
      'attachment; filename="SANDBOX_payments_EUR_Europe-Berlin_1-rows.csv"',
    );
  });

  it('is named by the day of the zone on which it begins', async () => {
    // In UTC, the day before has not ended yet.
    const query = 'createdAt[gte]=2026-10-31T23:00:00Z&timeZone=Europe/Berlin&currency[eq]=JPY';
    expect((await file(query)).headers['content-disposition']).toContain(
      '"SANDBOX_payments_2026-11-01_JPY_Europe-Berlin_',
    );
  });

  it('columns in the order asked for; the time is the zone’s, and UTC beside it', async () => {
    const query = 'columns=created_utc,created,amount&timeZone=Pacific/Auckland&currency[eq]=JPY';
    const [head, line = ''] = (await file(query)).body.split('\r\n');
    expect(head).toBe('created_utc,created (Pacific/Auckland),amount (JPY)');
    const [utc = '', local = '', amount] = line.split(',');
    const shown = new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone: 'Pacific/Auckland', dateStyle: 'short', timeStyle: 'medium' },
    }).format(new Date(utc));
    expect([local, amount]).toEqual([shown, '2500']);
  });

  it('stands in the audit log once it is made: what it was narrowed by, and how many rows', async () => {
    await file('status[eq]=succeeded&style=european');
    const query = 'GET /v1/audit-entries?action[eq]=export.made&limit=1';
    const [entry] = (await callAs(server.app, world.token, query)).json().data;
    expect(entry).toMatchObject({
      actor: { userId: world.token.userId },
      after: { of: 'payments', rows: 2, style: 'european', filters: 'status[eq]=succeeded' },
    });
  });

  it('nothing matches: a head alone; another merchant has no rows', async () => {
    expect((await file('status[eq]=voided')).body.split('\r\n')).toHaveLength(2);
    const stranger = await aToken(world.database, await aClient(world.database));
    expect(rowsOf((await file('style=json', stranger)).body)).toEqual([]);
  });

  it('400 invalid_query, 403 insufficient_scope', async () => {
    for (const query of [
      'columns=id,id',
      'columns=colour',
      'timeZone=Mars',
      'colour[eq]=red',
      'style=xlsx',
    ]) {
      const answer = await file(query);
      expect([answer.statusCode, answer.json().code], query).toEqual([400, 'invalid_query']);
    }
    const scoped = await aToken(world.database, world.client, { scopes: ['refunds:write'] });
    expect((await file('', scoped)).json().code).toBe('insufficient_scope');
  });
});

describe('exportPayments of 50 001 rows', () => {
  beforeAll(() =>
    plantInDatabase(world.ownerUrl, (plant) => plant(manyRows, [world.client.id, world.gatewayId])),
  );

  it('stands in the audit log as begun, also where its reader leaves before the end', async () => {
    const entries = async (action: string) => {
      const query = `GET /v1/audit-entries?action[eq]=${action}&limit=100` as const;
      const { data } = (await callAs(server.app, world.token, query)).json();
      return data.filter(({ after }: { after: { filters: string } }) => after.filters === half);
    };
    const { open, leave } = unreadFiles();
    expect([await open(), await open()]).toEqual([200, 200]);
    // Both files are open still, so a third one is refused.
    expect((await file('currency[eq]=JPY')).statusCode).toBe(429);
    leave();
    // Both have ended once another file is permitted.
    await expect.poll(async () => (await file('currency[eq]=JPY')).statusCode).toBe(200);
    expect(await entries('export.begun')).toHaveLength(2);
    expect(await entries('export.made')).toEqual([]);
  });

  it('422 export_too_large above 50 000 rows; above 1000 without exports.large', async () => {
    const answer = await file('externalId[eq]=many');
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'export_too_large']);
    expect((await file(half)).body.split('\r\n').length).toBe(25_000 + 2);
    await checkSlots();
    const member = await aToken(world.database, world.client, { role: 'member' });
    const asMember = await file(half, member);
    expect([asMember.statusCode, asMember.json().code]).toEqual([422, 'export_too_large']);
    expect((await file('currency[eq]=JPY', member)).statusCode).toBe(200);
  }, 120_000);
});

/** Selects half of the many rows. */
const half = 'externalId[eq]=many&amount[lte]=1';
const manyRows = `insert into payments (id, client_id, type, provider, gateway_id, amount_minor,
    currency, capture_method, status, is_live, created_at, updated_at, external_id)
  select gen_random_uuid(), $1, 'purchase', 'cardprovider', $2, 100 * (1 + n % 2), 'EUR',
    'automatic', 'pending', false, svc_clock(), svc_clock(), 'many'
  from generate_series(1, 50001) n`;
