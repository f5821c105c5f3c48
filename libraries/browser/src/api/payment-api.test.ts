// The library against a real HTTP server that records what it is asked.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PaymentAPI } from './payment-api.ts';
import { SvcError } from './svc-error.ts';
import type { CreateCheckoutSession } from './wire.ts';

type ReceivedRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: unknown };
type Reply =
  | { status: number; body: string; headers?: Record<string, string> }
  | 'hang up'
  | 'never';

const id = '01990000-0000-7000-8000-00000000c0de';
const nonce = 'n0nce';
const session = {
  id,
  uuid: id,
  currency: 'EUR',
  products: [{ code: 'mug', name: 'Mug', quantity: 1, totalAmount: 5, overrideAmount: null }],
  gateways: { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' } },
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
};
const draft: CreateCheckoutSession = {
  clientId: '01990000-0000-7000-8000-000000000001',
  currency: 'EUR',
  products: [{ code: 'mug', quantity: 1 }],
};

let received: ReceivedRequest[];
let reply: Reply;
let server: Server;
let api: PaymentAPI;

const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) });

beforeEach(async () => {
  received = [];
  reply = json(200, session);
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: text ? JSON.parse(text) : null });
    if (reply === 'never') return;
    if (reply === 'hang up') return void request.socket.destroy();
    const type = { 'content-type': 'application/json' };
    response.writeHead(reply.status, { ...type, ...reply.headers }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = new PaymentAPI(`http://127.0.0.1:${(server.address() as AddressInfo).port}///`);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function failure(call: Promise<unknown>): Promise<SvcError> {
  const error = await call.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof SvcError) return error;
  throw new Error(`no SvcError but ${String(error)}`);
}

describe('createAndFetchSession', () => {
  it('posts the draft once and resolves with the session, its nonce and data', async () => {
    reply = json(201, { ...session, nonce });
    const created = await api.createAndFetchSession({ ...draft, deferDataAttachment: false });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/v1/checkouts/sessions',
      body: { ...draft, deferDataAttachment: false },
    });
    expect(received[0]?.headers['content-type']).toBe('application/json');
    expect(created.nonce).toBe(nonce);
    expect(created.data).toEqual({ cardprovider: session.gateways.cardprovider, wallet: null });
  });

  it('remembers the nonce for the calls that follow', async () => {
    reply = json(201, { ...session, nonce });
    await api.createAndFetchSession(draft);
    reply = json(200, session);
    await api.getCheckoutSession(id);
    expect(received[1]?.headers['x-checkout-session-token']).toBe(nonce);
  });

  it('takes a currency from a line', async () => {
    reply = json(201, { ...session, nonce });
    const { currency: _, ...rest } = draft;
    await api.createAndFetchSession({
      ...rest,
      products: [{ code: 'mug', quantity: 1, currency: 'EUR' }],
    });
    expect(received).toHaveLength(1);
  });

  it('CurrencyRequired, before any request, when none resolves', async () => {
    const { currency: _, ...rest } = draft;
    const error = await failure(api.createAndFetchSession(rest));
    expect(error).toMatchObject({ type: 'validation_error', code: 'CurrencyRequired', status: 0 });
    expect(received).toEqual([]);
  });

  it.each([[{}], [{ id }], [null]])('InvalidCheckoutSessionResponse for %j', async (body) => {
    reply = json(201, body);
    const error = await failure(api.createAndFetchSession(draft));
    expect(error).toMatchObject({ type: 'api_error', code: 'InvalidCheckoutSessionResponse' });
  });
});

