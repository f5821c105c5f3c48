// Guests: buyers that the merchant knows by an address alone. Contract §3, Guests.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credential, callAs, newId } from '../../../test/harness.ts';
import { aShell } from '../../../test/payments/checkouts.ts';
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

const recipients = sql<{ recipient: string }>(
  'test_guests.recipients',
  'select recipient from mails where client_id = $1',
);

type RowCall = Parameters<typeof callAs>[2];

async function ask(call: RowCall, body?: object, as: Credential = world.token, headers = {}) {
  const answer = await callAs(server.app, as, call, { ...(body ? { body } : {}), headers });
  return { status: answer.statusCode, body: answer.body ? answer.json() : null };
}

const create = (buyer: object, more: object = {}, as: Credential = world.token) =>
  ask(
    'POST /v1/checkouts/sessions',
    {
      ...{ clientId: world.client.id, currency: 'EUR', products: [{ code: 'mug', quantity: 1 }] },
      ...{ ...buyer, ...more },
    },
    as,
  );
const aGuest = (email = `g${newId()}@example.test`) => ({ account: { guest: true, email } });

type Session = {
  id: string;
  nonce: string;
  vault: { mountToken: string };
  accountData: { userId: string; externalId: string | null; email: string };
};

async function pay(session: Session, pays: object = {}) {
  const { id, nonce, accountData } = session;
  const userId = accountData.externalId ?? accountData.userId;
  const checkout = { sessionId: id, nonce, mountToken: session.vault.mountToken, userId };
  const token =
    'paymentMethodId' in pays ? {} : { token: await aCardToken(world, checkout, cards.approved) };
  const body = {
    ...{ sessionId: id, accountData },
    tokenizedData: { provider: 'cardprovider', type: 'card', ...token, ...pays },
  };
  const headers = { 'x-user-id': encodeURIComponent(userId) };
  return ask(`POST /v1/checkouts/sessions/${id}/process`, body, { nonce }, headers);
}

const cardsOf = ({ id, nonce }: Session) =>
  ask(`GET /v1/checkouts/sessions/${id}/payment-methods`, undefined, { nonce });

