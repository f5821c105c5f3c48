// Files of customers, disputes, subscriptions and holds through the real routes: the rows of the list.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClub, type Club } from '../../../test/customers/subscriptions.ts';
import { aClient, aToken, callAs, type TestToken } from '../../../test/harness.ts';
import { aPurchase, deliverDisputeEvents, dispute } from '../../../test/payments/disputes.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';

let world: World;
let server: TestServer;
let club: Club;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  club = await aClub(world);
  const { intent } = await aPurchase(world);
  await deliverDisputeEvents(world, await dispute(world, intent));
  await pay(world, await aSession(world, { captureMethod: 'manual' }));
  const body = { name: '=Grace Hopper' };
  const patched = await call(`PATCH /v1/customers/${club.userId}`, world.token, body);
  expect(patched.statusCode, patched.body).toBe(200);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const call = (path: string, as: TestToken = world.token, body?: object) =>
  callAs(server.app, as, path as 'GET /', body ? { body } : {});

type Line = Readonly<Record<string, string | null>>;
async function linesOf(list: string, query = '', as?: TestToken): Promise<readonly Line[]> {
  const answer = await call(`GET /v1/${list}.csv?style=json&${query}`, as);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
const rowsOf = async (list: string) =>
  (await call(`GET /v1/${list}?limit=100`)).json().data as readonly Record<string, unknown>[];

describe.each([
  ['customers', ['email', 'name', 'country']],
  ['disputes', ['status', 'reason', 'currency']],
  ['subscriptions', ['status', 'currency', 'interval']],
])('the file of %s', (list, same) => {
  it('has the rows of the list in its order; another merchant’s has none', async () => {
    const rows = await rowsOf(list);
    expect(rows.length).toBeGreaterThan(0);
    const pick = (row: Record<string, unknown>) => ['id', ...same].map((name) => row[name]);
    expect((await linesOf(list)).map(pick)).toEqual(rows.map(pick));
    expect(await linesOf(list, `id[eq]=${rows[0]?.id}`)).toHaveLength(1);
    const stranger = await aToken(world.database, await aClient(world.database));
    expect(await linesOf(list, '', stranger)).toEqual([]);
  });

  it('is named, headed and logged as it was asked for', async () => {
    const query = 'style=european&timeZone=Europe/Berlin&createdAt[gte]=2026-01-01T00:00:00Z';
    const answer = await call(`GET /v1/${list}.csv?${query}`);
    expect(answer.headers['content-disposition']).toMatch(
      new RegExp(`^attachment; filename="SANDBOX_${list}_Europe-Berlin_\\d+-rows.csv"$`),
    );
    expect(answer.body.split('\r\n')[0]).toContain(' (Europe/Berlin);');
    for (const action of ['export.begun', 'export.made']) {
      const found = await call(`GET /v1/audit-entries?action[eq]=${action}&limit=1`);
      const filters = 'createdAt[gte]=2026-01-01T00:00:00.000Z';
      expect(found.json().data[0]?.after).toMatchObject({ of: list, style: 'european', filters });
    }
  });

  it('400 invalid_query, 400 raw_card_data_forbidden, 403 insufficient_scope', async () => {
    for (const query of ['columns=colour', 'columns=id,id', 'colour[eq]=red', 'timeZone=Mars']) {
      const { statusCode, json } = await call(`GET /v1/${list}.csv?${query}`);
      expect([statusCode, json().code], query).toEqual([400, 'invalid_query']);
    }
    const field = { customers: 'name', disputes: 'reason', subscriptions: 'productCode' }[list];
    const carded = await call(`GET /v1/${list}.csv?${field}[eq]=4242424242424242`);
    expect([carded.statusCode, carded.json().code]).toEqual([400, 'raw_card_data_forbidden']);
    const scoped = await aToken(world.database, world.client, { scopes: ['refunds:write'] });
    const refused = await call(`GET /v1/${list}.csv`, scoped);
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'insufficient_scope']);
  });
});

it('times are of the zone, sums of the currency, and a name is no formula', async () => {
  const zone = 'timeZone=Pacific/Auckland';
  const [line] = await linesOf(
    'subscriptions',
    `${zone}&columns=began,began_utc,amount,customer_name`,
  );
  const shown = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone: 'Pacific/Auckland', dateStyle: 'short', timeStyle: 'medium' },
  }).format(new Date(line?.began_utc ?? ''));
  expect(line).toMatchObject({ began: shown, amount: '24.00', customer_name: '=Grace Hopper' });
  const table = await call('GET /v1/customers.csv?style=spreadsheet&columns=name');
  expect(table.body).toContain("'=Grace Hopper");
  const [disputed] = await linesOf('disputes');
  const [row] = await rowsOf('disputes');
  expect(disputed).toMatchObject({ amount: '19.90', customer_email: row?.customerEmail });
});

it('the file of holds has when they end', async () => {
  const [held, ...others] = await linesOf('payments', 'status[eq]=authorized');
  const [row] = (await call('GET /v1/payments?status[eq]=authorized')).json().data;
  expect(others).toEqual([]);
  expect(held).toMatchObject({
    ...{ id: row.id, capture_method: 'manual', provider: 'cardprovider', refundable: '0.00' },
    hold_expires_utc: row.authorizationExpiresAt,
  });
});

it('422 export_too_large: more than 1000 customers without exports.large', async () => {
  const many = `insert into customers (client_id, id, email, country, created_at, updated_at)
    select $1, gen_random_uuid(), 'many', case when n > 900 then 'JP' end, svc_clock(), svc_clock()
    from generate_series(1, 1001) n`;
  await plantInDatabase(world.ownerUrl, (plant) => plant(many, [world.client.id]));
  const member = await aToken(world.database, world.client, { role: 'member' });
  const refused = await call('GET /v1/customers.csv', member);
  expect([refused.statusCode, refused.json().code]).toEqual([422, 'export_too_large']);
  expect(await linesOf('customers', 'country[eq]=JP', member)).toHaveLength(101);
  expect((await linesOf('customers')).length).toBeGreaterThan(1001);
});
