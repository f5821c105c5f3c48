// Creating once: by an idempotency key, and by the merchant's reference of the order. Contract §2, §3.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  moveClock,
  newId,
  type TestToken,
} from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, buyerEmail, cards, startWorld, type World } from '../../../test/world.ts';
import { databaseWithin } from '../../storage/checkout-sessions/kept-answers.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

type Fields = Record<string, unknown>;
type Options = { key?: string; as?: TestToken | null; call?: `POST /${string}` };

async function create(more: Fields = {}, options: Options = {}) {
  const { key, as = world.token, call = 'POST /v1/checkouts/sessions' } = options;
  const body = {
    clientId: world.client.id,
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    accountData: { userId: '42', email: buyerEmail },
    ...more,
  };
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await callAs(server.app, as, call, { body, headers });
  return {
    status: answer.statusCode,
    text: answer.body,
    isReplayed: answer.headers['idempotent-replayed'] === 'true',
    body: answer.body ? answer.json() : null,
  };
}

async function payAs(session: Fields, number: string = cards.approved) {
  const { id, nonce, vault, accountData } = session as {
    id: string;
    nonce: string;
    vault: { mountToken: string };
    accountData: { userId: string; externalId: string | null; email: string };
  };
  const checkout = { sessionId: id, nonce, mountToken: vault.mountToken, userId: '42' };
  const token = await aCardToken(world, checkout, number);
  const call = `POST /v1/checkouts/sessions/${id}/process` as const;
  const answer = await callAs(server.app, { nonce }, call, {
    headers: { 'x-user-id': accountData.externalId ?? accountData.userId },
    body: {
      sessionId: id,
      accountData,
      tokenizedData: { provider: 'cardprovider', type: 'card', token },
    },
  });
  return { status: answer.statusCode, body: answer.json() };
}

const statusOf = async (id: string) =>
  (await callAs(server.app, world.token, `GET /v1/checkout-sessions/${id}`)).json().status;

const countKeys = sql<{ count: number }>(
  'test_kept_answers',
  'select count(*)::int as count from kept_answers where idempotency_key = $1',
);
const keysOf = async (key: string) => (await world.database.read(countKeys, [key]))[0]?.count;

