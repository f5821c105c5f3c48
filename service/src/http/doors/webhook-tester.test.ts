// The webhook tester over real sockets: real deliveries, and requests of strangers.

import { createHmac } from 'node:crypto';
import type {
  SignatureCheck,
  TesterRequest,
  WebhookTester,
} from '@svc/contract/developers/webhook-tester';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  freshDatabase,
  moveClock,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aLargePurchase } from '../../../test/webhooks/largest-event.ts';
import {
  aWebhookEndpoint,
  loopback,
  sealedFor,
  type TestEndpoint,
} from '../../../test/webhooks/webhooks.ts';
import type { Ports } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';
import { webhookSender } from '../../webhooks/send.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let base = '';
const sender = webhookSender({ allow: loopback });
const rotate = sql(
  'test_tester_rotate',
  `update webhook_endpoints set previous_secret_sealed = secret_sealed, secret_sealed = $2,
     previous_secret_until = svc_clock() + $3::int * interval '1 hour' where id = $1`,
);

async function openServer(given: Partial<Ports['settings']> = {}): Promise<TestServer> {
  const { settings } = portsFor(db.database);
  ports = portsFor(db.database, {
    sealed: sealedFor(db.database),
    settings: { ...settings, ...given },
  });
  return aServer(ports);
}

