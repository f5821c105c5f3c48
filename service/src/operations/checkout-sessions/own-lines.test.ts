// Lines of the merchant's own, from the create to the receipt. Contract §3.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aToken, type Credential, callAs, newId } from '../../../test/harness.ts';
import { aShell } from '../../../test/payments/checkouts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, buyerEmail, cards, startWorld, type World } from '../../../test/world.ts';
import { findSessionParts } from '../../engine/steps/clients/find-page-parts.ts';

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

const hat = {
  ...{ name: 'Hat', quantity: 3, amount: 10, description: 'Wool' },
  ...{ imageUrl: 'https://shop.example/hat.jpg?v=2', reference: 'SKU-1' },
};
const shipping = { name: 'Shipping', quantity: 1, amount: 4.9 };
const shown = [
  {
    ...{ code: null, name: 'Hat', quantity: 3, totalAmount: 10, overrideAmount: null },
    ...{ description: 'Wool', imageUrl: hat.imageUrl, reference: 'SKU-1' },
  },
  { code: null, name: 'Shipping', totalAmount: 4.9, description: null, reference: null },
  { code: 'mug', name: 'Becher', totalAmount: 19.9, overrideAmount: null },
];
const cart = [hat, shipping, { code: 'mug', name: 'Becher', quantity: 1 }];

const ask = async (as: Credential, call: Parameters<typeof callAs>[2], body?: object) => {
  const answer = await callAs(server.app, as, call, body ? { body } : {});
  return { status: answer.statusCode, body: answer.json() };
};
const create = (products: object[], as: Credential = world.token) =>
  ask(as, 'POST /v1/checkouts/sessions', {
    ...{ clientId: world.client.id, currency: 'EUR', products },
    accountData: { userId: '42', email: buyerEmail },
  });

async function buy(session: { id: string; nonce: string; vault: { mountToken: string } }) {
  const { id, nonce, vault } = session;
  const checkout = { sessionId: id, nonce, mountToken: vault.mountToken, userId: '42' };
  const token = await aCardToken(world, checkout, cards.approved);
  const answer = await callAs(server.app, { nonce }, `POST /v1/checkouts/sessions/${id}/process`, {
    headers: { 'x-user-id': '42' },
    body: {
      ...{ sessionId: id, accountData: { userId: '42', email: buyerEmail }, expectedTotal: 34.8 },
      tokenizedData: { provider: 'cardprovider', type: 'card', token },
    },
  });
  return answer.json().paymentId as string;
}