describe('a create with its Idempotency-Key', () => {
  it('again: the same session, byte for byte, and nothing is created', async () => {
    const key = `order-${newId()}`;
    const first = await create({}, { key });
    expect(first).toMatchObject({ status: 201, isReplayed: false });
    const again = await create({}, { key });
    expect(again).toEqual({ ...first, isReplayed: true });
    expect(await payAs(again.body)).toMatchObject({ status: 200 });
    expect(await create({}, { key })).toEqual({ ...first, isReplayed: true });
  });

  it('ten at once: one session', async () => {
    const key = `order-${newId()}`;
    const all = await Promise.all(Array.from({ length: 10 }, () => create({}, { key })));
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(all.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
  });

  it('409 idempotency_key_reused: with another body; the order of its fields makes none', async () => {
    const key = `order-${newId()}`;
    const first = await create({ metadata: { a: '1', b: '2' } }, { key });
    expect(await create({ metadata: { a: '1' } }, { key })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_reused' },
    });
    expect(await create({ metadata: { b: '2', a: '1' } }, { key })).toEqual({
      ...first,
      isReplayed: true,
    });
  });

  it('409 idempotency_key_reused: with a credential of other rights, which would get a session that vouches', async () => {
    const key = `order-${newId()}`;
    await create({}, { key });
    const member = await aToken(world.database, world.client, { scopes: ['checkout:write'] });
    expect(await create({}, { key, as: member })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_reused' },
    });
  });

  it('without a credential the key is ignored: nobody gets the session of another browser', async () => {
    const key = `order-${newId()}`;
    const all = [await create({}, { key, as: null }), await create({}, { key, as: null })];
    expect(all.map(({ status }) => status)).toEqual([201, 201]);
    expect(all[0]?.body.id).not.toBe(all[1]?.body.id);
    expect(await keysOf(key)).toBe(0);
  });

  it('a refused create keeps no key: the right one may follow', async () => {
    const key = `order-${newId()}`;
    expect(await create({ products: [{ code: 'nothing', quantity: 1 }] }, { key })).toMatchObject({
      status: 422,
    });
    expect(await keysOf(key)).toBe(0);
    expect(await create({}, { key })).toMatchObject({ status: 201, isReplayed: false });
  });

  it('of another merchant, or of another call, it is another key', async () => {
    const key = `order-${newId()}`;
    const shell = { deferDataAttachment: true, products: undefined, accountData: undefined };
    const other = await aClient(world.database);
    const stranger = await aToken(world.database, other);
    expect(await create(shell, { key })).toMatchObject({ status: 201 });
    expect(await create({ clientId: other.id }, { key, as: stranger })).toMatchObject({
      body: { code: 'invalid_catalog_data' },
    });
    const customer = await callAs(server.app, world.token, 'POST /v1/customers', {
      body: { email: 'one@example.test' },
      headers: { 'idempotency-key': key },
    });
    expect(customer.statusCode).toBe(201);
  });

  it('shells, set-ups and customers: once, and the same bytes again', async () => {
    const key = `once-${newId()}`;
    const headers = { 'idempotency-key': key };
    const ask = (call: `POST /${string}`, body: object) =>
      callAs(server.app, world.token, call, { headers, body });
    const calls = [
      ['POST /v1/customers', { email: 'guest@example.test' }],
      [
        'POST /v1/checkouts/sessions',
        { clientId: world.client.id, currency: 'EUR', deferDataAttachment: true },
      ],
    ] as const;
    let customerId = '';
    for (const [call, body] of calls) {
      const [one, two] = await Promise.all([ask(call, body), ask(call, body)]);
      expect(one.statusCode).toBe(201);
      expect(two.body).toBe(one.body);
      customerId ||= one.json().id;
    }
    const setup = { userId: customerId };
    const [one, two] = await Promise.all([
      ask('POST /v1/checkouts/sessions/setup', setup),
      ask('POST /v1/checkouts/sessions/setup', setup),
    ]);
    expect(one.statusCode).toBe(201);
    expect(two.body).toBe(one.body);
  });

  it('the nonce is readable in no row that keeps an answer', async () => {
    const key = `order-${newId()}`;
    const { body } = await create({}, { key });
    const rows = sql<{ row: string }>(
      'test_kept_rows',
      'select k::text as row from kept_answers k',
    );
    const hex = Buffer.from(body.nonce).toString('hex');
    for (const { row } of await world.database.read(rows, [])) {
      expect(row).not.toContain(body.nonce);
      expect(row).not.toContain(hex);
    }
  });

  it('work in parts: one part that fails takes nothing of the others with it', async () => {
    const add = sql(
      'test_part_add',
      `insert into products (client_id, code, name, kind, created_at, updated_at)
       values ($1, $2, $2, 'item', now(), now())`,
    );
    const clientId = world.client.id;
    await world.database.transaction(clientId, async (tx) => {
      const inner = databaseWithin(tx, clientId);
      await inner.write(add, [clientId, 'part-one']);
      await expect(
        inner.transaction(clientId, async (part) => {
          await part.query(add, [clientId, 'part-two']);
          await part.query(add, [clientId, 'part-one']);
        }),
      ).rejects.toMatchObject({ code: '23505' });
      await inner.write(add, [clientId, 'part-three']);
    });
    const parts = sql<{ code: string }>(
      'test_parts',
      `select code from products where client_id = $1 and code like 'part-%' order by code`,
    );
    const kept = await world.database.read(parts, [clientId]);
    expect(kept.map(({ code }) => code)).toEqual(['part-one', 'part-three']);
  });
});

