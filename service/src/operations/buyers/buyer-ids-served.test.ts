// The merchant's id of a buyer is any text: over HTTP, from the session to the payment, its events, the
// lists and the saved cards. Contract §3, Buyer; §5.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPageLink, openLink } from '../../../test/customers/customer-pages.ts';
import { aSavedCard } from '../../../test/customers/saved-cards.ts';
import { advanceToRenewal, renewAll, renewalsOf } from '../../../test/customers/subscriptions.ts';
import {
  aClient,
  aGateway,
  aProduct,
  aToken,
  type Credential,
  callAs,
  newId,
} from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, cards, startWorld, type World } from '../../../test/world.ts';
import { readBuyer } from '../../engine/steps/customers/read-buyer.ts';
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

const email = 'ada@example.test';
const sessions = '/v1/checkouts/sessions';

type RowCall = Parameters<typeof callAs>[2];
type CallOptions = { as?: Credential; body?: unknown; headers?: Record<string, string> };

async function call(what: RowCall, { as = world.token, body, headers = {} }: CallOptions = {}) {
  const given = body === undefined ? { headers } : { body, headers };
  const response = await callAs(server.app, as, what, given);
  return { status: response.statusCode, body: response.body ? response.json() : null };
}

const create = (accountData: object, more: object = {}, as: Credential = world.token) =>
  call(`POST ${sessions}`, {
    as,
    body: {
      clientId: world.client.id,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      accountData: { email, ...accountData },
      ...more,
    },
  });

type Session = { id: string; nonce: string; vault: { mountToken: string } };

const tokenFor = ({ id, nonce, vault }: Session) =>
  aCardToken(
    world,
    { sessionId: id, nonce, mountToken: vault.mountToken, userId: '' },
    cards.approved,
  );

const process = (
  { id, nonce }: Session,
  { header, accountData, pays }: { header: string; accountData: object; pays: object },
) =>
  call(`POST ${sessions}/${id}/process`, {
    as: { nonce },
    headers: { 'x-user-id': header },
    body: {
      sessionId: id,
      tokenizedData: { provider: 'cardprovider', type: 'card', ...pays },
      accountData: { email, ...accountData },
    },
  });

async function buyWith(accountData: { userId: string }, header = accountData.userId) {
  const { body: session } = await create(accountData);
  const paid = await process(session, {
    header,
    accountData,
    pays: { token: await tokenFor(session) },
  });
  expect(paid).toMatchObject({ status: 200, body: { type: 'success' } });
  return { session, paymentId: paid.body.paymentId as string };
}

type EventBody = { type: string; data: { object: Record<string, unknown> } };

async function listEventsOf(resourceId: string) {
  const { body } = await call(`GET /v1/events?resourceId[eq]=${resourceId}&sortDirection=ASC`);
  return (body.data as EventBody[]).map(({ type, data }) => ({ type, object: data.object }));
}

const idOf = (text: string) => readBuyer(world.client.id, { userId: text }).userId;
const filter = (text: string) => `externalId[eq]=${encodeURIComponent(text)}`;

describe('readBuyer', () => {
  it('a UUID of version 5 in the namespace of the client: the vector of RFC 9562 A.4', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(readBuyer(dns, { userId: 'www.example.com' })).toEqual({
      userId: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
      externalId: 'www.example.com',
    });
  });

  it('a UUID in any letter case is one id, taken as it is; other texts are as many as they differ', () => {
    const id = newId();
    const { id: clientId } = world.client;
    expect(readBuyer(clientId, { userId: id.toUpperCase() })).toEqual({
      userId: id,
      externalId: null,
    });
    const others = ['ada', 'Ada', ' ada', 'ada ', 'a\u0308', '\u00e4', `{${id}}`, '42', '042'];
    expect(new Set(others.map(idOf)).size).toBe(others.length);
    const elsewhere = readBuyer(newId(), { userId: '42' }).userId;
    expect(elsewhere).not.toBe(idOf('42'));
  });
});

