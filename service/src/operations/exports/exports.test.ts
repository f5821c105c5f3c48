// Kept files: asked for, made by the worker, read, and deleted by somebody or when their time is over.

import { rows } from '@svc/contract';
import type { Export } from '@svc/contract/reports/exports';
import type { Role } from '@svc/contract/rows/roles';
import type { RowShape } from '@svc/contract/rows/row';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, type TestToken } from '../../../test/harness.ts';
import { advance, plantInDatabase } from '../../../test/payments/planted.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import { makeExports } from '../../engine/runs/exports/make-exports.ts';
import { sql } from '../../storage/database/sql.ts';
import { findChunk } from '../../storage/reports/kept-exports.ts';
import { addChunk, claimExport, LeaseLost } from '../../storage/reports/making-exports.ts';
import { unpackChunk } from '../../storage/reports/packed-chunks.ts';
import { startMakeExports } from '../../workers/make-exports.ts';

let world: World;
let server: TestServer;
let member: TestToken;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  for (const currency of ['EUR', 'EUR', 'JPY']) {
    await pay(world, await aSession(world, { captureMethod: 'automatic', currency }));
  }
  await plantInDatabase(world.ownerUrl, (plant) =>
    plant(manyRows, [world.client.id, world.gatewayId]),
  );
  member = await aToken(world.database, world.client, { role: 'member' });
}, 60_000);
afterAll(async () => {
  await server?.close();
  await world?.close();
});

/** More rows than a file that is sent at once may have. */
const manyRows = `insert into payments (id, client_id, type, provider, gateway_id, amount_minor,
    currency, capture_method, status, is_live, created_at, updated_at, external_id)
  select gen_random_uuid(), $1, 'purchase', 'cardprovider', $2, 100, 'EUR', 'automatic', 'pending', false,
    svc_clock(), svc_clock(), case when n <= 1001 then 'some' else 'many' end
  from generate_series(1, 50001) n`;

const request = (query: string, as: TestToken = world.token) =>
  callAs(server.app, as, `POST /v1/exports?${query}`);
const at = (id: string, end = '', as: TestToken = world.token) =>
  callAs(server.app, as, `GET /v1/exports/${id}${end}`);
const remove = (id: string, as: TestToken = world.token) =>
  callAs(server.app, as, `DELETE /v1/exports/${id}`);
const shown = async (id: string): Promise<Export> => (await at(id)).json();

async function asked(query: string, as: TestToken = world.token): Promise<Export> {
  const answer = await request(query, as);
  expect(answer.statusCode, answer.body).toBe(202);
  return answer.json();
}

const make = () =>
  makeExports(world.ports, {
    onError: (_clientId, error) => {
      throw error;
    },
  });

async function made(query: string, as?: TestToken): Promise<Export> {
  const { id } = await asked(query, as);
  await make();
  return shown(id);
}

const countChunks = sql<{ chunks: number }>(
  'test_export_chunks',
  'select count(*)::int as chunks from export_chunks where export_id = $1',
);
const chunksOf = async (id: string) => (await world.database.read(countChunks, [id]))[0]?.chunks;

const bulkRows = [
  ...(['exportCustomers', 'exportPayments', 'getExportFile', 'getMonthLedger'] as const),
];
/** Made by the function that makes the file of customers; list-files.test.ts reads them. */
const asCustomers = ['exportDisputes', 'exportSubscriptions'];
type BulkRow = (typeof bulkRows)[number];
const actionsOf = sql<{ action: string }>(
  'test_export_actions',
  'select action from audit_entries where actor_user_id = $1 and client_id is not null order by id',
);

const entriesOf = async (id: string) => {
  const answer = await callAs(server.app, world.token, 'GET /v1/audit-entries?limit=100');
  const { data } = answer.json() as { data: { action: string; resource: { id: string } }[] };
  return data.filter(({ resource }) => resource.id === id).map(({ action }) => action);
};