describe('one open session per merchant and reference', () => {
  it('409 checkout_session_reference_taken: a second one while the first is open, by the id of that', async () => {
    const reference = `R-${newId()}`;
    const first = await create({ reference });
    expect(first.body).toMatchObject({ reference, status: 'open' });
    expect(await create({ reference })).toMatchObject({
      status: 409,
      body: {
        code: 'checkout_session_reference_taken',
        message: expect.stringContaining(first.body.id),
      },
    });
    expect(await statusOf(first.body.id)).toBe('open');
  });

  it('replaces: true ends the older one with it, by one event; nobody pays that any more', async () => {
    const reference = `R-${newId()}`;
    const older = await create({ reference });
    const newer = await create({ reference, replaces: true });
    expect(newer).toMatchObject({ status: 201, body: { reference } });
    expect(await statusOf(older.body.id)).toBe('expired');
    expect(await payAs(older.body)).toMatchObject({ body: { code: 'checkout_session_expired' } });
    const events = await callAs(
      server.app,
      world.token,
      `GET /v1/events?resourceId[eq]=${older.body.id}`,
    );
    expect(events.json().data.map(({ type }: Fields) => type)).toEqual([
      'checkout.session.expired',
    ]);
    expect(await payAs(newer.body)).toMatchObject({ status: 200 });
  });

  it('a refused replacement leaves the older session open', async () => {
    const reference = `R-${newId()}`;
    const older = await create({ reference });
    const products = [{ code: 'nothing', quantity: 1 }];
    expect(await create({ reference, replaces: true, products })).toMatchObject({ status: 422 });
    expect(await statusOf(older.body.id)).toBe('open');
  });

  it('ten replacements at once, each with a key of its own: one is open', async () => {
    const reference = `R-${newId()}`;
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        create({ reference, replaces: true }, { key: `${reference}-${index}` }),
      ),
    );
    const made = all.filter(({ status }) => status === 201);
    const states = await Promise.all(made.map(({ body }) => statusOf(body.id)));
    expect(states.filter((status) => status === 'open')).toHaveLength(1);
    expect(all.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  });

  it('409 checkout_attempt_in_progress: a buyer at the bank’s question; after expire it is replaced', async () => {
    const reference = `R-${newId()}`;
    const older = await create({ reference });
    expect((await payAs(older.body, cards.needs3ds)).body.type).toBe('3ds_required');
    expect(await create({ reference, replaces: true })).toMatchObject({
      status: 409,
      body: { code: 'checkout_attempt_in_progress' },
    });
    expect(await statusOf(older.body.id)).toBe('requires_action');
    const expire = `POST /v1/checkout-sessions/${older.body.id}/expire` as const;
    expect((await callAs(server.app, world.token, expire)).statusCode).toBe(200);
    expect(await create({ reference })).toMatchObject({ status: 201 });
  });

  it('the same key again answers the replacement and ends nothing', async () => {
    const reference = `R-${newId()}`;
    await create({ reference });
    const key = `k-${reference}`;
    const first = await create({ reference, replaces: true }, { key });
    const again = await create({ reference, replaces: true }, { key });
    expect(again).toEqual({ ...first, isReplayed: true });
    expect(await statusOf(first.body.id)).toBe('open');
  });

  it('403 merchant_credential_required: a buyer’s page names no reference', async () => {
    for (const field of [{ reference: 'R-1' }, { replaces: true }]) {
      expect(await create(field, { as: null })).toMatchObject({
        status: 403,
        body: { code: 'merchant_credential_required' },
      });
    }
  });

  it('expired, it is free again', async () => {
    const reference = `R-${newId()}`;
    const expired = await create({ reference });
    const expire = `POST /v1/checkout-sessions/${expired.body.id}/expire` as const;
    expect((await callAs(server.app, world.token, expire)).statusCode).toBe(200);
    expect(await create({ reference })).toMatchObject({ status: 201 });
    const listed = await callAs(
      server.app,
      world.token,
      `GET /v1/checkout-sessions?reference[eq]=${reference}`,
    );
    expect(listed.json().total).toBe(2);
  });
});

describe('a day later', () => {
  it('the key is free, and a session whose time is over gives its reference away', async () => {
    const [key, reference] = [`order-${newId()}`, `R-${newId()}`];
    const first = await create({ reference }, { key });
    await moveClock(world.database, 24 * 3_600_000 + 1000);
    const next = await create({ reference }, { key });
    expect(next).toMatchObject({ status: 201, isReplayed: false });
    expect(next.body.id).not.toBe(first.body.id);
  });
});
