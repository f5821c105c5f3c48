// Customers' own pages over the wire: links and pages that end, and nobody else's cards.

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPageLink, openLink } from '../../../test/customers/customer-pages.ts';
import {
  aClient,
  aCustomer,
  aGateway,
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
import type { Ports } from '../../engine/ports.ts';
import { activate } from '../../engine/steps/payment-methods/activate-method.ts';
import { contractLimits } from '../../http/limits/limits.ts';
import { readClock } from '../../storage/database/clock.ts';
import { sql } from '../../storage/database/sql.ts';
import { insertMethod } from '../../storage/payment-methods/payment-methods.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let client: TestClient;
let token: TestToken;
let gatewayId: string;
let rival: TestToken;

beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  client = await aClient(db.database, { name: 'Bean Shop', allowedOrigins: ['https://a.example'] });
  token = await aToken(db.database, client);
  gatewayId = (await aGateway(db.database, client)).id;
  rival = await aToken(db.database, await aClient(db.database));
});
afterAll(async () => {
  await server.close();
  await db.close();
});

const facts = { brand: 'visa', expiryMonth: 12, expiryYear: 2034, payerEmail: null };

async function aMethod(userId: string, lastFour: string, status = 'active'): Promise<string> {
  const id = newId();
  await db.database.transaction(client.id, async (tx) => {
    const now = await readClock(tx);
    const method = await insertMethod(tx, {
      id,
      clientId: client.id,
      userId,
      gatewayId,
      provider: 'cardprovider',
      type: 'card',
      sessionId: newId(),
      isLive: false,
      createdAt: now,
    });
    if (status !== 'active') return;
    const verified = {
      providerCustomerId: 'cus_secret',
      providerPaymentMethodId: `pm_secret_${id}`,
      facts: { ...facts, lastFour, type: 'card' as const },
      request: null,
      now,
    };
    await activate(tx, method, verified, ports);
  });
  return id;
}

const createLink = (customerId: string, body: object = {}, as: TestToken = token) =>
  callAs(server.app, as, `POST /v1/customers/${customerId}/page-links`, { body });
const open = (link: string) =>
  callAs(server.app, null, 'POST /v1/customer-page/open', { body: { link } });
const list = (pageToken: string | null) =>
  callAs(server.app, null, 'GET /v1/customer-page/payment-methods', {
    headers: pageToken === null ? {} : { 'x-customer-page-token': pageToken },
  });

/** Without what differs from request to request. */
const bodyOf = (response: { json(): unknown }) => {
  const { requestId: _, ...body } = response.json() as Record<string, unknown>;
  return body;
};

async function anOpenPage(customerId: string): Promise<string> {
  const { link } = await aPageLink(ports, { token, customerId });
  return (await openLink(ports, link)).pageToken;
}

