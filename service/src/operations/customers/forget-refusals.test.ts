// Who may forget a customer and when, and what meets a forgetting halfway.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchEverywhere } from '../../../test/customers/forgotten.ts';
import { aSavedCard, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { aSetupSession, submitCard } from '../../../test/customers/setups.ts';
import { aClub } from '../../../test/customers/subscriptions.ts';
import { aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { raceFor, untilBlocked } from '../../../test/held-row.ts';
import { aPurchase, deliverDisputeEvents, dispute } from '../../../test/payments/disputes.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';
import { previewForgetting } from '../../engine/runs/customers/forget-customer.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let server: TestServer;
let service: pg.Client;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  service = new pg.Client({ connectionString: world.url });
  await service.connect();
});
afterAll(async () => {
  await service?.end();
  await server?.close();
  await world?.close();
});

const ask = (call: string, body?: object, as: TestToken | null = world.token) =>
  callAs(server.app, as, call as 'GET /', body ? { body } : {});
const forget = (id: string, as?: TestToken | null) =>
  ask(`POST /v1/customers/${id}/forget`, undefined, as);
async function aCustomer(given: object = {}): Promise<string> {
  const body = { email: `${newId()}@example.test`, name: 'Jo Canary', ...given };
  return (await ask('POST /v1/customers', body)).json().id;
}
const userOf = async (paymentId: string): Promise<string> =>
  (await ask(`GET /v1/payments/${paymentId}`)).json().userId;

const expireSession = sql(
  'test_forget_refusals_expire',
  "update checkout_sessions set status = 'expired' where id = $1",
);

