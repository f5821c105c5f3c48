// What a merchant's people do for a customer: mail the link to the customer's page, and correct name, language and
// address. An address counts only once its reader has confirmed it: support may have been deceived about who asks.

import type { Role } from '@svc/contract/rows/roles';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLink } from '../../../test/customers/customer-pages.ts';
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
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let client: TestClient;
let token: TestToken;
let support: Headers;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  client = await aClient(db.database, { name: 'Bean Shop' });
  token = await aToken(db.database, client);
  support = await browserOf('support');
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});
// Limits are of an hour.
beforeEach(async () => {
  await moveClock(db.database, 3_600_001);
  support = await browserOf('support');
});

type Headers = Readonly<Record<string, string>>;

/** Headers of a browser in which a member of that role has proved who they are. */
async function browserOf(role: Role, provenMinutesAgo = 0, of = client): Promise<Headers> {
  const member = await aMemberOf(ports, of, { role });
  return fromOwnPage(await aSignIn(ports, member, { provenMinutesAgo }), of.id);
}

let many = 0;
const anAddress = () => `corrected${++many}@new.example`;
const aBuyer = (email = anAddress()) => aCustomer(db.database, client, { email });

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
const by = (headers: Headers, call: `${Method} ${string}`, body?: object) =>
  callAs(server.app, null, call, { headers, ...(body ? { body } : {}) });
const byShop = (call: `${Method} ${string}`, body?: object) =>
  callAs(server.app, token, call, body ? { body } : {});
const codeOf = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];

const mailLink = (id: string, headers = support) =>
  by(headers, `POST /v1/customers/${id}/page-links/send`);
const askAddress = (id: string, email: string, headers = support) =>
  by(headers, `POST /v1/customers/${id}/address`, { email });
const addressOf = async (id: string) =>
  (await by(support, `GET /v1/customers/${id}/address`)).json();
const confirm = (link: string) =>
  callAs(server.app, null, 'POST /v1/customer-page/confirm-address', { body: { link } });

const secretIn = (text: string) => /\/m\/[\w-]+#(?:address\.)?([\w-]{43})\n/.exec(text)?.[1] ?? '';
const newestTo = async (email: string) => (await mailsTo(ports, email)).at(-1);

type Entry = { action: string; actor: { kind: string; userId: string | null }; after: unknown };
async function entriesOf(id: string): Promise<Entry[]> {
  const { data } = (await byShop(`GET /v1/audit-entries?resourceId[eq]=${id}`)).json();
  return data;
}
const actsOf = async (id: string) =>
  (await entriesOf(id)).map(({ action, actor }) => [action, actor.kind]);

