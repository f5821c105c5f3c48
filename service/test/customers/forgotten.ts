// A buyer of whom every table of a merchant knows something, and a search through the whole database for what tells
// who that was.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sql } from '../../src/storage/database/sql.ts';
import { insertWebhookEndpoint } from '../../src/storage/webhooks/webhook-endpoints.ts';
import { callAs, newId, type TestToken } from '../harness.ts';
import { deliverDisputeEvents, dispute, step } from '../payments/disputes.ts';
import { copyEveryPayment } from '../payments/listed-payments.ts';
import { aMemberOf } from '../people/members.ts';
import type { TestServer } from '../server.ts';
import { aCardToken, type Checkout, cards, type World } from '../world.ts';
import { openLink } from './customer-pages.ts';

const number = '5555555555554444';

/** What the search looks for, in lower case: words that stand nowhere else in a test's database. */
export const person = {
  email: 'Ada.Lovelace@Secret.example',
  name: 'Ada Augusta Lovelace',
  word: 'canary-4711',
  locale: 'de-LI',
} as const;
const pattern = [
  'secret(\\.|%2e)example',
  'ada augusta',
  'ada[+]augusta',
  'ada%20augusta',
  person.word,
  '"last_?four": ?"4444"',
  '^4444$',
  `^${person.locale.toLowerCase()}$`,
].join('|');

type Found = readonly string[];

/** Names every column of the database, of service and vault, that has a word of the person. */
export async function searchEverywhere(
  { ownerUrl, vaultUrl }: Pick<World, 'ownerUrl' | 'vaultUrl'>,
  words: string = pattern,
): Promise<Found> {
  const all = await Promise.all(
    [ownerUrl, vaultUrl].map(async (url) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return await searchAs(client, words);
      } finally {
        await client.end();
      }
    }),
  );
  return [...new Set(all.flat())].sort();
}

async function searchAs(client: pg.Client, words: string): Promise<string[]> {
  const { rows: columns } = await client.query<{ place: string; test: string; table: string }>(
    `select c.table_schema || '.' || c.table_name || '.' || c.column_name as place,
       format('%I.%I', c.table_schema, c.table_name) as table,
       case c.data_type when 'bytea' then format('encode(%I, ''escape'')', c.column_name)
         else format('%I::text', c.column_name) end as test
     from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where t.table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
       and case when has_schema_privilege(table_schema, 'usage')
         then has_table_privilege(format('%I.%I', table_schema, table_name), 'select') end`,
  );
  const found: string[] = [];
  for (const { place, test, table } of columns) {
    const text = `select 1 from ${table} where lower(${test}) ~ $1 limit 1`;
    const { rowCount } = await client.query(text, [words]);
    if (rowCount) found.push(place);
  }
  return found;
}

type Ask = (call: string, body?: object, headers?: object) => Promise<Record<string, never>>;

/** Asks as the merchant's server; throws unless it is answered by a success. */
const askerOf =
  ({ app }: TestServer, token: TestToken): Ask =>
  async (call, body, headers = {}) => {
    const response = await callAs(app, token, call as 'GET /', {
      ...(body ? { body } : {}),
      headers: { ...headers },
    });
    if (response.statusCode >= 300) throw new Error(`${call}: ${response.body}`);
    return response.body === '' ? {} : response.json();
  };

const process = (app: TestServer['app'], session: Checkout, token: string) =>
  callAs(
    app,
    { nonce: session.nonce },
    `POST /v1/checkouts/sessions/${session.sessionId}/process`,
    {
      headers: { 'x-user-id': session.userId, 'accept-language': person.locale },
      body: {
        sessionId: session.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData: { userId: session.userId, email: person.email },
      },
    },
  );

const plantExcerpts = sql(
  'test_forgotten_excerpts',
  `insert into webhook_attempts (event_id, endpoint_id, attempt, epoch, outcome, duration_ms,
     started_at, response_excerpt)
   select d.event_id, d.endpoint_id, 1, 1, 'failed', 5, svc_clock(),
     'you sent ' || e.payload
   from webhook_deliveries d join events e on e.id = d.event_id where d.client_id = $1`,
);
const plantTester = sql(
  'test_forgotten_tester',
  `with tester as (
     insert into webhook_testers (client_id, key, created_at) values ($1, $2, svc_clock())
     returning client_id)
   insert into webhook_tester_requests (client_id, number, headers, body, answer, received_at,
     arrived_at)
   select t.client_id, row_number() over (), '{}', convert_to(e.payload, 'UTF8'), 'ok', svc_clock(),
     svc_clock()
   from tester t join events e on e.client_id = t.client_id`,
);
const plantUnknown = sql(
  'test_forgotten_unknown_money',
  `insert into unknown_money (id, client_id, gateway_id, provider_intent_id, payment_id, session_id,
     state, amount_minor, refunded_minor, currency, is_disputed, email, status, found_at, read_at,
     ended_at)
   values ($1, $2, $3, 'pi_unknown', $1, $4, 'released', 5, 0, 'EUR', false, $5, 'released',
     svc_clock(), svc_clock(), svc_clock())`,
);
const endSession = sql(
  'test_forgotten_end',
  `update checkout_sessions set status = 'expired' where client_id = $1 and status = 'open'`,
);

export type Known = {
  readonly userId: string;
  readonly paymentId: string;
  readonly intent: string;
  readonly subscriptionId: string;
  readonly methodId: string;
};

