// A reference whose money is held, taken or in doubt, or whose order cost nothing, names no second session. Contract §3,
// Reference.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { aClient, aGateway, aProduct, aToken, callAs, newId } from '../../../test/harness.ts';
import { raceFor, untilBlocked } from '../../../test/held-row.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';
import type { Database } from '../../storage/database/database.ts';
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

type Given = Parameters<typeof aSession>[1];
type Paid = { sessionId: string; paymentId: string };

async function aPaid(given: Given & { reference: string }): Promise<Paid> {
  const session = await aSession(world, given);
  const { body } = (await pay(world, session)) as { body: { paymentId: string } };
  return { sessionId: session.sessionId, paymentId: body.paymentId };
}

/** Refused, also with `replaces`, by the ids of what has the reference. */
async function expectTaken(reference: string, { paymentId, sessionId }: Paid, states: string[]) {
  const [state, sessionState] = states;
  for (const replaces of [false, true]) {
    await expect(aSession(world, { reference, replaces })).rejects.toMatchObject({
      code: 'checkout_session_reference_taken',
      facts: {
        param: 'reference',
        message: expect.stringContaining(paymentId),
        errors: [
          { path: 'reference', code: 'payment', id: paymentId, state },
          { path: 'reference', code: 'checkout_session', id: sessionId, state: sessionState },
        ],
      },
    });
  }
}

async function move(paymentId: string, call: string, body: object = {}) {
  const path = `${call.replace(' ', ` /v1/payments/${paymentId}/`)}` as `POST /${string}`;
  const headers = { 'idempotency-key': newId() };
  const answer = await callAs(server.app, world.token, path, { body, headers });
  expect(answer.statusCode).toBeLessThan(300);
}

const nowPaid = sql<{ paid: number; open: number }>(
  'test_paid_and_open',
  `select (select count(*)::int from payments
       where reference = $1 and type = 'purchase' and status = 'succeeded') as paid,
     (select count(*)::int from checkout_sessions where reference = $1 and status = 'open') as open`,
);

describe('the reference of an order that is held, taken or in doubt', () => {
  it('409 checkout_session_reference_taken: while held; after the cancellation it is free', async () => {
    const reference = `P-${newId()}`;
    const held = await aPaid({ reference, captureMethod: 'manual' });
    await expectTaken(reference, held, ['authorized', 'authorized']);
    await move(held.paymentId, 'PUT cancel');
    expect(await aSession(world, { reference })).toBeDefined();
  });

  it('captured, and refunded in part; free once all of it is given back', async () => {
    const reference = `P-${newId()}`;
    const held = await aPaid({ reference, captureMethod: 'manual' });
    await move(held.paymentId, 'PUT capture');
    await expectTaken(reference, held, ['succeeded', 'authorized']);
    await move(held.paymentId, 'POST refunds', { amount: 5 });
    await expectTaken(reference, held, ['partially_refunded', 'authorized']);
    await move(held.paymentId, 'POST refunds');
    const again = await aPaid({ reference, captureMethod: 'automatic' });
    await expectTaken(reference, again, ['succeeded', 'completed']);
  });

  it('in doubt: nobody knows yet whether the money is taken', async () => {
    const reference = `P-${newId()}`;
    const held = await aPaid({ reference, captureMethod: 'manual' });
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_reply', { count: 99 });
    await world.fault({ path: '/v1/payment_intents/*', method: 'GET' }, 'error_500', { count: 99 });
    const call = `PUT /v1/payments/${held.paymentId}/capture` as const;
    const headers = { 'idempotency-key': newId() };
    await callAs(server.app, world.token, call, { body: {}, headers });
    await world.control('DELETE', '/_control/faults');
    const read = `GET /v1/payments/${held.paymentId}` as const;
    const { status } = (await callAs(server.app, world.token, read)).json();
    expect(status).toBe('unknown');
    await expectTaken(reference, held, ['unknown', 'authorized']);
  });

  it('declined, the order may still be paid by a session that replaces its own', async () => {
    const reference = `P-${newId()}`;
    await pay(world, await aSession(world, { reference }), cards.declined).catch(() => undefined);
    expect(await aSession(world, { reference, replaces: true })).toBeDefined();
  });

  it('of another merchant it is another reference', async () => {
    const reference = `P-${newId()}`;
    await aPaid({ reference });
    const client = await aClient(world.database);
    const token = await aToken(world.database, client);
    await aGateway(world.database, client);
    await aProduct(world.database, client, { code: 'mug', name: 'Mug', prices: { EUR: 1990 } });
    expect(await aSession({ ...world, client, token }, { reference })).toBeDefined();
  });
});