describe('reads of a session', () => {
  it('an unknown nonce: api_error from getCheckoutSession and getPaymentsByEmail, else authentication_error, before any request', async () => {
    const typeOf = async (call: Promise<unknown>) => (await failure(call)).type;
    expect(await typeOf(api.getCheckoutSession(id))).toBe('api_error');
    expect(await typeOf(api.getPaymentsByEmail('ada@example.com'))).toBe('api_error');
    const listed = api.getPaymentsByEmail('ada@example.com', { sessionId: id });
    expect(await typeOf(listed)).toBe('api_error');
    expect(await typeOf(api.getUnifiedCheckoutSession(id))).toBe('authentication_error');
    expect(await typeOf(api.getCheckoutSessionStatus(id))).toBe('authentication_error');
    expect(received).toEqual([]);
  });

  it('Contract §9 raw: getCheckoutSession stays so; getUnifiedCheckoutSession maps the gateways', async () => {
    api.rememberSession(id, nonce);
    api.cacheSessionDisplayData(id, {
      currency: 'EUR',
      products: [
        { code: 'mug', name: 'Other', totalAmount: 9, overrideAmount: 4, currency: 'EUR' },
      ],
    });
    expect(await api.getCheckoutSession(id)).toEqual(session);
    const unified = await api.getUnifiedCheckoutSession(id);
    expect(unified.data).toEqual({ cardprovider: session.gateways.cardprovider, wallet: null });
    expect(unified.products[0]).toMatchObject({ name: 'Mug', totalAmount: 5, overrideAmount: 4 });
    api.clearSessionDisplayData(id);
    expect((await api.getUnifiedCheckoutSession(id)).products[0]?.overrideAmount).toBeNull();
  });

  it('gateways.wallet becomes data.wallet: the order that the page has approved', async () => {
    const wallet = { clientId: 'APP1', orderId: 'ORDER1' };
    reply = json(200, { ...session, gateways: { ...session.gateways, wallet } });
    api.rememberSession(id, nonce);
    const { data } = await api.getUnifiedCheckoutSession(id);
    expect(data).toEqual({ cardprovider: session.gateways.cardprovider, wallet });
  });

  it('asks for the status, with wait when given', async () => {
    api.rememberSession(id, nonce);
    await api.getCheckoutSessionStatus(id);
    await api.getCheckoutSessionStatus(id, { wait: 25 });
    expect(received.map(({ url }) => url)).toEqual([
      `/v1/checkouts/sessions/${id}/status`,
      `/v1/checkouts/sessions/${id}/status?wait=25`,
    ]);
  });

  it('an id cannot leave its place in the path', async () => {
    api.rememberSession('../../x?y', nonce);
    await api.getCheckoutSession('../../x?y');
    expect(received[0]?.url).toBe('/v1/checkouts/sessions/..%2F..%2Fx%3Fy');
  });
});

describe('processPayment', () => {
  const body = {
    sessionId: id,
    tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_1' },
    accountData: { userId: '01990000-0000-7000-8000-0000000000aa', email: 'ada@example.com' },
  } as const;

  it('Contract §9 processPayment: sends body, nonce and user id, returns what 200 and 202 say, throws on 4xx and 5xx', async () => {
    api.rememberSession(id, nonce);
    for (const status of [200, 202]) {
      reply = json(status, { type: 'success' });
      expect(await api.processPayment('u1', body)).toEqual({ type: 'success' });
    }
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: `/v1/checkouts/sessions/${id}/process`,
      body,
    });
    for (const status of [400, 403, 409, 422, 429, 500, 502, 503]) {
      reply = json(status, { code: 'some_code' });
      expect(await failure(api.processPayment('u1', body))).toMatchObject({ status });
    }
    expect(received[0]?.headers).toMatchObject({
      'x-user-id': 'u1',
      'x-checkout-session-token': nonce,
    });
  });

  it.each([
    ['42', '42'],
    ['acct_7%20', 'acct_7%2520'],
    ['member 9', 'member%209'],
    ['Zoë Łukasz', 'Zo%C3%AB%20%C5%81ukasz'],
  ])('Contract §3 Buyer: sends the id %s in a header as %s', async (userId, header) => {
    api.rememberSession(id, nonce);
    reply = json(200, { type: 'success' });
    await api.processPayment(userId, body);
    expect(received.at(-1)?.headers['x-user-id']).toBe(header);
  });

  it('402: the decline with everything that the service says', async () => {
    api.rememberSession(id, nonce);
    reply = json(402, {
      type: 'card_error',
      code: 'card_declined',
      message: 'The card was declined.',
      status: 402,
      requestId: 'req_1',
      retryable: false,
      declineCode: 'expired_card',
      advice: 'confirm_card_data',
      param: 'tokenizedData',
      errors: [{ path: '/a', code: 'b', message: 'c' }],
    });
    expect(await failure(api.processPayment('u1', body))).toMatchObject({
      name: 'SvcError',
      type: 'api_error',
      wireType: 'card_error',
      code: 'card_declined',
      message: 'The card was declined.',
      status: 402,
      requestId: 'req_1',
      retryable: false,
      declineCode: 'expired_card',
      advice: 'confirm_card_data',
      param: 'tokenizedData',
      errors: [{ path: '/a', code: 'b', message: 'c' }],
    });
  });

  it.each([
    ['hang up' as const, 'network_error', 0],
    [{ status: 200, body: '<html>' }, 'invalid_response', 200],
    [{ status: 502, body: 'Bad gateway' }, 'invalid_response', 502],
  ])('an answer that did not come (%j) says so by code %s', async (given, code, status) => {
    api.rememberSession(id, nonce);
    reply = given;
    const error = await failure(api.processPayment('u1', body));
    expect(error).toMatchObject({ type: 'api_error', code, status, retryable: true });
  });
});