describe('a kept file', () => {
  it('409 export_not_ready: then the same bytes as the file that is sent at once; the audit log has its whole way', async () => {
    const query = 'currency[eq]=JPY&style=european&timeZone=Asia/Tokyo&columns=id,amount,created';
    const waiting = await asked(query);
    expect(waiting).toMatchObject({ status: 'waiting', filters: 'currency[eq]=JPY', rows: 0 });
    expect(waiting).toMatchObject({ rowsTotal: null, keptUntil: null, columns: columnsOf(query) });
    expect((await at(waiting.id, '/file')).json().code).toBe('export_not_ready');
    expect(await make()).toBe(1);
    const ready = await shown(waiting.id);
    expect(ready).toMatchObject({ status: 'ready', rows: 1, rowsTotal: 1, failure: null });
    expect(ready.fileName).toBe('SANDBOX_payments_JPY_Asia-Tokyo_1-rows.csv');
    const file = await at(waiting.id, '/file');
    const atOnce = await callAs(server.app, world.token, `GET /v1/payments.csv?${query}`);
    expect(file.body).toBe(atOnce.body);
    expect(file.headers['content-disposition']).toBe(atOnce.headers['content-disposition']);
    expect(ready.bytes).toBe(Buffer.byteLength(file.body));
    expect(await entriesOf(waiting.id)).toEqual(['export.read', 'export.made', 'export.begun']);
    expect((await remove(waiting.id)).statusCode).toBe(204);
    expect((await at(waiting.id)).json().code).toBe('export_not_found');
  });

  it('names its filters so that the same query can be sent again', async () => {
    const query = new URLSearchParams({ 'email[eq]': 'a+b@x.example', 'metadata.of[eq]': 'R&D 1' });
    const first = await asked(`${query}`);
    expect(first.filters).toBe('email[eq]=a%2Bb@x.example&metadata.of[eq]=R%26D%201');
    const again = await asked(first.filters);
    expect([again.id, again.filters]).toEqual([first.id, first.filters]);
    await remove(first.id);
  });

  it('is one file where the same is asked for twice before it is finished', async () => {
    const [first, second] = await Promise.all([asked('type[eq]=refund'), asked('type[eq]=refund')]);
    expect(second.id).toBe(first.id);
    await make();
    const again = await asked('type[eq]=refund');
    expect(again.id).not.toBe(first.id);
    await make();
    for (const { id } of [first, again]) await remove(id);
  });

  it('has more rows than a file at once may have, in chunks that open in their place alone', async () => {
    const all = await made('style=program');
    expect(all).toMatchObject({ status: 'ready', rows: 50_004 });
    expect((await at(all.id, '/file')).body.split('\r\n').length).toBe(50_004 + 2);
    const place = { clientId: world.client.id, id: all.id };
    const chunk = (await findChunk(world.database, place, 1)) as Buffer;
    expect(await unpackChunk({ ...place, number: 1 }, chunk, world.ports.sealed)).toMatch(/EUR/);
    const moved = unpackChunk({ ...place, number: 2 }, chunk, world.ports.sealed);
    await expect(moved).rejects.toThrow('does not open');
    await remove(all.id);
  }, 120_000);

  it('is given up by the worker once somebody deletes it, and keeps nothing', async () => {
    const { id } = await asked('style=json');
    const worker = startMakeExports(world.ports, { log: { error: () => undefined }, pollMs: 20 });
    await expect.poll(async () => (await shown(id)).rows, { interval: 5 }).toBeGreaterThan(0);
    expect((await remove(id)).statusCode).toBe(204);
    await worker.stop();
    expect((await at(id)).json().code).toBe('export_not_found');
    expect(await chunksOf(id)).toBe(0);
  }, 60_000);

  it('is made anew after a worker died with it, and not at all after three', async () => {
    const { id } = await asked('currency[eq]=EUR&externalId[eq]=some');
    const first = await claimExport(world.database);
    expect([first?.id, await make()]).toEqual([id, 0]);
    await advance(world, 181);
    expect(await make()).toBe(1);
    expect(await shown(id)).toMatchObject({ status: 'ready', rows: 1001 });
    const late = { number: 9, sealed: Buffer.from('x'), rows: 1, bytes: 1 };
    if (first) await expect(addChunk(world.database, first, late)).rejects.toThrow(LeaseLost);
    const unlucky = await asked('status[eq]=failed');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const claimed = await claimExport(world.database);
      expect(claimed?.id).toBe(unlucky.id);
      const part = { number: attempt, sealed: Buffer.from('x'), rows: 1, bytes: 1 };
      if (claimed) await addChunk(world.database, claimed, part);
      await advance(world, 181);
    }
    expect(await make()).toBe(1);
    expect(await shown(unlucky.id)).toMatchObject({ status: 'failed', failure: 'not_made' });
    expect(await chunksOf(unlucky.id)).toBe(0);
    await remove(id);
    await remove(unlucky.id);
  });

  it('is deleted, and its chunks, seven days after it was ready', async () => {
    const { id } = await made('currency[eq]=JPY');
    const place = { clientId: world.client.id, id };
    await advance(world, 7 * 86_400 - 60);
    await make();
    expect((await at(id, '/file')).statusCode).toBe(200);
    await advance(world, 120);
    expect(await make()).toBe(1);
    expect((await at(id, '/file')).json().code).toBe('export_not_found');
    expect(await findChunk(world.database, place, 0)).toBeUndefined();
  });
});

