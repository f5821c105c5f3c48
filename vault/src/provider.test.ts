import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cardProviderVersion } from '@svc/contract/vault/vault';
import { scaled } from '@svc/tools/machine';
import { afterEach, describe, expect, it } from 'vitest';
import { answerWithinMs, type Outcome, openProvider } from './provider.ts';

type SeenRequest = { url: string; headers: IncomingHttpHeaders; body: string };
type Reply = { status: number; body: string; headers?: Record<string, string> };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A stand-in for the provider's wire that says one thing, where the sandbox has no such answer. */
async function startWire(reply: Reply | 'silence'): Promise<{ url: string; seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const listening = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen.push({ url: request.url ?? '', headers: request.headers, body });
    if (reply === 'silence') return;
    response.writeHead(reply.status, reply.headers ?? {}).end(reply.body);
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`, seen };
}

const card = () => ({
  number: Buffer.from('4242424242424242'),
  cvc: Buffer.from('123'),
  expiryMonth: 1,
  expiryYear: 2030,
  name: 'A & B=ü',
  postalCode: undefined,
});

async function call(
  reply: Reply | 'silence',
  path = '',
): Promise<{ outcome: Outcome; seen: SeenRequest[] }> {
  const { url, seen } = await startWire(reply);
  const provider = openProvider(url + path, answerWithinMs, [1, 1]);
  const outcome = await provider.createPaymentMethod('pk_test_1', card());
  await provider.close();
  return { outcome, seen };
}

const json = (status: number, value: unknown): Reply => ({ status, body: JSON.stringify(value) });
const refusal = (error: Record<string, string>, status = 402) => json(status, { error });

describe('createPaymentMethod', () => {
  it('sends the card form-encoded, with the publishable key and nothing else', async () => {
    const { outcome, seen } = await call(
      json(200, { id: 'pm_1', card: { brand: 'visa' } }),
      '/base/',
    );
    expect(outcome).toEqual({ kind: 'created', paymentMethodId: 'pm_1', brand: 'visa' });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe('/base/v1/payment_methods');
    expect(seen[0]?.headers.authorization).toBe('Bearer pk_test_1');
    expect(seen[0]?.headers.cookie).toBe(undefined);
    expect(seen[0]?.headers).toMatchObject({
      'stripe-version': cardProviderVersion,
      'user-agent': 'Svc-vault',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.body))).toEqual({
      type: 'card',
      'card[number]': '4242424242424242',
      'card[cvc]': '123',
      'card[exp_month]': '1',
      'card[exp_year]': '2030',
      'billing_details[name]': 'A & B=ü',
    });
  });

  it.each([
    ['the decline code', { code: 'card_declined', decline_code: 'stolen_card' }, 'stolen_card'],
    ['the code', { code: 'incorrect_number' }, 'incorrect_number'],
    ['nothing that can be shown', { code: '<script>' }, 'card_declined'],
  ])('refused with %s', async (_, error, code) => {
    const { outcome } = await call(refusal({ type: 'card_error', ...error }));
    expect(outcome).toMatchObject({ kind: 'refused', code });
  });

  it.each([
    ['misconfigured', refusal({ type: 'invalid_request_error' }, 401)],
    ['misconfigured', refusal({ type: 'invalid_request_error' }, 400)],
    ['misconfigured', refusal({ type: 'invalid_request_error' }, 402)],
    ['unavailable', refusal({ type: 'api_error' }, 500)],
    ['unavailable', refusal({ type: 'x' }, 429)],
    ['unavailable', { status: 200, body: '<html>' }],
    ['unavailable', json(200, { id: 'pm_1\r\nx' })],
    ['unavailable', { status: 200, body: `{"id":"pm_1"}${' '.repeat(70_000)}` }],
  ])('%s (case %#)', async (kind, reply) => {
    expect((await call(reply)).outcome.kind).toBe(kind);
  });

  it.each([
    'The integration surface is unsupported for publishable key tokenization. To enable it, write to us.',
    'Sending credit card numbers directly to the Stripe API is generally unsafe.',
  ])('an account that may send no numbers is told apart: %s', async (message) => {
    const error = { type: 'invalid_request_error', message };
    const headers = { 'request-id': 'req_abc123' };
    const { outcome } = await call({ ...refusal(error, 400), headers });
    const said = { status: 400, requestId: 'req_abc123', message };
    expect(outcome).toEqual({ kind: 'misconfigured', why: 'raw_cards', ...said });
  });

  it('a sentence that repeats the number is not written down', async () => {
    const error = { type: 'card_error', code: 'x', message: 'No such card: 4242 4242 4242 4242' };
    expect((await call(refusal(error))).outcome).toMatchObject({ message: null });
  });

  it('follows no redirect: the card goes to the configured provider alone', async () => {
    const reply = { status: 307, body: '{}', headers: { location: '/elsewhere' } };
    const { outcome, seen } = await call(reply);
    expect(outcome.kind).toBe('misconfigured');
    expect(seen).toHaveLength(1);
  });

  it('unavailable after its time of silence, eight seconds', async () => {
    expect(answerWithinMs).toBe(8_000);
    const { url } = await startWire('silence');
    const provider = openProvider(url, 200);
    const start = performance.now();
    const outcome = await provider.createPaymentMethod('pk_test_1', card());
    const tookMs = performance.now() - start;
    expect(outcome).toEqual({ kind: 'unavailable' });
    expect(tookMs).toBeGreaterThan(190);
    expect(tookMs).toBeLessThan(scaled(1000));
    await provider.close();
  });

  it('leaves the buffers of the caller alone', async () => {
    const { url } = await startWire(json(200, { id: 'pm_1' }));
    const provider = openProvider(url);
    const mine = card();
    await provider.createPaymentMethod('pk_test_1', mine);
    await provider.close();
    expect(mine.number.toString()).toBe('4242424242424242');
  });
});
