import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultsOf, tapPorts } from '../../../test/customers/detachments.ts';
import {
  aSavedCard,
  beginDetachment,
  vouchedSession,
} from '../../../test/customers/saved-cards.ts';
import { aSetupSession } from '../../../test/customers/setups.ts';
import { aClient, aToken, callAs, callerOf, newId, type TestToken } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { giveDefaultLease, takeDefaultLease } from '../../storage/customers/default-leases.ts';
import { operations } from '../index.ts';

let world: World;
let server: TestServer;
let tap: ReturnType<typeof tapPorts>;
let rivals: TestToken;
beforeAll(async () => {
  world = await startWorld();
  tap = tapPorts(world.ports);
  server = await aServer(tap.ports);
  rivals = await aToken(world.database, await aClient(world.database));
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

type RowCall = Parameters<typeof callAs>[2];

async function call(what: RowCall, body?: unknown, token: TestToken = world.token) {
  const response = await callAs(server.app, token, what, body === undefined ? {} : { body });
  return { status: response.statusCode, body: response.json() };
}

const email = 'jo@example.test';
const create = (body: object = {}, token?: TestToken) =>
  call('POST /v1/customers', { email, ...body }, token);
const changeCustomer = (id: string, body: object, token?: TestToken) =>
  call(`PATCH /v1/customers/${id}`, body, token);
const readCustomer = async (id: string) => (await call(`GET /v1/customers/${id}`)).body;

describe('createCustomer', () => {
  it('201: an id is made up where none is given; what is not given is null', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      externalId: null,
      object: 'customer',
      clientId: world.client.id,
      email,
      name: null,
      country: null,
      language: null,
      metadata: {},
      defaultPaymentMethodId: null,
      forgottenAt: null,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    expect(await readCustomer(body.id)).toEqual(body);
  });

  it('Contract §5 customer, linking · 201: the merchant’s own id, and the same again for the same fields', async () => {
    const id = newId();
    const fields = { id, name: 'Jo', country: 'CH', language: 'fr', metadata: { b: '2', a: '1' } };
    const first = await create(fields);
    expect(first).toMatchObject({ status: 201, body: fields });
    const again = await create({ ...fields, metadata: { a: '1', b: '2' } });
    expect(again).toEqual(first);
  });

  it('409 customer_exists: the same id with other fields; the first one stands', async () => {
    const id = newId();
    const { body: first } = await create({ id, name: 'Jo' });
    for (const other of [
      { email: 'other@example.test' },
      { name: null },
      { metadata: { a: '1' } },
    ]) {
      expect(await create({ id, name: 'Jo', ...other })).toMatchObject({
        status: 409,
        body: { code: 'customer_exists', param: 'id' },
      });
    }
    expect(await readCustomer(id)).toEqual(first);
  });

  it('one of twenty at once with one id is made, and all are told of that one', async () => {
    const id = newId();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create({ id, name: `Jo ${n % 2}` })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(20 - made.length);
    expect(made).toHaveLength(10);
  });

  it('the same id at another merchant is another customer', async () => {
    const { body: ours } = await create({ name: 'Ours' });
    expect((await create({ id: ours.id, name: 'Theirs' }, rivals)).status).toBe(201);
    expect(await readCustomer(ours.id)).toEqual(ours);
  });

  it.each([
    ['no email', { email: undefined }],
    ['an email that is none', { email: 'jo' }],
    ['an id that is no text', { id: 7 }],
    ['a country in small letters', { country: 'ch' }],
    ['an unknown field', { defaultPaymentMethodId: newId() }],
    ['metadata that is no text', { metadata: { a: 1 } }],
  ])('400 invalid_request: %s', async (_what, body) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

describe('listCustomers', () => {
  it('200: newest first, filtered by email, country and id, with an exact total; no other merchant’s', async () => {
    const mail = `${newId()}@example.test`;
    const ids: string[] = [];
    for (const country of ['CH', 'AT', 'CH']) {
      ids.push((await create({ email: mail, country, name: 'Jo' })).body.id);
    }
    await create({ email: mail }, rivals);
    const list = async (query: string) => {
      const { body } = await call(`GET /v1/customers?${query}`);
      return { total: body.total, ids: body.data.map(({ id }: { id: string }) => id) };
    };
    const all = `email[eq]=${encodeURIComponent(mail)}`;
    expect(await list(all)).toEqual({ total: 3, ids: ids.toReversed() });
    expect(await list(`${all}&country[eq]=CH&limit=1`)).toEqual({ total: 2, ids: [ids[2]] });
    expect(await list(`id[eq]=${ids[1]}`)).toEqual({ total: 1, ids: [ids[1]] });
    expect(await list(`${all}&sortDirection=ASC&sortField=updatedAt`)).toEqual({ total: 3, ids });
    expect(await list(`${all}&name[startsWith]=jO`)).toEqual({ total: 3, ids: ids.toReversed() });
    expect(await list(`${all}&name[eq]=J`)).toEqual({ total: 0, ids: [] });
    const begins = encodeURIComponent(mail.slice(0, 12).toUpperCase());
    expect((await list(`email[startsWith]=${begins}`)).total).toBeGreaterThanOrEqual(3);
    expect(await list(`${all}&name[in]=JO,Ada`)).toEqual({ total: 3, ids: ids.toReversed() });
    await changeCustomer(ids[0] ?? '', { name: 'ÅSA' });
    expect(await list(`${all}&name[startsWith]=jo`)).toMatchObject({ total: 2 });
    expect(await list(`${all}&name[eq]=${encodeURIComponent('åsa')}`)).toMatchObject({ total: 1 });
    await changeCustomer(ids[0] ?? '', { name: null });
    expect(await list(`${all}&name[startsWith]=${encodeURIComponent('Å')}`)).toMatchObject({
      total: 0,
    });
    // The address that a customer had before finds the customer no more.
    const moved = `${newId()}@example.test`;
    await changeCustomer(ids[0] ?? '', { email: moved });
    expect((await list(all)).total).toBe(2);
    expect((await list(`email[startsWith]=${encodeURIComponent(mail)}`)).total).toBe(2);
    expect(await list(`email[startsWith]=${encodeURIComponent(moved)}`)).toEqual({
      total: 1,
      ids: [ids[0]],
    });
    await changeCustomer(ids[0] ?? '', { email: mail });
    const name = newId();
    await create({ email: `${name}@bücher.example` });
    const [unicode, ascii] = ['bücher', 'xn--bcher-kva'].map((domain) =>
      encodeURIComponent(`${name}@${domain}.example`),
    );
    expect((await list(`email[eq]=${ascii}`)).total).toBe(1);
    expect((await list(`email[in]=${ascii},${unicode}`)).total).toBe(1);
    await create({ email: `${name}@mail.example` });
    for (const [domain, total] of [
      ['MAIL', 1],
      ['maİl', 0],
    ] as const) {
      const found = await list(`email[eq]=${encodeURIComponent(`${name}@${domain}.example`)}`);
      expect(found.total).toBe(total);
    }
    expect((await list(`email[ne]=${ascii}&id[in]=${ids.join(',')}`)).total).toBe(3);
    expect(await call('GET /v1/customers?metadata[eq]=Jo')).toMatchObject({
      status: 400,
      body: { code: 'invalid_query' },
    });
  });
});

describe('getCustomer', () => {
  it('404 customer_not_found: unknown and another merchant’s alike', async () => {
    const { body } = await create();
    const unknown = await call(`GET /v1/customers/${newId()}`);
    const theirs = await call(`GET /v1/customers/${body.id}`, undefined, rivals);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'customer_not_found' } });
    const { requestId: _, ...one } = unknown.body;
    const { requestId: __, ...other } = theirs.body;
    expect(other).toEqual(one);
  });

  it('200: one that a vouched checkout has made', async () => {
    const { userId } = await vouchedSession(world);
    expect(await readCustomer(userId)).toMatchObject({ id: userId, email: 'buyer@example.test' });
  });
});

describe('updateCustomer', () => {
  it('200: the named fields change, the others stay; null takes away', async () => {
    const { body } = await create({ name: 'Jo', country: 'CH', metadata: { a: '1' } });
    const changed = await changeCustomer(body.id, { name: null, email: 'new@example.test' });
    const { updatedAt, ...rest } = changed.body;
    expect(changed.status).toBe(200);
    expect(rest).toEqual({ ...withoutUpdatedAt(body), name: null, email: 'new@example.test' });
    expect(updatedAt >= body.updatedAt).toBe(true);
    expect(await readCustomer(body.id)).toEqual(changed.body);
    expect((await changeCustomer(body.id, {})).body).toEqual(changed.body);
  });

  it('200: of several writers of metadata the last one wins whole; nothing is mixed', async () => {
    const { body } = await create({ metadata: { old: 'yes' } });
    const sent = Array.from({ length: 10 }, (_, n) => ({ [`key${n}`]: String(n), who: String(n) }));
    await Promise.all(sent.map((metadata) => changeCustomer(body.id, { metadata })));
    expect(sent).toContainEqual((await readCustomer(body.id)).metadata);
  });

  it('200: changes of different fields at once are all kept', async () => {
    const { body } = await create();
    await Promise.all([
      changeCustomer(body.id, { name: 'Jo' }),
      changeCustomer(body.id, { country: 'CH' }),
      changeCustomer(body.id, { metadata: { a: '1' } }),
    ]);
    expect(await readCustomer(body.id)).toMatchObject({
      name: 'Jo',
      country: 'CH',
      metadata: { a: '1' },
    });
  });

  it('404 customer_not_found: unknown, and another merchant’s', async () => {
    const { body } = await create();
    for (const answer of [
      await changeCustomer(newId(), { name: 'x' }),
      await changeCustomer(body.id, { name: 'x' }, rivals),
      await changeCustomer(newId(), { defaultPaymentMethodId: null }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'customer_not_found' } });
    }
    expect((await readCustomer(body.id)).name).toBeNull();
  });
});