describe('sendCustomerLink', () => {
  it('202: support mails the customer a link that opens the page; the audit log tells who', async () => {
    const { id, email } = await aBuyer();
    const answer = await mailLink(id);
    expect([answer.statusCode, answer.body]).toEqual([202, '']);
    const [mail, ...more] = await mailsTo(ports, email);
    expect(more).toEqual([]);
    expect(mail?.kind).toBe('buyer_page_link');
    const opened = await openLink(ports, secretIn(mail?.text ?? ''));
    expect([opened.merchantName, opened.may.changeDetails]).toEqual(['Bean Shop', true]);
    expect(await actsOf(id)).toEqual([['customer_page.link_mailed', 'person']]);
    expect(JSON.stringify(await entriesOf(id))).not.toContain(email);
  });

  it('429 rate_limited: the sixth to an address within an hour, counted with those of the page’s own form', async () => {
    const { id, email } = await aBuyer();
    const { id: clientId } = client;
    await callAs(server.app, null, 'POST /v1/customer-page/request-link', {
      body: { clientId, email: email.toUpperCase() },
    });
    const codes = [];
    for (let tries = 0; tries < 5; tries++) codes.push((await mailLink(id)).statusCode);
    const late = await mailLink(id, await browserOf('owner'));
    expect([...codes, late.statusCode]).toEqual([202, 202, 202, 202, 429, 429]);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(3000);
    expect(await mailsTo(ports, email)).toHaveLength(5);
  });

  it('429 rate_limited: the 31st of one person within an hour, while a colleague still may', async () => {
    const codes = [];
    for (let tries = 0; tries < 31; tries++) {
      codes.push((await mailLink((await aBuyer()).id)).statusCode);
    }
    expect(codes).toEqual([...Array(30).fill(202), 429]);
    const colleague = await browserOf('support');
    expect((await mailLink((await aBuyer()).id, colleague)).statusCode).toBe(202);
  });

  it('404 customer_not_found of another merchant; 409 customer_forgotten', async () => {
    const other = await aClient(db.database);
    const stranger = await browserOf('owner', 0, other);
    const { id, email } = await aBuyer();
    for (const call of [
      mailLink(id, stranger),
      askAddress(id, anAddress(), stranger),
      by(stranger, `DELETE /v1/customers/${id}/address`),
      by(stranger, `GET /v1/customers/${id}/address`),
    ]) {
      expect(codeOf(await call)).toEqual([404, 'customer_not_found']);
    }
    expect(await mailsTo(ports, email)).toEqual([]);
    await byShop(`POST /v1/customers/${id}/forget`, {});
    for (const call of [
      mailLink(id),
      askAddress(id, anAddress()),
      by(support, `DELETE /v1/customers/${id}/address`),
    ]) {
      expect(codeOf(await call)).toEqual([409, 'customer_forgotten']);
    }
    expect(await addressOf(id)).toEqual({ email: '', pendingEmail: null });
  });

  it('400 invalid_request: a customer without an address that mail reaches', async () => {
    const { id } = await aBuyer('unknown');
    expect(codeOf(await mailLink(id))).toEqual([400, 'invalid_request']);
  });

  it('403 merchant_role_required: a viewer may neither mail nor correct', async () => {
    const viewer = await browserOf('viewer');
    const { id, email } = await aBuyer();
    for (const call of [
      mailLink(id, viewer),
      askAddress(id, anAddress(), viewer),
      by(viewer, `PATCH /v1/customers/${id}`, { name: 'Eve' }),
      by(viewer, `DELETE /v1/customers/${id}/address`),
    ]) {
      expect(codeOf(await call)).toEqual([403, 'merchant_role_required']);
    }
    expect((await by(viewer, `GET /v1/customers/${id}/address`)).json().email).toBe(email);
  });
});