describe('creates beside what settles', () => {
  it('a create that waits for the settlement of the first one sees the money it took', async () => {
    const reference = `P-${newId()}`;
    const first = await aSession(world, { reference, captureMethod: 'automatic' });
    await world.fault({ path: '/v1/payment_intents', method: 'POST' }, 'slow', { delayMs: 700 });
    const paying = pay(world, first);
    const at = `GET /v1/checkout-sessions/${first.sessionId}` as const;
    const status = async () => (await callAs(server.app, world.token, at)).json().status;
    await expect.poll(status, { interval: 10 }).toBe('processing');
    const lock = 'select from checkout_sessions where id = $1 for update';
    const created = async () => {
      await untilBlocked(world.url);
      return aSession(world, { reference, replaces: true }).catch((error) => error.facts.errors);
    };
    const race = { lock, values: [first.sessionId], waiting: 2 };
    const [, errors] = await raceFor<unknown>(world.url, race, () => [paying, created()]);
    expect(errors).toMatchObject([
      { code: 'payment', state: 'succeeded' },
      { id: first.sessionId },
    ]);
  });

  it('ten creates beside each payment: paid or open, never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const reference = `P-${newId()}`;
      const first = await aSession(world, { reference, captureMethod: 'automatic' });
      const creates = Array.from({ length: 10 }, (_, index) =>
        aSession(world, { reference, replaces: index % 2 === 0 }),
      );
      await Promise.allSettled([pay(world, first), ...creates]);
      const [now] = await world.database.read(nowPaid, [reference]);
      expect((now?.paid ?? 0) + (now?.open ?? 0)).toBe(1);
    }
  });

  it('creates beside the refund of all: one session at most, and only of what was given back', async () => {
    const reference = `P-${newId()}`;
    const { paymentId } = await aPaid({ reference, captureMethod: 'automatic' });
    const creates = Array.from({ length: 5 }, () => aSession(world, { reference }));
    await Promise.allSettled([move(paymentId, 'POST refunds'), ...creates]);
    await aSession(world, { reference, replaces: true });
    const [now] = await world.database.read(nowPaid, [reference]);
    expect(now).toEqual({ paid: 0, open: 1 });
  });
});