describe('declineSession', () => {
  it('ends one attempt, and resolves with where the session stands', async () => {
    api.rememberSession(id, nonce);
    const standing = { data: { uuid: id, status: 'open' } };
    reply = json(200, standing);
    const body = { reason: 'buyer_canceled', attemptId: 'a1' } as const;
    expect(await api.declineSession(id, body)).toEqual(standing);
    const url = `/v1/checkouts/sessions/${id}/decline`;
    expect(received[0]).toMatchObject({ method: 'POST', url, body });
    expect(received[0]?.headers['x-checkout-session-token']).toBe(nonce);
  });
});

describe('retryAfter', () => {
  it.each([
    ['90', 90],
    ['Wed, 21 Oct 2026 07:28:00 GMT', null],
    [undefined, null],
  ])('of a 429 with Retry-After %s is %s', async (header, seconds) => {
    api.rememberSession(id, nonce);
    const body = JSON.stringify({ code: 'rate_limited' });
    reply = { status: 429, body, ...(header ? { headers: { 'retry-after': header } } : {}) };
    const error = await failure(api.getCheckoutSessionStatus(id));
    expect(error).toMatchObject({ code: 'rate_limited', retryAfter: seconds });
  });
});

describe('error types', () => {
  it.each([
    [400, 'validation_error'],
    [422, 'validation_error'],
    [401, 'authentication_error'],
    [403, 'authentication_error'],
    [404, 'api_error'],
    [409, 'api_error'],
    [429, 'api_error'],
    [502, 'api_error'],
    [503, 'api_error'],
  ])('%i is %s; getCheckoutSession and getPaymentsByEmail say api_error', async (status, type) => {
    api.rememberSession(id, nonce);
    reply = json(status, { type: 'wire', code: 'some_code', message: 'm', status });
    const error = await failure(api.getUnifiedCheckoutSession(id));
    expect(error).toMatchObject({ type, code: 'some_code', status, wireType: 'wire' });
    expect((await failure(api.getCheckoutSession(id))).type).toBe('api_error');
    expect((await failure(api.getPaymentsByEmail('a@b.c'))).type).toBe('api_error');
  });
});

describe('getPaymentsByEmail', () => {
  it('Contract §9 getPaymentsByEmail: page 1, limit 1, newest first, of the newest known session', async () => {
    api.rememberSession('older', 'old');
    api.rememberSession(id, nonce);
    reply = json(200, { data: [{ id: 'p1' }], page: 1, limit: 1, total: 1, nextCursor: null });
    const page = await api.getPaymentsByEmail('ada+1@example.com');
    expect(page.data).toEqual([{ id: 'p1' }]);
    expect(received[0]?.url).toBe(
      '/v1/payments?email=ada%2B1%40example.com&page=1&limit=1&sortField=createdAt&sortDirection=DESC',
    );
    expect(received[0]?.headers['x-checkout-session-token']).toBe(nonce);
  });

  it('takes page, limit and the session', async () => {
    api.rememberSession('older', 'old');
    api.rememberSession(id, nonce);
    await api.getPaymentsByEmail('a@b.c', { page: 3, limit: 20, sessionId: 'older' });
    expect(received[0]?.url).toContain('page=3&limit=20');
    expect(received[0]?.url).toContain('sessionId=older');
    expect(received[0]?.headers['x-checkout-session-token']).toBe('old');
  });
});
