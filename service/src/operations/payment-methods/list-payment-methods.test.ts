// The fields in the list of saved cards, and the values that no response and no event contains.
// Spec: Saved payment method. Contract §5.

import { rows } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methodEvents, methodRow } from '../../../test/customers/detachments.ts';
import { aSavedCard } from '../../../test/customers/saved-cards.ts';
import { aSetupSession, submitToken } from '../../../test/customers/setups.ts';
import { aClient, aCustomer, aToken, callAs, newId } from '../../../test/harness.ts';
import { advance } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, cards, startWorld, type World } from '../../../test/world.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';

let world: World;
let server: TestServer;
let userId: string;
/** Oldest first, a second apart. */
const saved: PaymentMethod[] = [];
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  userId = (await aCustomer(world.database, world.client)).id;
  for (let n = 0; n < 3; n++) {
    saved.push(await aSavedCard(world, { userId }));
    await advance(world, 1);
  }
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

async function list(query = '', token = world.token) {
  const response = await callAs(server.app, token, `GET /v1/payment-methods?${query}`);
  return { status: response.statusCode, body: response.json(), text: response.body };
}

const idsOf = async (query: string) => {
  const { status, body } = await list(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.data as { id: string }[]).map(({ id }) => id);
};

const idAt = (index: number): string => saved[index]?.id ?? '';

/** The specification's nine fields and the gateway. */
const fields = [
  'id',
  'type',
  'brand',
  'lastFour',
  'expiryMonth',
  'expiryYear',
  'payerEmail',
  'status',
  'createdAt',
  'gateway',
];

describe('listPaymentMethods', () => {
  it('Spec 2.4 id, type, brand, lastFour, expiryMonth, expiryYear, payerEmail, status, createdAt, gateway data · Contract §5 dto · 200: exactly the ten fields, the gateway with exactly two, whatever is stored', async () => {
    const { body } = await list(`userUuid=${userId}`);
    expect(body.data).toHaveLength(3);
    for (const shown of body.data) {
      expect(Object.keys(shown)).toEqual(fields);
      expect(Object.keys(shown.gateway)).toEqual(['id', 'provider']);
    }
    expect(body.data[2]).toEqual({
      id: idAt(0),
      type: 'card',
      brand: 'visa',
      lastFour: '4242',
      expiryMonth: 12,
      expiryYear: 2034,
      payerEmail: null,
      status: 'active',
      createdAt: saved[0]?.createdAt.toISOString(),
      gateway: { id: world.gatewayId, provider: 'cardprovider' },
    });
    const { properties } = rows.listPaymentMethods.answers[200].properties.data.items;
    expect(Object.keys(properties)).toEqual(fields);
  });

  it('Spec 4.3.1 · 200: newest first, with page, limit, an exact total and the cursor of the next page', async () => {
    const { body } = await list(`userUuid=${userId}&limit=2`);
    expect(body).toMatchObject({ page: 1, limit: 2, total: 3 });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([idAt(2), idAt(1)]);
    const next = await list(`userUuid=${userId}&limit=2&cursor=${body.nextCursor}`);
    expect(next.body).toMatchObject({ data: [{ id: idAt(0) }], total: 3, nextCursor: null });
    expect(await idsOf(`userUuid=${userId}&limit=2&page=2`)).toEqual([idAt(0)]);
  });

  it('200: sorted by createdAt or updatedAt, up or down', async () => {
    const up = saved.map(({ id }) => id);
    for (const field of ['createdAt', 'updatedAt']) {
      const query = `userUuid=${userId}&sortField=${field}&sortDirection`;
      expect(await idsOf(`${query}=ASC`)).toEqual(up);
      expect(await idsOf(`${query}=DESC`)).toEqual(up.toReversed());
    }
  });

  it.each([
    ['uuid', () => `uuid[eq]=${idAt(1)}`, () => [idAt(1)]],
    ['uuid in', () => `uuid[in]=${idAt(0)},${idAt(2)}`, () => [idAt(2), idAt(0)]],
    ['userUuid', () => `userUuid[eq]=${userId}`, () => [idAt(2), idAt(1), idAt(0)]],
    ['userUuid of nobody', () => `userUuid=${newId()}`, () => []],
    ['type', () => `userUuid=${userId}&type[eq]=google_pay`, () => []],
    ['provider', () => `userUuid=${userId}&provider[eq]=wallet`, () => []],
    ['provider ne', () => `uuid[eq]=${idAt(0)}&provider[ne]=wallet`, () => [idAt(0)]],
    ['status', () => `uuid[eq]=${idAt(0)}&status[eq]=active`, () => [idAt(0)]],
    ['status pending', () => `userUuid=${userId}&status[eq]=pending`, () => []],
    ['createdAt', () => `userUuid=${userId}&createdAt[gt]=${stamp(0)}`, () => [idAt(2), idAt(1)]],
    ['updatedAt', () => `userUuid=${userId}&updatedAt[lte]=${stamp(0)}`, () => [idAt(0)]],
  ])('200: the filter %s', async (_name, query, expected) => {
    expect(await idsOf(query())).toEqual(expected());
  });

  it('200: a pending one is shown, without a card until one was handed over', async () => {
    const session = await aSetupSession(world);
    const query = `userUuid=${session.userId}&status[eq]=pending`;
    const { body } = await list(query);
    expect(body).toMatchObject({ total: 1, data: [{ status: 'pending' }] });
    const { type, brand, lastFour, expiryMonth, expiryYear } = body.data[0];
    expect({ type, brand, lastFour, expiryMonth, expiryYear }).toEqual({
      type: 'card',
      brand: null,
      lastFour: null,
      expiryMonth: null,
      expiryYear: null,
    });
  });

  it('200: a tombstone is on no page and in no total, whatever is asked for', async () => {
    const { id: owner } = await aCustomer(world.database, world.client);
    const [gone, kept] = [
      await aSavedCard(world, { userId: owner }),
      await aSavedCard(world, { userId: owner }),
    ];
    await callAs(server.app, world.token, `DELETE /v1/payment-methods/${gone.id}`);
    for (const query of ['', '&status[ne]=pending', '&sortField=updatedAt']) {
      const { body } = await list(`userUuid=${owner}${query}`);
      expect(body).toMatchObject({ total: 1, data: [{ id: kept.id }] });
    }
    expect(await idsOf(`uuid[eq]=${gone.id}`)).toEqual([]);
  });

  it("200: another merchant's are not there, by whatever filter", async () => {
    const rivals = await aToken(world.database, await aClient(world.database));
    for (const query of ['', `uuid[eq]=${idAt(0)}`, `userUuid=${userId}`]) {
      const { body } = await list(query, rivals);
      expect(body).toMatchObject({ data: [], total: 0 });
    }
  });

  it.each([
    ['an unknown filter', 'brand[eq]=visa'],
    ['an unknown operator', 'status[like]=active'],
    ['a status that is never shown', 'status[eq]=removed'],
    ['a user that is no UUID', 'userUuid=me'],
    ['the other key of the customer', `userId=${newId()}`],
    ['a sort field that is none', 'sortField=lastFour'],
    ['page 0', 'page=0'],
    ['limit 101', 'limit=101'],
  ])('400 invalid_query: %s', async (_what, query) => {
    const { status, body } = await list(query);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
  });

  it('401 and 403: without a credential, and without the scope', async () => {
    const none = await callAs(server.app, null, 'GET /v1/payment-methods');
    expect([none.statusCode, none.json().code]).toEqual([401, 'authentication_required']);
    const token = await aToken(world.database, world.client, { scopes: ['payments:read'] });
    const { status, body } = await list('', token);
    expect([status, body.code]).toEqual([403, 'insufficient_scope']);
  });
});