describe('lines of the merchant’s own', () => {
  it('stand on session, lists, page, payment, receipt and event, and their sum is charged', async () => {
    const made = await create(cart);
    expect(made).toMatchObject({
      status: 201,
      body: { products: shown, totals: { subtotal: 34.8, total: 34.8 } },
    });
    const { id, nonce } = made.body;
    const read = await ask({ nonce }, `GET /v1/checkouts/sessions/${id}`);
    expect(read.body.products).toMatchObject(shown);
    const listed = await ask(world.token, `GET /v1/checkout-sessions?id[eq]=${id}`);
    expect(listed.body.data[0].products).toMatchObject(shown);
    expect(await findSessionParts(id, world.ports)).toMatchObject({
      imageSources: 'https://shop.example/hat.jpg',
    });

    const paymentId = await buy(made.body);
    const items = [
      { code: null, name: 'Hat', quantity: 3, totalAmount: 10 },
      { code: null, name: 'Shipping', totalAmount: 4.9 },
      { code: 'mug', name: 'Becher', totalAmount: 19.9 },
    ];
    const details = await ask(world.token, `GET /v1/payments/${paymentId}/details`);
    expect(details.body).toMatchObject({ items });
    const receipt = await ask(world.token, `GET /v1/payments/${paymentId}/receipt`);
    expect(receipt.body).toMatchObject({ amount: 34.8, items });
    const events = await ask(world.token, `GET /v1/events?resourceId[eq]=${paymentId}`);
    const purchased = events.body.data.find(
      ({ type }: { type: string }) => type === 'item.purchased',
    );
    expect(purchased.data.object).toMatchObject({
      amount: 34.8,
      items: [{ ...items[0], reference: 'SKU-1' }, { ...items[1], reference: null }, items[2]],
    });
    expect((await world.ledger()).at(-1)).toMatchObject({ amount: 3480 });
  });

  it('403 merchant_credential_required: never from a buyer’s page, by create or by claim', async () => {
    const refused = { status: 403, body: { code: 'merchant_credential_required' } };
    expect(await create([hat], null)).toMatchObject(refused);
    const shell = await aShell(world);
    const call = `PATCH /v1/checkouts/sessions/${shell.sessionId}/claim` as const;
    const claim = {
      ...{ currency: 'EUR', products: [{ code: 'mug', quantity: 1 }, hat] },
      accountData: { userId: '42', email: buyerEmail },
    };
    expect(await ask({ nonce: shell.nonce }, call, claim)).toMatchObject(refused);
  });

  it('422 name_differs: a buyer’s page gives a product no other name; the catalog’s own passes', async () => {
    const named = (name: string) => [{ code: 'mug', quantity: 1, name }];
    expect(await create(named('Cheap mug'), null)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'products[0].name', code: 'name_differs' }] },
    });
    expect(await create(named('Mug'), null)).toMatchObject({ status: 201 });
  });

  it('a claim with the merchant’s credential takes them, once', async () => {
    const shell = await aShell(world);
    const call = `PATCH /v1/checkouts/sessions/${shell.sessionId}/claim` as const;
    const claim = (products: object[]) =>
      callAs(server.app, world.token, call, {
        headers: { 'x-checkout-session-token': shell.nonce },
        body: {
          ...{ currency: 'EUR', products },
          accountData: { userId: newId(), email: buyerEmail },
        },
      });
    expect((await claim(cart)).json()).toMatchObject({ products: shown, totals: { total: 34.8 } });
    expect((await claim([{ ...hat, name: 'Cap' }])).json().code).toBe(
      'checkout_session_already_claimed',
    );
  });

  it('403 insufficient_scope, merchant_role_required: a credential without the right to prices makes none', async () => {
    const scoped = await aToken(world.database, world.client, { scopes: ['checkout:write'] });
    expect(await create([hat], scoped)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    const member = await aToken(world.database, world.client, { role: 'member' });
    expect(await create([hat], member)).toMatchObject({
      status: 403,
      body: { code: 'merchant_role_required' },
    });
  });

  it('400 invalid_request: an image that is not https, or no file', async () => {
    for (const [imageUrl, message] of [
      ['http://a.example/b.jpg', /whole https address/],
      ['https://a.example/', /one image file/],
      ['https://u@a.example/b', /user name/],
      ['https://u:p@a.example/b', /user name/],
      ['https://@a.example/b', /user name/],
      ['https://*/x.png', /host or the port/],
      ['https://*.a.example/x.png', /host or the port/],
      ['https://a..example/x.png', /host or the port/],
      ['https://a.example:0/x.png', /host or the port/],
      ['https://a.example:65536/x.png', /host or the port/],
      ['https://a.example:x/x.png', /host or the port/],
      ['https://[::1]/x.png', /IPv6/],
      ['https:///x.png', /whole https address/],
      ['https://a.example/x y.png', /whole https address/],
      ['https://a.example\\b.example/x.png', /whole https address/],
    ] as const) {
      const { status, body } = await create([{ ...hat, imageUrl }]);
      expect({ status, code: body.code }, imageUrl).toEqual({
        status: 400,
        code: 'invalid_request',
      });
      const path = 'products[0].imageUrl';
      expect(body.errors, imageUrl).toEqual([
        { path, code: 'image_url_invalid', message: expect.stringMatching(message) },
      ]);
    }
    const spelled = 'HTTPS://Shop.Example:443/a/../hat.jpg';
    const { body } = await create([{ ...hat, imageUrl: spelled }]);
    expect(body.products[0].imageUrl).toBe('https://shop.example/hat.jpg');
  });
});
