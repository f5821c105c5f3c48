// Spec: Webhooks, signature. Reliability W3: forged, old, early or foreign notices change nothing.

import { createSign, generateKeyPairSync, randomUUID, X509Certificate } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { issueCertificate } from '@svc/sandbox/wallet/certificate';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { describeWallet } from '../../../test/wallet/wallet-bench.ts';
import { type Certificates, openCertificates } from './certificates.ts';
import { readWalletNotice } from './notices.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const dayMs = 86_400_000;
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const strange = generateKeyPairSync('rsa', { modulusLength: 2048 });
const valid = { fromMs: nowMs - dayMs, untilMs: nowMs + dayMs };
const pem = issueCertificate(pair, 'wallet', valid);
const certUrl = 'https://api.paypal.com/v1/notifications/certs/CERT-1';
const certificates: Certificates = {
  get: async (url) => (url === certUrl ? new X509Certificate(pem) : null),
  close: async () => undefined,
};
const account = { accountId: 'MERCHANT1', livemode: false };
const webhookId = 'HOOK1';

const event = (more: object = {}) => ({
  id: 'WH-1-2',
  event_type: 'PAYMENT.CAPTURE.COMPLETED',
  create_time: '2026-11-21T11:59:58.000Z',
  resource_type: 'capture',
  resource: {
    id: 'CAP1',
    amount: { currency_code: 'EUR', value: '9999.00' },
    payee: { merchant_id: 'MERCHANT1' },
    supplementary_data: { related_ids: { order_id: 'ORDER1' } },
  },
  ...more,
});
const time = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

type Sending = { body?: string; key?: typeof pair; webhook?: string; atMs?: number };
const headersFor = ({
  body = text,
  key = pair,
  webhook = webhookId,
  atMs = nowMs,
}: Sending = {}) => {
  const id = 'f8a3c2d0-0000-11ee-8000-000000000000';
  const signed = `${id}|${time(atMs)}|${webhook}|${crc32(body)}`;
  return {
    'paypal-transmission-id': id,
    'paypal-transmission-time': time(atMs),
    'paypal-transmission-sig': createSign('sha256').update(signed).sign(key.privateKey, 'base64'),
    'paypal-cert-url': certUrl,
    'paypal-auth-algo': 'SHA256withRSA',
  };
};
const text = JSON.stringify(event());
const parse = (body: string | Buffer, headers: object, of = account) =>
  readWalletNotice(
    of,
    { rawBody: Buffer.from(body), headers: headers as Record<string, string>, secret: webhookId },
    { certificates, nowMs },
  );

describe('readWalletNotice', () => {
  it('a genuine notice, reduced to which order to read; nothing else of it is kept', async () => {
    expect(await parse(text, headersFor())).toEqual({
      id: 'WH-1-2',
      type: 'PAYMENT.CAPTURE.COMPLETED',
      intentId: 'ORDER1',
      createdAt: new Date('2026-11-21T11:59:58.000Z'),
      livemode: false,
      kept: { objectId: 'CAP1', object: 'capture' },
    });
  });

  const operationId = randomUUID();
  it.each([
    ['checkout-order', { id: 'ORDER2' }, 'ORDER2'],
    ['refund', { id: 'R1', custom_id: `${operationId}.ORDER3` }, 'ORDER3'],
    ['refund', { id: 'R1' }, null],
    ['refund', { id: 'R1', custom_id: 'by hand' }, null],
    ['payment_token', { id: 'tok' }, null],
    ['capture', { id: 'C' }, null],
  ])('%s %j is about order %s', async (resource_type, resource, intentId) => {
    const body = JSON.stringify(event({ resource_type, resource }));
    expect(await parse(body, headersFor({ body }))).toMatchObject({ intentId });
  });

  it.each([-300_000, 0, 300_000])('%i ms off the time is within the window', async (off) => {
    expect(await parse(text, headersFor({ atMs: nowMs + off }))).not.toBeNull();
  });

  it.each([-301_000, 301_000, -dayMs])('%i ms off the time is stale or early', async (off) => {
    expect(await parse(text, headersFor({ atMs: nowMs + off }))).toBeNull();
  });

  const withoutHeader = (name: string) => {
    const headers: Record<string, string> = { ...headersFor() };
    delete headers[name];
    return headers;
  };
  it.each<[string, object]>([
    ['another key', headersFor({ key: strange })],
    ['another body', headersFor({ body: `${text} ` })],
    ['another webhook', headersFor({ webhook: 'HOOK2' })],
    ['a changed id', { ...headersFor(), 'paypal-transmission-id': 'other' }],
    ['a changed time', { ...headersFor(), 'paypal-transmission-time': time(nowMs - 1000) }],
    ['a time without a zone', { ...headersFor(), 'paypal-transmission-time': '2026-11-21 12:00' }],
    ['another algorithm', { ...headersFor(), 'paypal-auth-algo': 'SHA1withRSA' }],
    ['a certificate from elsewhere', { ...headersFor(), 'paypal-cert-url': 'https://evil.test/c' }],
    ['no signature', { ...headersFor(), 'paypal-transmission-sig': '' }],
    ['a signature that is no base64', { ...headersFor(), 'paypal-transmission-sig': '%%' }],
    ['two signatures', { ...headersFor(), 'paypal-transmission-sig': ['a', 'b'] }],
    ...Object.keys(headersFor()).map((name): [string, object] => [
      `no ${name}`,
      withoutHeader(name),
    ]),
  ])('%s: nothing', async (_, headers) => {
    expect(await parse(text, headers)).toBeNull();
  });

  it('a notice about another merchant: nothing, though it is signed', async () => {
    expect(await parse(text, headersFor(), { ...account, accountId: 'MERCHANT2' })).toBeNull();
    const resource = { purchase_units: [{ payee: { merchant_id: 'MERCHANT2' } }] };
    const body = JSON.stringify(event({ resource }));
    expect(await parse(body, headersFor({ body }))).toBeNull();
  });

  it.each(['', '{', 'null', '[]', '{}', JSON.stringify(event({ id: 'x y' })), '{"id":"WH-1"}'])(
    'signed, but no event (%s): nothing',
    async (body) => expect(await parse(body, headersFor({ body }))).toBeNull(),
  );

  it('a body over the limit: nothing', async () => {
    const body = JSON.stringify(event({ padding: 'x'.repeat(256 * 1024) }));
    expect(await parse(body, headersFor({ body }))).toBeNull();
  });

  it('a body changed in any one byte is no genuine one', async () => {
    const headers = headersFor();
    const change = fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, by]) => {
        const body = Buffer.from(text);
        body[at] = (body[at] ?? 0) ^ by;
        expect(await parse(body, headers)).toBeNull();
      }),
    );
  });
});