describe('createCustomerPageLink', () => {
  it('201: a link to the page, its secret in the fragment, good for ten minutes', async () => {
    const { id } = await aCustomer(db.database, client);
    const answer = await createLink(id, { returnUrl: '/account' });
    expect(answer.statusCode).toBe(201);
    const { url, expiresAt } = answer.json();
    expect(url).toMatch(new RegExp(`^http://localhost:4000/m/${client.id}#[\\w-]{43}$`));
    const leftMs = Date.parse(expiresAt) - Date.now();
    expect(leftMs).toBeGreaterThan(9 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(10 * 60_000);
  });

  it('404 customer_not_found: unknown and another merchant’s alike, byte for byte', async () => {
    const { id } = await aCustomer(db.database, client);
    const foreign = await createLink(id, {}, rival);
    const unknown = await createLink(newId());
    expect([foreign.statusCode, foreign.json().code]).toEqual([404, 'customer_not_found']);
    expect(bodyOf(foreign)).toEqual(bodyOf(unknown));
  });

  it.each(['https://evil.example/', 'javascript:alert(1)', '//evil.example', 'https:/\\evil'])(
    '400 invalid_request: returnUrl %s',
    async (returnUrl) => {
      const { id } = await aCustomer(db.database, client);
      const { code, param } = (await createLink(id, { returnUrl })).json();
      expect([code, param]).toEqual(['invalid_request', 'returnUrl']);
    },
  );

  it('keeps digests only, and no more rows than a day needs', async () => {
    const { id } = await aCustomer(db.database, client);
    const { link } = await aPageLink(ports, { token, customerId: id });
    const rows = sql<{ row: string }>(
      'test_page_links',
      'select to_jsonb(l)::text as row from customer_page_links l where user_id = $1',
    );
    const [kept] = await db.database.read(rows, [id]);
    expect(kept?.row).toContain(createHash('sha256').update(link).digest('hex'));
    expect(kept?.row).not.toContain(link);
    const { pageToken } = await openLink(ports, link);
    const pages = sql<{ row: string }>(
      'test_pages_of_link',
      `select to_jsonb(p)::text as row from customer_pages p join customer_page_links l on l.id = p.link_id
       where l.user_id = $1`,
    );
    const [page] = await db.database.read(pages, [id]);
    expect(page?.row).toContain(createHash('sha256').update(pageToken).digest('hex'));
    expect(page?.row).not.toContain(pageToken);
    await moveClock(db.database, 25 * 3600_000);
    await aPageLink(ports, { token, customerId: id });
    expect(await db.database.read(rows, [id])).toHaveLength(1);
    expect(await db.database.read(pages, [id])).toEqual([]);
  });
});

describe('openCustomerPage', () => {
  it('200: token, merchant and the masked address, and where to go back', async () => {
    const { id } = await aCustomer(db.database, client, { email: 'grace@example.com' });
    const body = { returnUrl: '/account' };
    const { link } = await aPageLink(ports, { token, customerId: id, body });
    const answer = await open(link);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      pageToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: expect.any(String),
      merchantName: 'Bean Shop',
      timeZone: 'UTC',
      merchant: {
        name: 'Bean Shop',
        logoUrl: null,
        supportEmail: null,
        termsUrl: null,
        brandColor: null,
      },
      email: 'g•••@example.com',
      language: null,
      livemode: false,
      returnUrl: 'https://a.example/account',
      may: {
        ...{ add: true, remove: true, makeDefault: true, replace: true, seePurchases: true },
        ...{ seeDetails: true, changeDetails: true },
      },
    });
    expect(answer.body).not.toContain('race');
    expect(answer.headers['cache-control']).toContain('no-store');
  });

  it('404 customer_page_link_expired: after ten minutes, and not before', async () => {
    const { id } = await aCustomer(db.database, client);
    const { link } = await aPageLink(ports, { token, customerId: id });
    await moveClock(db.database, 10 * 60_000 - 2_000);
    expect((await open(link)).statusCode).toBe(200);
    await moveClock(db.database, 2_001);
    const late = await open(link);
    expect([late.statusCode, late.json().code]).toEqual([404, 'customer_page_link_expired']);
  });

  it('404 customer_page_not_found: unknown and malformed alike', async () => {
    const { id } = await aCustomer(db.database, client);
    const { link } = await aPageLink(ports, { token, customerId: id });
    const first = await open('x');
    for (const wrong of [randomBytes(32).toString('base64url'), `${link} `, link.slice(1)]) {
      const answer = await open(wrong);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'customer_page_not_found']);
      expect(bodyOf(answer)).toEqual(bodyOf(first));
    }
  });

  it('200: a link that something loaded first opens all the same, and each opening lasts', async () => {
    const { id } = await aCustomer(db.database, client);
    const { link } = await aPageLink(ports, { token, customerId: id });
    const answers = await Promise.all(Array.from({ length: 12 }, () => open(link)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200));
    const tokens = answers.map((answer) => answer.json().pageToken);
    expect(new Set(tokens).size).toBe(12);
    for (const each of tokens) expect((await list(each)).statusCode).toBe(200);
  });

  it('of more than twenty pages of one link the oldest end', async () => {
    const { id } = await aCustomer(db.database, client);
    const { link } = await aPageLink(ports, { token, customerId: id });
    const tokens: string[] = [];
    for (let ms = 1; ms <= 22; ms++) {
      // Of two that were opened in one millisecond none is the older.
      await moveClock(db.database, ms);
      tokens.push((await openLink(ports, link)).pageToken);
    }
    const statuses = await Promise.all(tokens.map(async (each) => (await list(each)).statusCode));
    expect(statuses).toEqual([404, 404, ...Array(20).fill(200)]);
  });

  it('429 rate_limited: guessing is slow, and a right link still opens', async () => {
    const limited = await aServer(ports, { limits: contractLimits });
    const guessLink = () =>
      callAs(limited.app, null, 'POST /v1/customer-page/open', { body: { link: 'guess' } });
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await guessLink()).statusCode);
    expect(statuses).toEqual([...Array(10).fill(404), 429, 429]);
    const { id } = await aCustomer(db.database, client);
    const { link } = await aPageLink(ports, { token, customerId: id });
    const right = await callAs(limited.app, null, 'POST /v1/customer-page/open', {
      body: { link },
    });
    expect(right.statusCode).toBe(200);
    await limited.close();
  });
});