/** Bookings of more rows than a role without `exports.large` takes at once. */
const manyBooked = `insert into payments (id, client_id, type, provider, gateway_id, amount_minor,
    captured_minor, currency, capture_method, status, is_live, created_at, updated_at, captured_at,
    financial_effective_at, external_id, email)
  select gen_random_uuid(), $1, 'purchase', 'cardprovider', $2, 100, 100, 'SEK', 'automatic', 'succeeded',
    false, svc_clock(), svc_clock(), svc_clock(), svc_clock(), 'booked', 'buyer@example.test'
  from generate_series(1, 1001) n`;

const manyCustomers = `insert into customers (client_id, id, email, country, created_at, updated_at)
  select $1, gen_random_uuid(), 'many', 'SE', svc_clock(), svc_clock() from generate_series(1, 1001) n`;

describe('everything that leaves in bulk', () => {
  let calls: Readonly<Record<BulkRow, string>>;
  beforeAll(async () => {
    await plantInDatabase(world.ownerUrl, (plant) =>
      plant(manyBooked, [world.client.id, world.gatewayId]),
    );
    await plantInDatabase(world.ownerUrl, (plant) => plant(manyCustomers, [world.client.id]));
    const { id, createdAt } = await made('externalId[eq]=booked');
    const month = createdAt.slice(0, 7);
    calls = {
      exportCustomers: 'GET /v1/customers.csv?country[eq]=SE',
      exportPayments: 'GET /v1/payments.csv?externalId[eq]=booked',
      getExportFile: `GET /v1/exports/${id}/file`,
      getMonthLedger: `GET /v1/reports/months/${month}/ledger?currency=SEK`,
    };
  }, 60_000);

  async function answerTo(call: string, role: Role, provenMinutesAgo = 0) {
    const person = await aMemberOf(world.ports, world.client, { role });
    const signIn = await aSignIn(world.ports, person, { provenMinutesAgo });
    const headers = fromOwnPage(signIn, world.client.id);
    const answer = await callAs(server.app, null, call as 'GET /', { headers });
    const code = answer.statusCode === 200 ? undefined : answer.json().code;
    const entries = await world.database.read(actionsOf, [person.id]);
    return { status: answer.statusCode, code, actions: entries.map(({ action }) => action) };
  }

  it.each(bulkRows)(
    '422 export_too_large: %s, for who may not take more than 1 000 rows',
    async (name) => {
      for (const role of ['viewer', 'support', 'member'] as const) {
        const refused = { status: 422, code: 'export_too_large', actions: [] };
        expect(await answerTo(calls[name], role), role).toEqual(refused);
      }
    },
  );

  it.each(bulkRows)(
    '403 recent_sign_in_required: %s, and its entry once the person has one',
    async (name) => {
      const { action } = rows[name].bulk;
      const refused = { status: 403, code: 'recent_sign_in_required', actions: [] };
      expect(await answerTo(calls[name], 'finance', 16)).toEqual(refused);
      const taken = await answerTo(calls[name], 'finance');
      expect([taken.status, taken.actions[0]]).toEqual([200, action]);
    },
  );

  it.each(bulkRows)(
    '%s: the entry is there before the first row, also of a small file',
    async (name) => {
      const small = { ...calls, exportPayments: 'GET /v1/payments.csv?currency[eq]=JPY' };
      small.exportCustomers = 'GET /v1/customers.csv?country[eq]=NO';
      const { id } = await made('currency[eq]=JPY');
      small.getExportFile = `GET /v1/exports/${id}/file`;
      small.getMonthLedger = calls.getMonthLedger.replace('SEK', 'JPY');
      const taken = await answerTo(small[name], 'viewer', 16);
      expect([taken.status, taken.actions[0]]).toEqual([200, rows[name].bulk.action]);
    },
  );

  it('names every row that answers a file', () => {
    const files = Object.entries<RowShape>(rows).filter(([, { isFile }]) => isFile);
    expect(files.map(([name]) => name).sort()).toEqual([...bulkRows, ...asCustomers].sort());
  });
});

