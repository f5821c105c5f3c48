import { Svc } from '@svc/server';
import { expect, it } from 'vitest';
import { roundAmount } from './amounts.ts';
import { Ledger } from './ledger.ts';
import { sentenceOf } from './sentences.ts';
import { readWebhook } from './webhook.ts';

type Sent = { method: string; path: string; key: string | null };

/** A service of one payment behind `fetch`, whose answers to what moves money are lost when asked to. */
function openWire(payment: Record<string, unknown>, { loses = false } = {}) {
  const sent: Sent[] = [];
  const made = new Set<string>();
  const json = (body: object) => Response.json(body);
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const { pathname: path } = new URL(String(url));
    const { method = 'GET' } = init;
    const key = new Headers(init.headers).get('idempotency-key');
    if (method === 'GET') return json(payment);
    sent.push({ method, path, key });
    if (path.endsWith('/capture')) payment.status = 'succeeded';
    if (path.endsWith('/refunds') && !made.has(String(key))) {
      payment.amountRefunded =
        Number(payment.amountRefunded) + JSON.parse(String(init.body)).amount;
    }
    made.add(String(key));
    if (loses) throw new TypeError('the connection was lost');
    return json({ ...payment, status: 'succeeded' });
  };
  const svc = new Svc({
    ...{ baseUrl: 'http://127.0.0.1:1', clientId: 'c', apiToken: 'svc_t' },
    ...{ fetch: fetch as typeof globalThis.fetch, maxNetworkRetries: 0 },
  });
  return { ledger: new Ledger(svc), sent, payment };
}

const held = () => ({
  id: 'p1',
  status: 'authorized',
  version: 4,
  amountRefunded: 0,
  metadata: {},
});

it('a capture whose answer is lost is read as taken, and each try has the same key', async () => {
  const { ledger, sent } = openWire(held(), { loses: true });
  await ledger.capture('p1');
  await ledger.capture('p1');
  expect(sent.map(({ key }) => key)).toEqual(['medusa-capture-p1', 'medusa-capture-p1']);
});

it('a capture that did not happen is not called one', async () => {
  const { ledger, payment } = openWire(held(), { loses: true });
  Object.defineProperty(payment, 'status', { value: 'authorized', writable: false });
  await expect(ledger.capture('p1')).rejects.toThrow();
});

it('two presses that saw the same payment are one refund', async () => {
  const { ledger, payment } = openWire({ ...held(), status: 'succeeded' });
  const seen = await ledger.read('p1');
  await Promise.all([ledger.refund(seen, 5), ledger.refund(seen, 5)]);
  expect(payment.amountRefunded).toBe(5);
});

it('amounts have the digits of their currency', () => {
  const rounded = [
    roundAmount(23.7949, 'eur'),
    roundAmount(1.005, 'EUR'),
    roundAmount(2379.5, 'jpy'),
    roundAmount(23.7949, 'kwd'),
    roundAmount(0.1 + 0.2, 'EUR'),
  ];
  expect(rounded).toEqual([23.79, 1.01, 2380, 23.795, 0.3]);
});

it('a webhook with another secret is refused with the remedy, and reads nothing', async () => {
  const { ledger } = openWire(held());
  const rawData = '{"id":"evt_1"}';
  const header = new Svc({}).webhooks.generateTestHeader({
    payload: rawData,
    secret: 'svc_whsec_b25l',
  });
  const payload = { data: {}, rawData, headers: { 'svc-signature': header } };
  await expect(readWebhook(payload, { ledger, secret: 'svc_whsec_dHdv' })).rejects.toThrow(
    /Compare webhookSecret in medusa-config/,
  );
  await expect(readWebhook(payload, { ledger, secret: undefined })).rejects.toThrow(
    /webhookSecret is missing/,
  );
});

it('what went wrong is one sentence with what to do', async () => {
  const wire = openWire(held());
  // Given by name: files of one process may have left another global one.
  const fetch = () => Promise.reject(new TypeError('fetch failed'));
  const baseUrl = 'http://127.0.0.1:1';
  const error = await new Svc({ baseUrl, maxNetworkRetries: 0, fetch }).payments
    .retrieve('p1')
    .catch((reason: unknown) => reason);
  expect(sentenceOf('The payment was not captured', error)).toMatch(/press again/);
  expect(wire.sent).toEqual([]);
});