describe('forgetCustomer', () => {
  it('403 merchant_role_required: member, finance, support and viewer; admin may', async () => {
    const id = await aCustomer();
    for (const role of ['member', 'finance', 'support', 'viewer'] as const) {
      const person = await aMemberOf(world.ports, world.client, { role });
      const browser = fromOwnPage(await aSignIn(world.ports, person), world.client.id);
      const answer = await callAs(server.app, null, `POST /v1/customers/${id}/forget`, {
        headers: browser,
      });
      expect(answer.json(), role).toMatchObject({ status: 403, code: 'merchant_role_required' });
    }
    const admin = await aToken(world.database, world.client, { role: 'admin' });
    expect((await forget(id, admin)).statusCode).toBe(200);
  });

  it('403 insufficient_scope and 403 recent_sign_in_required', async () => {
    const id = await aCustomer();
    const reader = await aToken(world.database, world.client, { scopes: ['customers:read'] });
    expect((await forget(id, reader)).json()).toMatchObject({ code: 'insufficient_scope' });
    const person = await aMemberOf(world.ports, world.client, { role: 'owner' });
    const signIn = await aSignIn(world.ports, person, { provenMinutesAgo: 16 });
    const answer = await callAs(server.app, null, `POST /v1/customers/${id}/forget`, {
      headers: fromOwnPage(signIn, world.client.id),
    });
    expect(answer.json()).toMatchObject({ status: 403, code: 'recent_sign_in_required' });
    expect((await ask(`GET /v1/customers/${id}`)).json()).toMatchObject({ name: 'Jo Canary' });
  });

  it('404 customer_not_found: nobody has the id', async () => {
    expect((await forget(newId())).json()).toMatchObject({
      status: 404,
      code: 'customer_not_found',
    });
  });

  it('409 customer_in_use: an open session, a hold, a subscription, a dispute; each is named', async () => {
    const open = await vouchedSession(world);
    const held = await vouchedSession(world, { captureMethod: 'manual' });
    await pay(world, held);
    const club = await aClub(world);
    const { paymentId, intent } = await aPurchase(world);
    await deliverDisputeEvents(world, await dispute(world, intent));
    for (const [id, ...kinds] of [
      [open.userId, 'checkout_session open'],
      [held.userId, 'purchase authorized'],
      [club.userId, 'subscription active'],
      [await userOf(paymentId), 'dispute needs_response'],
    ]) {
      const answer = (await forget(id ?? '')).json();
      expect(answer).toMatchObject({ status: 409, code: 'customer_in_use' });
      type Open = { code: string; state: string };
      expect(answer.errors.map(({ code, state }: Open) => `${code} ${state}`)).toEqual(kinds);
    }
    expect((await forget(open.userId)).json().errors).toEqual([
      {
        path: '',
        code: 'checkout_session',
        message: `checkout session ${open.sessionId} has not ended: open`,
        id: open.sessionId,
        state: 'open',
      },
    ]);
    // A saved card of the subscription was not removed on the way to the refusal.
    const cards = await ask(`GET /v1/payment-methods?userUuid=${club.userId}`);
    expect(cards.json().total).toBe(1);
  });

  it('200: what nobody vouched for hinders nothing, and ends: open sessions, and one that waits for its bank', async () => {
    const userId = await aCustomer();
    const opened = [];
    for (let n = 0; n < 25; n += 1) opened.push(await aSession(world, { userId }));
    const asked = await aSession(world, { userId });
    await pay(world, asked, cards.needs3ds);
    const first = await previewForgetting({ clientId: world.client.id, userId }, world.ports);
    expect(first.kind).toBe('forgotten');
    const answer = await forget(userId);
    expect(answer.statusCode, answer.body).toBe(200);
    const ids = [...opened, asked].map(({ sessionId }) => sessionId);
    const { rows } = await service.query(
      `select s.status, s.email, (select count(*)::int from events e where e.resource_id = s.id
         and e.type = 'checkout.session.expired') as told
       from checkout_sessions s where s.id = any($1)`,
      [ids],
    );
    expect(rows).toEqual(ids.map(() => ({ status: 'expired', email: '', told: 1 })));
    const paid = (await ask(`GET /v1/payments?userId[eq]=${userId}`)).json().data;
    expect(paid).toMatchObject([{ status: 'failed', email: null }]);
  });

  it('409 customer_in_use: a stranger’s hold is money, and is named', async () => {
    const userId = await aCustomer();
    await pay(world, await aSession(world, { userId, captureMethod: 'manual' }));
    await aSession(world, { userId });
    const { code, errors } = (await forget(userId)).json();
    expect(code).toBe('customer_in_use');
    expect(errors).toMatchObject([{ code: 'purchase', state: 'authorized' }]);
  });

  it('others of the address are named, customers and buyers; not those of an address that a stranger typed', async () => {
    const email = `${newId()}@family.example`;
    const [userId, other, victim] = [
      await aCustomer({ email }),
      await aCustomer({ email: email.toUpperCase(), id: `shop-${newId()}` }),
      await aCustomer({ email: `${newId()}@victim.example` }),
    ];
    const buyer = await aSession(world, { email, captureMethod: 'automatic' });
    await pay(world, buyer, cards.approved, email);
    const { email: typed } = (await ask(`GET /v1/customers/${victim}`)).json();
    const strangers = await aSession(world, { userId, email: typed, captureMethod: 'automatic' });
    await pay(world, strangers, cards.approved, typed);
    const named = [
      { id: other, externalId: expect.stringMatching(/^shop-/) },
      { id: buyer.userId, externalId: null },
    ].sort((one, two) => one.id.localeCompare(two.id));
    const counted = await previewForgetting({ clientId: world.client.id, userId }, world.ports);
    expect(counted).toMatchObject({ kind: 'forgotten', others: named });
    expect((await forget(userId)).json().othersOfAddress).toEqual(named);
    expect((await forget(userId)).json().othersOfAddress).toEqual([]);
    // Of a buyer who is no customer the paid address is all that is known.
    const { othersOfAddress } = (await forget(buyer.userId)).json();
    expect(othersOfAddress).toMatchObject([{ id: other }]);
  });

  it('200: saved cards are removed first, here and at the provider', async () => {
    const userId = await aCustomer();
    await aSavedCard(world, { userId });
    const setup = await aSetupSession(world, { userId });
    await submitCard(world, setup, '5555555555554444');
    const declined = await aSetupSession(world, { userId });
    await expect(submitCard(world, declined, cards.declined)).rejects.toThrow('declined');
    await world.database.write(expireSession, [declined.sessionId]);
    const answer = await forget(userId);
    expect(answer.statusCode, answer.body).toBe(200);
    const { data } = (await ask(`GET /v1/saved-cards?userId[eq]=${userId}`)).json();
    // The declined one was never kept.
    const removed = { status: 'removed', lastFour: null };
    expect(data).toMatchObject([removed, removed, removed]);
    const { rows } = await service.query(
      'select card, provider_payment_method_id from card_setups where session_id = any($1)',
      [[setup.sessionId, declined.sessionId]],
    );
    const blank = { card: null, provider_payment_method_id: null };
    expect(rows).toEqual([blank, blank]);
  });

  it('502 payment_method_deletion_failed: nobody is forgotten, and the repeat goes on', async () => {
    const userId = await aCustomer();
    const { providerPaymentMethodId } = await aSavedCard(world, { userId });
    const path = `/v1/payment_methods/${providerPaymentMethodId}/detach`;
    await world.fault({ method: 'POST', path }, 'error_429', { count: 20 });
    const failed = await forget(userId);
    await world.control('DELETE', '/_control/faults');
    expect(failed.json()).toMatchObject({ code: 'payment_method_deletion_failed' });
    expect((await ask(`GET /v1/customers/${userId}`)).json()).toMatchObject({
      name: 'Jo Canary',
      forgottenAt: null,
    });
    expect((await forget(userId)).statusCode).toBe(200);
  });

  it('200: a buyer whom the merchant never vouched for, by the userId; another merchant’s same id stays', async () => {
    const { paymentId } = await aPurchase(world);
    const userId = await userOf(paymentId);
    expect((await ask(`GET /v1/customers/${userId}`)).statusCode).toBe(404);
    expect((await forget(userId)).json()).toMatchObject({ id: userId, email: '' });
    // A provider's late answer about the card, as settling writes it.
    const card = JSON.stringify({ type: 'card', brand: 'visa', lastFour: '4242' });
    await service.query('update payments set card = $2 where id = $1', [paymentId, card]);
    expect((await ask(`GET /v1/payments/${paymentId}`)).json()).toMatchObject({
      email: null,
      paymentMethod: { type: 'card', lastFour: null },
    });
  });

  it('sessions that begin meanwhile are refused, or hold the forgetting up; never both pass', async () => {
    for (let round = 0; round < 4; round += 1) {
      const userId = await aCustomer();
      const body = {
        clientId: world.client.id,
        currency: 'EUR',
        products: [{ code: 'mug', quantity: 1 }],
        accountData: { userId, email: 'jo.canary@race.example' },
      };
      const lock = 'select from customers where client_id = $1 and id = $2 for update';
      const values = [world.client.id, userId];
      const answers = await raceFor(world.url, { lock, values, waiting: 4 }, () => [
        forget(userId),
        ask('POST /v1/checkouts/sessions', body),
        ask('POST /v1/checkouts/sessions', body, null),
        ask(`PATCH /v1/customers/${userId}`, { name: 'Jo Race' }),
      ]);
      const [forgetting, ...others] = answers.map(({ statusCode }) => statusCode);
      const isForgotten = forgetting === 200;
      // A lock that is waited for too long gives up, and undoes all of it.
      if (!isForgotten) {
        expect(['customer_in_use', 'service_unavailable']).toContain(answers[0]?.json().code);
      }
      const { rows } = await service.query(
        "select from checkout_sessions where user_id = $1 and email <> ''",
        [userId],
      );
      expect(rows.length > 0, others.join()).toBe(!isForgotten);
      const { name } = (await ask(`GET /v1/customers/${userId}`)).json();
      if (isForgotten) expect(name).toBeNull();
    }
  });

  it('killed in its middle: nothing is blanked, and the repeat does all of it', async () => {
    const word = `canary-${randomUUID()}`;
    const userId = await aCustomer({ metadata: { word } });
    const session = await vouchedSession(world, { userId, metadata: { word } });
    await pay(world, session);
    const before = await searchEverywhere(world, word);
    expect(before).toContain('public.events.payload');
    // The words of a customer are the last that is deleted.
    await service.query('begin');
    await service.query('select from customer_words where customer_id = $1 for update', [userId]);
    const forgetting = forget(userId);
    await untilBlocked(world.url);
    const { rows } = await service.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%forget_customer%'`,
    );
    expect(rows).toHaveLength(1);
    const now = await service.query<{ name: string; told: number }>(
      `select c.name, (select count(*)::int from events e where e.client_id = c.client_id
         and e.payload like '%' || $2 || '%') as told
       from customers c where c.id = $1`,
      [userId, word],
    );
    await service.query('rollback');
    expect(now.rows).toEqual([{ name: 'Jo Canary', told: expect.any(Number) }]);
    expect(now.rows[0]?.told).toBeGreaterThan(0);
    expect((await forgetting).statusCode).toBe(200);
    expect(await searchEverywhere(world, word)).toEqual([]);
  });

  it('no statement of the service opens what the guards keep, whatever it sets', async () => {
    await service.query(`set svc.forgetting = 'on'`);
    for (const [table, change] of [
      ['events', `payload = '{}'`],
      ['audit_entries', 'after = null'],
      ['webhook_attempts', 'response_excerpt = null'],
    ]) {
      const { rowCount } = await service.query(`select from ${table} limit 1`);
      if (rowCount === 0) continue;
      await expect(service.query(`update ${table} set ${change}`), table).rejects.toMatchObject({
        code: '23000',
      });
    }
    await expect(
      service.query(`update checkout_sessions set email = 'x' where status = 'completed'`),
    ).rejects.toMatchObject({ code: '23514' });
    await service.query('reset svc.forgetting');
    // Nor is another merchant's customer forgotten out of a transaction of one's own.
    await service.query('begin');
    await service.query(`set local svc.client = '${newId()}'`);
    await expect(
      service.query(`select forget_customer($1, $2, false)`, [world.client.id, await aCustomer()]),
    ).rejects.toMatchObject({ code: '42501' });
    await service.query('rollback');
  });
});
