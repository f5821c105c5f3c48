// The merchant changes an open session, also while a buyer is paying it. Contract §3, Change.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { aShell, openIntent, paymentsOf } from '../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import {
  aCardToken,
  aSession,
  buyerEmail,
  type Checkout,
  cards,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
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

async function change(sessionId: string, body: object, as: TestToken = world.token) {
  const call = `PATCH /v1/checkout-sessions/${sessionId}` as const;
  const answer = await callAs(server.app, as, call, { body });
  return { status: answer.statusCode, body: answer.json() };
}

const refused = (status: number, code: string) => ({ status, body: { code } });
const lines = (amount: number) => [{ name: 'Order', quantity: 1, amount }];

async function process(session: Checkout, expectedTotal?: number) {
  const token = await aCardToken(world, session, cards.approved);
  const call = `POST /v1/checkouts/sessions/${session.sessionId}/process` as const;
  const answer = await callAs(server.app, { nonce: session.nonce }, call, {
    headers: { 'x-user-id': session.userId },
    body: {
      sessionId: session.sessionId,
      accountData: { userId: session.userId, email: buyerEmail },
      tokenizedData: { provider: 'cardprovider', type: 'card', token },
      ...(expectedTotal === undefined ? {} : { expectedTotal }),
    },
  });
  return { status: answer.statusCode, body: answer.json() };
}

const statusOf = async ({ sessionId, nonce }: Checkout) =>
  (await callAs(server.app, { nonce }, `GET /v1/checkouts/sessions/${sessionId}/status`)).json()
    .data;