const stamp = (index: number): string => saved[index]?.updatedAt.toISOString() ?? '';

describe('what is never shown of a saved card', () => {
  it('Spec 2.4 no secrets: no number, CVC, provider id, client secret or token, in any answer and any event of its life', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const setUp = await submitToken(world, session, token);
    const id = setUp.paymentMethodId ?? '';
    const row = await methodRow(world, id);
    const secrets = [
      cards.approved,
      token,
      String(row.provider_payment_method_id),
      String(row.provider_customer_id),
      session.nonce,
      world.account.secretKey,
    ];
    expect(secrets.every((secret) => secret.length > 8)).toBe(true);
    const { text: listed } = await list(`uuid[eq]=${id}`);
    expect(listed).toContain(id);
    const customer = await callAs(server.app, world.token, `GET /v1/customers/${session.userId}`);
    const removed = await callAs(server.app, world.token, `DELETE /v1/payment-methods/${id}`);
    expect(removed.statusCode).toBe(204);
    const events = await methodEvents(world, id);
    expect(events).toHaveLength(2);
    const said = [JSON.stringify(setUp), listed, customer.body, JSON.stringify(events)];
    for (const text of said) {
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/"(cvc|number|fingerprint|clientSecret|providerCustomerId)"/i);
      expect(text).not.toMatch(/\b(pm|cus|seti|card|tok)_[A-Za-z0-9]{8,}|svct_|svcm_/);
    }
  });
});

describe('listPaymentMethods, far down', () => {
  it.each([`userUuid=${newId()}`, 'status[eq]=active'])(
    '400 invalid_query beyond 100 000 of a filtered list: %s',
    async (filter) => {
      const { status, body } = await list(`${filter}&page=5001&limit=20`);
      expect([status, body.code, body.param]).toEqual([400, 'invalid_query', 'page']);
      expect((await list(`${filter}&page=5000&limit=20`)).status).toBe(200);
    },
  );

  it('200 and empty on a plain one, as on the lists of customers and payments', async () => {
    const far = 'page=9999999999';
    const others = ['customers', 'payments', 'payment-methods'].map((name) =>
      callAs(server.app, world.token, `GET /v1/${name}?${far}`),
    );
    for (const answer of await Promise.all(others)) {
      expect([answer.statusCode, answer.json().data]).toEqual([200, []]);
    }
  });
});
