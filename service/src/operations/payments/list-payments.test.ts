import { randomBytes } from 'node:crypto';
import type { rows } from '@svc/contract';
import type { Filter, InputOf } from '@svc/contract/rows/row';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aClient,
  aGateway,
  aToken,
  callerOf,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import {
  aStoredPayment,
  aStoredSession,
  type StoredSession,
} from '../../../test/payments/stored-rows.ts';
import type { Refusal } from '../../domain/protocol/refusal.ts';
import { refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { getPayment } from './get-payment.ts';
import { listPayments } from './list-payments.ts';

let db: TestDatabase;
let ports: Ports;
let shop: Awaited<ReturnType<typeof aShop>>;
let rival: Awaited<ReturnType<typeof aShop>>;

async function aShop() {
  const client = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  const session = await aStoredSession(db.database, client, { gateway, email: 'Ada@example.test' });
  const other = await aStoredSession(db.database, client, { gateway, email: 'Ada@example.test' });
  const shell = await aStoredSession(db.database, client, { gateway, email: null });
  const pay = (sessionId: string | null, email: string | null) =>
    aStoredPayment(db.database, client, { gateway, sessionId, email });
  const declined = await pay(session.id, 'Ada@example.test');
  const paid = await pay(session.id, 'Ada@example.test');
  const strays = [
    await pay(other.id, 'Ada@example.test'),
    await pay(null, 'Ada@example.test'),
    await pay(session.id, 'eve@example.test'),
    await pay(session.id, null),
  ];
  const token: TestToken = await aToken(db.database, client);
  return { client, session, other, shell, paid, declined, strays, token };
}

beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  shop = await aShop();
  rival = await aShop();
});
afterAll(() => db.close());

type Input = InputOf<typeof rows.listPayments>;
const request = async (caller: Caller, given: Partial<Input> = {}) => {
  const input: Input = {
    page: 1,
    limit: 20,
    sortField: 'createdAt',
    sortDirection: 'DESC',
    filters: [],
    ...given,
  };
  const answer = await listPayments(input, caller, ports, refuse);
  if (!('body' in answer)) throw new Error('a list has a body');
  return answer.body;
};
const asBuyer = (session: Pick<StoredSession, 'nonceSha256'>): Caller => ({
  kind: 'session',
  nonceSha256: session.nonceSha256,
  requestId: 'req_test',
  origin: null,
});
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: Refusal) => error.code,
  );
const empty = { data: [], page: 1, limit: 20, total: 0, nextCursor: null };

describe('listPayments by a browser', () => {
  test("only the ids of that session's payments with the claimed email, newest first", async () => {
    const page = await request(asBuyer(shop.session));
    // Stored in one instant, so the ids decide.
    const wanted = [shop.paid.id, shop.declined.id].map((id) => ({ id }));
    expect(page).toEqual({ ...empty, data: wanted, total: 2 });
  });

  test('email and sessionId that agree change nothing, the case of the email neither', async () => {
    const page = await request(asBuyer(shop.session));
    for (const email of ['Ada@example.test', 'ada@EXAMPLE.test']) {
      expect(await request(asBuyer(shop.session), { email })).toEqual(page);
    }
    const sessionId = shop.session.id.toUpperCase();
    expect(await request(asBuyer(shop.session), { sessionId })).toEqual(page);
  });

  test('any other email gives the same empty page, whether it has paid or not', async () => {
    for (const email of ['eve@example.test', 'nobody@example.test', '', '%', 'Ada@example.test ']) {
      expect(await request(asBuyer(shop.session), { email })).toEqual(empty);
    }
  });

  test('an unclaimed session has an empty page, with and without an email', async () => {
    expect(await request(asBuyer(shop.shell))).toEqual(empty);
    expect(await request(asBuyer(shop.shell), { email: 'Ada@example.test' })).toEqual(empty);
  });

  test('filters narrow the page and never widen it', async () => {
    const filters = (...given: Filter[]) => ({ filters: given });
    const equalsFilter = (field: string, value: string): Filter => ({
      field,
      op: 'eq',
      values: [value],
    });
    const one = await request(asBuyer(shop.session), filters(equalsFilter('id', shop.paid.id)));
    expect([one.data, one.total]).toEqual([[{ id: shop.paid.id }], 1]);
    for (const stray of [...shop.strays, rival.paid]) {
      expect(await request(asBuyer(shop.session), filters(equalsFilter('id', stray.id)))).toEqual(
        empty,
      );
    }
    const ne: Filter = { field: 'email', op: 'ne', values: ['Ada@example.test'] };
    expect(await request(asBuyer(shop.session), filters(ne))).toEqual(empty);
    expect(
      await request(asBuyer(shop.session), filters(equalsFilter('sessionId', shop.other.id))),
    ).toEqual(empty);
  });

  test('pages and cursors work; a cursor of another session is refused', async () => {
    const first = await request(asBuyer(shop.session), { limit: 1 });
    expect([first.data, first.total]).toEqual([[{ id: shop.paid.id }], 2]);
    const cursor = first.nextCursor ?? '';
    const second = await request(asBuyer(shop.session), { limit: 1, cursor });
    expect([second.data, second.nextCursor]).toEqual([[{ id: shop.declined.id }], null]);
    const third = await request(asBuyer(shop.session), { limit: 1, page: 3 });
    expect([third.data, third.total]).toEqual([[], 2]);
    expect(await codeOf(request(asBuyer(shop.other), { cursor }))).toBe('invalid_query');
  });

  test('404 checkout_session_not_found: unknown nonce and any session but its own, alike', async () => {
    const unknown = asBuyer({ nonceSha256: randomBytes(32) });
    expect(await codeOf(request(unknown))).toBe('checkout_session_not_found');
    expect(await codeOf(request(unknown, { sessionId: shop.session.id }))).toBe(
      'checkout_session_not_found',
    );
    for (const sessionId of [shop.other.id, rival.session.id, newId()]) {
      expect(await codeOf(request(asBuyer(shop.session), { sessionId }))).toBe(
        'checkout_session_not_found',
      );
    }
  });
});

