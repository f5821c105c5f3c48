// Mailed links to customers' pages: they last, go to nobody else, and tell nothing of an address that is typed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPageLink, openLink } from '../../../test/customers/customer-pages.ts';
import {
  aClient,
  aCustomer,
  aToken,
  callAs,
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { mailedLinkLifeMs, maskEmail } from '../../domain/people/customer-page.ts';
import type { Ports } from '../../engine/ports.ts';
import { makePageLink } from '../../engine/steps/customers/make-page-link.ts';
import { mailPlace } from '../../engine/steps/mails/queue-mail.ts';
import { sql } from '../../storage/database/sql.ts';

const mailsTo = sql<{ id: string; kind: string; recipient: string; body: Buffer }>(
  'test_mails_of_requests',
  `select id, kind, recipient, body_sealed as body from mails where lower(recipient) = lower($1)
   order by created_at, id`,
);

const entriesOf = sql<{ action: string; actor_kind: string }>(
  'test_entries_of_page_links',
  `select action, actor_kind from audit_entries
   where resource_id = $1 and action like 'customer\\_page.%' order by id`,
);

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

let many = 0;
const anAddress = () => `buyer${++many}@example.test`;

const aBuyer = (email = anAddress(), of = client) => aCustomer(db.database, of, { email });

async function mailsOf(email: string) {
  const found = await db.database.read(mailsTo, [email]);
  return found.map(({ id, kind, recipient, body }) => ({
    ...{ kind, recipient },
    ...(JSON.parse(ports.sealedHere.open(mailPlace(id), body)) as {
      subject: string;
      text: string;
    }),
  }));
}
const linksOf = async (email: string) =>
  (await mailsOf(email)).flatMap(({ text }) =>
    [...text.matchAll(/\/m\/[\w-]+#([\w.-]+)/g)].map(([, link = '']) => link),
  );
describe('requestCustomerPageLink', () => {
  const request = (email: string, clientId = client.id) =>
    callAs(server.app, null, 'POST /v1/customer-page/request-link', { body: { clientId, email } });

  it('202: the same for an address that nobody has, which is mailed nothing', async () => {
    const page = await aBuyer();
    const [known, unknown] = [await request(page.email.toUpperCase()), await request(anAddress())];
    const shown = ({ statusCode, body }: typeof known) => ({ statusCode, body });
    expect(shown(known)).toEqual(shown(unknown));
    expect(known.statusCode).toBe(202);
    expect(await mailsOf(`buyer${many}@example.test`)).toEqual([]);
    const [mail, ...others] = await mailsOf(page.email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ kind: 'buyer_page_link', recipient: page.email });
    expect((await request(page.email, newId())).statusCode).toBe(202);
  });

  it('a link for each customer of the address, and none of another address or merchant', async () => {
    const email = anAddress();
    const [one, two] = [await aBuyer(email), await aBuyer(email)];
    const rival = await aClient(db.database);
    await aBuyer(email, rival);
    await aBuyer();
    await request(email);
    const links = await linksOf(email);
    expect(links).toHaveLength(2);
    const { data } = (
      await callAs(
        server.app,
        token,
        'GET /v1/audit-entries?action[eq]=customer_page.link_mailed&limit=2',
      )
    ).json();
    const ids = data.map(({ resource }: { resource: { id: string } }) => resource.id);
    expect(ids.sort()).toEqual([one.id, two.id].sort());
    for (const link of links) expect((await openLink(ports, link)).may.seePurchases).toBe(true);
  });

  it('no link to the page of another person whose address only folds to the same letters', async () => {
    const victim = await aBuyer('victim@mail.example');
    const stranger = await aBuyer('victim@maİl.example');
    await request(victim.email);
    expect((await request(stranger.email)).statusCode).toBe(400);
    expect((await mailsOf(victim.email)).map(({ recipient }) => recipient)).toEqual([victim.email]);
    const opened = await Promise.all(
      (await linksOf(victim.email)).map((link) => openLink(ports, link)),
    );
    expect(opened.map((page) => page.email)).toEqual([maskEmail(victim.email)]);
  });

  it('six within an hour: five mails, and the same answer', async () => {
    const page = await aBuyer();
    for (let tries = 0; tries < 6; tries++)
      expect((await request(page.email)).statusCode).toBe(202);
    expect(await mailsOf(page.email)).toHaveLength(5);
  });

  it('429 rate_limited: a network that asks for many addresses', async () => {
    const codes = [];
    for (let tries = 0; tries < 31; tries++) codes.push((await request(anAddress())).statusCode);
    expect(codes.at(-1)).toBe(429);
  });
});

describe('sendCustomerPageLink', () => {
  const mailLink = (link: string) =>
    callAs(server.app, null, 'POST /v1/customer-page/mail-link', { body: { link } });
  const open = (link: string) =>
    callAs(server.app, null, 'POST /v1/customer-page/open', { body: { link } });
  const listMethods = (pageToken: string) =>
    callAs(server.app, null, 'GET /v1/customer-page/payment-methods', {
      headers: { 'x-customer-page-token': pageToken },
    });
  const terms = { returnUrl: null, lifeMs: mailedLinkLifeMs, maker: null };
  const aMailedLink = async (userId: string): Promise<string> => {
    const wish = { clientId: client.id, userId, ...terms };
    const made = await db.database.transaction(client.id, (tx) => makePageLink(tx, wish, ports));
    return made?.url.split('#')[1] ?? '';
  };

  it('404 customer_page_mail_expired: an old mail brings a new link, to the address of now and nowhere else', async () => {
    const { id } = await aCustomer(db.database, client, { email: 'grace@old.example' });
    const link = await aMailedLink(id);
    await moveClock(db.database, mailedLinkLifeMs - 2_000);
    expect((await open(link)).statusCode).toBe(200);
    await moveClock(db.database, 2_001);
    const late = await open(link);
    expect([late.statusCode, late.json().code]).toEqual([404, 'customer_page_mail_expired']);
    const moved = { body: { email: 'grace@new.example' } };
    expect((await callAs(server.app, token, `PATCH /v1/customers/${id}`, moved)).statusCode).toBe(
      200,
    );
    expect((await mailLink(link)).statusCode).toBe(202);
    expect(await mailsOf('grace@old.example')).toEqual([]);
    const [mail, ...others] = await mailsOf('grace@new.example');
    expect(others).toEqual([]);
    expect(mail?.subject).toContain('Your link to your purchases at Bean Shop');
    expect(mail?.text).toContain('The link works for seven days.');
    expect(mailedLinkLifeMs).toBe(7 * 86_400_000);
    const fresh = /#([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '';
    for (const _ of ['scanner', 'reader']) expect((await open(fresh)).statusCode).toBe(200);
    const entry = await db.database.read(entriesOf, [id]);
    expect(entry).toEqual([{ action: 'customer_page.link_mailed', actor_kind: 'anonymous' }]);
  });

  it('404 customer_page_mail_expired: a link mailed to a former address, and its open page ends', async () => {
    const { id } = await aCustomer(db.database, client, { email: 'Typo@other.example' });
    const link = await aMailedLink(id);
    const { pageToken } = (await open(link)).json();
    for (const [email, status] of [['typo@other.example', 200] as const, ['b@own.example', 404]]) {
      await callAs(server.app, token, `PATCH /v1/customers/${id}`, { body: { email } });
      expect((await listMethods(pageToken)).statusCode).toBe(status);
    }
    expect((await open(link)).json().code).toBe('customer_page_mail_expired');
    expect(await mailLink(link).then(() => mailsOf('b@own.example'))).toHaveLength(1);
  });

  it('404 customer_page_not_found: unknown links, and those that nobody mailed', async () => {
    const { id } = await aCustomer(db.database, client, { email: 'hopper@a.example' });
    const { link } = await aPageLink(ports, { token, customerId: id });
    for (const each of [link, 'x']) {
      const answer = await mailLink(each);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'customer_page_not_found']);
    }
    expect(await mailsOf('hopper@a.example')).toEqual([]);
  });

  it('429 rate_limited: five mails an hour, however many ask at once', async () => {
    const { id } = await aCustomer(db.database, client, { email: 'ada@many.example' });
    const link = await aMailedLink(id);
    await moveClock(db.database, 3600_001);
    const answers = await Promise.all(Array.from({ length: 8 }, () => mailLink(link)));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([...Array(5).fill(202), 429, 429, 429]);
    expect(await mailsOf('ada@many.example')).toHaveLength(5);
  });
});