describe('Contract §3 Buyer: an id that is no UUID', () => {
  it('stands beside the UUID on session, payment, refund, customer, lists and events', async () => {
    const { session, paymentId } = await buyWith({ userId: '42' });
    const userId = idOf('42');
    const buyer = { userId, externalId: '42' };
    expect(session.accountData).toEqual({ ...buyer, email });
    const read = await call(`GET ${sessions}/${session.id}`, { as: session });
    expect(read.body.accountData).toEqual({ ...buyer, email });
    expect((await call(`GET /v1/payments/${paymentId}`)).body).toMatchObject(buyer);
    const refund = await call(`POST /v1/payments/${paymentId}/refunds`, {
      body: { amount: 5 },
      headers: { 'idempotency-key': newId() },
    });
    expect(refund).toMatchObject({ status: 201, body: { type: 'refund', ...buyer } });
    for (const query of [filter('42'), `externalId[in]=41,42&userId[eq]=${userId}`]) {
      const { body } = await call(`GET /v1/payments?${query}`);
      expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(
        [paymentId, refund.body.id].sort(),
      );
    }
    expect((await call(`GET /v1/payments?${filter('43')}`)).body.total).toBe(0);
    const found = await call(`GET /v1/customers?${filter('42')}`);
    expect(found.body).toMatchObject({ total: 1, data: [{ id: userId, externalId: '42', email }] });
    const told = await listEventsOf(paymentId);
    expect(told).toMatchObject([
      { type: 'item.purchased', object: { customer: { ...buyer, email } } },
    ]);
    expect((await listEventsOf(refund.body.id))[0]?.object).toMatchObject(buyer);
  });

  it('opens setup and list of cards by the UUID, and pays with what was saved', async () => {
    await create({ userId: 'acct_7' });
    const userId = idOf('acct_7');
    const setup = await call(`POST ${sessions}/setup`, { body: { userId } });
    expect(setup).toMatchObject({
      status: 201,
      body: { accountData: { userId, externalId: 'acct_7', email } },
    });
    expect(await call(`POST ${sessions}/setup`, { body: { userId: 'acct_7' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', param: 'userId' },
    });
    expect(await call('GET /v1/payment-methods?userUuid=acct_7')).toMatchObject({
      status: 400,
      body: { code: 'invalid_query', param: 'userUuid' },
    });
    const saved = await aSavedCard(world, { userId });
    const buyer = { userId, externalId: 'acct_7' };
    expect((await listEventsOf(saved.id))[0]).toMatchObject({
      type: 'payment_method.activated',
      object: buyer,
    });
    const listed = await call(`GET /v1/payment-methods?userUuid=${userId}&status[eq]=active`);
    expect(listed.body.data).toMatchObject([{ id: saved.id }]);
    const { body: session } = await create({ userId: 'acct_7' });
    const accountData = { userId: 'acct_7' };
    const pays = { paymentMethodId: saved.id };
    const paid = await process(session, { header: 'acct_7', accountData, pays });
    expect(paid).toMatchObject({ status: 200, body: { type: 'success' } });
    const removed = await call(`DELETE /v1/payment-methods/${saved.id}`);
    expect(removed.status).toBe(204);
    expect((await listEventsOf(saved.id)).at(-1)?.object).toMatchObject(buyer);
  });

  it('stands on a subscription, its list and its events, and on the payment that renews it', async () => {
    const products = [{ code: 'club', quantity: 1 }];
    const { body: session } = await create({ userId: 'member 9' }, { products });
    const accountData = { userId: 'member 9' };
    const pays = { token: await tokenFor(session) };
    const paid = await process(session, { header: 'member%209', accountData, pays });
    expect(paid).toMatchObject({ status: 200 });
    const buyer = { userId: idOf('member 9'), externalId: 'member 9' };
    const { body } = await call(`GET /v1/subscriptions?${filter('member 9')}`);
    expect(body).toMatchObject({ total: 1, data: [buyer] });
    expect((await listEventsOf(body.data[0].id))[0]).toMatchObject({
      type: 'subscription.created',
      object: buyer,
    });
    expect((await call(`GET /v1/subscriptions?${filter('member 8')}`)).body.total).toBe(0);
    await advanceToRenewal(world, body.data[0].id);
    await renewAll(world);
    const [renewal] = await renewalsOf(world, body.data[0].id);
    expect((await call(`GET /v1/payments/${renewal?.id}`)).body).toMatchObject(buyer);
  });

  it.each([
    ['letters of any script, encoded', 'Zoë Łukasz', encodeURIComponent('Zoë Łukasz')],
    ['them as bytes of UTF-8', 'Zoë Łukasz', Buffer.from('Zoë Łukasz').toString('latin1')],
    ['what looks encoded, as it is', '50%25', '50%25'],
    ['blanks around it', ' 7 ', '%207%20'],
    ['marks of an address', 'a/b?c#d&e=f', 'a/b?c#d&e=f'],
    ['the longest', '😀'.repeat(255), encodeURIComponent('😀'.repeat(255))],
  ])('x-user-id says %s', async (_what, userId, header) => {
    await buyWith({ userId }, header);
    expect((await call(`GET /v1/customers?${filter(userId)}`)).body.total).toBe(1);
  });

  it('403 buyer_mismatch: x-user-id and accountData are compared with the id as it was given', async () => {
    const { body: session } = await create({ userId: 'Ada' });
    const pays = { token: await tokenFor(session) };
    const userId = idOf('Ada');
    const tryProcess = (header: string, accountData: object) =>
      process(session, { header, accountData, pays });
    const words: Record<string, string> = {
      'x-user-id': 'x-user-id differs from accountData.userId.',
      'accountData.userId':
        "accountData.userId and x-user-id are not the id that the session's buyer was named by.",
      'accountData.email': "accountData.email is not the email of the session's buyer.",
    };
    for (const [header, accountData, param] of [
      ['ada', { userId: 'Ada' }, 'x-user-id'],
      [userId, { userId: 'Ada' }, 'x-user-id'],
      ['ada', { userId: 'ada' }, 'accountData.userId'],
      [userId, { userId }, 'accountData.userId'],
      ['Ada', { userId: newId(), externalId: 'Ada' }, 'accountData.userId'],
      ['Ada', { userId: 'Ada', email: 'other@example.test' }, 'accountData.email'],
    ] as const) {
      expect(await tryProcess(header, accountData)).toMatchObject({
        status: 403,
        body: { code: 'buyer_mismatch', param, message: words[param] },
      });
    }
    expect(
      await tryProcess('Ada', { userId: userId.toUpperCase(), externalId: 'Ada' }),
    ).toMatchObject({
      status: 200,
      body: { type: 'success' },
    });
  });

  it('a UUID is sent in any letter case, and what answers show can be sent back', async () => {
    const userId = newId();
    const { body: session } = await create({ userId: userId.toUpperCase() });
    expect(session.accountData).toEqual({ userId, externalId: null, email });
    const pays = { token: await tokenFor(session) };
    const accountData = session.accountData as object;
    expect(
      await process(session, { header: userId.toUpperCase(), accountData, pays }),
    ).toMatchObject({ status: 200 });
    const { body: again } = await create({ userId: idOf('back'), externalId: 'back' });
    expect(again.accountData).toEqual({ userId: idOf('back'), externalId: 'back', email });
  });

  it('is of one merchant: the same text at another is another customer', async () => {
    const client = await aClient(world.database);
    await aGateway(world.database, client);
    await aProduct(world.database, client, { code: 'mug', prices: { EUR: 1990 } });
    const rivals = await aToken(world.database, client);
    await create({ userId: 'shared' });
    const theirs = await create({ userId: 'shared' }, { clientId: client.id }, rivals);
    expect(theirs.status).toBe(201);
    expect(theirs.body.accountData.userId).not.toBe(idOf('shared'));
    const { body } = await call(`GET /v1/customers?${filter('shared')}`, { as: rivals });
    expect(body).toMatchObject({ total: 1, data: [{ id: theirs.body.accountData.userId }] });
  });

  it('is not shown on a session that a customer’s own page opens: it may be their address', async () => {
    await create({ userId: email, guest: false });
    const { link } = await aPageLink(world.ports, { token: world.token, customerId: idOf(email) });
    const { pageToken } = await openLink(world.ports, link);
    const { body: opened } = await call('POST /v1/customer-page/setup-sessions', {
      as: null,
      headers: { 'x-customer-page-token': pageToken },
    });
    expect(opened.accountData).toMatchObject({ userId: idOf(email), externalId: null });
    expect(JSON.stringify(opened)).not.toContain(email);
  });

  it('never changes once written, and is null on rows from before', async () => {
    const { session, paymentId } = await buyWith({ userId: 'fixed' });
    for (const [table, id] of [
      ['checkout_sessions', session.id],
      ['payments', paymentId],
      ['customers', idOf('fixed')],
    ] as const) {
      const text = `update ${table} set external_id = 'other' where id = $1`;
      const change = sql(`test_buyer_ids.change_${table}`, text);
      await expect(world.database.write(change, [id])).rejects.toMatchObject({ code: '23514' });
    }
    const plain = await buyWith({ userId: newId() });
    const { body } = await call(`GET /v1/payments/${plain.paymentId}`);
    expect(body.externalId).toBeNull();
  });
});
