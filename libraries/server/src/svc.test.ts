import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startWire } from '../test/wire.ts';
import {
  Svc,
  SvcAuthenticationError,
  SvcError,
  type SvcOptions,
  SvcValidationError,
} from './index.ts';

const refusal = (key: unknown, options?: unknown): SvcError => {
  try {
    new Svc(key as string, options as SvcOptions);
  } catch (error) {
    return error as SvcError;
  }
  throw new Error('was accepted');
};

describe('a secret that no header can carry', () => {
  it.each(['sk_live_a\nb', 'sk_live_ü', 'sk_live_a b'])(
    'the key %j is refused at construction, and not quoted',
    (key) => {
      let error: unknown;
      try {
        new Svc(key);
      } catch (reason) {
        error = reason;
      }
      expect(error).toMatchObject({ code: 'InvalidOption', param: 'providerSecretKey' });
      expect(String(error)).not.toContain('sk_live');
    },
  );

  it('a nonce is refused before the network, and not quoted', async () => {
    const svc = new Svc('sk_1', { baseUrl: 'http://127.0.0.1:9', maxNetworkRetries: 0 });
    const id = '0199a1b2-0000-7000-8000-000000000001';
    const error = await svc.checkout.sessions.getStatus(id, 'secret\nx').catch((e: unknown) => e);
    expect(error).toMatchObject({ type: 'validation_error', param: 'nonce' });
    expect(String(error)).not.toContain('secret');
  });
});

describe('new Svc', () => {
  it.each(['', '   ', undefined, null, 7])('refuses the key %j', (key) => {
    const error = refusal(key, { providerSecretKey: 'sk_test_1' });
    expect(error).toBeInstanceOf(SvcAuthenticationError);
    expect(error).toBeInstanceOf(SvcError);
    expect([error.type, error.code]).toEqual(['authentication_error', 'ProviderSecretKeyRequired']);
  });

  it('takes the options alone: what goes to the service works, a call to the provider names the key', async () => {
    await using wire = await startWire({ status: 200, body: { id: 'p1', object: 'payment' } });
    const svc = new Svc({ clientId: 'c', apiToken: 't', baseUrl: wire.url });
    expect(await svc.payments.retrieve('p1')).toMatchObject({ id: 'p1' });
    await expect(svc.customers.retrieve('cus_1')).rejects.toMatchObject({
      type: 'authentication_error',
      code: 'ProviderSecretKeyRequired',
    });
    expect(new Svc({ providerSecretKey: 'sk_1' })).toBeInstanceOf(Svc);
    for (const wrong of [{ apiVersoin: '1' }, { providerSecretKey: '' }]) {
      expect(() => new Svc(wrong as SvcOptions)).toThrow(SvcError);
    }
  });

  it('refuses a providerSecretKey that differs from the key, and accepts the same', () => {
    const error = refusal('sk_1', { providerSecretKey: 'sk_2' });
    expect([error.type, error.code]).toEqual(['authentication_error', 'ProviderSecretKeyMismatch']);
    expect(error.message).not.toMatch(/sk_/);
    expect(new Svc('sk_1', { providerSecretKey: 'sk_1' })).toBeInstanceOf(Svc);
  });

  it('refuses an unknown option by name', () => {
    const error = refusal('sk_1', { apiVersoin: '2026-10-28' });
    expect(error).toBeInstanceOf(SvcValidationError);
    expect([error.param, error.message]).toEqual([
      'apiVersoin',
      expect.stringMatching(/^Option apiVersoin is not known; known are apiVersion, /),
    ]);
  });

  it.each([
    '',
    'latest',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-1-1',
    '2026-10-28.',
    '2026-10-28.Endive',
    20261028,
  ])('refuses the apiVersion %j', (apiVersion) =>
    expect(refusal('sk_1', { apiVersion }).param).toBe('apiVersion'),
  );

  it.each(['2026-10-28', '2024-02-29', '2026-10-28.endive'])(
    'accepts the apiVersion %j',
    (apiVersion) => expect(new Svc('sk_1', { apiVersion }).apiVersion).toBe(apiVersion),
  );

  it.each<[string, object | null]>([
    ['apiToken', { apiToken: 'svc_x' }],
    ['apiToken', { clientId: 'c', apiToken: '' }],
    ['apiToken', { clientId: 'c', apiToken: 'svc x' }],
    ['clientId', { clientId: 'a:b', apiToken: 'svc_x' }],
    ['accessToken', { accessToken: '' }],
    ['accessToken', { accessToken: 'two words' }],
    ['providerBaseUrl', { providerBaseUrl: 'localhost:4002' }],
    ['providerBaseUrl', { providerBaseUrl: 'https://key@api.example.com' }],
    ['baseUrl', { baseUrl: 'localhost:4000' }],
    ['baseUrl', { baseUrl: 'ftp://pay.example.com' }],
    ['baseUrl', { baseUrl: 'https://user:secret@pay.example.com' }],
    ['baseUrl', { baseUrl: 'https://pay.example.com/?a=1' }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: Number.NaN }],
    ['maxNetworkRetries', { maxNetworkRetries: -1 }],
    ['maxNetworkRetries', { maxNetworkRetries: 1.5 }],
    ['fetch', { fetch: 'node-fetch' }],
    ['appInfo', { appInfo: { name: 'two words' } }],
    ['appInfo', { appInfo: { version: '1' } }],
    ['appInfo', { appInfo: { name: 'a\r\nx: y' } }],
    ['logger', { logger: () => undefined }],
    ['options', null],
  ])('refuses a wrong %s: %j', (param, options) => {
    const error = refusal('sk_1', options);
    expect([error.type, error.code, error.param]).toEqual([
      'validation_error',
      'InvalidOption',
      param,
    ]);
  });

  it('shows neither key nor token when printed', () => {
    const credentials = { clientId: 'c', apiToken: 'svc_token', accessToken: 'bearer_token' };
    const svc = new Svc('sk_live_key', credentials);
    expect(inspect(svc, { depth: 9, showHidden: true }) + JSON.stringify(svc)).not.toMatch(
      /sk_live_key|svc_token|bearer_token|Yzpzd/,
    );
  });
});

