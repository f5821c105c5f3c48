// The server half of the specification's client libraries: every method and rule over the real
// service, database and sandbox. Spec 4.5. Contract §1, §7, §11.

import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Svc, SvcAuthenticationError } from '../../libraries/server/src/index.ts';
import { newId } from '../../service/test/harness.ts';
import { catchThrown, type Library, openLibrary } from './server-library.ts';

let library: Library;
let svc: Svc;
beforeAll(async () => {
  library = await openLibrary();
  ({ svc } = library);
});
afterAll(() => library?.close());

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const page = 'https://checkout.example.test';

describe('new Svc', () => {
  it('Spec 4.5 constructor: a provider secret key, and apiVersion and providerSecretKey beside it', () => {
    const { secretKey } = library;
    const options = { apiVersion: '2026-10-28.endive', providerSecretKey: secretKey };
    expect(new Svc(secretKey)).toBeInstanceOf(Svc);
    expect(new Svc(secretKey, options).apiVersion).toBe('2026-10-28.endive');
  });

  it('Spec 4.5 empty key: SvcError, type authentication_error', async () => {
    for (const key of ['', '  ']) {
      const error = await catchThrown(() => new Svc(key, { providerSecretKey: library.secretKey }));
      expect(error).toBeInstanceOf(SvcAuthenticationError);
      expect(error.type).toBe('authentication_error');
    }
  });

  it('Contract §11 empty key: throws whatever the options hold', async () => {
    const error = await catchThrown(() => new Svc('', { providerSecretKey: '' }));
    expect(error.type).toBe('authentication_error');
  });

  it('Contract §11 providerSecretKey: the same as the first argument, or it throws', async () => {
    const error = await catchThrown(
      () => new Svc(library.secretKey, { providerSecretKey: 'sk_test_x' }),
    );
    expect(error.type).toBe('authentication_error');
    expect(error.message).not.toMatch(/sk_test/);
  });

  it('Contract §11 apiVersion: a malformed one throws at construction', async () => {
    for (const apiVersion of ['newest', '2026-13-01']) {
      const error = await catchThrown(() => library.svcWith({ apiVersion }));
      expect(error).toMatchObject({ type: 'validation_error', param: 'apiVersion' });
    }
  });

  it('Spec 9 apiVersion: reaches the provider as it was given', async () => {
    const sent: string[] = [];
    const old = library.svcWith({
      apiVersion: '2025-09-30.clover',
      fetch: (url, init) => {
        sent.push(new Headers(init.headers).get('stripe-version') ?? '');
        return fetch(url, init);
      },
    });
    await old.customers.create({ email: 'ada@example.test' });
    expect(sent).toEqual(['2025-09-30.clover']);
  });
});