describe('requestCustomerAddress', () => {
  it('202: the corrected address counts once its reader confirms it; the former one is told, and nobody is let in', async () => {
    const { id, email } = await aBuyer('Ada@old.example');
    await mailLink(id);
    const former = secretIn((await newestTo(email))?.text ?? '');
    const corrected = anAddress();
    expect((await askAddress(id, corrected)).statusCode).toBe(202);
    const asked = await newestTo(corrected);
    expect(asked).toMatchObject({ kind: 'buyer_confirm_address' });
    const expiresAt = expect.any(String);
    expect(await addressOf(id)).toEqual({ email, pendingEmail: { email: corrected, expiresAt } });
    expect((await openLink(ports, former)).email).toBe('A•••@old.example');
    const secret = secretIn(asked?.text ?? '');
    for (const link of [secret, `address.${secret}`]) {
      const body = { link };
      const opened = await callAs(server.app, null, 'POST /v1/customer-page/open', { body });
      expect(codeOf(opened)).toEqual([404, 'customer_page_not_found']);
    }
    const confirmed = await confirm(secret);
    expect([confirmed.statusCode, Object.keys(confirmed.json())]).toEqual([
      200,
      ['email', 'merchantName'],
    ]);
    expect(await addressOf(id)).toEqual({ email: corrected, pendingEmail: null });
    expect((await newestTo(email))?.kind).toBe('buyer_address_changed');
    // Whoever reads the former address opens nothing with its links any more.
    const ended = await callAs(server.app, null, 'POST /v1/customer-page/open', {
      body: { link: former },
    });
    expect(codeOf(ended)).toEqual([404, 'customer_page_mail_expired']);
    expect(await mailsTo(ports, corrected)).toHaveLength(1);
    expect(await actsOf(id)).toEqual([
      ['customer.updated', 'anonymous'],
      ['customer_page.address_asked', 'person'],
      ['customer_page.link_mailed', 'person'],
    ]);
  });

  it('403 recent_sign_in_required: a browser that proved who it is too long ago', async () => {
    const { id } = await aBuyer();
    const late = await browserOf('support', 16);
    const corrected = anAddress();
    expect(codeOf(await askAddress(id, corrected, late))).toEqual([403, 'recent_sign_in_required']);
    expect(await mailsTo(ports, corrected)).toEqual([]);
  });

  it('429 rate_limited: the sixth correction of a customer, and the sixth to one address', async () => {
    const { id } = await aBuyer();
    const codes = [];
    for (let tries = 0; tries < 6; tries++) {
      codes.push((await askAddress(id, anAddress())).statusCode);
    }
    const one = anAddress();
    for (let tries = 0; tries < 6; tries++) {
      codes.push((await askAddress((await aBuyer()).id, one)).statusCode);
    }
    expect(codes).toEqual([...Array(5).fill(202), 429, ...Array(5).fill(202), 429]);
  });
});

it('cancelCustomerAddress 204: the link is over, and a repeat writes nothing', async () => {
  const { id, email } = await aBuyer();
  const corrected = anAddress();
  await askAddress(id, corrected);
  for (const _ of ['once', 'again']) {
    expect((await by(support, `DELETE /v1/customers/${id}/address`)).statusCode).toBe(204);
  }
  const late = await confirm(secretIn((await newestTo(corrected))?.text ?? ''));
  expect(codeOf(late)).toEqual([404, 'customer_page_address_over']);
  expect(await addressOf(id)).toEqual({ email, pendingEmail: null });
  expect(await actsOf(id)).toEqual([
    ['customer_page.address_canceled', 'person'],
    ['customer_page.address_asked', 'person'],
  ]);
});

describe('updateCustomer in a browser', () => {
  it('200: support corrects name and language, and the audit log tells who, without values', async () => {
    const { id, email } = await aBuyer();
    // The same address in other letters is no other one, and does not replace the stored spelling.
    const body = { name: 'Ada King', language: 'de', email: email.toUpperCase() };
    const answer = await by(support, `PATCH /v1/customers/${id}`, body);
    expect(answer.json()).toMatchObject({ name: 'Ada King', language: 'de', email });
    const [entry] = await entriesOf(id);
    expect(entry).toMatchObject({ action: 'customer.updated', actor: { kind: 'person' } });
    expect(JSON.stringify(entry?.after)).not.toContain('Ada');
  });

  it('400 invalid_request: another address, of which nobody would be told and which nobody has confirmed', async () => {
    const { id, email } = await aBuyer();
    for (const browser of [support, await browserOf('owner')]) {
      for (const more of [{}, { defaultPaymentMethodId: null }]) {
        const body = { name: 'Eve', email: 'eve@elsewhere.example', ...more };
        const answer = await by(browser, `PATCH /v1/customers/${id}`, body);
        expect([...codeOf(answer), answer.json().param]).toEqual([400, 'invalid_request', 'email']);
      }
    }
    expect((await byShop(`GET /v1/customers/${id}`)).json()).toMatchObject({ email, name: null });
    // The merchant's own server vouches for its customers.
    const moved = anAddress();
    const saved = await byShop(`PATCH /v1/customers/${id}`, { email: moved });
    expect([saved.statusCode, saved.json().email]).toEqual([200, moved]);
  });
});