describe('the page token', () => {
  it('401 customer_page_token_required without one', async () => {
    const answer = await list(null);
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'customer_page_token_required']);
  });

  it('404 customer_page_not_found: unknown, malformed, the link itself, and over after 30 minutes', async () => {
    const { id } = await aCustomer(db.database, client);
    const { link } = await aPageLink(ports, { token, customerId: id });
    const { pageToken } = await openLink(ports, link);
    const wrong = [randomBytes(32).toString('base64url'), 'x', link, `${pageToken}x`];
    for (const each of wrong) {
      const answer = await list(each);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'customer_page_not_found']);
    }
    await moveClock(db.database, 30 * 60_000 - 2_000);
    expect((await list(pageToken)).statusCode).toBe(200);
    await moveClock(db.database, 3_000);
    expect((await list(pageToken)).statusCode).toBe(404);
  });

  it('opens nothing of the merchant’s, and no Basic credential opens the page', async () => {
    const { id } = await aCustomer(db.database, client);
    const pageToken = await anOpenPage(id);
    const headers = { 'x-customer-page-token': pageToken };
    const asServer = await callAs(server.app, null, 'GET /v1/payments', { headers });
    expect(asServer.statusCode).toBe(401);
    const basic = await callAs(server.app, token, 'GET /v1/customer-page/payment-methods');
    expect([basic.statusCode, basic.json().code]).toEqual([401, 'customer_page_token_required']);
  });

  it('no other origin’s page may read an answer', async () => {
    const { id } = await aCustomer(db.database, client);
    const headers = {
      'x-customer-page-token': await anOpenPage(id),
      origin: 'https://a.example',
    };
    const answer = await callAs(server.app, null, 'GET /v1/customer-page/payment-methods', {
      headers,
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    const preflight = await callAs(server.app, null, 'OPTIONS /v1/customer-page/payment-methods', {
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('getCustomerPageMethods', () => {
  it('200: the customer’s active ones, the newest first, and nothing secret', async () => {
    const { id } = await aCustomer(db.database, client);
    const old = await aMethod(id, '1111');
    await moveClock(db.database, 1_000);
    const fresh = await aMethod(id, '4242');
    await aMethod(id, '9999', 'pending');
    await aMethod((await aCustomer(db.database, client)).id, '5555');
    const answer = await list(await anOpenPage(id));
    expect(answer.statusCode).toBe(200);
    const { data, defaultPaymentMethodId } = answer.json();
    expect(data.map((method: { id: string }) => method.id)).toEqual([fresh, old]);
    expect(defaultPaymentMethodId).toBe(old);
    expect(Object.keys(data[0]).sort()).toEqual(
      'brand createdAt expiryMonth expiryYear gateway id lastFour payerEmail status type'.split(
        ' ',
      ),
    );
    expect(answer.body).not.toMatch(/secret/);
  });

  it('200: empty for a customer without any', async () => {
    const { id } = await aCustomer(db.database, client);
    const answer = await list(await anOpenPage(id));
    expect(answer.json()).toEqual({ data: [], defaultPaymentMethodId: null });
  });
});
