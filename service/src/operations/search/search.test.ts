// GET /v1/search through the real route, over real payments.

import { randomUUID } from 'node:crypto';
import type { SearchResults } from '@svc/contract/dashboard/search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClub, subscriptionOf } from '../../../test/customers/subscriptions.ts';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestToken,
} from '../../../test/harness.ts';
import { aPurchase, deliverDisputeEvents, dispute } from '../../../test/payments/disputes.ts';
import {
  copyEveryPayment,
  fillPayments,
  startCopyAnew,
} from '../../../test/payments/listed-payments.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import { referenceOf } from '../../domain/payments/payment-reference.ts';
import { copyPayments } from '../../engine/runs/payments/copy-payments.ts';
import { sql } from '../../storage/database/sql.ts';
import { readCopyPercent } from '../../storage/payment-index/payment-projection.ts';

const rename = sql('test_search_rename', 'update customers set name = $2 where id = $1');

let world: World;
let server: TestServer;
let stranger: TestToken;
let sold: { paymentId: string; intent: string };
let disputeId: string;
let club: Awaited<ReturnType<typeof aClub>>;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  stranger = await aToken(world.database, await aClient(world.database));
  sold = await aPurchase(world);
  disputeId = await dispute(world, sold.intent);
  await deliverDisputeEvents(world, disputeId);
  const session = await aSession(world, {
    captureMethod: 'automatic',
    metadata: { order: '1007' },
  });
  await pay(world, session);
  club = await aClub(world);
  await world.database.write(rename, [club.userId, 'Ada Ström']);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const getResults = (q: string, as: TestToken = world.token, more = '') =>
  callAs(server.app, as, `GET /v1/search?q=${encodeURIComponent(q)}${more}`);

async function find(q: string, as?: TestToken): Promise<SearchResults> {
  const answer = await getResults(q, as);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}
const totalsByKind = (groups: readonly { by: string; total: number }[]) =>
  Object.fromEntries(groups.map((group) => [group.by, group.total]));