const intentOf = sql<{ provider_intent_id: string }>(
  'test_forgotten_intent',
  'select provider_intent_id from payments where id = $1',
);

/** Everything that a merchant may know of a buyer: nothing of it is under way. */
export async function aKnownPerson(world: World, server: TestServer): Promise<Known> {
  const ask = askerOf(server, world.token);
  const userId = newId();
  const clientId = world.client.id;
  await world.database.transaction(clientId, (tx) =>
    insertWebhookEndpoint(tx, {
      id: newId(),
      clientId,
      url: 'https://shop.example.test/hook',
      eventTypes: null,
      secretSealed: Buffer.from('never opened'),
      apiVersion: '2026-01-01',
    }),
  );
  const { email, name, word } = person;
  const metadata = { secret: word };
  await ask('POST /v1/customers', {
    id: userId,
    email,
    name,
    country: 'CH',
    language: 'ja',
    metadata,
  });
  const open = async (code: string, as: TestToken | null = world.token) => {
    const made = await callAs(server.app, as, 'POST /v1/checkouts/sessions', {
      body: {
        clientId,
        captureMethod: 'automatic',
        currency: 'EUR',
        products: [{ code, quantity: 1 }],
        accountData: { userId, email },
        successUrl: `http://127.0.0.1:4003/thanks?who=${encodeURIComponent(email)}`,
        ...(as ? { metadata } : {}),
      },
    });
    if (made.statusCode !== 201) throw new Error(made.body);
    const { id, nonce, vault } = made.json();
    return { sessionId: id, nonce, userId, mountToken: vault.mountToken } as Checkout;
  };
  const buy = async (code: string) => {
    const session = await open(code);
    const paid = await process(server.app, session, await aCardToken(world, session, number));
    if (paid.statusCode !== 200) throw new Error(paid.body);
    return { session, paymentId: paid.json().paymentId as string };
  };
  const { session, paymentId } = await buy('mug');
  await buy('club');
  const declined = await open('mug', null);
  await process(server.app, declined, await aCardToken(world, declined, cards.declined));
  await aCardToken(world, declined, number);
  await world.database.write(endSession, [clientId]);
  const { data } = (await ask(`GET /v1/subscriptions?userId[eq]=${userId}`)) as unknown as {
    data: { id: string; paymentMethodId: string }[];
  };
  const [subscription] = data;
  if (!subscription) throw new Error('nothing was started');
  await ask(`POST /v1/subscriptions/${subscription.id}/cancel`, {});
  const [row] = await world.database.read(intentOf, [paymentId]);
  const intent = row?.provider_intent_id ?? '';
  await ask(
    `POST /v1/payments/${paymentId}/refunds`,
    { amount: 1.5, reason: 'other', metadata },
    { 'idempotency-key': randomUUID() },
  );
  await aMemberOf(world.ports, world.client, { role: 'admin' });
  const requested = await ask(
    `POST /v1/payments/${paymentId}/refund-requests`,
    { amount: 1, note: `${name} asks, ${word}` },
    { 'idempotency-key': randomUUID() },
  );
  await ask(`POST /v1/refund-requests/${requested.id}/decline`, {});
  const disputed = await dispute(world, intent, { amount: 900 });
  await deliverDisputeEvents(world, disputed);
  await step(world, disputed, 'close', { outcome: 'won' });
  await deliverDisputeEvents(world, disputed);
  for (const [resourceType, resourceId] of [
    ['customer', userId],
    ['payment', paymentId],
  ]) {
    const text = `${name} called, ${word}`;
    await ask('POST /v1/notes', { resourceType, resourceId, text });
  }
  await ask(`POST /v1/payments/${paymentId}/receipt/send`, {});
  await ask(`POST /v1/customers/${userId}/page-links`, {
    returnUrl: `http://127.0.0.1:4003/?${word}`,
  });
  const own = await ask(`POST /v1/customers/${userId}/page-links`, {});
  const { pageToken } = await openLink(world.ports, `${own.url}`.split('#')[1] ?? '');
  const asked = await callAs(server.app, null, 'POST /v1/customer-page/address', {
    body: { email: `next-${email}` },
    headers: { 'x-customer-page-token': pageToken },
  });
  if (asked.statusCode !== 202) throw new Error(asked.body);
  const query = `email=${encodeURIComponent(email)}&status=succeeded`;
  await ask('POST /v1/views', { list: 'payments', name: 'Theirs', query, isShared: true });
  await ask('POST /v1/views', {
    list: 'customers',
    name: 'Hers',
    query: 'name=Ada+Augusta+Lovelace',
  });
  const file = await callAs(
    server.app,
    world.token,
    `GET /v1/payments.csv?email[eq]=${encodeURIComponent(email)}`,
  );
  if (file.statusCode !== 200) throw new Error(file.body);
  await ask(`POST /v1/exports?email[eq]=${encodeURIComponent(email)}`);
  await ask(`POST /v1/export-schedules?email[eq]=${encodeURIComponent(email)}`);
  await world.database.write(plantExcerpts, [clientId]);
  await world.database.write(plantTester, [clientId, randomUUID().replaceAll('-', '')]);
  const unknown = [newId(), clientId, world.gatewayId, session.sessionId, email];
  await world.database.write(plantUnknown, unknown);
  await copyEveryPayment(world);
  const methodId = subscription.paymentMethodId;
  return { userId, paymentId, intent, subscriptionId: subscription.id, methodId };
}