describe('certificates', () => {
  const served = new Map<string, string>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const body = served.get(request.url ?? '');
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  const opened: Certificates[] = [];
  const openServer = async () => {
    if (!server.listening) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const store = openCertificates([origin], 1000);
    opened.push(store);
    return { origin, get: (path: string, atMs = nowMs) => store.get(origin + path, atMs) };
  };
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    server.close();
  });
  const path = '/v1/notifications/certs/CERT-1';

  it('are fetched once for many, and kept', async () => {
    served.set(path, pem);
    const { get } = await openServer();
    const all = await Promise.all([get(path), get(path), get(path)]);
    expect(all.every((one) => one !== null)).toBe(true);
    await get(path);
    expect(asked.filter((url) => url === path)).toHaveLength(1);
  });

  it('run out, and are none before their time', async () => {
    served.set(path, pem);
    const { get } = await openServer();
    expect(await get(path, nowMs + 2 * dayMs)).toBeNull();
    expect(await get(path, nowMs - 2 * dayMs)).toBeNull();
  });

  it.each([
    '/v1/notifications/certs/',
    '/v1/notifications/certs/../../secrets',
    '/v1/notifications/certs/CERT-1?x=1',
    '/other/CERT-1',
  ])('%s is never asked for', async (odd) => {
    const { get } = await openServer();
    const before = asked.length;
    expect(await get(odd)).toBeNull();
    expect(asked).toHaveLength(before);
  });

  it('of another host are never asked for', async () => {
    const { origin } = await openServer();
    const store = openCertificates(['https://api.paypal.com'], 1000);
    opened.push(store);
    const before = asked.length;
    expect(await store.get(`${origin}${path}`, nowMs)).toBeNull();
    expect(asked).toHaveLength(before);
  });

  it('that are none, or not there, are not asked for again at once', async () => {
    served.set(`${path}-bad`, 'no certificate');
    const { get } = await openServer();
    const before = asked.length;
    for (const _ of [1, 2, 3]) {
      expect(await get(`${path}-bad`)).toBeNull();
      expect(await get(`${path}-none`)).toBeNull();
    }
    expect(asked).toHaveLength(before + 2);
  });
});

describeWallet(['guarded'], (at) => {
  it('a notice of the sandbox is genuine, for this account and its webhook', async () => {
    const hits: { rawBody: Buffer; headers: IncomingHttpHeaders }[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        hits.push({ rawBody: Buffer.concat(parts), headers: request.headers });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const id = await at.bench.listen(hook);
    const { orderId, again } = await at.anApproved();
    await again();
    await expect.poll(() => hits.length).toBe(2);
    const read = await Promise.all(hits.map((hit) => at.bench.readNotice({ ...hit, secret: id })));
    expect(read).toMatchObject([{ intentId: orderId }, { intentId: orderId }]);
    const [first] = hits;
    if (!first) throw new Error('no notice came');
    expect(await at.bench.readNotice({ ...first, secret: 'OTHER' })).toBe('not_understood');
    expect(await at.bench.readNotice({ ...first, secret: id }, 'SOMEBODYELSE1')).toBe(
      'not_understood',
    );
    server.closeAllConnections();
    server.close();
  });
});
