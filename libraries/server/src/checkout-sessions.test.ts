import { describe, expect, it } from 'vitest';
import { startWire } from '../test/wire.ts';
import { type CreateSessionParams, Svc, SvcError } from './index.ts';

const clientId = '0199a1b2-0000-7000-8000-00000000000c';
const id = '0199a1b2-0000-7000-8000-000000000001';
const params: CreateSessionParams = {
  currency: 'EUR',
  products: [{ code: 'mug', quantity: 2 }],
  account: {
    userId: '0199a1b2-0000-7000-8000-00000000000b',
    email: 'ada@example.com',
    country: 'DE',
  },
  captureMethod: 'manual',
};
const created = {
  status: 201,
  body: { id, nonce: 'n0nce', url: `http://service.example.com/pages/c/${id}#n0nce` },
};
const connect = (baseUrl?: string) => new Svc('sk_1', { clientId, apiToken: 'svc_t', baseUrl });
const catchError = (run: () => unknown): SvcError => {
  try {
    run();
  } catch (error) {
    return error as SvcError;
  }
  throw new Error('did not throw synchronously');
};

describe('checkout.sessions.create', () => {
  it('201: a redirect on the checkout base, session id and nonce', async () => {
    await using wire = await startWire(created);
    const result = await new Svc('sk_1', { clientId, apiToken: 'svc_t' }).checkout.sessions.create({
      ...params,
      billingApiUrl: `${wire.url}/`,
      checkoutBaseUrl: 'https://checkout.example.com/pay/',
    });
    expect(result).toEqual({
      status: 201,
      redirectUrl: `https://checkout.example.com/pay/c/${id}#n0nce`,
      sessionId: id,
      nonce: 'n0nce',
    });
    expect(result.lastResponse.requestId).toBe('req_1');
    const [asked] = wire.asked;
    expect(asked).toMatchObject({ method: 'POST', path: '/v1/checkouts/sessions' });
    expect(asked?.headers.authorization).toMatch(/^Basic /);
    expect(JSON.parse(asked?.body ?? '')).toEqual({ ...params, clientId });
  });

  it('sends no credential without an API token, and keeps the answered address without a base', async () => {
    await using wire = await startWire(created);
    const svc = new Svc('sk_1', { baseUrl: wire.url });
    const result = await svc.checkout.sessions.create({ ...params, clientId });
    expect(result).toMatchObject({ redirectUrl: created.body.url });
    expect(wire.asked[0]?.headers.authorization).toBeUndefined();
  });

  it('204: a payment method is already on file; any other success is its status', async () => {
    await using wire = await startWire({ status: 204 }, { status: 200, body: {} });
    const { sessions } = connect(wire.url).checkout;
    expect(await sessions.create(params)).toEqual({ status: 204 });
    expect(await sessions.create(params)).toEqual({ status: 200 });
  });

  it('CurrencyRequired is thrown synchronously and before the network', async () => {
    await using wire = await startWire(created);
    const { currency: _, ...rest } = params;
    const lines = (...currencies: string[]) =>
      currencies.map((currency) => ({ code: 'mug', quantity: 1, currency }));
    const { sessions } = connect(wire.url).checkout;
    for (const wrong of [
      rest,
      { ...rest, currency: '' },
      { ...rest, products: lines('EUR', 'USD') },
    ]) {
      const error = catchError(() => sessions.create(wrong));
      expect(error).toBeInstanceOf(SvcError);
      expect([error.type, error.code]).toEqual(['validation_error', 'CurrencyRequired']);
    }
    expect(wire.asked).toHaveLength(0);
    await sessions.create({ ...rest, products: lines('USD', 'USD') });
    expect(JSON.parse(wire.asked[0]?.body ?? '').currency).toBe('USD');
  });

  it('refuses a missing client and wrong addresses by name', () => {
    const { sessions } = new Svc('sk_1', { baseUrl: 'http://127.0.0.1:1' }).checkout;
    expect(catchError(() => sessions.create(params)).param).toBe('clientId');
    const own = { ...params, clientId };
    expect(catchError(() => sessions.create({ ...own, billingApiUrl: 'x' })).param).toBe(
      'billingApiUrl',
    );
    expect(catchError(() => sessions.create({ ...own, checkoutBaseUrl: 'x' })).param).toBe(
      'checkoutBaseUrl',
    );
  });

  it('a refusal of the service is thrown with its code', async () => {
    await using wire = await startWire({
      status: 422,
      body: { type: 'validation_error', code: 'invalid_catalog_data', message: 'No such product.' },
    });
    await expect(connect(wire.url).checkout.sessions.create(params)).rejects.toMatchObject({
      type: 'validation_error',
      code: 'invalid_catalog_data',
      status: 422,
      requestId: 'req_1',
    });
  });

  it.each([{}, { id, nonce: 'n' }, { id, nonce: 'n', url: 'c' }])(
    'a 201 with %j is InvalidCheckoutSessionResponse',
    async (body) => {
      await using wire = await startWire({ status: 201, body });
      await expect(connect(wire.url).checkout.sessions.create(params)).rejects.toMatchObject({
        type: 'api_error',
        code: 'InvalidCheckoutSessionResponse',
      });
    },
  );
});

