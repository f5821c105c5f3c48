// Forgetting a customer: nothing in the whole database tells any more who it was, and no sum changes.

import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aKnownPerson,
  type Known,
  person,
  searchEverywhere,
} from '../../../test/customers/forgotten.ts';
import { aClient, aToken, callAs, type TestToken } from '../../../test/harness.ts';
import { deliverDisputeEvents, dispute } from '../../../test/payments/disputes.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { forgottenTables } from '../../domain/people/forgotten-tables.ts';
import { runAudit } from '../../engine/runs/audit/run-audit.ts';
import { previewForgetting } from '../../engine/runs/customers/forget-customer.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let server: TestServer;
let known: Known;
let rivals: TestToken;
let places: readonly string[];
let before: Awaited<ReturnType<typeof look>>;
let eventsBefore: readonly Stored[];
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  rivals = await aToken(world.database, await aClient(world.database));
  known = await aKnownPerson(world, server);
  places = await searchEverywhere(world);
  before = await look();
  eventsBefore = await events();
}, scaled(60_000));
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const ask = (call: string, body?: object, as: TestToken = world.token) =>
  callAs(server.app, as, call as 'GET /', body ? { body } : {});
const forget = (as?: TestToken) => ask(`POST /v1/customers/${known.userId}/forget`, undefined, as);

const sums = sql<Record<string, string>>(
  'test_forgotten_sums',
  `select currency, type, status, count(*)::text as n, sum(amount_minor)::text as amount,
     sum(captured_minor)::text as captured, sum(refunded_minor)::text as refunded,
     sum(fee_minor)::text as fee, sum(net_minor)::text as net
   from payments group by 1, 2, 3 order by 1, 2, 3`,
);
const ids = sql<{ id: string }>(
  'test_forgotten_ids',
  `select id::text || amount_minor || coalesce(gateway_charge_id, '') || created_at
     || coalesce(captured_at::text, '') || coalesce(financial_effective_at::text, '') as id
   from payments order by 1`,
);

async function look() {
  const totals = (await ask('GET /v1/payments/totals')).json();
  const { violations } = await audit();
  return {
    totals,
    sums: await world.database.read(sums, []),
    ids: await world.database.read(ids, []),
    violations,
  };
}

async function audit() {
  const { results } = await runAudit({ url: world.url });
  return { violations: results.filter((each) => each.violations).map(({ rule }) => rule) };
}

type Stored = { readonly id: string; readonly type: string; readonly text: string };
const allEvents = sql<Stored>(
  'test_forgotten_events',
  `select id::text, type, payload as text from events order by id`,
);
const events = () => world.database.read(allEvents, []);