describe('updateMerchantSession', () => {
  it('200: cart, metadata and end as sent, and exactly the new total is charged', async () => {
    const session = await aSession(world, {});
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const products = [{ code: 'mug', quantity: 2 }, ...lines(5.1)];
    const changed = await change(session.sessionId.toUpperCase(), {
      ...{ products, metadata: { order: '8' }, expiresAt },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        ...{ totals: { total: 44.9 }, metadata: { order: '8' }, expiresAt },
        ...{ cartVersion: 1, couponsByMerchantOnly: true },
      },
    });
    expect(await statusOf(session)).toMatchObject({ status: 'open', cartVersion: 1 });
    expect(await process(session, 19.9)).toMatchObject(
      refused(409, 'checkout_session_total_changed'),
    );
    expect(await process(session, 44.9)).toMatchObject({ status: 200 });
    expect((await world.ledger()).at(-1)).toMatchObject({ amount: 4490 });
  });

  it('coupons stay with another cart of the catalog, end where it brings a price of the merchant’s own, and change alone', async () => {
    const [one, two] = [
      await aStoredCoupon(world.database, world.client),
      await aStoredCoupon(world.database, world.client),
    ];
    const { sessionId } = await aSession(world, {});
    const total = async (body: object) => (await change(sessionId, body)).body.totals?.total;
    expect(await total({ couponCodes: [one] })).toBe(17.91);
    expect(await total({ products: [{ code: 'mug', quantity: 2 }] })).toBe(35.82);
    expect(await total({ products: lines(10) })).toBe(10);
    expect(await total({ products: lines(10), couponCodes: [one] })).toBe(9);
    expect(await total({ couponCodes: [one, two] })).toBe(8.1);
    expect(await total({ couponCodes: [] })).toBe(10);
    expect(await change(sessionId, { couponCodes: ['NO-SUCH'] })).toMatchObject(
      refused(422, 'invalid_catalog_data'),
    );
  });

  it('200: a coupon that the buyer redeemed is not taken off the price that follows', async () => {
    const { sessionId, nonce } = await aSession(world, {});
    const codes = [await aStoredCoupon(world.database, world.client)];
    const call = `PATCH /v1/checkouts/sessions/${sessionId}/coupons` as const;
    const redeemed = await callAs(server.app, { nonce }, call, { body: { couponCodes: codes } });
    expect(redeemed.statusCode).toBe(200);
    expect(await change(sessionId, { products: lines(500) })).toMatchObject({
      body: { totals: { discount: 0, total: 500 }, couponCodes: [] },
    });
  });

  it('403: whoever may not set a price changes no cart with a price of the merchant’s own', async () => {
    const { sessionId } = await aSession(world, {});
    const as = await aToken(world.database, world.client, { scopes: ['checkout:write'] });
    const member = await aToken(world.database, world.client, { role: 'member' });
    const coupon = { couponCodes: [await aStoredCoupon(world.database, world.client)] };
    const mug = { products: [{ code: 'mug', quantity: 1 }] };
    expect((await change(sessionId, mug, as)).status).toBe(200);
    expect((await change(sessionId, { products: lines(10) })).status).toBe(200);
    for (const body of [coupon, mug]) {
      expect(await change(sessionId, body, as)).toMatchObject(refused(403, 'insufficient_scope'));
      expect(await change(sessionId, body, member)).toMatchObject(
        refused(403, 'merchant_role_required'),
      );
    }
    expect((await change(sessionId, { metadata: { order: '9' } }, as)).status).toBe(200);
  });

  it('409 checkout_attempt_in_progress: while the bank asks the buyer, and nothing changes', async () => {
    const session = await aSession(world, {});
    await pay(world, session, cards.needs3ds);
    for (const body of [{ products: lines(1) }, { metadata: { a: 'b' } }]) {
      expect(await change(session.sessionId, body)).toMatchObject(
        refused(409, 'checkout_attempt_in_progress'),
      );
    }
  });

  it('an intent that a page has opened is closed at the provider: the next one has the new amount', async () => {
    const session = await aSession(world, {});
    const before = await openIntent(world, session);
    expect(before).toBeDefined();
    expect(await change(session.sessionId, { products: lines(7) })).toMatchObject({ status: 200 });
    const [first] = await paymentsOf(world, session);
    expect(first).toMatchObject({ status: 'failed' });
    expect(await process(session)).toMatchObject({ status: 200 });
    expect((await world.ledger()).at(-1)).toMatchObject({ amount: 700 });
  });

  it('twenty races of a change with a payment: what is charged is one of both totals, and the session says which', async () => {
    for (let race = 0; race < 20; race += 1) {
      const session = await aSession(world, {});
      const [changed, paid] = await Promise.all([
        change(session.sessionId, { products: lines(3) }),
        process(session, 19.9),
      ]);
      const { body } = await readSession(session.sessionId);
      const [payment] = await paymentsOf(world, session);
      if (changed.status === 200) {
        expect(paid).toMatchObject(refused(409, 'checkout_session_total_changed'));
        expect(payment).toBeUndefined();
        expect(body).toMatchObject({ status: 'open', totals: { total: 3 } });
      } else {
        expect(['checkout_attempt_in_progress', 'checkout_session_completed']).toContain(
          changed.body.code,
        );
        expect(paid).toMatchObject({ status: 200 });
        expect(body.totals.total).toBe(19.9);
        expect(await amountOf(session.sessionId)).toBe(1990);
      }
    }
  });

  it('ten changes at once with payments that name no total: each charge is the total of its moment', async () => {
    const session = await aSession(world, {});
    const ends = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) =>
        change(session.sessionId, { products: lines(index + 1) }),
      ),
      process(session),
    ]);
    expect(ends.at(-1)).toMatchObject({ status: 200 });
    const { body } = await readSession(session.sessionId);
    expect(await amountOf(session.sessionId)).toBe(Math.round(body.totals.total * 100));
  });

  it('409 checkout_session_completed, checkout_session_data_attachment_required, 404 checkout_session_not_found', async () => {
    const paid = await aSession(world, { captureMethod: 'automatic' });
    await pay(world, paid);
    expect(await change(paid.sessionId, { products: lines(1) })).toMatchObject(
      refused(409, 'checkout_session_completed'),
    );
    const shell = await aShell(world);
    expect(await change(shell.sessionId, { products: lines(1) })).toMatchObject(
      refused(409, 'checkout_session_data_attachment_required'),
    );
    const stranger = await aToken(world.database, await aClient(world.database));
    const open = await aSession(world, {});
    expect(await change(open.sessionId, { products: lines(1) }, stranger)).toMatchObject(
      refused(404, 'checkout_session_not_found'),
    );
    expect(await change(newId(), { products: lines(1) })).toMatchObject(
      refused(404, 'checkout_session_not_found'),
    );
  });

  it('409 checkout_session_expired, 400 invalid_request: ended, and an end too near', async () => {
    const session = await aSession(world, {});
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await change(session.sessionId, { expiresAt: soon })).toMatchObject(
      refused(400, 'invalid_request'),
    );
    await callAs(server.app, world.token, `POST /v1/checkout-sessions/${session.sessionId}/expire`);
    expect(await change(session.sessionId, { products: lines(1) })).toMatchObject(
      refused(409, 'checkout_session_expired'),
    );
  });

  it('403 insufficient_scope, merchant_role_required: a credential without the right to prices keeps the catalog’s', async () => {
    const { sessionId } = await aSession(world, {});
    const scoped = await aToken(world.database, world.client, { scopes: ['checkout:write'] });
    const member = await aToken(world.database, world.client, { role: 'member' });
    expect(await change(sessionId, { products: lines(1) }, scoped)).toMatchObject(
      refused(403, 'insufficient_scope'),
    );
    expect(await change(sessionId, { products: lines(1) }, member)).toMatchObject(
      refused(403, 'merchant_role_required'),
    );
    const two = { products: [{ code: 'mug', quantity: 2 }] };
    expect(await change(sessionId, two, scoped)).toMatchObject({
      body: { totals: { total: 39.8 } },
    });
  });

  it('403 buyer_not_verified, 422 capture_method_not_supported: a subscription that the session cannot have', async () => {
    const club = { products: [{ code: 'club', quantity: 1 }] };
    const held = await aSession(world, { captureMethod: 'manual' });
    expect(await change(held.sessionId, club)).toMatchObject(
      refused(422, 'capture_method_not_supported'),
    );
    const open = await callAs(server.app, null, 'POST /v1/checkouts/sessions', {
      body: {
        ...{ clientId: world.client.id, currency: 'EUR', products: [{ code: 'mug', quantity: 1 }] },
        accountData: { userId: newId(), email: buyerEmail },
      },
    });
    expect(await change(open.json().id, club)).toMatchObject(refused(403, 'buyer_not_verified'));
  });

  it('the database lets nobody else change the lines of an open session', async () => {
    const { sessionId } = await aSession(world, {});
    const cheat = sql(
      'test_cheap_lines',
      `update checkout_sessions set subtotal_minor = 1, discount_minor = 0, total_minor = 1,
         lines = '[]' where client_id = $1 and id = $2`,
    );
    await expect(world.database.write(cheat, [world.client.id, sessionId])).rejects.toThrow(
      /only the coupons of an open cart change/,
    );
  });
});

const readSession = async (sessionId: string) => {
  const answer = await callAs(server.app, world.token, `GET /v1/checkout-sessions/${sessionId}`);
  return { body: answer.json() };
};
const amounts = sql<{ amount_minor: string }>(
  'test_changed_amounts',
  `select amount_minor from payments where session_id = $1 and type = 'purchase' and status <> 'failed'`,
);
const amountOf = async (sessionId: string) =>
  Number((await world.database.read(amounts, [sessionId]))[0]?.amount_minor);