describe('getSearchResults', () => {
  it('finds a payment by whatever is known of it, and says which list shows the rest', async () => {
    for (const [q, meaning] of [
      [sold.paymentId.toUpperCase(), 'id'],
      [sold.intent, 'providerId'],
      [referenceOf(sold.paymentId).toLowerCase(), 'reference'],
    ] as const) {
      const { payments } = await find(q);
      // A chargeback has the intent of its purchase.
      expect(
        payments.map((group) => group.by),
        q,
      ).toEqual([meaning]);
      expect(
        payments[0]?.data.map(({ id }) => id),
        q,
      ).toContain(sold.paymentId);
      expect(payments[0]?.total, q).toBe(payments[0]?.data.length);
    }
    const { payments } = await find(' 4242 ');
    const group = payments.find((one) => one.by === 'lastFour');
    const listed = await callAs(server.app, world.token, `GET /v1/payments?${group?.filter}`);
    expect(listed.json().total).toBe(group?.total);
    expect(group?.total).toBeGreaterThan(2);
    const cut = (await getResults('4242', world.token, '&limit=2')).json<SearchResults>().payments;
    const first = cut.find((one) => one.by === 'lastFour');
    expect(first).toEqual({ ...group, data: group?.data.slice(0, 2) });
  });

  it('amounts, order numbers and products are looked for in one go', async () => {
    expect(totalsByKind((await find('€19,90')).payments).amount).toBeGreaterThan(1);
    expect(totalsByKind((await find('1007')).payments)).toEqual({ metadata: 1 });
    expect(totalsByKind((await find('club')).payments)).toEqual({ productCode: 1 });
  });

  it('finds customers by name and email, subscriptions and disputes by id', async () => {
    const named = await find('ada str');
    expect(named.customers).toMatchObject([{ by: 'name', total: 1, data: [{ id: club.userId }] }]);
    expect(totalsByKind(named.payments)).toEqual({ name: 1 });
    const email = named.customers[0]?.data[0]?.email ?? '';
    const [group] = (await find(email.toUpperCase().slice(0, -2))).customers;
    expect([group?.by, group?.data.map(({ id }) => id)]).toEqual([
      'email',
      expect.arrayContaining([club.userId]),
    ]);
    const { id } = await subscriptionOf(world, club.id);
    expect((await find(id)).subscriptions).toMatchObject([{ by: 'id', data: [{ id }] }]);
    const { disputes } = await find(disputeId);
    expect(disputes).toMatchObject([{ data: [{ paymentId: sold.paymentId }] }]);
  });

  it.each(['Ström', 'strom', 'STRÖ', 'ada strom', '  strö '])(
    'finds a customer called Ada Ström by %o',
    async (q) => {
      const found = await find(q);
      expect(found.customers).toMatchObject([{ by: 'name', data: [{ id: club.userId }] }]);
      expect(totalsByKind(found.payments)).toEqual({ name: 1 });
    },
  );

  it('a name that was changed is found by its new words only', async () => {
    await world.database.write(rename, [club.userId, 'Émile Zoë Sanz']);
    expect((await find('ström')).customers).toEqual([]);
    for (const q of ['emile', 'zoe s', 'sanz'])
      expect((await find(q)).customers, q).toHaveLength(1);
    await world.database.write(rename, [club.userId, 'Ada Ström']);
    expect((await find('sanz')).customers).toEqual([]);
  });

  it('takes a word for the beginning of an email, and a UUID for an order’s number', async () => {
    const { customers } = await find('ada');
    const [local = ''] = (customers[0]?.data[0]?.email ?? '').split('@');
    const ofEmail = (await find(local)).customers.filter(({ by }) => by === 'email');
    expect(ofEmail[0]?.data.map(({ id }) => id)).toContain(club.userId);
    const order = randomUUID();
    const session = await aSession(world, { captureMethod: 'automatic', metadata: { order } });
    await pay(world, session);
    expect(totalsByKind((await find(order)).payments)).toEqual({ metadata: 1 });
  });

  it.each(['Ström Ada', 'str ada', 'ADA, ström', 'a ström'])('finds Ada Ström by %o', async (q) => {
    const found = await find(q);
    const ofName = found.customers.filter(({ by }) => by === 'name');
    expect(ofName).toMatchObject([{ total: 1, data: [{ id: club.userId }] }]);
    expect((await find('ada stram')).customers).toEqual([]);
    expect((await find(`${q} nobody`)).customers).toEqual([]);
  });

  it('joins several words by AND: card, amount, day, time, name and product', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const all = await callAs(server.app, world.token, 'GET /v1/payments?limit=100');
    const isMug = ({ amount, type }: { amount: number; type: string }) =>
      amount === 19.9 && type === 'purchase';
    const mugs = all.json().data.filter(isMug).length;
    for (const [q, words, total] of [
      ['4242 24', 'card ending in 4242, amount 24', 1],
      ['24.00 visa 4242', 'amount 24.00, visa card ending in 4242', 1],
      [`${today} ström ada`, undefined, 1],
      ['ada 24 succeeded', 'amount 24, succeeded, name ada', 1],
      // The product with the code `club` is called `A mug`.
      ['mug succeeded', 'succeeded, product A mug', 1],
      ['19.90 purchase today', undefined, undefined],
      [`19.90 disputed`, 'amount 19.90, disputed', undefined],
      ['4242 24.01', 'card ending in 4242, amount 24.01', 0],
      ['24 failed', 'amount 24, failed', 0],
      ['24 yesterday', undefined, 0],
    ] as const) {
      const { payments, understood } = await find(q);
      const group = payments.find(({ by, words: own }) =>
        words ? own === words : by === 'several',
      );
      if (words) expect(understood, q).toContain(words);
      if (total !== undefined) expect(group?.total ?? 0, q).toBe(total);
      if (!group) continue;
      const listed = await callAs(server.app, world.token, `GET /v1/payments?${group.filter}`);
      expect(listed.json().total, q).toBe(group.total);
    }
    expect(mugs).toBeGreaterThan(1);
    const { disputes } = await find('dispute 19.90');
    expect(disputes).toMatchObject([
      { data: [{ providerDisputeId: disputeId, customerEmail: expect.any(String) }] },
    ]);
  });

  it('reads days in the merchant’s time zone', async () => {
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Niue', 'UTC']) {
      const patched = { body: { timeZone } };
      expect((await callAs(server.app, world.token, 'PATCH /v1/client', patched)).statusCode).toBe(
        200,
      );
      const day = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date());
      const { payments } = await find('today');
      const [found] = payments.filter(({ by }) => by === 'day');
      expect(found?.words).toContain(timeZone);
      expect(found?.total).toBeGreaterThan(2);
      const [same] = (await find(day)).payments.filter(({ by }) => by === 'day');
      expect(same?.filter).toBe(found?.filter);
    }
  });

  it('nothing of another merchant is found, whatever is asked', async () => {
    const nothing = { payments: [], customers: [], disputes: [], subscriptions: [] };
    const understood = expect.any(Array);
    for (const q of [sold.paymentId, sold.intent, '4242', 'ada', '1007', disputeId, club.id]) {
      expect(await find(q, stranger), q).toEqual({ query: q, understood, ...nothing });
    }
  });

  it('what the token has no scope for is left out', async () => {
    const scopes = ['payments:read'];
    const scoped = await aToken(world.database, world.client, { scopes });
    const found = await find('ada', scoped);
    expect([found.customers, totalsByKind(found.payments)]).toEqual([[], {}]);
    const other = await aToken(world.database, world.client, { scopes: ['customers:read'] });
    expect((await getResults('ada', other)).json().code).toBe('insufficient_scope');
  });

  it('400 raw_card_data_forbidden: a full card number', async () => {
    for (const q of ['4242 4242 4242 4242', '4242424242424242', 'card 4242-4242-4242-4242']) {
      const answer = await getResults(q);
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'raw_card_data_forbidden']);
      expect(answer.json().message).toContain('last four digits');
    }
  });

  it('400 invalid_query: nothing to look for, too much, an unknown parameter', async () => {
    for (const query of [
      'q=',
      'q=%20',
      `q=${'x'.repeat(321)}`,
      'limit=4',
      'q=a&limit=21',
      'q=a&x=1',
    ]) {
      const answer = await callAs(server.app, world.token, `GET /v1/search?${query}`);
      expect([answer.statusCode, answer.json().code], query).toEqual([400, 'invalid_query']);
    }
  });
});

