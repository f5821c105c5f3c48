// Contract §13: the wallet's webhooks. Signed with the certificate that the sandbox serves.

import { verify, X509Certificate } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approvedOrder, capturesOf, openWalletBench, type WalletBench } from '../../test/wallet.ts';

type Hit = { body: string; headers: IncomingHttpHeaders; type: string };

let bench: WalletBench;
let hits: Hit[] = [];
let refusals = 0;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    refusals -= 1;
    response.writeHead(refusals >= 0 ? 500 : 200).end();
    if (refusals >= 0) return;
    const { event_type: type } = JSON.parse(body) as { event_type: string };
    hits.push({ body, headers: request.headers, type });
  });
});
let webhookId: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  bench = await openWalletBench();
  const body = { url, event_types: [{ name: '*' }] };
  const made = await bench.call('POST', '/v1/notifications/webhooks', { body });
  expect(made.status).toBe(201);
  webhookId = String(made.body.id);
});
beforeEach(() => {
  hits = [];
  refusals = 0;
});
afterEach(async () => {
  expect(bench.complaints()).toEqual([]);
  await fetch(`${bench.sandbox.url}/_control/faults`, { method: 'DELETE' });
});
afterAll(async () => {
  await bench.sandbox.close();
  server.closeAllConnections();
  server.close();
});

const types = () => hits.map(({ type }) => type);
const arrived = (...wanted: string[]) =>
  expect.poll(() => types().sort()).toEqual([...wanted].sort());
const capture = (id: string) =>
  bench.call('POST', `/v2/checkout/orders/${id}/capture`, { key: `k-${id}`, body: {} });

const verification = (hit: Hit, more: object = {}) => ({
  transmission_id: hit.headers['paypal-transmission-id'],
  transmission_time: hit.headers['paypal-transmission-time'],
  transmission_sig: hit.headers['paypal-transmission-sig'],
  cert_url: hit.headers['paypal-cert-url'],
  auth_algo: hit.headers['paypal-auth-algo'],
  webhook_id: webhookId,
  webhook_event: JSON.parse(hit.body) as object,
  ...more,
});
const ask = (body: object) =>
  bench.call('POST', '/v1/notifications/verify-webhook-signature', { body });

describe('a notice', () => {
  it('verifies with the certificate alone, and when the provider is asked', async () => {
    const id = await approvedOrder(bench);
    await arrived('CHECKOUT.ORDER.APPROVED');
    const [hit] = hits as [Hit];
    expect(JSON.parse(hit.body)).toMatchObject({ resource: { id, status: 'APPROVED' } });
    const pem = await (await fetch(String(hit.headers['paypal-cert-url']))).text();
    const text = [
      hit.headers['paypal-transmission-id'],
      hit.headers['paypal-transmission-time'],
      webhookId,
      crc32(hit.body),
    ].join('|');
    const signature = Buffer.from(String(hit.headers['paypal-transmission-sig']), 'base64');
    const { publicKey } = new X509Certificate(pem);
    expect(verify('sha256', Buffer.from(text), publicKey, signature)).toBe(true);
    expect(verify('sha256', Buffer.from(`${text}1`), publicKey, signature)).toBe(false);
    expect(await ask(verification(hit))).toMatchObject({
      body: { verification_status: 'SUCCESS' },
    });
  });

  it.each([
    ['another id', { transmission_id: '8c1f2a34-0000-4000-8000-000000000000' }],
    ['another time', { transmission_time: '2020-01-01T00:00:00Z' }],
    ['another signature', { transmission_sig: 'AAAA' }],
    ['another event', { webhook_event: { id: 'WH-1', event_type: 'X' } }],
  ])('%s is no genuine one', async (_, more) => {
    await approvedOrder(bench);
    await arrived('CHECKOUT.ORDER.APPROVED');
    const answer = await ask(verification(hits[0] as Hit, more));
    expect(answer.body).toEqual({ verification_status: 'FAILURE' });
  });

  it('goes out for each thing that happens to a payment', async () => {
    const id = await approvedOrder(bench, 'refund_fails');
    const [{ id: captured } = { id: '' }] = capturesOf((await capture(id)).body);
    await bench.call('POST', `/v2/payments/captures/${captured}/refund`, { key: id, body: {} });
    await bench.control.advance(4);
    await arrived(
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.REFUNDED',
      'PAYMENT.REFUND.FAILED',
    );
  });

  it.each([
    ['pends', 'PAYMENT.CAPTURE.COMPLETED'],
    ['denied', 'PAYMENT.CAPTURE.DENIED'],
  ])('%s: pending, then %s', async (behaviour, type) => {
    await capture(await approvedOrder(bench, behaviour));
    await bench.control.advance(4);
    await arrived('CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.PENDING', type);
  });

  it('is listed, the newest first, page by page, by type and time', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const made = [await approvedOrder(bench), await approvedOrder(bench)];
    await capture(String(made[0]));
    type ListedNotices = {
      events: { event_type: string; resource: { id: string } }[];
      count: number;
    };
    const list = async (query: Record<string, string>) => {
      const path = `/v1/notifications/webhooks-events?${new URLSearchParams(query)}`;
      const { body } = await bench.call('GET', path);
      const links = body.links as { rel: string; href: string }[];
      return { ...(body as ListedNotices), next: links.find(({ rel }) => rel === 'next')?.href };
    };
    const [newest, ...others] = (await list({ start_time: since, page_size: '100' })).events;
    expect(newest?.event_type).toBe('PAYMENT.CAPTURE.COMPLETED');
    expect(others.length).toBeGreaterThanOrEqual(2);
    const approvals = { event_type: 'CHECKOUT.ORDER.APPROVED', page_size: '1' };
    const first = await list(approvals);
    expect(first).toMatchObject({ count: 1, events: [{ resource: { id: made[1] } }] });
    const second = new URL(String(first.next));
    expect(await list(Object.fromEntries(second.searchParams))).toMatchObject({
      events: [{ event_type: 'CHECKOUT.ORDER.APPROVED', resource: { id: made[0] } }],
    });
    expect(await list({ end_time: since, ...approvals, event_type: 'PAYMENT.SALE' })).toEqual({
      ...{ events: [], count: 0, next: undefined },
      links: expect.any(Array),
    });
  });

  it('is sent again until it arrives', async () => {
    refusals = 1;
    await approvedOrder(bench);
    await expect.poll(() => refusals).toBe(0);
    await bench.control.advance(2);
    await arrived('CHECKOUT.ORDER.APPROVED');
  });
});