describe('listPayments by a merchant', () => {
  test('every payment with all its fields', async () => {
    const page = await request(callerOf(shop.token));
    const stored = [shop.paid, shop.declined, ...shop.strays];
    expect(page.data.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort());
    expect(page.total).toBe(stored.length);
    const read = await getPayment({ paymentId: shop.paid.id }, callerOf(shop.token), ports, refuse);
    const shown = { customerName: null, balance: null, shortReference: expect.any(String) };
    expect(page.data.find(({ id }) => id === shop.paid.id)).toEqual({
      ...('body' in read && read.body),
      ...shown,
    });
  });

  test('email= and sessionId= are short for [eq], and giving both is refused', async () => {
    const eq = (field: string, value: string): Filter => ({ field, op: 'eq', values: [value] });
    const email = 'Ada@example.test';
    const short = await request(callerOf(shop.token), { email });
    expect(short.total).toBe(4);
    expect(await request(callerOf(shop.token), { filters: [eq('email', email)] })).toEqual(short);
    const ofSession = await request(callerOf(shop.token), { email, sessionId: shop.session.id });
    expect(ofSession.data.map(({ id }) => id)).toEqual([shop.paid.id, shop.declined.id]);
    const twice = request(callerOf(shop.token), { email, filters: [eq('email', email)] });
    expect(await codeOf(twice)).toBe('invalid_query');
  });

  test('a foreign session or email is as empty as one that does not exist', async () => {
    for (const sessionId of [rival.session.id, newId()]) {
      expect(await request(callerOf(shop.token), { sessionId })).toEqual(empty);
    }
  });
});

describe('getPayment', () => {
  const readPayment = (paymentId: string) =>
    getPayment({ paymentId }, callerOf(shop.token), ports, refuse);

  test('200: one payment, in either case of its id', async () => {
    for (const id of [shop.paid.id, shop.paid.id.toUpperCase()]) {
      expect(await readPayment(id)).toMatchObject({
        status: 200,
        body: { id: shop.paid.id, object: 'payment', amount: 19.9, sessionId: shop.session.id },
      });
    }
  });

  test('404 payment_not_found: missing and foreign alike', async () => {
    const errors = await Promise.all(
      [newId(), rival.paid.id].map((id) => readPayment(id).catch((error: Refusal) => error)),
    );
    const [missing, foreign] = errors.map((error) => ({ ...(error as Refusal) }));
    expect(missing).toMatchObject({ code: 'payment_not_found' });
    expect(foreign).toEqual(missing);
  });
});
