// Name, language and address, which a customer changes on the customer's page. Another address counts once it was confirmed
// from a mail to it.

import type { Scope } from '@svc/contract/rows/scopes';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aPageLink, openLink } from '../../../test/customers/customer-pages.ts';
import {
  aClient,
  aCustomer,
  aToken,
  callAs,
  freshDatabase,
  moveClock,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { mailsTo } from '../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { addressLinkLifeMs } from '../../domain/people/customer-page.ts';
import type { Ports } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let client: TestClient;
let token: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  client = await aClient(db.database, { name: 'Bean Shop' });
  token = await aToken(db.database, client);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});
// All calls come from one network, which may ask 30 times an hour.
beforeEach(() => moveClock(db.database, 3_600_001));

type Page = { readonly userId: string; readonly email: string; readonly token: string };

async function pageOf(userId: string, email: string): Promise<Page> {
  const { link } = await aPageLink(ports, { token, customerId: userId });
  return { userId, email, token: (await openLink(ports, link)).pageToken };
}
async function aPage(email?: string): Promise<Page> {
  const { id, email: given } = await aCustomer(db.database, client, email ? { email } : {});
  return pageOf(id, given);
}
/** Opened by the link of a program whose token has these scopes. */
async function openedBy(scopes: Scope[]) {
  const { id } = await aCustomer(db.database, client);
  const program = await aToken(db.database, client, { scopes });
  const path = `POST /v1/customers/${id}/page-links` as const;
  const { url } = (await callAs(server.app, program, path, { body: {} })).json();
  return { userId: id, ...(await openLink(ports, url.split('#')[1])) };
}
const pageBy = async (scopes: Scope[]): Promise<Page> => {
  const { userId, pageToken } = await openedBy(scopes);
  return { userId, email: '', token: pageToken };
};
const call = (
  page: Page,
  what: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`,
  body?: object,
) =>
  callAs(server.app, null, what.replace(' ', ' /v1/customer-page') as typeof what, {
    headers: { 'x-customer-page-token': page.token },
    ...(body ? { body } : {}),
  });
const details = async (page: Page) => (await call(page, 'GET /details')).json();
const change = (page: Page, body: object) => call(page, 'PATCH /details', body);
const ask = (page: Page, email: string) => call(page, 'POST /address', { email });
const confirm = (link: string) =>
  callAs(server.app, null, 'POST /v1/customer-page/confirm-address', { body: { link } });
const codeOf = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];
const over = [404, 'customer_page_address_over'];

const customerOf = async ({ userId }: Page) =>
  (await callAs(server.app, token, `GET /v1/customers/${userId}`)).json();
const merchantChanges = ({ userId }: Page, body: object, by = token) =>
  callAs(server.app, by, `PATCH /v1/customers/${userId}`, { body });

let many = 0;
const anAddress = () => `next${++many}@new.example`;
const newest = async (email: string) => (await mailsTo(ports, email)).at(-1);
async function secretOf(email: string): Promise<string> {
  const { text = '' } = (await newest(email)) ?? {};
  return /\/m\/[\w-]+#address\.([\w-]{43})\n/.exec(text)?.[1] ?? '';
}
/** Asks for another address; returns it with the secret of the mail. */
async function asked(page: Page, email = anAddress()) {
  expect((await ask(page, email)).statusCode).toBe(202);
  return { email, secret: await secretOf(email) };
}

const entries = sql<{ action: string; actor_kind: string; after: unknown }>(
  'test_entries_of_details',
  `select action, actor_kind, after from audit_entries
   where resource_id = $1 and action <> 'customer_page.link_created' order by id`,
);
const entriesOf = ({ userId }: Page) => db.database.read(entries, [userId]);

type Told = { resource: { id: string }; sequence: number; data: { object: { fields: string[] } } };
/** Number and object of each event of the customer. */
async function toldOf({ userId }: Page, by = token) {
  const path = 'GET /v1/events?type[eq]=customer.updated&sortField=createdAt&sortDirection=ASC';
  const { data } = (await callAs(server.app, by, path)).json() as { data: Told[] };
  const own = data.filter(({ resource }) => resource.id === userId);
  return own.map((event) => [event.sequence, event.data.object] as const);
}

describe('getCustomerPageDetails, updateCustomerPageDetails', () => {
  it('200: name and language change, the address is masked; the act is the customer’s, without values', async () => {
    const page = await aPage('grace@old.example');
    const { updatedAt } = await customerOf(page);
    await moveClock(db.database, 1000);
    const none = { name: null, email: 'g•••@old.example', language: null, pendingEmail: null };
    expect(await details(page)).toEqual(none);
    const answer = await change(page, { name: 'Grace Hopper', language: 'fr' });
    const changed = { ...none, name: 'Grace Hopper', language: 'fr' };
    expect([answer.statusCode, answer.json()]).toEqual([200, changed]);
    expect(await details(page)).toEqual(changed);
    const stored = await customerOf(page);
    expect(stored).toMatchObject({ name: 'Grace Hopper', language: 'fr', email: page.email });
    expect(stored.updatedAt > updatedAt).toBe(true);
    expect(await entriesOf(page)).toEqual([
      {
        action: 'customer.updated',
        actor_kind: 'customer',
        after: { fields: ['name', 'language'] },
      },
    ]);
    await change(page, { language: 'fr' });
    expect(await entriesOf(page)).toHaveLength(1);
    expect((await toldOf(page)).length).toBe(1);
    expect((await change(page, { name: null })).json()).toEqual({ ...changed, name: null });
  });

  it('400 invalid_request: a language without words, an address, an empty name', async () => {
    const page = await aPage();
    for (const body of [{ language: 'sv' }, { email: 'a@b.example' }, { name: '' }]) {
      expect(codeOf(await change(page, body))).toEqual([400, 'invalid_request']);
    }
  });

  it('403 customer_page_limited: by a link whose maker may not read or change customers', async () => {
    const blind = await pageBy(['payment_methods:write']);
    expect(codeOf(await call(blind, 'GET /details'))).toEqual([403, 'customer_page_limited']);
    const reader = await pageBy(['payment_methods:write', 'customers:read']);
    expect((await call(reader, 'GET /details')).statusCode).toBe(200);
    for (const answer of [
      await change(reader, { name: 'Eve' }),
      await ask(reader, anAddress()),
      await call(reader, 'DELETE /address'),
    ]) {
      expect(codeOf(answer)).toEqual([403, 'customer_page_limited']);
    }
  });

  it('the opened page says its language, and what it may do', async () => {
    const page = await aPage();
    await change(page, { language: 'ar' });
    const { link } = await aPageLink(ports, { token, customerId: page.userId });
    const { language, may } = await openLink(ports, link);
    expect([language, may.seeDetails, may.changeDetails]).toEqual(['ar', true, true]);
    const { may: limited } = await openedBy(['payment_methods:write']);
    expect([limited.seeDetails, limited.changeDetails]).toEqual([false, false]);
  });
});

it('Contract §7 customer.updated: numbered, with the names of the fields, apart from another merchant’s', async () => {
  const page = await aPage();
  const rivals = await aToken(db.database, await aClient(db.database));
  await callAs(server.app, rivals, 'POST /v1/customers', {
    body: { id: page.userId, email: page.email },
  });
  await merchantChanges(page, { name: 'Jo', email: 'jo@new.example' });
  await change(page, { language: 'de' });
  await merchantChanges(page, { language: 'fr' }, rivals);
  expect((await merchantChanges(page, { language: 'sv' })).statusCode).toBe(400);
  const common = { id: page.userId, object: 'customer', updatedAt: expect.any(String) };
  expect(await toldOf(page)).toEqual([
    [1, { ...common, fields: ['name', 'email'] }],
    [2, { ...common, fields: ['language'] }],
  ]);
  expect(await toldOf(page, rivals)).toEqual([[1, { ...common, fields: ['language'] }]]);
  await callAs(server.app, token, `POST /v1/customers/${page.userId}/forget`, { body: {} });
  const { data } = (await callAs(server.app, token, 'GET /v1/events')).json();
  expect(data[0]).toMatchObject({
    ...{ type: 'customer.forgotten', resource: { id: page.userId }, sequence: 3 },
  });
});

describe('requestCustomerPageAddress', () => {
  it('202: mails the address in the customer’s language; nothing changes before it is confirmed', async () => {
    const page = await aPage();
    await change(page, { language: 'de' });
    const { email, secret } = await asked(page);
    expect(secret).toHaveLength(43);
    const mail = await newest(email);
    expect(mail).toMatchObject({ kind: 'buyer_confirm_address', state: 'waiting' });
    expect(mail?.subject).toContain('Bestätigen Sie Ihre neue Adresse bei Bean Shop');
    expect(mail?.text).toContain('Der Link funktioniert einen Tag lang.');
    expect((await customerOf(page)).email).toBe(page.email);
    expect(await details(page)).toMatchObject({
      email: expect.stringMatching(/^b•••@/),
      pendingEmail: { email: 'n•••@new.example', expiresAt: expect.any(String) },
    });
    expect(await mailsTo(ports, page.email)).toEqual([]);
    expect(await entriesOf(page)).toMatchObject([
      { action: 'customer.updated' },
      { action: 'customer_page.address_asked', actor_kind: 'customer' },
    ]);
    expect(JSON.stringify(await entriesOf(page))).not.toContain(email);
  });

  it('answers alike for an address that another customer has, and for the customer’s own', async () => {
    const [page, other] = [await aPage(), await aPage()];
    const answers = [];
    for (const email of [other.email, page.email, anAddress()]) {
      const { statusCode, body } = await ask(page, email);
      answers.push({ statusCode, body, mails: (await mailsTo(ports, email)).length });
    }
    expect(answers).toEqual(Array(3).fill({ statusCode: 202, body: '', mails: 1 }));
  });

  it('a new request replaces the pending one, and DELETE drops it', async () => {
    const page = await aPage();
    const first = await asked(page);
    const second = await asked(page);
    expect(codeOf(await confirm(first.secret))).toEqual(over);
    for (const _ of ['once', 'again']) {
      expect((await call(page, 'DELETE /address')).statusCode).toBe(204);
    }
    expect((await details(page)).pendingEmail).toBeNull();
    expect(codeOf(await confirm(second.secret))).toEqual(over);
    expect((await customerOf(page)).email).toBe(page.email);
    expect((await entriesOf(page)).map(({ action }) => action)).toEqual([
      ...['customer_page.address_asked', 'customer_page.address_asked'],
      'customer_page.address_canceled',
    ]);
  });

  it('429 rate_limited: a customer who asks six times an hour, and an address that many ask for', async () => {
    const page = await aPage();
    const statuses = [];
    for (let tries = 0; tries < 6; tries++) {
      statuses.push((await ask(page, anAddress())).statusCode);
    }
    expect(statuses).toEqual([...Array(5).fill(202), 429]);
    const strangers = anAddress();
    const codes = [];
    for (let tries = 0; tries < 6; tries++) {
      codes.push((await ask(await aPage(), strangers)).statusCode);
    }
    // One mailbox has many spellings.
    codes.push((await ask(await aPage(), strangers.replace('new.', 'ｎew.'))).statusCode);
    expect(codes).toEqual([...Array(5).fill(202), 429, 429]);
    expect(await mailsTo(ports, strangers)).toHaveLength(5);
  });

  it('429 rate_limited: a network that asks for many customers', async () => {
    const codes = [];
    for (let tries = 0; tries < 6; tries++) {
      const page = await aPage();
      for (let each = 0; each < 5; each++) codes.push((await ask(page, anAddress())).statusCode);
    }
    expect(codes).toEqual(Array(30).fill(202));
    expect(codeOf(await ask(await aPage(), anAddress()))).toEqual([429, 'rate_limited']);
  });
});

describe('confirmCustomerPageAddress', () => {
  it('200: the address is the customer’s, the former one is told, and a repeat answers the same', async () => {
    const page = await aPage('Ada@old.example');
    await change(page, { language: 'fr' });
    const { email, secret } = await asked(page);
    const answer = await confirm(secret);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { email: 'n•••@new.example', merchantName: 'Bean Shop' },
    ]);
    expect((await customerOf(page)).email).toBe(email);
    for (const _ of ['again', 'and again'])
      expect((await confirm(secret)).json()).toEqual(answer.json());
    const [told, ...others] = await mailsTo(ports, page.email);
    expect(others).toEqual([]);
    expect(told?.kind).toBe('buyer_address_changed');
    expect(told?.subject).toContain('Votre adresse chez Bean Shop a été modifiée');
    expect(told?.text).toContain('envoyés à n•••@new.example');
    expect(told?.text).toContain('prévenez Bean Shop immédiatement');
    expect(await mailsTo(ports, email)).toHaveLength(1);
    expect((await entriesOf(page)).at(-1)).toEqual({
      ...{ action: 'customer.updated', actor_kind: 'anonymous' },
      after: { fields: ['email'] },
    });
    expect((await details(page)).pendingEmail).toBeNull();
  });

  it('404 customer_page_address_over: another customer’s secret confirms that customer alone', async () => {
    const [one, two] = [await aPage(), await aPage()];
    const [ofOne, ofTwo] = [await asked(one), await asked(two)];
    expect((await confirm(ofTwo.secret)).statusCode).toBe(200);
    expect((await customerOf(one)).email).toBe(one.email);
    expect((await customerOf(two)).email).toBe(ofTwo.email);
    expect((await confirm(ofOne.secret)).statusCode).toBe(200);
    expect((await customerOf(two)).email).toBe(ofTwo.email);
    expect((await customerOf(one)).email).toBe(ofOne.email);
    for (const unknown of ['x', `address.${ofOne.secret}`]) {
      expect(codeOf(await confirm(unknown))).toEqual(over);
    }
  });

  it('404 customer_page_address_over: after a day', async () => {
    const page = await aPage();
    const { email, secret } = await asked(page);
    await moveClock(db.database, addressLinkLifeMs - 2_000);
    const late = await asked(await aPage());
    await moveClock(db.database, 2_001);
    expect(codeOf(await confirm(secret))).toEqual(over);
    expect((await customerOf(page)).email).not.toBe(email);
    expect((await confirm(late.secret)).statusCode).toBe(200);
    expect(addressLinkLifeMs).toBe(86_400_000);
  });

  it('404 customer_page_address_over: once the merchant has given the customer another address', async () => {
    const page = await aPage();
    const first = await asked(page);
    await merchantChanges(page, { email: 'right@own.example' });
    expect((await details(page)).pendingEmail).toBeNull();
    expect(codeOf(await confirm(first.secret))).toEqual(over);
    const second = await asked(page);
    expect((await confirm(second.secret)).statusCode).toBe(200);
    await merchantChanges(page, { email: 'right@own.example' });
    expect(codeOf(await confirm(second.secret))).toEqual(over);
    expect((await customerOf(page)).email).toBe('right@own.example');
  });

  it('opening the mailed link changes nothing: it opens no page, and its page is loaded without it', async () => {
    const page = await aPage();
    const { email, secret } = await asked(page);
    for (const link of [secret, `address.${secret}`]) {
      const answer = await callAs(server.app, null, 'POST /v1/customer-page/open', {
        body: { link },
      });
      expect(codeOf(answer)).toEqual([404, 'customer_page_not_found']);
    }
    const path = '/v1/customer-page/confirm-address';
    expect((await server.app.inject({ method: 'GET', url: path })).statusCode).toBe(405);
    expect((await customerOf(page)).email).not.toBe(email);
  });

  it('at once in many windows: changed and told once, and each is answered the same', async () => {
    const page = await aPage();
    const { secret } = await asked(page);
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(secret)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    expect(await mailsTo(ports, page.email)).toHaveLength(1);
    expect(await toldOf(page)).toMatchObject([[1, { fields: ['email'] }]]);
  });

  it('404 customer_page_address_over: a customer who was forgotten; mails to both addresses are blanked', async () => {
    const page = await aPage();
    const done = await asked(page);
    expect((await confirm(done.secret)).statusCode).toBe(200);
    const waiting = await asked(await pageOf(page.userId, done.email));
    const bystander = await asked(await aPage(), waiting.email);
    const gone = await callAs(server.app, token, `POST /v1/customers/${page.userId}/forget`, {});
    expect(gone.statusCode, gone.body).toBe(200);
    for (const { secret } of [done, waiting]) expect(codeOf(await confirm(secret))).toEqual(over);
    expect((await customerOf(page)).email).toBe('');
    for (const email of [page.email, done.email]) expect(await mailsTo(ports, email)).toEqual([]);
    // That address was never theirs: a mail that another customer asked for goes out.
    expect(await mailsTo(ports, waiting.email)).toHaveLength(1);
    expect((await confirm(bystander.secret)).statusCode).toBe(200);
  });
});