beforeAll(async () => {
  db = await freshDatabase();
  server = await openServer();
  base = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

type Tester = TestToken & { readonly path: string; readonly url: string };

const call = async <T>(
  by: TestToken,
  method: string,
  path = '',
  body?: unknown,
): Promise<{ status: number; body: T }> => {
  const answer = await fetch(`${base}/v1/sandbox/webhook-tester${path}`, {
    method,
    headers: {
      authorization: by.authorization,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : null) as T };
};

async function aTester(): Promise<Tester> {
  const token = await aToken(db.database, await aClient(db.database));
  const { body } = await call<WebhookTester>(token, 'GET');
  const { pathname: path } = new URL(body.url);
  return { ...token, path, url: body.url };
}

const endpointAt = ({ clientId, url }: Tester): Promise<TestEndpoint> =>
  aWebhookEndpoint(db.database, { id: clientId }, { url });

const listReceived = async (by: TestToken, search = ''): Promise<TesterRequest[]> =>
  (await call<{ data: TesterRequest[] }>(by, 'GET', `/requests${search}`)).body.data;

const post = (path: string, body = '{}', headers: Record<string, string> = {}) =>
  fetch(base + path, { method: 'POST', body, headers });

const body = '{"id":"evt_1","note":"Zwölf Töpfe ☕"}';
const deliver = (path: string, secrets: readonly string[], now = new Date()) =>
  sender({ url: base + path, body, eventId: 'evt_1', secrets, now });

const verdicts = (request: TesterRequest | undefined) =>
  request?.signatures.map(({ scheme, verdict }) => `${scheme} ${verdict}`);
const check = async (tester: Tester): Promise<SignatureCheck> => {
  const [newest] = await listReceived(tester);
  if (!newest?.signatures[0]) throw new Error('nothing came');
  return newest.signatures[0];
};

describe('the webhook tester', () => {
  it('has one address for each merchant, which stays', async () => {
    const one = await aTester();
    expect((await call<WebhookTester>(one, 'GET')).body).toEqual({ url: one.url, answer: 'ok' });
    expect(one.url).toMatch(/^http:\/\/localhost:4000\/webhook-tester\/[\w-]{32}$/);
    expect((await aTester()).url).not.toBe(one.url);
  });

  it('shows a delivery as it came, with both signatures valid', async () => {
    const tester = await aTester();
    const endpoint = await endpointAt(tester);
    expect(await deliver(tester.path, [endpoint.secret])).toMatchObject({ status: 200 });
    const [request, ...more] = await listReceived(tester);
    expect(more).toEqual([]);
    expect(request).toMatchObject({ number: 1, body, answer: 'ok' });
    expect(verdicts(request)).toEqual(['svc valid', 'standard valid']);
    const [own] = request?.signatures ?? [];
    const header = request?.headers.find(({ name }) => name === 'svc-signature')?.value;
    expect(`t=${own?.timestamp},v1=${own?.secrets[0]?.expected}`).toBe(header);
    expect(own).toMatchObject({
      signedPrefix: `${own?.timestamp}.`,
      candidates: [{ isMatch: true }],
      secrets: [{ endpointId: endpoint.id, which: 'current', isMatch: true }],
    });
  });

  it('tells the secret before a rotation from the new one, until its time is over', async () => {
    const tester = await aTester();
    const before = await endpointAt(tester);
    const after = await aWebhookEndpoint(db.database, { id: tester.clientId }, { url: 'x:' });
    const place = { clientId: tester.clientId, table: 'webhook_endpoints', rowId: before.id };
    const sealed = await ports.sealed.seal({ ...place, field: 'secret' }, after.secret);
    await db.database.write(rotate, [before.id, sealed, 1]);
    await deliver(tester.path, [before.secret]);
    expect(await check(tester)).toMatchObject({
      verdict: 'valid',
      secrets: [
        { which: 'current', isMatch: false },
        { which: 'previous', isMatch: true },
      ],
    });
    await moveClock(db.database, 2 * 3_600_000);
    expect(await check(tester)).toMatchObject({
      verdict: 'no_match',
      secrets: [{ isMatch: false }],
    });
    await moveClock(db.database, 0);
  });

  it('says why a signature does not hold', async () => {
    const tester = await aTester();
    await post(tester.path, body);
    expect(verdicts((await listReceived(tester))[0])).toEqual([
      'svc no_header',
      'standard no_header',
    ]);
    await deliver(tester.path, ['svc_whsec_AAAA']);
    expect((await check(tester)).verdict).toBe('no_secret');
    const { secret } = await endpointAt(tester);
    expect((await check(tester)).verdict).toBe('no_match');
    await post(tester.path, body, { 'svc-signature': 'v1=aa' });
    expect((await check(tester)).verdict).toBe('malformed');
    await post(tester.path, body, { 'svc-signature': `t=${'9'.repeat(12)}` });
    expect((await check(tester)).verdict).toBe('malformed');
    await deliver(tester.path, [secret], new Date(Date.now() - 320_000));
    expect(await check(tester)).toMatchObject({ verdict: 'too_old' });
    await deliver(tester.path, [secret], new Date(Date.now() + 320_000));
    expect(verdicts((await listReceived(tester))[0])).toEqual(['svc too_new', 'standard too_new']);
  });

  it('signs nothing for who sent the request: of another signature the beginning alone', async () => {
    const tester = await aTester();
    const { secret } = await endpointAt(tester);
    const t = Math.floor(Date.now() / 1000);
    await post(tester.path, 'forged', {
      'svc-signature': `t=${t},v1=${'0'.repeat(64)}`,
      'webhook-id': 'evt_2',
      'webhook-timestamp': String(t),
      'webhook-signature': 'v1,AAAA',
    });
    const [request] = await listReceived(tester);
    expect(verdicts(request)).toEqual(['svc no_match', 'standard no_match']);
    const whole = createHmac('sha256', secret).update(`${t}.forged`).digest('hex');
    const shown = JSON.stringify(request);
    expect(request?.signatures[0]?.secrets[0]?.expected).toBe(`${whole.slice(0, 8)}…`);
    expect(request?.signatures[1]?.secrets[0]?.expected).toHaveLength(9);
    expect(shown).not.toContain(whole.slice(0, 9));
    expect(shown).not.toContain(secret);
  });

  it.each([
    ['ok', 200],
    ['error', 500],
    ['gone', 410],
  ])('answers as it is told to: %s with %i', async (answer, status) => {
    const tester = await aTester();
    expect((await call(tester, 'PATCH', '', { answer })).status).toBe(200);
    expect((await post(tester.path)).status).toBe(status);
    expect((await listReceived(tester))[0]).toMatchObject({ answer });
  });

  it('holds slow and silent answers back, and lets go of them when the service stops', async () => {
    const other = await openServer();
    const origin = `http://127.0.0.1:${await other.listen('127.0.0.1', 0)}`;
    const ends: unknown[] = [];
    for (const answer of ['slow', 'timeout']) {
      const tester = await aTester();
      await call(tester, 'PATCH', '', { answer });
      const sent = fetch(origin + tester.path, { method: 'POST', body });
      void sent.then(
        ({ status }) => ends.push(status),
        () => ends.push('no answer'),
      );
      await expect.poll(async () => (await listReceived(tester)).length).toBe(1);
    }
    expect(ends).toEqual([]);
    await other.close(2000);
    await expect.poll(() => ends.toSorted()).toEqual([200, 'no answer']);
  });

  it('keeps the newest 200, reads on and anew by number, and forgets', async () => {
    const tester = await aTester();
    for (let sent = 0; sent < 204; sent += 12)
      await Promise.all(Array.from({ length: 12 }, (_, n) => post(tester.path, `${sent + n}`)));
    const { body: first } = await call<{ data: TesterRequest[]; total: number }>(
      tester,
      'GET',
      '/requests?limit=50',
    );
    expect(first.total).toBe(200);
    const numbers = (requests: TesterRequest[]) => requests.map(({ number }) => number);
    expect(numbers(first.data)).toEqual(Array.from({ length: 50 }, (_, n) => 204 - n));
    expect(numbers(await listReceived(tester, '?before=7'))).toEqual([6, 5]);
    expect(numbers(await listReceived(tester, '?after=202'))).toEqual([204, 203]);
    expect((await call(tester, 'DELETE', '/requests')).status).toBe(204);
    expect(await listReceived(tester)).toEqual([]);
  });

  it('takes 256 kB of any kind, and not a byte more', async () => {
    const tester = await aTester();
    const kinds = { 'content-type': 'application/x-anything' };
    expect((await post(tester.path, 'x'.repeat(262_144), kinds)).status).toBe(200);
    expect((await post(tester.path, 'x'.repeat(262_145), kinds)).status).toBe(413);
    expect((await post(tester.path, '', {})).status).toBe(200);
    expect((await listReceived(tester)).map((one) => one.body.length)).toEqual([0, 262_144]);
  });

  it('takes the largest purchase, whole', async () => {
    const tester = await aTester();
    const { secret } = await endpointAt(tester);
    const event = aLargePurchase().payload;
    const delivery = { url: base + tester.path, body: event, eventId: 'evt_1', now: new Date() };
    expect(await sender({ ...delivery, secrets: [secret] })).toMatchObject({ status: 200 });
    expect((await listReceived(tester))[0]?.body).toBe(event);
    expect((await check(tester)).verdict).toBe('valid');
  });

  it.each([
    { host: 'rebound.example' },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
  ])('403 cross_site_request, and nothing is kept: a page of another site, %j', async (headers) => {
    const tester = await aTester();
    const refused = await server.app.inject({ method: 'POST', url: tester.path, headers });
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'cross_site_request']);
    expect(await listReceived(tester)).toEqual([]);
  });

  it('404 route_not_found: another key, another method, live mode', async () => {
    const { path, ...token } = await aTester();
    expect((await post(`${path.slice(0, -1)}~`)).status).toBe(404);
    expect((await post(`/webhook-tester/${'A'.repeat(32)}`)).status).toBe(404);
    expect((await fetch(base + path)).status).toBe(405);
    await using live = Object.assign(
      await openServer({ isLive: true, baseUrl: 'https://pay.test' }),
      {
        [Symbol.asyncDispose]: () => live.close(),
      },
    );
    const statuses = await Promise.all([
      live.app.inject({ method: 'POST', url: path }),
      live.app.inject({
        url: '/v1/sandbox/webhook-tester',
        headers: { authorization: token.authorization },
      }),
    ]);
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
  });

  it('403: members look and change nothing, scopes hold', async () => {
    const client = await aClient(db.database);
    const member = await aToken(db.database, client, { role: 'member' });
    expect((await call(member, 'GET')).status).toBe(200);
    expect((await call(member, 'GET', '/requests')).status).toBe(200);
    for (const [method, path, given] of [
      ['PATCH', '', { answer: 'gone' }],
      ['DELETE', '/requests', undefined],
    ] as const) {
      expect(await call(member, method, path, given)).toMatchObject({
        status: 403,
        body: { code: 'merchant_role_required' },
      });
    }
    const reader = await aToken(db.database, client, { scopes: ['webhooks:read'] });
    expect((await call(reader, 'GET')).status).toBe(200);
    expect(await call(reader, 'PATCH', '', { answer: 'ok' })).toMatchObject({
      body: { code: 'insufficient_scope' },
    });
    const other = await aToken(db.database, client, { scopes: ['payments:read'] });
    expect((await call(other, 'GET', '/requests')).status).toBe(403);
  });

  it('nobody reads what came to another merchant', async () => {
    const [one, other] = [await aTester(), await aTester()];
    await post(one.path, 'mine');
    expect(await listReceived(one)).toHaveLength(1);
    expect(await listReceived(other)).toEqual([]);
    await call(other, 'DELETE', '/requests');
    expect(await listReceived(one)).toHaveLength(1);
  });
});