const withoutUpdatedAt = ({ updatedAt: _, ...rest }: Record<string, unknown>) => rest;

describe('updateCustomer, the default payment method', () => {
  const aBuyer = async () => {
    const { body } = await create();
    const userId = body.id as string;
    const [first, second] = [
      await aSavedCard(world, { userId }),
      await aSavedCard(world, { userId }),
    ];
    return { userId, first, second };
  };

  it('200: set at the provider and here, together with the other fields; null at both', async () => {
    const { userId, first, second } = await aBuyer();
    expect(await defaultsOf(world, userId)).toEqual({ ours: first.id, providers: null });
    const changed = await changeCustomer(userId, { defaultPaymentMethodId: second.id, name: 'Jo' });
    expect(changed.body).toMatchObject({ defaultPaymentMethodId: second.id, name: 'Jo' });
    expect(await defaultsOf(world, userId)).toEqual({
      ours: second.id,
      providers: second.providerPaymentMethodId,
    });
    expect((await changeCustomer(userId, { defaultPaymentMethodId: null })).body).toMatchObject({
      defaultPaymentMethodId: null,
      forgottenAt: null,
    });
    expect(await defaultsOf(world, userId)).toEqual({ ours: null, providers: null });
  });

  it('404 payment_method_not_found: another customer’s, another merchant’s, pending, removed, being removed, unknown', async () => {
    const { userId, first, second } = await aBuyer();
    const other = await aBuyer();
    const pending = await aSetupSession(world, { userId });
    const { data } = (await call(`GET /v1/payment-methods?userUuid=${userId}&status[eq]=pending`))
      .body;
    expect([data.length, pending.userId]).toEqual([1, userId]);
    const gone = await aSavedCard(world, { userId });
    await callAs(server.app, world.token, `DELETE /v1/payment-methods/${gone.id}`);
    await beginDetachment(world, second.id);
    const { calls } = await tap.during(async () => {
      for (const id of [other.first.id, data[0].id, gone.id, second.id, newId()]) {
        expect(
          await changeCustomer(userId, { defaultPaymentMethodId: id, name: 'x' }),
        ).toMatchObject({
          status: 404,
          body: { code: 'payment_method_not_found' },
        });
      }
    });
    expect(calls).toEqual([]);
    expect(await readCustomer(userId)).toMatchObject({
      defaultPaymentMethodId: first.id,
      name: null,
    });
  });

  it('502 gateway_unavailable: the provider refuses; nothing changes here', async () => {
    const { userId, first, second } = await aBuyer();
    tap.trouble('setDefaultMethod', 'refused');
    const wanted = { defaultPaymentMethodId: second.id, name: 'x' };
    expect(await changeCustomer(userId, wanted)).toMatchObject({
      status: 502,
      body: { code: 'gateway_unavailable' },
    });
    expect(await readCustomer(userId)).toMatchObject({
      defaultPaymentMethodId: first.id,
      name: null,
    });
  });

  it('502 gateway_outcome_unknown: no answer; a repeat settles it', async () => {
    const { userId, first, second } = await aBuyer();
    tap.trouble('setDefaultMethod', 'lost_after');
    const wanted = { defaultPaymentMethodId: second.id };
    expect(await changeCustomer(userId, wanted)).toMatchObject({
      status: 502,
      body: { code: 'gateway_outcome_unknown' },
    });
    expect((await readCustomer(userId)).defaultPaymentMethodId).toBe(first.id);
    expect((await changeCustomer(userId, wanted)).status).toBe(200);
    expect(await defaultsOf(world, userId)).toEqual({
      ours: second.id,
      providers: second.providerPaymentMethodId,
    });
  });

  it('waits for somebody else who asks the provider, and takes over from one who died', async () => {
    const { userId, second } = await aBuyer();
    const other = { clientId: world.client.id, userId, owner: newId() };
    const from = performance.now();
    expect(await takeDefaultLease(world.database, other, 700)).toBe(true);
    expect((await changeCustomer(userId, { defaultPaymentMethodId: second.id })).status).toBe(200);
    expect(performance.now() - from).toBeGreaterThan(690);
  });

  it('502 gateway_unavailable: somebody else takes too long; nothing is asked', async () => {
    const { userId, first, second } = await aBuyer();
    const other = { clientId: world.client.id, userId, owner: newId() };
    expect(await takeDefaultLease(world.database, other, 60_000)).toBe(true);
    const impatient = await aServer({
      ...tap.ports,
      settings: { ...tap.ports.settings, leaseWaitMs: 300 },
    });
    const { calls } = await tap.during(async () => {
      const body = { defaultPaymentMethodId: second.id };
      const late = await callAs(impatient.app, world.token, `PATCH /v1/customers/${userId}`, {
        body,
      });
      expect([late.statusCode, late.json()]).toMatchObject([
        502,
        { code: 'gateway_unavailable', message: expect.stringContaining('just being') },
      ]);
    });
    await impatient.close();
    expect(calls).toEqual([]);
    await giveDefaultLease(world.database, other);
    expect((await readCustomer(userId)).defaultPaymentMethodId).toBe(first.id);
  });

  it('404 customer_not_found: made by somebody else while the call began', async () => {
    const customerId = newId();
    const { database } = world;
    const transaction: typeof database.transaction = async (clientId, work) => {
      await create({ id: customerId });
      return database.transaction(clientId, work);
    };
    const ports = { ...world.ports, database: { ...database, transaction } };
    const input = { customerId, body: { defaultPaymentMethodId: null } };
    const answer = operations.updateCustomer(input, callerOf(world.token), ports, refuse);
    await expect(answer).rejects.toMatchObject({ code: 'customer_not_found' });
  });

  it('ten changes at once: here and at the provider it is the same one in the end', {
    repeats: 9,
  }, async () => {
    const { userId, first, second } = await aBuyer();
    const wanted = Array.from({ length: 10 }, (_, n) => [first.id, second.id, null][n % 3] ?? null);
    const answers = await Promise.all(
      wanted.map((id) => changeCustomer(userId, { defaultPaymentMethodId: id })),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const { ours, providers } = await defaultsOf(world, userId);
    const chosen = [first, second].find(({ id }) => id === ours);
    expect(providers).toBe(chosen?.providerPaymentMethodId ?? null);
  });
});
