import { execFileSync } from 'node:child_process';
import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { ImpatientSvc, type Planned, startWire } from '../test/wire.ts';
import {
  type ProviderCustomer,
  type ProviderLineItem,
  type ProviderSession,
  SvcApiError,
  SvcAuthenticationError,
  SvcCardError,
  SvcConflictError,
  SvcConnectionError,
  SvcError,
  SvcNotFoundError,
  type SvcOptions,
  SvcRateLimitError,
  SvcValidationError,
} from './index.ts';

const customer: Planned = {
  status: 200,
  body: { id: 'cus_1', object: 'customer', email: 'a@b.c' },
};
const refusedReply = (
  status: number,
  error: object,
  headers: Record<string, string> = {},
): Planned => ({
  status,
  headers,
  body: { error: { message: 'It says so.', ...error } },
});
const connect = (wire: { url: string }, options: SvcOptions = {}) =>
  new ImpatientSvc('sk_test_1', { providerBaseUrl: wire.url, ...options });
const email = 'ada@example.test';
const failure = async (promise: Promise<unknown>): Promise<SvcError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SvcError);
  return error as SvcError;
};

describe('calls of the card provider', () => {
  it("are the SDK's on the wire: key, version, form and appInfo; nothing of the service's", async () => {
    await using wire = await startWire(customer);
    const svc = connect(wire, {
      apiVersion: '2025-01-27.acacia',
      clientId: 'client',
      apiToken: 'svc_token',
      appInfo: { name: 'shop', version: '2' },
    });
    const made = await svc.customers.create({ email, metadata: { order: '7' } });
    expect(made).toEqual({ id: 'cus_1', object: 'customer', email: 'a@b.c' });
    expect(made.lastResponse).toMatchObject({ statusCode: 200, requestId: 'req_1' });
    const [asked] = wire.asked;
    expect(asked).toMatchObject({
      method: 'POST',
      path: '/v1/customers',
      body: 'email=ada%40example.test&metadata[order]=7',
    });
    expect(asked?.headers).toMatchObject({
      authorization: 'Bearer sk_test_1',
      'stripe-version': '2025-01-27.acacia',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '42',
      'user-agent': expect.stringContaining('shop/2'),
    });
    expect(JSON.stringify(asked)).not.toMatch(/svc_token|platform|telemetry/);
  });

  it('are repeated with one key and the same bytes after a lost answer, 429 and 500', async () => {
    const busy = refusedReply(429, { code: 'rate_limit' }, { 'retry-after': '0' });
    await using wire = await startWire('cut', busy, refusedReply(500, {}), customer);
    const svc = connect(wire, { maxNetworkRetries: 3 });
    expect((await svc.customers.create({ email })).id).toBe('cus_1');
    expect(wire.asked).toHaveLength(4);
    expect(new Set(wire.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(wire.asked.map(({ body }) => body)).size).toBe(1);
    await svc.customers.create({ email }, { idempotencyKey: 'order-7' });
    expect(wire.asked[4]?.headers['idempotency-key']).toBe('order-7');
  });

  it.each<[string, Planned]>([
    ['409 lock_timeout', refusedReply(409, { code: 'lock_timeout' })],
    [
      '400 that the provider says to repeat',
      refusedReply(400, {}, { 'stripe-should-retry': 'true' }),
    ],
  ])('%s is repeated', async (_, first) => {
    await using wire = await startWire(first, customer);
    expect((await connect(wire).customers.update('cus_1', { email })).id).toBe('cus_1');
    expect(wire.asked).toHaveLength(2);
  });

  it.each<[string, Planned, new (...rest: never[]) => SvcError]>([
    [
      '400',
      refusedReply(400, { type: 'invalid_request_error', param: 'email' }),
      SvcValidationError,
    ],
    ['401', refusedReply(401, { type: 'invalid_request_error' }), SvcAuthenticationError],
    ['402', refusedReply(402, { code: 'card_declined', decline_code: 'lost_card' }), SvcCardError],
    ['404', refusedReply(404, { code: 'resource_missing' }), SvcNotFoundError],
    ['409', refusedReply(409, { code: 'idempotency_error' }), SvcConflictError],
    [
      '500 not to be repeated',
      refusedReply(500, {}, { 'stripe-should-retry': 'false' }),
      SvcApiError,
    ],
    ['a page in between', { status: 403, text: '<html>' }, SvcAuthenticationError],
  ])("%s is thrown at once, in this library's classes", async (_, answer, family) => {
    await using wire = await startWire(answer);
    const error = await failure(connect(wire).customers.create({ email }));
    expect(error).toBeInstanceOf(family);
    expect(wire.asked).toHaveLength(1);
    expect([error.name, error.requestId]).toEqual([error.constructor.name, 'req_1']);
    expect(String(error.cause)).not.toMatch(/Stripe/);
  });

  it("carries the provider's code, param, decline code, address and words", async () => {
    const said = {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'lost_card',
      param: 'source',
      doc_url: 'https://docs.example.test/card_declined',
    };
    await using wire = await startWire(refusedReply(402, said));
    expect(await failure(connect(wire).customers.create({ email }))).toMatchObject({
      type: 'api_error',
      wireType: 'card_error',
      code: 'card_declined',
      declineCode: 'lost_card',
      param: 'source',
      docUrl: said.doc_url,
      message: 'It says so.',
      statusCode: 402,
      retryable: false,
      raw: said,
    });
  });

  it('a deleted customer is refused like one that never was', async () => {
    await using wire = await startWire({ status: 200, body: { id: 'cus_1', deleted: true } });
    const error = await failure(connect(wire).customers.retrieve('cus_1'));
    expect(error).toBeInstanceOf(SvcNotFoundError);
    expect(error).toMatchObject({ type: 'api_error', code: 'resource_missing', statusCode: 404 });
  });

  it("404 of a session's id that is the service's own says where those are read", async () => {
    const unknown = refusedReply(404, { code: 'resource_missing', param: 'session' });
    await using wire = await startWire(unknown);
    const { sessions } = connect(wire).checkout;
    const own = '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';
    for (const call of [() => sessions.retrieve(own), () => sessions.expire(own)]) {
      const error = await failure(call());
      expect(error).toBeInstanceOf(SvcNotFoundError);
      expect(error).toMatchObject({
        message: expect.stringMatching(
          /^It says so\. .*checkout\.sessions\.getStatus\(id, nonce\)/,
        ),
        code: 'resource_missing',
        param: 'session',
        statusCode: 404,
        requestId: expect.stringMatching(/^req_/),
        retryable: false,
      });
    }
    const theirs = await failure(sessions.retrieve('cs_test_1'));
    expect(theirs.message).toBe('It says so.');
  });

  it('429 after the repeats', async () => {
    await using wire = await startWire(refusedReply(429, {}, { 'retry-after': '0' }));
    const error = await failure(
      connect(wire, { maxNetworkRetries: 1 }).customers.retrieve('cus_1'),
    );
    expect([error.constructor, error.retryable, wire.asked.length]).toEqual([
      SvcRateLimitError,
      true,
      2,
    ]);
  });

  it('end at their time limit and with the reason of their signal', async () => {
    await using wire = await startWire('hang');
    const svc = connect(wire, { maxNetworkRetries: 0 });
    const late = await failure(svc.customers.retrieve('cus_1', { timeout: 60 }));
    expect([late.constructor, late.code]).toEqual([SvcConnectionError, 'Timeout']);
    const stop = new AbortController();
    const waiting = svc.customers.retrieve('cus_1', { signal: stop.signal });
    await expect.poll(() => wire.asked.length).toBe(2);
    const reason = new Error('the buyer left');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('two at once keep their own time limit and key', async () => {
    await using wire = await startWire(customer);
    const svc = connect(wire);
    const keys = ['a', 'b', 'c'];
    await Promise.all(keys.map((key) => svc.customers.create({ email }, { idempotencyKey: key })));
    expect(wire.asked.map(({ headers }) => headers['idempotency-key']).sort()).toEqual(keys);
  });

  it('read all pages of a list, each after the last line of the one before', async () => {
    const lines = (ids: string[], has_more: boolean): Planned => ({
      status: 200,
      body: { object: 'list', url: '/x', has_more, data: ids.map((id) => ({ id })) },
    });
    await using wire = await startWire(lines(['li_1', 'li_2'], true), lines(['li_3'], false));
    const found = await connect(wire).checkout.sessions.listLineItems('cs_1').toArray({ limit: 9 });
    expect(found.map(({ id }) => id)).toEqual(['li_1', 'li_2', 'li_3']);
    expect(wire.asked.map(({ path }) => path)).toEqual([
      '/v1/checkout/sessions/cs_1/line_items',
      '/v1/checkout/sessions/cs_1/line_items?starting_after=li_2',
    ]);
  });

  it.each(['', undefined, null, 7])('refuse the id %j before the network', async (id) => {
    await using wire = await startWire(customer);
    const svc = connect(wire);
    for (const call of [
      svc.customers.retrieve.bind(svc.customers),
      svc.checkout.sessions.expire.bind(svc.checkout.sessions),
    ]) {
      expect((await failure(call(id as string))).type).toBe('validation_error');
    }
    expect(wire.asked).toEqual([]);
  });

  it('refuse an option that is for the service alone, and an unknown one, by name', async () => {
    await using wire = await startWire(customer);
    const svc = connect(wire);
    const bearer = await failure(svc.customers.retrieve('cus_1', { accessToken: 'x' }));
    expect(bearer.param).toBe('accessToken');
    const unknown = await failure(svc.customers.retrieve('cus_1', { expand: ['x'] } as never));
    expect(unknown.param).toBe('expand');
  });

  it('load the SDK with the first call, not with the library', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ resolve(name, context, next) { seen.push(name); return next(name, context); } });
      const { Svc } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)});
      const svc = new Svc('sk_test_1', { providerBaseUrl: 'http://127.0.0.1:9', maxNetworkRetries: 0 });
      const before = seen.includes('stripe');
      await svc.customers.retrieve('cus_1').catch(() => undefined);
      console.log(before, seen.includes('stripe'));
    `;
    const options = ['--input-type=module', '--no-warnings', '-e', script];
    const said = execFileSync(process.execPath, options, { encoding: 'utf8' });
    expect(said).toBe('false true\n');
  });

  it("answers in types that the SDK's own satisfy", () => {
    const session = (
      one: Stripe.Checkout.Session,
    ): Pick<
      ProviderSession,
      | 'id'
      | 'status'
      | 'payment_status'
      | 'mode'
      | 'amount_total'
      | 'currency'
      | 'url'
      | 'expires_at'
      | 'metadata'
    > => one;
    const lineItem = (
      one: Stripe.LineItem,
    ): Pick<ProviderLineItem, 'id' | 'quantity' | 'amount_total' | 'currency'> => one;
    const person = (
      one: Stripe.Customer,
    ): Pick<ProviderCustomer, 'id' | 'email' | 'metadata' | 'created'> => one;
    expect([session, lineItem, person]).toHaveLength(3);
  });
});