describe('forgetCustomer', () => {
  it('the search finds what was told of the person where it is stored', () => {
    expect(places).toEqual(
      expect.arrayContaining(
        [
          ...['audit_entries.after', 'buyer_mails.recipient_masked', 'checkout_sessions.email'],
          ...['checkout_sessions.metadata', 'checkout_sessions.success_url'],
          ...['checkout_sessions.locale', 'customers.email'],
          ...['customer_addresses.email', 'customer_addresses.former_email'],
          ...['customer_page_links.return_url', 'customer_words.word', 'customers.metadata'],
          ...['customers.name', 'events.payload', 'mails.recipient', 'notes.text', 'payments.card'],
          'exports.filters',
          ...['payment_index.email', 'payment_index.last_four', 'payment_methods.last_four'],
          ...['payment_operations.response_body', 'payment_words.word', 'payments.email'],
          ...['payments.metadata', 'subscriptions.metadata', 'unknown_money.email', 'views.query'],
          ...['webhook_attempts.response_excerpt', 'webhook_tester_requests.body'],
        ].map((place) => `public.${place}`),
      ),
    );
    expect(places).toContain('vault.card_tokens.last_four');
    expect(before.violations).toEqual([]);
  });

  it('counts the rows of every table that it changes, each with its words', async () => {
    const wanted = { clientId: world.client.id, userId: known.userId };
    const counted = await previewForgetting(wanted, world.ports);
    if (counted.kind !== 'forgotten') throw new Error(counted.kind);
    const names = Object.keys(counted.blanked);
    const changed = places.filter((place) => place.startsWith('public.'));
    // Saved cards are removed before, and counted apart.
    expect([...names, 'payment_methods']).toEqual(
      expect.arrayContaining([...new Set(changed.map((place) => place.split('.')[1]))]),
    );
    expect(Object.keys(forgottenTables)).toEqual(expect.arrayContaining(names));
    expect(await look()).toEqual(before);
  });

  it('200: no column of the database has a word of the person; ids, amounts and times are as they were', async () => {
    const answer = await forget();
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({
      id: known.userId,
      email: '',
      name: null,
      country: 'CH',
      metadata: {},
      defaultPaymentMethodId: null,
      forgottenAt: expect.any(String),
    });
    const left = await searchEverywhere(world);
    // The card that was typed and never sent: the vault deletes it within a day.
    expect(left.filter((place) => !place.startsWith('vault.'))).toEqual([]);
    expect(await look()).toEqual(before);
    await copyEveryPayment(world);
    expect((await searchEverywhere(world)).filter((place) => !place.startsWith('vault.'))).toEqual(
      [],
    );
    expect(await look()).toEqual(before);
  });

  it('earlier events have the same id, type, amounts and order of fields, and blanks', async () => {
    const now = new Map((await events()).map((event) => [event.id, event]));
    for (const event of eventsBefore) {
      const read = now.get(event.id);
      expect(read?.type).toBe(event.type);
      expect(keysOf(read?.text)).toEqual(keysOf(event.text));
      expect(numbersOf(read?.text)).toEqual(numbersOf(event.text));
    }
  });

  it('Contract §7 customer.forgotten: once, with the id alone; to forget again answers the same', async () => {
    const first = await forget();
    const second = await forget();
    expect(second.json()).toEqual(first.json());
    const told = (await events()).filter(({ type }) => type === 'customer.forgotten');
    expect(told.map(({ text }) => JSON.parse(text).data)).toEqual([
      { object: { id: known.userId, object: 'customer', forgottenAt: first.json().forgottenAt } },
    ]);
    const entries = (await ask('GET /v1/audit-entries?action[eq]=customer.forgotten')).json();
    expect(entries.data).toHaveLength(1);
  });

  it('is found by no word of the person, and is there by its id', async () => {
    for (const query of ['Ada Augusta', person.email, person.word, '4444']) {
      const found = await ask(`GET /v1/search?q=${encodeURIComponent(query)}`);
      expect(JSON.stringify(found.json()), query).not.toContain(known.userId);
      expect(JSON.stringify(found.json()), query).not.toContain(known.paymentId);
    }
    for (const filter of ['email[startsWith]=ada', 'name[startsWith]=ada']) {
      expect((await ask(`GET /v1/customers?${filter}`)).json().total, filter).toBe(0);
    }
    expect((await ask(`GET /v1/customers/${known.userId}`)).json()).toMatchObject({ email: '' });
    const payment = (await ask(`GET /v1/payments/${known.paymentId}`)).json();
    expect(payment).toMatchObject({
      email: null,
      metadata: {},
      userId: known.userId,
      amount: 19.9,
      paymentMethod: { type: 'card', brand: null, lastFour: null, expiryMonth: null },
    });
  });

  it('a later refund, a late notice and a second dispute do not bring the person back', async () => {
    const refund = await callAs(
      server.app,
      world.token,
      `POST /v1/payments/${known.paymentId}/refunds`,
      { body: { amount: 2 }, headers: { 'idempotency-key': 'after-forgetting' } },
    );
    expect(refund.statusCode, refund.body).toBe(201);
    const again = await dispute(world, known.intent, { amount: 100 });
    await deliverDisputeEvents(world, again);
    await copyEveryPayment(world);
    expect((await searchEverywhere(world)).filter((place) => !place.startsWith('vault.'))).toEqual(
      [],
    );
    expect((await audit()).violations).toEqual([]);
  });

  it('409 customer_forgotten: nothing begins for the id any more', async () => {
    const { userId } = known;
    const refused = { statusCode: 409, code: 'customer_forgotten' };
    const session = {
      clientId: world.client.id,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      accountData: { userId, email: person.email },
    };
    const answers = [
      ask('POST /v1/checkouts/sessions', session),
      callAs(server.app, null, 'POST /v1/checkouts/sessions', { body: session }),
      ask('POST /v1/customers', { id: userId, email: person.email }),
      ask(`PATCH /v1/customers/${userId}`, { name: 'Ada' }),
      ask(`PATCH /v1/customers/${userId}`, { defaultPaymentMethodId: null, name: 'Ada' }),
      ask('POST /v1/checkouts/sessions/setup', { userId }),
      ask(`POST /v1/customers/${userId}/page-links`, {}),
    ];
    for (const answer of await Promise.all(answers)) {
      const { statusCode } = answer;
      expect({ statusCode, code: answer.json().code }, answer.body).toEqual(refused);
    }
  });

  it('404 customer_not_found: unknown, and another merchant’s alike', async () => {
    const answer = await forget(rivals);
    expect(answer.json()).toMatchObject({ status: 404, code: 'customer_not_found' });
  });
});

type Json = Readonly<Record<string, unknown>>;
/** The names of fields in their order, without those inside metadata. */
function keysOf(text = '{}'): string[] {
  const keys: string[] = [];
  JSON.parse(text, function reviver(this: Json, key, value) {
    keys.push(key);
    return value;
  });
  return keys.filter((key) => key !== 'secret');
}
/** Every number but those of a card's expiry. */
function numbersOf(text = '{}'): unknown[] {
  const numbers: unknown[] = [];
  JSON.parse(text, (key, value) => {
    if (typeof value === 'number' && !key.startsWith('expiry')) numbers.push(`${key} ${value}`);
    return value;
  });
  return numbers;
}
