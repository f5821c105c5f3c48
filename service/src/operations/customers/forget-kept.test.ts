// What stays as it is after a customer was forgotten: ledgers of closed months, and the blanks.

import { rows } from '@svc/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAs } from '../../../test/harness.ts';
import { advance } from '../../../test/payments/planted.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import { readClock } from '../../storage/database/clock.ts';

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

const ask = (call: string, body?: object) =>
  callAs(server.app, world.token, call as 'GET /', body ? { body } : {});

/** A buyer who has paid, and what forgets that person. */
async function aPaidBuyer() {
  const answer = await pay(world, await aSession(world, { captureMethod: 'automatic' }));
  const { paymentId } = (answer as { body: { paymentId: string } }).body;
  const { userId, email } = (await ask(`GET /v1/payments/${paymentId}`)).json();
  const forget = () => ask(`POST /v1/customers/${userId}/forget`);
  return { paymentId, userId, email, forget };
}

describe('after forgetCustomer', () => {
  it('the ledger of a closed month is the same, byte for byte', async () => {
    const { paymentId, email, forget } = await aPaidBuyer();
    const now = await world.database.transaction(world.client.id, readClock);
    const month = now.toISOString().slice(0, 7);
    await advance(world, 32 * 86_400);
    expect((await ask(`POST /v1/reports/months/${month}/close`)).statusCode).toBe(200);
    const ledger = async () => (await ask(`GET /v1/reports/months/${month}/ledger`)).body;
    const before = await ledger();
    expect(before).toContain(email);
    expect((await forget()).statusCode).toBe(200);
    expect((await ask(`GET /v1/payments/${paymentId}`)).json().email).toBeNull();
    expect(await ledger()).toBe(before);
  });

  it('notes: 409 customer_forgotten on the customer; on a payment they are taken, and erased by the repeat', async () => {
    const { paymentId, userId, forget } = await aPaidBuyer();
    const first = (await forget()).json();
    const note = (resourceType: string, resourceId: string) =>
      ask('POST /v1/notes', { resourceType, resourceId, text: 'Jo Canary called.' });
    expect((await note('customer', userId)).json()).toMatchObject({
      status: 409,
      code: 'customer_forgotten',
    });
    const written = await note('payment', paymentId);
    expect(written.statusCode, written.body).toBe(201);
    const logged = async () => (await ask('GET /v1/audit-entries?resourceType[eq]=note')).body;
    expect(await logged()).toContain('Jo Canary');
    expect((await forget()).json()).toEqual(first);
    expect((await ask(`GET /v1/notes?resourceId[eq]=${paymentId}`)).json().total).toBe(0);
    expect(await logged()).not.toContain('Jo Canary');
    expect((await forget()).json()).toEqual(first);
    // The log has what each of the two has changed, and nothing of the third, which found nothing.
    const query = `action[eq]=customer.forgotten&resourceId[eq]=${userId}`;
    const { data } = (await ask(`GET /v1/audit-entries?${query}`)).json();
    expect(data.map(({ after }: { after: object }) => after)).toEqual([
      { notes: 1, audit_entries: 1 },
      expect.objectContaining({ customers: 1, payments: 1 }),
    ]);
  });

  it('no answer that was kept for a repeat is left, of any call that creates something of theirs', async () => {
    const key = 'kept-for-a-repeat';
    const { paymentId, userId } = await aPaidBuyer();
    const { id } = (await ask('POST /v1/customers', { email: 'jo@example.test' })).json();
    const buyer = {
      clientId: world.client.id,
      currency: 'EUR',
      account: { userId: id, email: 'jo@example.test' },
    };
    const calls: Record<string, readonly [string, object]> = {
      createCustomer: ['POST /v1/customers', { id: userId, email: 'ada@example.test' }],
      createCustomerPageLink: [`POST /v1/customers/${id}/page-links`, {}],
      createCheckoutSession: [
        'POST /v1/checkouts/sessions',
        { ...buyer, products: [{ code: 'mug', quantity: 1 }] },
      ],
      createSetupSession: ['POST /v1/checkouts/sessions/setup', { userId: id }],
      createNote: [
        'POST /v1/notes',
        { resourceType: 'payment', resourceId: paymentId, text: 'Ada' },
      ],
    };
    const aboutNobody = ['createProduct', 'createCoupon', 'createInvitation'];
    const creating = Object.entries(rows).filter(([, row]) => 'createsOnce' in row);
    expect(creating.map(([name]) => name).sort()).toEqual(
      [...Object.keys(calls), ...aboutNobody].sort(),
    );
    const headers = { 'idempotency-key': key };
    for (const [call, body] of Object.values(calls)) {
      const answer = await callAs(server.app, world.token, call as 'POST /', { body, headers });
      expect(answer.statusCode, answer.body).toBe(201);
    }
    const kept = async () => {
      const query = 'select operation from kept_answers where idempotency_key = $1';
      return (await service.query(query, [key])).rows.map(({ operation }) => operation);
    };
    expect(await kept()).toHaveLength(5);
    // What is open would hinder the forgetting.
    await service.query('begin');
    await service.query(`select set_config('svc.client', $1, true)`, [world.client.id]);
    await service.query(
      `update checkout_sessions set status = 'canceled' where user_id = $1 and status = 'open'`,
      [id],
    );
    await service.query('commit');
    for (const one of [id, userId]) {
      const answer = await ask(`POST /v1/customers/${one}/forget`);
      expect(answer.statusCode, answer.body).toBe(200);
    }
    expect(await kept()).toEqual([]);
  });

  it('a request for a refund of theirs: its note is erased by the repeat, in its events too', async () => {
    const { paymentId, forget } = await aPaidBuyer();
    await aMemberOf(world.ports, world.client, { role: 'admin' });
    await forget();
    const made = await callAs(
      server.app,
      world.token,
      `POST /v1/payments/${paymentId}/refund-requests`,
      {
        body: { amount: 1, note: 'Jo Canary asks.' },
        headers: { 'idempotency-key': 'requested-after-forgetting' },
      },
    );
    expect(made.statusCode, made.body).toBe(201);
    const { id } = made.json();
    await ask(`POST /v1/refund-requests/${id}/decline`, {});
    const notes = async () => {
      const query = `select payload::json #>> '{data,object,note}' as note,
        payload::json #>> '{data,object,requestedBy,email}' as email
        from events where resource_id = $1 order by sequence`;
      return (await service.query(query, [id])).rows;
    };
    const { email } = made.json().requestedBy;
    const note = 'Jo Canary asks.';
    expect(await notes()).toEqual([
      { note, email },
      { note, email },
    ]);
    expect((await forget()).statusCode).toBe(200);
    expect(await notes()).toEqual([
      { note: null, email },
      { note: null, email },
    ]);
  });

  it('no statement writes the person down again, not even one of an earlier version', async () => {
    const given = { email: 'jo@example.test', name: 'Jo', externalId: 'shop-7' };
    const { id } = (await ask('POST /v1/customers', given)).json();
    expect((await ask(`POST /v1/customers/${id}/forget`)).statusCode).toBe(200);
    for (const change of [
      "email = 'jo@example.test'",
      "name = 'Jo'",
      `metadata = '{"phone":"7"}'`,
      'forgotten_at = null',
    ]) {
      const written = service.query(`update customers set ${change} where id = $1`, [id]);
      await expect(written, change).rejects.toMatchObject({ code: '23000' });
    }
  });
});
