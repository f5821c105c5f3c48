import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { version } from '@svc/contract/version';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aProduct,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../test/harness.ts';
import { aServer, type TestServer } from '../../test/server.ts';
import { insertShell } from '../storage/checkout-sessions/session-claims.ts';
import { sql } from '../storage/database/sql.ts';
import type { ServerSettings } from './server.ts';

const pagesDir = mkdtempSync(join(tmpdir(), 'svc-pages-'));
const sandboxKey = 'a key of the sandbox';
const notices: Parameters<ServerSettings['receiveNotice']>[0][] = [];
let outcome: 'stored' | 'duplicate' | 'refused' = 'stored';
let db: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  const ports = portsFor(db.database);
  const formUrl = (origins: readonly string[]) => `https://card.example/form?parents=${origins}`;
  server = await aServer(
    { ...ports, vault: { ...ports.vault, formUrl } },
    {
      pagesDir,
      sandboxKey,
      receiveNotice: async (received, _ports, onFault) => {
        notices.push(received);
        if (outcome === 'refused') onFault('wrong_secret');
        return outcome;
      },
    },
  );
});
afterAll(async () => {
  await server.close();
  await db.close();
  rmSync(pagesDir, { recursive: true });
});

const get = (url: string, headers = {}) => server.app.inject({ method: 'GET', url, headers });

describe('the checkout page', () => {
  const id = newId();

  it('503 with a text that says what to do, while it is not built', async () => {
    const response = await get(`/c/${id}`);
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      503,
      'text/plain; charset=utf-8',
    ]);
    expect(response.body).toContain('node pages/build.ts');
  });

  it('is served with its policy, newest build first', async () => {
    mkdirSync(join(pagesDir, 'checkout'));
    writeFileSync(join(pagesDir, 'checkout/index.html'), '<!doctype html><script>one</script>');
    const response = await get(`/c/${id}`);
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('one');
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'reporting-endpoints': 'csp="/csp-reports"',
      link: '<http://127.0.0.1:4001>; rel=preconnect',
    });
    const policy = String(response.headers['content-security-policy']).split('; ');
    // The hash of its own script: printf one | openssl sha256 -binary | base64
    const hash = 'dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0=';
    expect(policy).toEqual([
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash}'`,
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "frame-src 'self' http://127.0.0.1:4001 http://127.0.0.1:4002",
      "form-action 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      "frame-ancestors 'self'",
      "require-trusted-types-for 'script'",
      'report-to csp',
    ]);
    const page = join(pagesDir, 'checkout/index.html');
    writeFileSync(page, '<!doctype html><p>two');
    const later = new Date(Date.now() + 1000);
    utimesSync(page, later, later);
    expect((await get('/c/anything/below')).body).toContain('two');
  });

  it('assets are immutable, compressed when asked, and never outside their folder', async () => {
    mkdirSync(join(pagesDir, 'assets'), { recursive: true });
    const script = 'console.log(1);'.repeat(200);
    writeFileSync(join(pagesDir, 'assets/app-abc.js'), script);
    const plain = await get('/assets/app-abc.js');
    expect([plain.body, plain.headers['content-type']]).toEqual([
      script,
      'text/javascript; charset=utf-8',
    ]);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const br = await get('/assets/app-abc.js', { 'accept-encoding': 'gzip, br' });
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(script);
    const gzip = await get('/assets/app-abc.js', { 'accept-encoding': 'gzip' });
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(script);
    expect(gzip.headers.vary).toBe('Accept-Encoding');
    for (const name of ['none.js', '..%2fcheckout%2findex.html', '..%5c', 'app-abc.js%00', '']) {
      expect((await get(`/assets/${name}`)).json().code).toBe('route_not_found');
    }
  });
});

describe('the customer’s page', () => {
  it('503 while it is not built, then with the policy of the checkout page, framed by nobody', async () => {
    expect((await get('/m')).statusCode).toBe(503);
    mkdirSync(join(pagesDir, 'customer'));
    writeFileSync(join(pagesDir, 'customer/index.html'), '<!doctype html><p>cards');
    const response = await get('/m?session_id=1');
    expect([response.statusCode, response.body]).toEqual([200, '<!doctype html><p>cards']);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const policyOf = async (url: string) =>
      String((await get(url)).headers['content-security-policy']).split('; ');
    const checkout = await policyOf(`/c/${newId()}`);
    expect(await policyOf('/m')).toEqual(
      checkout.map((rule) => rule.replace("frame-ancestors 'self'", "frame-ancestors 'none'")),
    );
    expect(await policyOf('/m')).toContain("frame-ancestors 'none'");
  });
});

