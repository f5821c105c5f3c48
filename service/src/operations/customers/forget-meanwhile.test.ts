// What others do while a customer is being forgotten, in the moments that only a held lock makes certain.

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { vouchedSession } from '../../../test/customers/saved-cards.ts';
import { callAs, newId } from '../../../test/harness.ts';
import { untilBlocked } from '../../../test/held-row.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import {
  aCardToken,
  aSession,
  cards,
  pay,
  payWith,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { makeExports } from '../../engine/runs/exports/make-exports.ts';
import { copyPayments } from '../../engine/runs/payments/copy-payments.ts';

let world: World;
let server: TestServer;
let holder: pg.Client;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  holder = new pg.Client({ connectionString: world.url });
  await holder.connect();
});
afterAll(async () => {
  await holder?.end();
  await server?.close();
  await world?.close();
});

const ask = (call: string, body?: object) =>
  callAs(server.app, world.token, call as 'GET /', body ? { body } : {});
const forget = (id: string) => ask(`POST /v1/customers/${id}/forget`);

/** The address that paying writes down. */
const buyer = 'buyer@example.test';
let userId: string;
let email: string;
beforeEach(async () => {
  email = `${newId()}@example.test`;
  userId = (await ask('POST /v1/customers', { email, name: 'Jo Canary' })).json().id;
});

/** Locks rows until the returned function is called. */
async function hold(rows: string, values: readonly string[]): Promise<() => Promise<void>> {
  await holder.query('begin');
  const held = await holder.query(`select from ${rows} for update`, [...values]);
  expect(held.rowCount, rows).toBeGreaterThan(0);
  return async () => {
    await holder.query('rollback');
  };
}

const sessionNow = async (id: string): Promise<{ status: string; email: string | null }> =>
  (await ask(`GET /v1/checkout-sessions/${id}`)).json();