describe('checkout.sessions.getStatus', () => {
  const data = {
    uuid: id,
    status: 'authorized',
    paymentId: id,
    authorizationExpiresAt: '2026-01-01T00:00:00.000Z',
    latestTransactionAttempt: null,
  };

  it('reads with the nonce alone and answers the status', async () => {
    await using wire = await startWire({ status: 200, body: { data } });
    const status = await connect(wire.url).checkout.sessions.getStatus(id, 'n0nce', { wait: 5 });
    expect(status).toEqual(data);
    expect(status.lastResponse.statusCode).toBe(200);
    const [asked] = wire.asked;
    expect(asked?.path).toBe(`/v1/checkouts/sessions/${id}/status?wait=5`);
    expect(asked?.headers['x-checkout-session-token']).toBe('n0nce');
    expect(asked?.headers.authorization).toBeUndefined();
    expect(asked?.headers['idempotency-key']).toBeUndefined();
  });

  it('refuses missing arguments and a wait out of range; an id cannot leave its place', async () => {
    await using wire = await startWire({ status: 200, body: { data } });
    const { sessions } = connect(wire.url).checkout;
    await expect(sessions.getStatus('', 'n')).rejects.toMatchObject({ param: 'sessionId' });
    await expect(sessions.getStatus(id, '')).rejects.toMatchObject({ param: 'nonce' });
    await expect(sessions.getStatus(id, 'n', { wait: 26 })).rejects.toMatchObject({
      param: 'wait',
    });
    await sessions.getStatus('../../payments?x', 'n');
    expect(wire.asked.map(({ path }) => path)).toEqual([
      '/v1/checkouts/sessions/..%2F..%2Fpayments%3Fx/status',
    ]);
  });

  it('an answer without a status is InvalidCheckoutSessionResponse', async () => {
    await using wire = await startWire({ status: 200, body: { data: {} } });
    await expect(connect(wire.url).checkout.sessions.getStatus(id, 'n')).rejects.toMatchObject({
      code: 'InvalidCheckoutSessionResponse',
    });
  });
});

describe('checkoutSessions', () => {
  it('are read, listed, changed and ended with the credential, and no nonce', async () => {
    await using wire = await startWire({ status: 200, body: { id, data: [], total: 0 } });
    const { checkoutSessions } = connect(wire.url);
    await checkoutSessions.retrieve(id);
    await checkoutSessions.list({ reference: { eq: 'R-1' } });
    const products = [{ name: 'Order', quantity: 1, amount: 23.79 }];
    await checkoutSessions.update(id, { products });
    await checkoutSessions.expire(id);
    expect(wire.asked.map(({ method, path }) => [method, path])).toEqual([
      ['GET', `/v1/checkout-sessions/${id}`],
      ['GET', '/v1/checkout-sessions?reference%5Beq%5D=R-1'],
      ['PATCH', `/v1/checkout-sessions/${id}`],
      ['POST', `/v1/checkout-sessions/${id}/expire`],
    ]);
    expect(JSON.parse(wire.asked[2]?.body ?? '')).toEqual({ products });
    for (const { headers } of wire.asked) {
      expect(headers.authorization).toMatch(/^Basic /);
      expect(headers['x-checkout-session-token']).toBeUndefined();
    }
  });
});