describe('who may have a file kept, read and deleted', () => {
  it('members: files of 1 000 rows, read by everybody; larger ones are for exports.large', async () => {
    const tooLarge = await request('externalId[eq]=some', member);
    expect([tooLarge.statusCode, tooLarge.json().code]).toEqual([422, 'export_too_large']);
    const own = await made('currency[eq]=JPY', member);
    expect((await at(own.id, '/file', member)).statusCode).toBe(200);
    const large = await made('externalId[eq]=some');
    const refused = await at(large.id, '/file', member);
    expect([refused.statusCode, refused.json().code]).toEqual([422, 'export_too_large']);
    expect((await remove(large.id, member)).json().code).toBe('merchant_role_required');
    expect((await remove(own.id, member)).statusCode).toBe(204);
    await remove(large.id);
  });

  it('404 export_not_found: another merchant finds none of them', async () => {
    const { id } = await asked('currency[eq]=JPY');
    const stranger = await aToken(world.database, await aClient(world.database));
    for (const answer of [
      await at(id, '', stranger),
      await at(id, '/file', stranger),
      await remove(id, stranger),
    ]) {
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'export_not_found']);
    }
    const listed = await callAs(server.app, stranger, 'GET /v1/exports');
    expect(listed.json()).toMatchObject({ data: [], total: 0 });
    await remove(id);
  });

  it('409 export_limit_reached: five unfinished files of a merchant, and says so', async () => {
    const amounts = [1, 2, 3, 4, 5];
    const files = await Promise.all(amounts.map((amount) => asked(`amount[eq]=${amount}`)));
    const sixth = await request('amount[eq]=6');
    expect(sixth.json()).toMatchObject({
      status: 409,
      code: 'export_limit_reached',
      message: expect.stringMatching(/^5 files are being made, .* Wait until one is ready/),
    });
    const listed = await callAs(server.app, world.token, 'GET /v1/exports?status[eq]=waiting');
    expect(listed.json().total).toBe(5);
    await remove(files[0]?.id ?? '');
    expect((await request('amount[eq]=6')).statusCode).toBe(202);
  });

  it('400 invalid_query for filters, columns and zones that do not exist', async () => {
    for (const query of ['columns=id,id', 'timeZone=Mars', 'colour[eq]=red', 'style=xlsx']) {
      const answer = await request(query);
      expect([answer.statusCode, answer.json().code], query).toEqual([400, 'invalid_query']);
    }
  });
});

const columnsOf = (query: string) => new URLSearchParams(query).get('columns')?.split(',');