describe('while the copy of the payments is being made', () => {
  it('503 search_being_prepared: where the payments are too many without it, with how far it is', async () => {
    const own = await freshDatabase();
    const preparing = await aServer(portsFor(own.database));
    const client = await aClient(own.database);
    const token = await aToken(own.database, client);
    try {
      await fillPayments(own.database, client, 'prepared');
      await startCopyAnew(own.database);
      // A pass that finds changes, of as early as the oldest transaction of the server, copies those first.
      while ((await readCopyPercent(own.database)) === 0) await copyPayments(own, { step: 10 });
      const ask = (path: string) => callAs(preparing.app, token, `GET /v1/${path}`);
      // A small merchant is answered all the same.
      expect((await ask('search?q=4242')).statusCode).toBe(200);
      const paths = ['search?q=4242', 'payments?status[eq]=failed', 'payments/totals'];
      await plantInDatabase(own.ownerUrl, async (plant) => {
        await plant('analyze payments');
        await plant('begin');
        await plant('lock table payments in access exclusive mode');
        for (const path of paths) {
          const answer = await ask(path);
          expect([path, answer.statusCode, answer.headers['retry-after']]).toEqual([
            path,
            503,
            '5',
          ]);
          // 10 of 23.
          expect(answer.json(), path).toMatchObject({
            ...{ code: 'search_being_prepared', preparedPercent: 43, retryable: true },
            message: expect.stringContaining('Nothing was changed.'),
          });
        }
        // What the copy would not answer either is not said to come.
        const plain = await ask('payments');
        expect([plain.statusCode, plain.json().code]).toEqual([503, 'service_unavailable']);
        expect(plain.json().message).toBe(
          'The service cannot answer now. Nothing was changed: repeat the call.',
        );
        await plant('rollback');
      });
      await copyEveryPayment(own);
      for (const path of paths) expect((await ask(path)).statusCode, path).toBe(200);
    } finally {
      await preparing.close();
      await own.close();
    }
  });
});
