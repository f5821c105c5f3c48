// Links to the pages of an address that a buyer types: nothing is told of it, and nobody else's page is opened.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLink } from '../../../test/customers/customer-pages.ts';
import {
  aClient,
  aCustomer,
  aToken,
  callAs,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { mailPlace } from '../../engine/steps/mails/queue-mail.ts';
import { sql } from '../../storage/database/sql.ts';

const mailsTo = sql<{ id: string; kind: string; recipient: string; body: Buffer }>(
  'test_mails_of_requests',
  `select id, kind, recipient, body_sealed as body from mails where lower(recipient) = lower($1)
   order by created_at, id`,
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
    text: (JSON.parse(ports.sealedHere.open(mailPlace(id), body)) as { text: string }).text,
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