describe('while forgetCustomer runs', () => {
  it('409 customer_in_use: a session that began while the customer’s lock was waited for', async () => {
    const release = await hold('customers where client_id = $1 and id = $2', [
      world.client.id,
      userId,
    ]);
    const session = ask('POST /v1/checkouts/sessions', {
      clientId: world.client.id,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      accountData: { userId, email },
    });
    await untilBlocked(world.url);
    // It looks first, and sees no session: the one that begins is not committed.
    const forgetting = forget(userId);
    await untilBlocked(world.url, 2);
    await release();
    const { id } = (await session).json();
    const answer = (await forgetting).json();
    expect(answer).toMatchObject({ status: 409, code: 'customer_in_use' });
    expect(JSON.stringify(answer.errors)).toContain(id);
    expect((await ask(`GET /v1/customers/${userId}`)).json()).toMatchObject({ email });
  });

  it('a note that is being written is erased with the others', async () => {
    const release = await hold('users where id = $1', [world.token.userId]);
    const text = 'Jo Canary called.';
    const note = ask('POST /v1/notes', { resourceType: 'customer', resourceId: userId, text });
    await untilBlocked(world.url);
    const forgetting = forget(userId);
    await untilBlocked(world.url, 2);
    await release();
    expect((await note).statusCode).toBe(201);
    expect((await forgetting).statusCode).toBe(200);
    expect((await ask(`GET /v1/notes?resourceId[eq]=${userId}`)).json().total).toBe(0);
    const { id } = (await note).json();
    const logged = await ask(`GET /v1/audit-entries?resourceId[eq]=${id}`);
    expect(logged.json().data[0].after).not.toHaveProperty('text');
  });

  it('a kept file that is asked for before the end has nothing of the person', async () => {
    await pay(world, await vouchedSession(world, { userId, captureMethod: 'automatic' }));
    await copyEveryPayment(world);
    const askForFile = async (style: string): Promise<string> => {
      const answer = await ask(`POST /v1/exports?columns=id,customer_email&style=${style}`);
      expect(answer.statusCode, answer.body).toBe(202);
      return answer.json().id;
    };
    const make = () => makeExports(world.ports, { onError: (_, error) => expect.fail(`${error}`) });
    const read = async (id: string) => {
      const answer = await ask(`GET /v1/exports/${id}/file`);
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.body;
    };
    const early = await askForFile('program');
    await make();
    expect(await read(early)).toContain(buyer);
    // The words of a customer are the last that is deleted.
    const release = await hold('customer_words where customer_id = $1', [userId]);
    const forgetting = forget(userId);
    await untilBlocked(world.url);
    const late = askForFile('european');
    await Promise.race([late, untilBlocked(world.url, 2)]);
    await make();
    await release();
    expect((await forgetting).statusCode).toBe(200);
    const id = await late;
    await make();
    expect((await ask(`GET /v1/exports/${id}`)).json()).toMatchObject({ status: 'ready', rows: 1 });
    expect(await read(id)).not.toContain(buyer);
    expect((await ask(`GET /v1/exports/${early}`)).json().code).toBe('export_not_found');
  });

  it('payments are copied for searching during its walks through mails and the audit log', async () => {
    await pay(world, await vouchedSession(world, { userId, captureMethod: 'automatic' }));
    await copyEveryPayment(world);
    const query = `email=${encodeURIComponent(buyer)}`;
    const view = await ask('POST /v1/views', { list: 'payments', name: 'Theirs', query });
    expect(view.statusCode, view.body).toBe(201);
    const release = await hold('views where id = $1', [view.json().id]);
    const forgetting = forget(userId);
    await untilBlocked(world.url);
    const copied = await copyPayments(world.ports, { step: 500 });
    await release();
    expect((await forgetting).statusCode).toBe(200);
    expect(copied).toBe('idle');
  });

  it('a refund that came before it is made, and neither ends in a deadlock', async () => {
    const session = await vouchedSession(world, { userId, captureMethod: 'automatic' });
    const { body } = (await pay(world, session)) as { body: { paymentId: string } };
    const { paymentId } = body;
    const release = await hold('payments where id = $1', [paymentId]);
    const refund = callAs(server.app, world.token, `POST /v1/payments/${paymentId}/refunds`, {
      body: { amount: 1 },
      headers: { 'idempotency-key': newId() },
    });
    await untilBlocked(world.url);
    // It has locked the session, which the row of the refund names.
    const forgetting = forget(userId);
    await untilBlocked(world.url, 2);
    await release();
    expect((await refund).statusCode, (await refund).body).toBe(201);
    const { statusCode } = await forgetting;
    expect([200, 409]).toContain(statusCode);
    expect((await forget(userId)).statusCode).toBe(200);
    const { email: left } = (await ask(`GET /v1/payments/${(await refund).json().id}`)).json();
    expect(left).toBeNull();
  });

  it('a stranger’s session that began while the customer’s lock was waited for ends with it', async () => {
    const release = await hold('customers where client_id = $1 and id = $2', [
      world.client.id,
      userId,
    ]);
    const opening = callAs(server.app, null, 'POST /v1/checkouts/sessions', {
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        products: [{ code: 'mug', quantity: 1 }],
        accountData: { userId, email: 'stranger@evil.example' },
      },
    });
    await untilBlocked(world.url);
    const forgetting = forget(userId);
    await untilBlocked(world.url, 2);
    await release();
    const { id } = (await opening).json();
    expect((await forgetting).statusCode, (await forgetting).body).toBe(200);
    expect(await sessionNow(id)).toMatchObject({ status: 'expired', email: null });
  });

  it.each(['the payment', 'the forgetting'])('a stranger pays: %s comes first', async (first) => {
    const session = await aSession(world, { userId, captureMethod: 'automatic' });
    const token = await aCardToken(world, session, cards.approved);
    const release = await hold('checkout_sessions where id = $1', [session.sessionId]);
    const settled = (call: () => Promise<unknown>) => call().catch((error: unknown) => error);
    const payIt = () => settled(() => payWith(world, session, token));
    const calls: Promise<unknown>[] = [];
    for (const call of first === 'the payment'
      ? [payIt, () => forget(userId)]
      : [() => forget(userId), payIt]) {
      calls.push(call());
      await untilBlocked(world.url, calls.length);
    }
    await release();
    const [one, two] = await Promise.all(calls);
    const [forgetting, paying] = first === 'the payment' ? [two, one] : [one, two];
    expect(forgetting).toMatchObject({ statusCode: 200 });
    const { status, email: left } = await sessionNow(session.sessionId);
    expect(left).toBeNull();
    // Whoever paid has paid; whoever came too late is told so.
    if (status === 'completed') expect(paying).toMatchObject({ status: 200 });
    else expect(paying).toBeInstanceOf(Refusal);
    expect(status).toBe(first === 'the payment' ? 'completed' : 'expired');
  });

  it('a session of a buyer without a row, which waits for nothing, is found after it', async () => {
    const stranger = newId();
    await pay(world, await aSession(world, { userId: stranger, captureMethod: 'automatic' }));
    await copyEveryPayment(world);
    const query = `email=${encodeURIComponent(buyer)}`;
    const view = await ask('POST /v1/views', { list: 'payments', name: 'Of nobody', query });
    const release = await hold('views where id = $1', [view.json().id]);
    const forgetting = forget(stranger);
    await untilBlocked(world.url);
    const late = await aSession(world, { userId: stranger });
    await release();
    expect((await forgetting).statusCode, (await forgetting).body).toBe(200);
    expect(await sessionNow(late.sessionId)).toMatchObject({ status: 'expired', email: null });
  });
});