describe('checkout.sessions.create', () => {
  it('Contract §11 answers: a session has redirectUrl, sessionId and nonce, and lastResponse that is not printed', async () => {
    const made = await svc.checkout.sessions.create(library.cart(newId()));
    expect(Object.keys(made)).toEqual(['status', 'redirectUrl', 'sessionId', 'nonce']);
    expect(made.lastResponse).toMatchObject({ statusCode: 201, requestId: expect.anything() });
    expect(JSON.stringify(made)).not.toContain('lastResponse');
  });

  it('Spec 2.3 account.country: the buyer is sent as account, with its country', async () => {
    const cart = library.cart(newId());
    const made = await svc.checkout.sessions.create({
      ...cart,
      account: { ...cart.account, country: 'DE' },
    });
    if (!('nonce' in made)) throw new Error('no session');
    const session = (await library.get({ ...made, userId: '', mountToken: '' })).body;
    expect(session).toMatchObject({
      account: { country: 'DE' },
      accountData: { userId: cart.account.userId },
    });
  });

  it('Spec 4.5 sessions.create, redirect and addresses: posts to the session create endpoint of billingApiUrl and answers a redirect onto checkoutBaseUrl', async () => {
    const userId = newId();
    const elsewhere = new Svc(library.secretKey);
    const made = await elsewhere.checkout.sessions.create({
      ...library.cart(userId),
      clientId: library.client.id,
      billingApiUrl: `${library.baseUrl}/`,
      checkoutBaseUrl: `${page}/`,
    });
    expect(made).toEqual({
      status: 201,
      redirectUrl: expect.stringMatching(
        /^https:\/\/checkout\.example\.test\/c\/[0-9a-f-]{36}#.+$/,
      ),
      sessionId: uuid,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    if (!('nonce' in made)) throw new Error('no session');
    expect(made.redirectUrl).toBe(`${page}/c/${made.sessionId}#${made.nonce}`);
    expect((await library.get({ ...made, userId, mountToken: '' })).body).toMatchObject({
      id: made.sessionId,
      accountData: { userId },
    });
  });

  it('Spec 4.5 on file: a payment method is already on file and nothing is due', async () => {
    const userId = await library.aBuyer();
    await library.aCard(userId);
    await library.aProduct({ code: 'sample', prices: [{ currency: 'EUR', amount: 0 }] });
    const free = { ...library.cart(userId), products: [{ code: 'sample', quantity: 1 }] };
    const made = await svc.checkout.sessions.create(free);
    expect(made).toEqual({ status: 204 });
    expect(made.lastResponse.statusCode).toBe(204);
  });

  it('Contract §3 free orders: a lost answer is asked for again under one key, and a coupon for one order counts once', async () => {
    const userId = await library.aBuyer();
    await library.aCard(userId);
    const code = `ONE${newId().slice(-8)}`.toUpperCase();
    const body = { code, percentOff: 100, maxRedemptions: 1 };
    await library.ask('POST /v1/coupons', { body });
    const keys: (string | null)[] = [];
    const losing = library.svcWith({
      ...library.credential,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (keys.push(new Headers(init.headers).get('idempotency-key')) > 1) return answer;
        await answer.arrayBuffer();
        throw new TypeError('fetch failed');
      },
    });
    const cart = { ...library.cart(userId), couponCodes: [code] };
    expect(await losing.checkout.sessions.create(cart)).toEqual({ status: 204 });
    expect(keys).toHaveLength(2);
    expect([...new Set(keys)]).toEqual([expect.stringMatching(/^svc-node-/)]);
    const coupon = await library.ask(`GET /v1/coupons/${code}`);
    expect(coupon.body).toMatchObject({ redemptions: 1 });
    const second = await catchThrown(() => losing.checkout.sessions.create(cart));
    expect(second).toMatchObject({ status: 422, code: 'invalid_catalog_data' });
  });

  it('Contract §11 no credential: the same buyer never gets 204 without clientId and apiToken', async () => {
    const userId = await library.aBuyer();
    await library.aCard(userId);
    const code = await library.aProduct({ prices: [{ currency: 'EUR', amount: 0 }] });
    const free = { ...library.cart(userId), products: [{ code, quantity: 1 }] };
    expect(await svc.checkout.sessions.create(free)).toEqual({ status: 204 });
    const anonymous = library.svcWith({ clientId: library.client.id });
    expect(await anonymous.checkout.sessions.create(free)).toMatchObject({ status: 201 });
  });

  it('Spec 4.5 other status: any other success is its status alone', async () => {
    const accepted = library.svcWith({
      ...library.credential,
      fetch: async () => Response.json({ note: 'later' }, { status: 202 }),
    });
    expect(await accepted.checkout.sessions.create(library.cart(newId()))).toEqual({ status: 202 });
  });

  it('Spec 4.5 CurrencyRequired: thrown synchronously, before the network', () => {
    let sent = 0;
    const counting = library.svcWith({
      ...library.credential,
      fetch: (url, init) => {
        sent++;
        return fetch(url, init);
      },
    });
    const { currency: _, ...cart } = library.cart(newId());
    // Without await: the error is thrown and is no rejection.
    let error: unknown;
    try {
      void counting.checkout.sessions.create(cart as never);
    } catch (reason) {
      error = reason;
    }
    expect(error).toMatchObject({ type: 'validation_error', code: 'CurrencyRequired' });
    expect(sent).toBe(0);
  });

  it('Spec 2.3 line currency: a line that names the currency resolves it, and carries its own total', async () => {
    const { currency: _, ...cart } = library.cart(await library.aBuyer());
    const products = [{ code: 'mug', quantity: 2, currency: 'EUR', totalAmount: 30 }];
    const made = await svc.checkout.sessions.create({ ...cart, products } as never);
    if (!('nonce' in made)) throw new Error('no session');
    const session = (await library.get({ ...made, userId: '', mountToken: '' })).body;
    expect(session).toMatchObject({ currency: 'EUR', totals: { total: 30 } });
  });

  it('Spec 4.5 manual: an authorised checkout reports status authorized, paymentId and authorizationExpiresAt', async () => {
    const userId = newId();
    const cart = { ...library.cart(userId), captureMethod: 'manual' as const };
    const made = await svc.checkout.sessions.create(cart);
    if (!('nonce' in made)) throw new Error('no session');
    const before = await svc.checkout.sessions.getStatus(made.sessionId, made.nonce);
    expect(before).toMatchObject({ status: 'open', paymentId: null });
    expect((await library.payAtThePage(made, userId)).status).toBe(200);
    expect(await svc.checkout.sessions.getStatus(made.sessionId, made.nonce)).toMatchObject({
      status: 'authorized',
      paymentId: uuid,
      authorizationExpiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it("Spec 4.5 nonce: authenticates the session's later calls, and nothing else does", async () => {
    const made = await svc.checkout.sessions.create(library.cart(newId()));
    if (!('nonce' in made)) throw new Error('no session');
    const sent: Headers[] = [];
    const watching = library.svcWith({
      ...library.credential,
      fetch: (url, init) => {
        sent.push(new Headers(init.headers));
        return fetch(url, init);
      },
    });
    await watching.checkout.sessions.getStatus(made.sessionId, made.nonce);
    expect(sent[0]?.get('x-checkout-session-token')).toBe(made.nonce);
    expect(sent[0]?.has('authorization')).toBe(false);
    const other = 'A'.repeat(43);
    const error = await catchThrown(() => svc.checkout.sessions.getStatus(made.sessionId, other));
    expect(error).toMatchObject({ type: 'api_error', code: 'checkout_session_not_found' });
  });
});

describe('checkout.sessions.getStatus', () => {
  it('Contract §11 getStatus: waits for a change when told to, and answers early', async () => {
    const userId = newId();
    const made = await svc.checkout.sessions.create(library.cart(userId));
    if (!('nonce' in made)) throw new Error('no session');
    const startedAt = performance.now();
    const waiting = svc.checkout.sessions.getStatus(made.sessionId, made.nonce, { wait: 20 });
    await library.payAtThePage(made, userId);
    expect(['processing', 'completed']).toContain((await waiting).status);
    expect(performance.now() - startedAt).toBeLessThan(scaled(15_000));
  });
});

describe('capture and cancel', () => {
  it('Spec 4.5 no capture: neither is a method; both are REST calls through request, replayed under one key', async () => {
    expect(Object.keys(svc.payments)).toEqual([]);
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(svc.payments));
    expect(methods.filter((name) => /capture|cancel|void/.test(name))).toEqual([]);
    const paymentId = await library.aHold();
    const path = `/v1/payments/${paymentId}/capture` as const;
    const key = { idempotencyKey: `order-${paymentId}` };
    const captured = await svc.request('PUT', path, {}, key);
    expect(captured).toMatchObject({ id: paymentId, status: 'succeeded' });
    const again = await svc.request('PUT', path, {}, key);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    const other = await library.aHold();
    const voided = await svc.request('PUT', `/v1/payments/${other}/cancel`, {}, key);
    expect(voided).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'merchant_requested',
    });
  });

  it('Contract §11 request: any call of the contract, typed by it', async () => {
    const { data } = await svc.request('GET', '/v1/products?limit=1');
    const code: string | undefined = data[0]?.code;
    expect(typeof code).toBe('string');
    // @ts-expect-error: the contract has no such call.
    expect(await catchThrown(() => svc.request('GET', '/v1/nothing'))).toMatchObject({
      code: 'route_not_found',
    });
  });
});

describe('webhooks.constructEvent', () => {
  const secret = 'svc_whsec_c2VjcmV0';
  const payload = JSON.stringify({ id: 'evt_1', type: 'item.purchased', data: {}, created: 1 });

  it('Spec 4.5 constructEvent: text or bytes and their signature give { id, type, data, created }', async () => {
    const header = svc.webhooks.generateTestHeader({ payload, secret });
    const event = { id: 'evt_1', type: 'item.purchased', data: {}, created: 1 };
    for (const body of [payload, Buffer.from(payload), new TextEncoder().encode(payload)]) {
      expect(svc.webhooks.constructEvent(body, header, secret)).toEqual(event);
      expect(await svc.webhooks.constructEventAsync(body, header, secret)).toEqual(event);
    }
  });

  it("Contract §7 secret prefix: svc_whsec_ is ours, whsec_ the provider's own header, any other throws", async () => {
    const notice = JSON.stringify({ id: 'evt_2', type: 'charge.succeeded', data: { object: {} } });
    const theirs = 'whsec_c2VjcmV0';
    const header = library.stripe.webhooks.generateTestHeaderString({
      payload: notice,
      secret: theirs,
    });
    expect(svc.webhooks.constructEvent(notice, header, theirs).type).toBe('charge.succeeded');
    expect(await svc.webhooks.constructEventAsync(notice, header, theirs)).toMatchObject({
      id: 'evt_2',
    });
    const error = await catchThrown(() => svc.webhooks.constructEvent(notice, header, 'secret'));
    expect(error.code).toBe('SignatureVerificationFailed');
  });

  it('Spec 4.5 failed verification: throws when verification fails', async () => {
    const header = svc.webhooks.generateTestHeader({ payload, secret });
    const wrong: [string, string, string][] = [
      [`${payload} `, header, secret],
      [payload, header, `${secret}x`],
      [payload, header.replace(/.$/, (last) => (last === '0' ? '1' : '0')), secret],
    ];
    for (const args of wrong) {
      const of = { type: 'authentication_error', code: 'SignatureVerificationFailed' };
      expect(await catchThrown(() => svc.webhooks.constructEvent(...args))).toMatchObject(of);
      expect(await catchThrown(() => svc.webhooks.constructEventAsync(...args))).toMatchObject(of);
    }
  });
});

describe('SvcError', () => {
  it('Contract §1 server library types: validation_error for 400 and 422, authentication_error for 401 and 403, api_error for the rest', async () => {
    const hold = await library.aHold();
    const missing = `/v1/payments/${newId()}` as const;
    const stranger = library.svcWith({ clientId: newId(), apiToken: `svc_${'a'.repeat(49)}` });
    const seen = [
      await catchThrown(() => svc.request('GET', '/v1/payments?limit=0')),
      await catchThrown(() => svc.payments.refund(hold, { amount: 1 })),
      await catchThrown(() => stranger.payments.retrieve(hold)),
      await catchThrown(() => svc.request('GET', missing)),
      await catchThrown(() => svc.customers.retrieve('cus_nobody')),
    ];
    expect(seen.map(({ status, type }) => [status, type])).toEqual([
      [400, 'validation_error'],
      [422, 'validation_error'],
      [401, 'authentication_error'],
      [404, 'api_error'],
      [404, 'api_error'],
    ]);
    expect(seen[0]).toMatchObject({
      wireType: 'validation_error',
      code: 'invalid_query',
      param: 'limit',
      requestId: expect.stringMatching(/^req_/),
      docUrl: expect.stringMatching(/^http/),
      retryable: false,
      raw: { code: 'invalid_query' },
    });
  });
});