describe('credentials', () => {
  const basic = `Basic ${btoa('c:svc_t')}`;
  const listSent = async (options: SvcOptions, run: (svc: Svc) => Promise<unknown>) => {
    await using wire = await startWire({ status: 200, body: { data: [] } });
    await run(new Svc('sk_1', { baseUrl: wire.url, ...options }));
    return wire.asked[0]?.headers.authorization;
  };
  const both = { clientId: 'c', apiToken: 'svc_t', accessToken: 'at' };
  const list = (svc: Svc) => svc.request('GET', '/v1/payments');

  it('Basic where there is an API token, Bearer where there is only an access token', async () => {
    expect(await listSent({ clientId: 'c', apiToken: 'svc_t' }, list)).toBe(basic);
    expect(await listSent({ accessToken: 'at' }, list)).toBe('Bearer at');
    expect(await listSent(both, list)).toBe(basic);
  });

  it('API tokens are asked for with Bearer alone', async () => {
    expect(await listSent(both, (svc) => svc.apiTokens.list())).toBe('Bearer at');
  });

  it("a call's own access token goes before both", async () => {
    const own = { accessToken: 'mine' };
    const call = (svc: Svc) => svc.request('GET', '/v1/payments', undefined, own);
    expect(await listSent(both, call)).toBe('Bearer mine');
    expect(await listSent(both, (svc) => svc.apiTokens.list(own))).toBe('Bearer mine');
  });
});