describe('faults of notices', () => {
  it.each([
    ['duplicate_webhook', ['CHECKOUT.ORDER.APPROVED', 'CHECKOUT.ORDER.APPROVED']],
    ['drop_webhook', []],
  ])('%s', async (action, expected) => {
    await bench.control.fault({ match: { event: 'CHECKOUT.ORDER.*' }, action });
    await capture(await approvedOrder(bench));
    await arrived(...expected, 'PAYMENT.CAPTURE.COMPLETED');
  });

  it('early_webhook arrives before the call that caused it is answered', async () => {
    const id = await approvedOrder(bench);
    await arrived('CHECKOUT.ORDER.APPROVED');
    await bench.control.fault({ match: { object: id }, action: 'early_webhook' });
    await capture(id);
    expect(types()).toContain('PAYMENT.CAPTURE.COMPLETED');
  });

  it('hold_webhooks keeps them until they are released, in the order asked for', async () => {
    await bench.control.fault({ action: 'hold_webhooks' });
    await capture(await approvedOrder(bench));
    const { deliveries } = await bench.control.get<{ deliveries: object[] }>('/wallet/webhooks');
    expect(deliveries).toMatchObject([{ state: 'kept' }, { state: 'kept' }]);
    await bench.control.post('/wallet/webhooks/release', { order: 'lifo' });
    expect(types()).toEqual(['PAYMENT.CAPTURE.COMPLETED', 'CHECKOUT.ORDER.APPROVED']);
  });
});

describe('webhooks', () => {
  it('are listed, and gone once deleted; only this machine is written to', async () => {
    const path = '/v1/notifications/webhooks';
    const createWebhook = (url: string) =>
      bench.call('POST', path, { body: { url, event_types: [{ name: 'A' }] } });
    const made = await createWebhook('http://127.0.0.1:1/x');
    const ids = async () =>
      ((await bench.call('GET', path)).body.webhooks as { id: string }[]).map(({ id }) => id);
    expect(await ids()).toEqual([webhookId, made.body.id]);
    expect((await bench.call('DELETE', `${path}/${String(made.body.id)}`)).status).toBe(204);
    expect(await ids()).toEqual([webhookId]);
    expect((await createWebhook('https://example.com/x')).status).toBe(400);
  });
});