describe('guests', () => {
  it('pay by the address alone: payment, receipt, lists and events know it, and no customer is made', async () => {
    const email = `ada${newId()}@example.test`;
    const { status, body: session } = await create(aGuest(email));
    expect(status).toBe(201);
    expect(session).toMatchObject({
      ...{ guest: true, buyerVerified: false },
      accountData: { externalId: null, email },
    });
    const { body: paid } = await pay(session);
    expect(paid).toMatchObject({ type: 'success' });
    const payments = await ask(`GET /v1/payments?email[eq]=${email}`);
    expect(payments.body).toMatchObject({ total: 1, data: [{ email, buyerVerified: false }] });
    const sessions = await ask(`GET /v1/checkout-sessions?email[eq]=${email}`);
    expect(sessions.body).toMatchObject({ total: 1, data: [{ email, guest: true }] });
    expect((await ask(`GET /v1/customers?email[eq]=${email}`)).body.total).toBe(0);
    const events = await ask(`GET /v1/events?resourceId[eq]=${paid.paymentId}`);
    expect(events.body.data.at(-1).data.object).toMatchObject({ customer: { email } });
    expect((await ask(`GET /v1/payments/${paid.paymentId}/receipt`)).status).toBe(200);
    const sent = await ask(`POST /v1/payments/${paid.paymentId}/receipt/send`, {});
    expect(sent.status).toBe(200);
    const mailed = await world.database.read(recipients, [world.client.id]);
    expect(mailed).toContainEqual({ recipient: email });
  });

  it('403 buyer_not_verified: no card is kept, none is offered, none can be named', async () => {
    const email = `eve${newId()}@example.test`;
    const { body: known } = await create({ accountData: { userId: '42', email } });
    const kept = await pay(known, { saveForLater: true });
    expect(kept.status).toBe(200);
    const { body: guest } = await create(aGuest(email));
    expect(await cardsOf(guest)).toMatchObject({
      status: 403,
      body: { code: 'buyer_not_verified' },
    });
    for (const pays of [{ saveForLater: true }, { paymentMethodId: newId() }]) {
      expect(await pay(guest, pays)).toMatchObject({
        status: 403,
        body: { code: 'buyer_not_verified' },
      });
    }
    const club = { products: [{ code: 'club', quantity: 1 }] };
    expect(await create(aGuest(email), club)).toMatchObject({
      status: 403,
      body: { code: 'buyer_not_verified' },
    });
  });

  it('each is another buyer, also with one address: nobody reaches another’s session or payment', async () => {
    const buyer = aGuest();
    const [one, two] = [(await create(buyer)).body, (await create(buyer)).body];
    expect(one.accountData.userId).not.toBe(two.accountData.userId);
    const mixed = await pay({ ...one, accountData: two.accountData });
    expect(mixed).toMatchObject({ status: 403, body: { code: 'buyer_mismatch' } });
  });

  it.each([
    ...['ada@example.test', 'ADA@Example.test', ' ada@example.test', 'mailto:ada@example.test'],
    ...['ada@example.test.', 'ａｄａ@example.test'],
  ])(
    'an id that is the address (%s) is a guest’s: the next one finds no card of the first',
    async (userId) => {
      const buyer = { accountData: { userId, email: 'ada@example.test' } };
      const { body: first } = await create(buyer);
      expect(first).toMatchObject({ guest: true, buyerVerified: false });
      expect(await pay(first, { saveForLater: true })).toMatchObject({ status: 403 });
      expect(await pay(first)).toMatchObject({ status: 200 });
      const { body: second } = await create(buyer);
      expect(await cardsOf(second)).toMatchObject({ body: { code: 'buyer_not_verified' } });
    },
  );

  it('guest: false says that the address is the id of somebody with an account', async () => {
    const email = `carl${newId()}@example.test`;
    const { body } = await create({ account: { userId: email, email, guest: false } });
    expect(body).toMatchObject({ guest: false, buyerVerified: true });
  });

  it('400 invalid_request: a guest with an id, and a buyer without one', async () => {
    const email = 'ada@example.test';
    const both = { account: { guest: true, userId: '42', email } };
    expect(await create(both)).toMatchObject({ status: 400, body: { param: 'account.userId' } });
    expect(await create({ account: { email } })).toMatchObject({ status: 400 });
    expect(await create({ account: { guest: true } })).toMatchObject({ status: 400 });
  });

  it('a claim takes a guest too, also with the merchant’s credential; the same claim again is the same', async () => {
    const shell = await aShell(world);
    const body = {
      ...{ currency: 'EUR', products: [{ code: 'mug', quantity: 1 }] },
      accountData: { guest: true, email: 'ada@example.test' },
    };
    const call = `PATCH /v1/checkouts/sessions/${shell.sessionId}/claim` as const;
    const headers = { 'x-checkout-session-token': shell.nonce };
    const first = await ask(call, body, world.token, headers);
    expect(first.body).toMatchObject({ guest: true, buyerVerified: false });
    const again = await ask(call, body, world.token, headers);
    expect(again.body.accountData).toEqual(first.body.accountData);
  });

  it('is forgotten by the id of a purchase, which names the others of the address', async () => {
    const buyer = aGuest();
    const sessions = [(await create(buyer)).body, (await create(buyer)).body];
    for (const session of sessions) expect((await pay(session)).status).toBe(200);
    const [one, two] = sessions.map(({ accountData }) => accountData.userId);
    const forgotten = await ask(`POST /v1/customers/${one}/forget`);
    expect(forgotten.body).toMatchObject({ othersOfAddress: [{ id: two, externalId: null }] });
    expect(await ask(`POST /v1/customers/${two}/forget`)).toMatchObject({ status: 200 });
    expect((await ask(`GET /v1/payments?email[eq]=${buyer.account.email}`)).body.total).toBe(0);
  });

  it('anybody may be one: it gives no right', async () => {
    const { body } = await create(aGuest(), {}, null);
    expect(body).toMatchObject({ guest: true, buyerVerified: false });
    expect(body.accountData.userId).not.toBe(
      readBuyer(world.client.id, { userId: body.accountData.email }).userId,
    );
  });
});