describe('request with the nonce of a session', () => {
  const options: SvcOptions = { clientId: 'c', apiToken: 'svc_t', maxNetworkRetries: 0 };
  const session = '/v1/checkouts/sessions/0199a1b2-0000-7000-8000-000000000001' as const;
  const body = { currency: 'EUR' } as never;

  it('sends the nonce and the buyer in place of the credential', async () => {
    await using wire = await startWire({ status: 200, body: {} });
    const svc = new Svc('sk_1', { ...options, baseUrl: wire.url });
    await svc.request('GET', `${session}/status`, undefined, { nonce: 'n' });
    await svc.request('POST', `${session}/process`, body, { nonce: 'n', userId: 'buyer-7' });
    await svc.request('POST', `${session}/process`, body, { nonce: 'n', userId: 'Zoë 7' });
    for (const { headers } of wire.asked) {
      expect(headers).toMatchObject({ 'x-checkout-session-token': 'n' });
      expect(headers).not.toHaveProperty('authorization');
    }
    const sent = wire.asked.map(({ headers }) => headers['x-user-id']);
    expect(sent).toEqual([undefined, 'buyer-7', 'Zo%C3%AB%207']);
  });

  it('a claim also carries the credential, with which the merchant vouches for its buyer', async () => {
    await using wire = await startWire({ status: 200, body: {} });
    const svc = new Svc('sk_1', { ...options, baseUrl: wire.url });
    await svc.request('PATCH', `${session}/claim`, body, { nonce: 'n' });
    expect(wire.asked[0]?.headers).toMatchObject({
      'x-checkout-session-token': 'n',
      authorization: expect.stringMatching(/^Basic /),
    });
  });

  it.each([
    ['nonce', { nonce: 'a\nb' }],
    ['userId', { nonce: 'n', userId: '' }],
    ['userId', { nonce: 'n', userId: '\ud800' }],
  ])('refuses a %s that no header can carry', async (param, wrong) => {
    const svc = new Svc('sk_1', { ...options, baseUrl: 'http://127.0.0.1:9' });
    const call = svc.request('GET', `${session}/status`, undefined, wrong);
    await expect(call).rejects.toMatchObject({ type: 'validation_error', param });
  });
});

describe('on', () => {
  it('tells of every attempt and its answer, without bodies, queries or credentials', async () => {
    await using wire = await startWire('cut', { status: 200, body: { data: ['secret body'] } });
    const svc = new Svc('sk_1', { baseUrl: wire.url, clientId: 'c', apiToken: 'svc_t' });
    const told: unknown[] = [];
    svc.on('request', (event) => told.push(event)).on('response', (event) => told.push(event));
    await svc.request('PATCH', '/v1/products/mug', { name: 'secret' });
    const asked = {
      method: 'PATCH',
      origin: wire.url,
      path: '/v1/products/mug',
      idempotencyKey: expect.stringMatching(/^svc-node-/),
    };
    const none = { status: undefined, requestId: undefined, code: 'ConnectionFailed' };
    const answered = { status: 200, requestId: 'req_2', code: undefined };
    const durationMs = expect.any(Number);
    expect(told).toEqual([
      { ...asked, attempt: 0 },
      { ...asked, attempt: 0, ...none, durationMs },
      { ...asked, attempt: 1 },
      { ...asked, attempt: 1, ...answered, durationMs },
    ]);
    await svc.request('GET', '/v1/payments?email=ada@example.test');
    expect(JSON.stringify(told)).not.toMatch(/secret|ada@|svc_t/);
  });

  it('off ends it; what a listener throws is logged and changes nothing', async () => {
    await using wire = await startWire({ status: 200, body: { data: [] } });
    const errors: unknown[] = [];
    const logger = { error: (_: string, fields: object) => errors.push(fields) };
    const svc = new Svc('sk_1', { baseUrl: wire.url, logger });
    const broken = () => {
      throw new Error('broken listener');
    };
    svc.on('response', broken);
    expect((await svc.request('GET', '/v1/payments')).data).toEqual([]);
    svc.off('response', broken);
    await svc.request('GET', '/v1/payments');
    expect(errors).toEqual([{ message: 'broken listener' }]);
  });

  it('refuses an event that there is none of', () => {
    const svc = new Svc('sk_1');
    expect(() => svc.on('error' as never, () => undefined)).toThrow(/no event error/);
  });
});