describe('the reference of an order that cost nothing', () => {
  const free = sql<{ id: string; status: string }>(
    'test_free_of_reference',
    'select id, status from checkout_sessions where reference = $1 order by created_at',
  );
  const sessionsOf = (reference: string) => world.database.read(free, [reference]);

  async function create(reference: string, more: object = {}) {
    const body = {
      ...{ clientId: world.client.id, currency: 'EUR', reference },
      products: [{ name: 'A gift', quantity: 1, amount: 0 }],
      accountData: { userId: newId(), email: 'gift@example.com' },
      ...more,
    };
    const answer = await callAs(server.app, world.token, 'POST /v1/checkouts/sessions', { body });
    return { status: answer.statusCode, body: answer.body === '' ? {} : answer.json() };
  }

  async function withCard(): Promise<{ userId: string; email: string }> {
    const { userId } = await vouchedSession(world);
    await aSavedCard(world, { userId });
    return { userId, email: 'gift@example.com' };
  }

  /** Refused, also with `replaces` and at a price, by the id of the session that has it. */
  async function expectFreeTaken(reference: string) {
    const [{ id } = { id: '' }] = await sessionsOf(reference);
    const products = [{ code: 'mug', quantity: 1 }];
    for (const more of [{}, { replaces: true }, { replaces: true, products }]) {
      const { status, body } = await create(reference, more);
      expect(status).toBe(409);
      expect(body.code).toBe('checkout_session_reference_taken');
      expect(body.errors).toMatchObject([{ code: 'checkout_session', id, state: 'completed' }]);
    }
    expect(await sessionsOf(reference)).toEqual([{ id, status: 'completed' }]);
  }

  const complete = ({ id, nonce, accountData }: Record<string, object>) =>
    server.app.inject({
      method: 'POST',
      url: `/v1/checkouts/sessions/${id}/process`,
      headers: {
        'x-checkout-session-token': String(nonce),
        'x-user-id': (accountData as { userId: string }).userId,
      },
      payload: { sessionId: id, accountData },
    });

  it('409 checkout_session_reference_taken: completed by create, with a card on file', async () => {
    const reference = `F-${newId()}`;
    const accountData = await withCard();
    expect(await create(reference, { accountData })).toMatchObject({ status: 204 });
    await expectFreeTaken(reference);
    expect(await create(reference, { accountData })).toMatchObject({ status: 409 });
    expect(await sessionsOf(reference)).toHaveLength(1);
  });

  it('completed by its page, and by a coupon that takes off everything', async () => {
    const code = await aStoredCoupon(world.database, world.client, {
      percentOffBasisPoints: 10_000,
    });
    const coupon = { products: [{ code: 'mug', quantity: 1 }], couponCodes: [code] };
    for (const more of [{}, coupon]) {
      const reference = `F-${newId()}`;
      const { body } = await create(reference, more);
      expect((await complete(body)).statusCode).toBe(200);
      await expectFreeTaken(reference);
      expect((await complete(body)).json()).toMatchObject({ type: 'success' });
    }
  });

  it('ten creates at once, with and without replaces: one order', async () => {
    const reference = `F-${newId()}`;
    const accountData = await withCard();
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        create(reference, { accountData, replaces: index % 2 === 0 }),
      ),
    );
    expect(all.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(all.filter(({ status }) => status !== 204 && status !== 409)).toEqual([]);
    expect(await sessionsOf(reference)).toHaveLength(1);
  });

  it('a create that waits for the completion of the first one makes nothing', async () => {
    const reference = `F-${newId()}`;
    const { body } = await create(reference);
    const lock = 'select from checkout_sessions where id = $1 for update';
    const created = async () => {
      await untilBlocked(world.url);
      return (await create(reference, { replaces: true })).status;
    };
    const race = { lock, values: [body.id], waiting: 2 };
    const completed = async () => (await complete(body)).statusCode;
    const statuses = await raceFor<number>(world.url, race, () => [completed(), created()]);
    expect(statuses).toEqual([200, 409]);
    await expectFreeTaken(reference);
  });
});

describe('what a create asks the database', () => {
  it('three statements more with a reference, none without', async () => {
    const sent: string[] = [];
    const { database } = world;
    const watched: Database = {
      ...database,
      transaction: (scope, work, settings) =>
        database.transaction(
          scope,
          (tx) =>
            work({
              ...tx,
              query: (query, values) => {
                sent.push(query.name);
                return tx.query(query, values);
              },
            }),
          settings,
        ),
    };
    const at = { ...world, ports: { ...world.ports, database: watched } };
    await aSession(at, { metadata: {} });
    const without = sent.splice(0);
    await aSession(at, { reference: `P-${newId()}` });
    expect(sent.filter((name) => !without.includes(name))).toEqual([
      'sessions.take_reference',
      'sessions.lock_referenced',
      'sessions.find_reference_payment',
    ]);
    expect(sent).toHaveLength(without.length + 3);
  });
});