describe('a merchant without a gateway', () => {
  it.each([
    [
      'in one step',
      {
        products: [{ code: 'mug', quantity: 1 }],
        accountData: { userId: 'ada', email: 'ada@shop.example' },
      },
    ],
    ['in two steps', { deferDataAttachment: true }],
  ])('is named in the log where a browser creates a session %s', async (_, more) => {
    const client = await aClient(db.database);
    await aProduct(db.database, client, { code: 'mug' });
    const { id } = client;
    const payload = { clientId: id, currency: 'EUR', ...more };
    const before = server.logged.length;
    const response = await server.app.inject({
      method: 'POST',
      url: '/v1/checkouts/sessions',
      payload,
    });
    expect(response.json()).toMatchObject({ code: 'gateway_not_configured' });
    expect(server.logged.slice(before)).toContainEqual(
      expect.objectContaining({
        msg: 'a merchant has no gateway for this call: svc gateways create',
        clientId: id,
      }),
    );
  });
});

describe('a merchant’s logo', () => {
  const logoUrl = 'https://cdn.shop.example/a;b.png?v=2';
  const images = async (url: string) =>
    String((await get(url)).headers['content-security-policy'])
      .split('; ')
      .find((rule) => rule.startsWith('img-src'));
  const own = "img-src 'self' data:";
  const setLogo = sql('t_set_logo', 'update clients set logo_url = $2 where id = $1');

  it('is the one image from elsewhere that the pages of this merchant may show', async () => {
    const [shop, other] = [await aClient(db.database), await aClient(db.database)];
    await db.database.write(setLogo, [shop.id, logoUrl]);
    const pages = [];
    for (const client of [shop, other]) {
      await aGateway(db.database, client);
      const shell = { currency: 'EUR', country: null, lifeMs: 60_000 };
      const ids = { id: newId(), clientId: client.id, nonceSha256: randomBytes(32) };
      const made = await insertShell(db.database, { ...ids, ...shell });
      expect(made?.session.id).toBe(ids.id);
      pages.push(`/c/${ids.id}`, `/m/${client.id}`);
    }
    const [checkout = '', customer = '', ...ofOther] = pages;
    for (const page of [checkout, `${checkout}/`, customer]) {
      expect(await images(page)).toBe(`${own} https://cdn.shop.example/a%3Bb.png`);
    }
    const unknown = [`/c/${newId()}`, `/m/${newId()}`, '/m', '/m/none', '/c/none', '/c/'];
    for (const page of [...ofOther, ...unknown]) expect(await images(page), page).toBe(own);
    await db.database.write(setLogo, [shop.id, null]);
    expect([await images(checkout), await images(customer)]).toEqual([own, own]);
    // The address of the card form stands in the markup of a session, and in no other.
    writeFileSync(join(pagesDir, 'checkout/index.html'), '<!doctype html><html lang="en">');
    const withForm = '<html data-form="https://card.example/form?parents=" lang="en">';
    for (const page of [checkout, checkout])
      expect((await get(page)).body).toBe(`<!doctype html>${withForm}`);
    expect((await get(`/c/${newId()}`)).body).toBe('<!doctype html><html lang="en">');
  });

  it('is left out where the database does not answer, and the page is there', async () => {
    const broken = portsFor(db.database);
    const failing = await aServer(
      {
        ...broken,
        database: { ...broken.database, read: () => Promise.reject(new Error('gone')) },
      },
      { pagesDir },
    );
    const response = await failing.app.inject({ method: 'GET', url: `/c/${newId()}` });
    expect([response.statusCode, response.headers['content-security-policy']]).toEqual([
      200,
      expect.stringContaining(`${own}; `),
    ]);
    await failing.close();
  });
});

describe('health', () => {
  it('says alive, started and ready, and which database is in use', async () => {
    expect((await get('/healthz')).json()).toEqual({ status: 'ok' });
    const ready = await get('/readyz');
    expect(ready.statusCode).toBe(200);
    expect(ready.json()).toMatchObject({
      ...{ status: 'ready', version, mode: 'sandbox', isMigrated: true },
    });
    expect(ready.json().database).toMatch(/^PostgreSQL \d+.*, database svc_test_/);
    expect((await get('/startupz')).statusCode).toBe(200);
  });

  it('is not ready without a database, without migrations, and while draining', async () => {
    const gone = await freshDatabase();
    const ports = portsFor(gone.database);
    // Each readiness check is cached for a second.
    let nowMs = 0;
    const lone = await aServer(ports, { nowMs: () => nowMs });
    const askReadiness = async () => {
      nowMs += 1000;
      return (await lone.app.inject('/readyz')).statusCode;
    };
    expect(await askReadiness()).toBe(200);
    await gone.database.write({ name: 't_unmigrate', text: 'delete from schema_migrations' }, []);
    expect(await askReadiness()).toBe(503);
    await gone.close();
    nowMs += 1000;
    const down = await lone.app.inject('/readyz');
    expect([down.statusCode, down.json().database]).toEqual([503, 'unreachable']);
    expect((await lone.app.inject('/healthz')).statusCode).toBe(200);
    await lone.close();
    const draining = await aServer(portsFor(db.database));
    draining.drain();
    expect((await draining.app.inject('/readyz')).json()).toMatchObject({
      status: 'not ready',
      isDraining: true,
    });
    await draining.close();
  });
});

