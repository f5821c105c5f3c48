// Over HTTP: null for a field is the field left out, also in what a key stands for, and addresses are
// found in any letter case. Contract, wire rules; §2, Idempotency and Lists; §3, metadata.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credential, callAs, newId } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import {
  aCardToken,
  aHold,
  aSession,
  cards,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';

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

type RowCall = Parameters<typeof callAs>[2];
type CallOptions = { as?: Credential; body?: unknown; key?: string };

async function call(what: RowCall, { as = world.token, body, key }: CallOptions = {}) {
  const response = await callAs(server.app, as, what, {
    ...(body === undefined ? {} : { body }),
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
  const isReplayed = response.headers['idempotent-replayed'] === 'true';
  return { status: response.statusCode, body: response.json(), isReplayed };
}

const mug = { currency: 'EUR', products: [{ code: 'mug', quantity: 1 }] };
const create = (body: object) =>
  call('POST /v1/checkouts/sessions', { body: { clientId: world.client.id, ...mug, ...body } });

async function aPurchase(): Promise<string> {
  const answer = await pay(world, await aSession(world, { captureMethod: 'automatic' }));
  if (!('body' in answer)) throw new Error('process has a body');
  return answer.body.paymentId ?? '';
}

describe('Contract §2 Idempotency: null is a field left out', () => {
  it.each(['capture', 'cancel'] as const)(
    '%s: with and without it is one request',
    async (move) => {
      const { paymentId } = await aHold(world);
      const key = newId();
      const path = `PUT /v1/payments/${paymentId}/${move}` as const;
      const none = { amount: null, amountToCapture: null, note: null };
      const first = await call(path, { body: none, key });
      expect(first.status).toBe(200);
      for (const body of [{}, { amount: null }, undefined]) {
        const again = await call(path, { body, key });
        expect(again).toEqual({ ...first, isReplayed: true });
      }
      for (const body of [{ note: 'x' }, { note: [null] }]) {
        expect(await call(path, { body, key })).toMatchObject({
          status: 409,
          body: { code: 'idempotency_key_reused' },
        });
      }
    },
  );

  it('refund: with and without it is one request, and one refund', async () => {
    const path = `POST /v1/payments/${await aPurchase()}/refunds` as const;
    const key = newId();
    const first = await call(path, { body: { amount: 5 }, key });
    expect(first.status).toBe(201);
    const same = { amount: 5, reason: null, metadata: null };
    expect(await call(path, { body: same, key })).toEqual({ ...first, isReplayed: true });
    const all = await call(path, { body: { amount: null }, key: newId() });
    expect(all).toMatchObject({ status: 201, body: { amount: 14.9 } });
  });

  it('400 partial_capture_not_supported: an amount that is one', async () => {
    const { paymentId } = await aHold(world);
    expect(
      await call(`PUT /v1/payments/${paymentId}/capture`, { body: { amount: 1 }, key: newId() }),
    ).toMatchObject({ status: 400, body: { code: 'partial_capture_not_supported' } });
  });
});

describe('Contract §2 Lists: an address in another spelling', () => {
  it('Contract §2 emails: finds payments of merchant and browser, as parameter and as filter', async () => {
    const email = `Grace.${newId()}@Example.test`;
    const accountData = { userId: newId(), email };
    const { body: session } = await create({ accountData });
    const other = { ...accountData, email: email.toLowerCase() };
    const settled = await settle(session, other);
    expect(settled).toMatchObject({ status: 200, body: { type: 'success' } });
    for (const spelling of [email, email.toLowerCase(), email.toUpperCase()]) {
      const value = encodeURIComponent(spelling);
      for (const query of [`email=${value}`, `email[eq]=${value}`, `email[in]=a@b.test,${value}`]) {
        const found = await call(`GET /v1/payments?${query}`);
        expect(found.body, query).toMatchObject({ total: 1, data: [{ email }] });
      }
      const own = await call(`GET /v1/payments?email=${value}`, { as: session });
      expect(own.body).toMatchObject({ total: 1 });
      expect((await call(`GET /v1/customers?email[eq]=${value}`)).body.total).toBe(1);
    }
  });

  it('400 invalid_query with the hint: a raw + of an address, in parameter and filter', async () => {
    for (const query of ['email=grace+1@example.test', 'email[eq]=grace+1@example.test']) {
      const { status, body } = await call(`GET /v1/payments?${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_query']);
      expect(body.message).toContain('%2B');
    }
  });

  it('is the customer’s own: a session does not change it, and the same POST answers the same', async () => {
    const [id, email] = [newId(), `Grace.${newId()}@Example.test`];
    const made = await call('POST /v1/customers', { body: { id, email } });
    const session = await create({ accountData: { userId: id, email: email.toLowerCase() } });
    expect(session.status).toBe(201);
    expect((await call(`GET /v1/customers/${id}`)).body.email).toBe(email);
    for (const same of [email, email.toUpperCase()]) {
      expect(await call('POST /v1/customers', { body: { id, email: same } })).toEqual(made);
    }
    await create({ accountData: { userId: id, email: 'other@example.test' } });
    expect((await call(`GET /v1/customers/${id}`)).body.email).toBe('other@example.test');
  });
});

/** Pays with a card of the form, with the given buyer. */
async function settle(
  session: { id: string; nonce: string; vault: { mountToken: string } },
  accountData: { userId: string; email: string },
) {
  const place = { sessionId: session.id, nonce: session.nonce, userId: accountData.userId };
  const card = { ...place, mountToken: session.vault.mountToken };
  const token = await aCardToken(world, card, cards.approved);
  const response = await callAs(
    server.app,
    session,
    `POST /v1/checkouts/sessions/${session.id}/process`,
    {
      headers: { 'x-user-id': accountData.userId },
      body: {
        sessionId: session.id,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData,
      },
    },
  );
  return { status: response.statusCode, body: response.json() };
}

describe('Contract §3 metadata: 50 pairs, keys of 40 characters, values of 500', () => {
  const accountData = { userId: newId(), email: 'ada@example.test' };
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, String(n)]));

  it('201: up to the bounds, in letters of any script', async () => {
    for (const metadata of [pairs(50), { ['ü'.repeat(40)]: '😀'.repeat(500) }, { order: '' }, {}]) {
      const { status, body } = await create({ accountData, metadata });
      expect([status, body.metadata]).toEqual([201, metadata]);
    }
  });

  it.each([
    ['51 pairs', pairs(51)],
    ['a key of 41', { ['k'.repeat(41)]: 'v' }],
    ['an empty key', { '': 'v' }],
    ['a value of 501', { order: 'v'.repeat(501) }],
    ['a value that is no text', { order: 7 }],
    ['a value that is null', { order: null }],
  ])('400 invalid_request: %s', async (_what, metadata) => {
    const shell = await call('POST /v1/checkouts/sessions', {
      body: { clientId: world.client.id, currency: 'EUR', deferDataAttachment: true },
    });
    const claimed = `PATCH /v1/checkouts/sessions/${shell.body.id}/claim` as const;
    const { body: customer } = await call('POST /v1/customers', {
      body: { email: 'ada@example.test' },
    });
    const refunds = `POST /v1/payments/${newId()}/refunds` as const;
    for (const { status, body } of [
      await create({ accountData, metadata }),
      await call(claimed, { as: shell.body, body: { ...mug, accountData, metadata } }),
      await call('POST /v1/customers', { body: { email: 'ada@example.test', metadata } }),
      await call(`PATCH /v1/customers/${customer.id}`, { body: { metadata } }),
      await call(refunds, { body: { amount: 1, metadata }, key: newId() }),
    ]) {
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.param).toMatch(/^metadata/);
    }
  });
});