describe('POST /provider-notices/{gatewayId}', () => {
  const post = (gatewayId: string, payload: string | Buffer, headers = {}) =>
    server.app.inject({ method: 'POST', url: `/provider-notices/${gatewayId}`, payload, headers });
  const gatewayId = newId();

  it('hands on the bytes as sent, whatever their type', async () => {
    const payload = Buffer.from('{ "a": 1,\n "card": "4242424242424242", "a": 2 } \xff', 'latin1');
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': 't=1,v1=x',
    };
    const response = await post(gatewayId.toUpperCase(), payload, headers);
    expect([response.statusCode, response.json()]).toEqual([200, { received: true }]);
    const [notice] = notices.splice(0);
    expect(notice).toMatchObject({ gatewayId, headers: { 'stripe-signature': 't=1,v1=x' } });
    expect(notice?.rawBody.equals(payload)).toBe(true);
    outcome = 'duplicate';
    expect((await post(gatewayId, 'x', { 'content-type': 'text/plain' })).statusCode).toBe(200);
    expect(notices.splice(0)[0]?.headers).not.toHaveProperty('stripe-signature');
  });

  it('400 for what is not genuine, a gateway that is no UUID included', async () => {
    outcome = 'refused';
    const wrong = await post(gatewayId, '{}', { 'content-type': 'application/json' });
    const unknown = await post('x', '{}', { 'content-type': 'application/json' });
    for (const response of [wrong, unknown]) {
      expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_request']);
    }
    expect(notices.splice(0)).toHaveLength(1);
    // Only the log contains the reason, with what to do.
    expect(wrong.body).not.toContain('secret');
    expect(server.logged.filter(({ fault }) => fault)).toMatchObject([
      {
        msg: 'a notice of the provider was refused',
        ...{ gatewayId, fault: 'wrong_secret', remedy: expect.stringContaining('copy the secret') },
      },
    ]);
  });

  it('413 over 256 KiB, and not at it', async () => {
    outcome = 'stored';
    const headers = { 'content-type': 'application/json' };
    expect((await post(gatewayId, Buffer.alloc(262_144, ' '), headers)).statusCode).toBe(200);
    const large = await post(gatewayId, Buffer.alloc(262_145, ' '), headers);
    expect([large.statusCode, large.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'body_too_large', message: 'The body is over 256 kB.' }),
    ]);
  });
});

describe('POST /internal/sandbox/clock', () => {
  const post = (to: TestServer, payload: unknown, key: string | null = sandboxKey) =>
    to.app.inject({
      method: 'POST',
      url: '/internal/sandbox/clock',
      payload: JSON.stringify(payload),
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
    });

  it('moves the one clock', async () => {
    const response = await post(server, { shiftMs: 86_400_000 });
    expect(response.json().shiftMs).toBe(86_400_000);
    const [row] = await db.database.read<{ now: Date }>(
      { name: 't_now', text: 'select svc_clock() as now' },
      [],
    );
    expect(Number(row?.now) - Date.now()).toBeGreaterThan(86_390_000);
    await post(server, { shiftMs: 0 });
  });

  it('401 without the key, 400 for anything but a shift', async () => {
    for (const key of [null, '', 'wrong', `${sandboxKey}x`]) {
      expect((await post(server, { shiftMs: 1 }, key)).json().code).toBe('authentication_required');
    }
    for (const body of [
      {},
      { shiftMs: '1' },
      { shiftMs: 1.5 },
      { shiftMs: 1e15 },
      { shiftMs: 1, x: 1 },
      { shiftMs: null },
    ]) {
      expect((await post(server, body)).json().code).toBe('invalid_request');
    }
  });

  it('404 where there is no key, and in test mode', async () => {
    const none = await aServer(portsFor(db.database));
    expect((await post(none, { shiftMs: 1 })).json().code).toBe('route_not_found');
    await none.close();
    const { settings } = portsFor(db.database);
    const live = await aServer(portsFor(db.database, { settings: { ...settings, mode: 'test' } }), {
      sandboxKey,
    });
    expect((await post(live, { shiftMs: 1 })).json().code).toBe('route_not_found');
    await live.close();
  });
});

describe('documents', () => {
  it.each([
    ['/', []],
    ['/docs', ['<script type="module" src="/docs/search.js"></script>']],
  ])('%s is a page that runs no script but its own search', async (url, scripts) => {
    const response = await get(url);
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(response.headers['content-security-policy']).toContain(
      "default-src 'none'; style-src 'self'",
    );
    const policy = String(response.headers['content-security-policy']);
    expect(policy.includes("script-src 'self'")).toBe(scripts.length > 0);
    expect(response.body.match(/<script[\s\S]*?<\/script>/g) ?? []).toEqual(scripts);
    expect(response.body.match(/<script/g) ?? []).toHaveLength(scripts.length);
    expect(response.body).not.toMatch(/\son\w+=|style="/);
  });
});
