import { describe, expect, it, vi } from 'vitest';
import { ImpatientSvc, type Planned, startWire } from '../test/wire.ts';
import {
  Svc,
  SvcApiError,
  SvcCardError,
  SvcConflictError,
  SvcConnectionError,
  SvcError,
  SvcGatewayError,
  type SvcOptions,
  SvcPermissionError,
  SvcValidationError,
} from './index.ts';
import { parseRetryAfter, waitBefore } from './transport.ts';

const id = '0199a1b2-0000-7000-8000-000000000001';
const capture = `/v1/payments/${id}/capture` as const;
const refusedReply = (status: number, code: string, more: object = {}): Planned => ({
  status,
  body: {
    type: 'x_error',
    code,
    message: `Says ${code}.`,
    status,
    requestId: 'req_body',
    retryable: false,
    docUrl: 'https://docs.example.com/x',
    ...more,
  },
});
const paid: Planned = { status: 200, body: { id, status: 'succeeded' } };
const connect = (wire: { url: string }, options: SvcOptions = {}) =>
  new ImpatientSvc('sk_1', {
    baseUrl: `${wire.url}/`,
    clientId: 'client',
    apiToken: 'svc_t',
    ...options,
  });
const failure = async (promise: Promise<unknown>): Promise<SvcError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SvcError);
  return error as SvcError;
};

describe('request', () => {
  it('sends Basic, the key and the body, and answers a plain object with a hidden lastResponse', async () => {
    await using wire = await startWire(paid);
    const svc = connect(wire, {
      appInfo: { name: 'shop', version: '2', url: 'https://shop.example.com' },
    });
    const payment = await svc.request('PUT', capture, {}, { idempotencyKey: 'order 7' });
    expect(payment.status).toBe('succeeded');
    expect(Object.keys(payment)).toEqual(['id', 'status']);
    expect(JSON.stringify(payment)).not.toContain('lastResponse');
    expect(payment.lastResponse).toMatchObject({ requestId: 'req_1', statusCode: 200 });
    expect(payment.lastResponse.headers['request-id']).toBe('req_1');
    const [asked] = wire.asked;
    expect(asked).toMatchObject({ method: 'PUT', path: capture, body: '{}' });
    expect(asked?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('client:svc_t').toString('base64')}`,
      'idempotency-key': 'order 7',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(
        /^svc-server\/\d+\.\d+\.\d+ node\/\S+ shop\/2 \(https:\/\/shop\.example\.com\)$/,
      ),
    });
    expect(JSON.stringify(asked)).not.toContain('sk_1');
  });

  it('repeats with one automatic key and the same bytes after a lost answer, 429 and 503', async () => {
    const busy = { status: 429, body: {}, headers: { 'retry-after': '0' } };
    await using wire = await startWire('cut', busy, { status: 503, text: '<html>' }, paid);
    const svc = connect(wire, { maxNetworkRetries: 3 });
    expect((await svc.request('PUT', capture, { note: 'a' })).status).toBe('succeeded');
    expect(wire.asked).toHaveLength(4);
    const keys = new Set(wire.asked.map(({ headers }) => headers['idempotency-key']));
    expect([...keys]).toEqual([expect.stringMatching(/^svc-node-[0-9a-f-]{36}$/)]);
    expect(new Set(wire.asked.map(({ body }) => body))).toEqual(new Set(['{"note":"a"}']));
    await svc.request('PUT', capture, { note: 'a' });
    expect(keys).not.toContain(wire.asked[4]?.headers['idempotency-key']);
  });

  it.each(['payment_operation_in_progress', 'checkout_attempt_in_progress'])(
    '409 %s is repeated with the same key',
    async (code) => {
      await using wire = await startWire(refusedReply(409, code), paid);
      await connect(wire).request('PUT', capture, {}, { idempotencyKey: 'k' });
      expect(wire.asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
    },
  );

  it.each<[Planned, string, new (...rest: never[]) => SvcError]>([
    [refusedReply(400, 'invalid_request'), 'validation_error', SvcValidationError],
    [refusedReply(401, 'authentication_required'), 'authentication_error', SvcError],
    [
      refusedReply(402, 'card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' }),
      'api_error',
      SvcCardError,
    ],
    [refusedReply(403, 'merchant_role_required'), 'authentication_error', SvcPermissionError],
    [refusedReply(404, 'payment_not_found'), 'api_error', SvcApiError],
    [refusedReply(409, 'idempotency_key_reused'), 'api_error', SvcConflictError],
    [refusedReply(413, 'body_too_large'), 'api_error', SvcApiError],
    [refusedReply(422, 'invalid_catalog_data'), 'validation_error', SvcValidationError],
    [
      refusedReply(502, 'gateway_capture_failed', { declineCode: 'card_declined' }),
      'api_error',
      SvcGatewayError,
    ],
    [{ status: 302, headers: { location: '/elsewhere' } }, 'api_error', SvcApiError],
  ])('%j is asked once and thrown as %s', async (planned, type, family) => {
    await using wire = await startWire(planned);
    const error = await failure(connect(wire).request('PUT', capture, {}));
    expect(wire.asked).toHaveLength(1);
    expect(error.type).toBe(type);
    expect(error).toBeInstanceOf(family);
    expect(error.name).toBe(error.constructor.name);
  });

  it('carries every field of the error object', async () => {
    const body = {
      type: 'conflict_error',
      code: 'payment_not_authorized',
      message: 'Read it again.',
      param: 'paymentId',
      retryable: true,
      requestId: 'req_body',
      docUrl: 'https://docs.example.com/x',
    };
    await using wire = await startWire({ status: 409, body });
    const error = await failure(connect(wire).request('PUT', capture, {}));
    expect(error).toMatchObject({
      ...body,
      type: 'api_error',
      wireType: 'conflict_error',
      status: 409,
      statusCode: 409,
      raw: body,
    });
  });

  it('502 gateway_outcome_unknown is repeated, then thrown as retryable', async () => {
    await using wire = await startWire(
      refusedReply(502, 'gateway_outcome_unknown', { retryable: true }),
    );
    const error = await failure(
      connect(wire, { maxNetworkRetries: 1 }).request('PUT', capture, {}),
    );
    expect([wire.asked.length, error.code, error.retryable]).toEqual([
      2,
      'gateway_outcome_unknown',
      true,
    ]);
  });

  it('waits as long as Retry-After says, and not for one over a minute', async () => {
    const soon = { status: 429, body: {}, headers: { 'retry-after': '1' } };
    await using wire = await startWire(soon, paid);
    const startedAt = performance.now();
    await connect(wire).request('GET', `/v1/payments/${id}`);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    await using late = await startWire({
      status: 429,
      body: {},
      headers: { 'retry-after': '3600' },
    });
    await failure(connect(late).request('GET', `/v1/payments/${id}`));
    expect(late.asked).toHaveLength(1);
  });

  it('waits a quarter of a second at least where nothing says how long', async () => {
    await using wire = await startWire('cut', paid);
    const startedAt = performance.now();
    const svc = new Svc('sk_1', { baseUrl: wire.url, clientId: 'client', apiToken: 'svc_t' });
    await svc.request('GET', `/v1/payments/${id}`);
    expect(performance.now() - startedAt).toBeGreaterThan(249);
  });

  it('a refused connection and a timeout are connection errors after the repeats', async () => {
    const closed = await startWire();
    await closed[Symbol.asyncDispose]();
    const nowhere = connect(closed, { maxNetworkRetries: 1 });
    const error = await failure(nowhere.request('GET', '/v1/client'));
    expect(error).toBeInstanceOf(SvcConnectionError);
    expect(error).toMatchObject({ type: 'api_error', code: 'ConnectionFailed', retryable: true });
    expect(error.message).toMatch(/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    await using wire = await startWire('hang');
    const late = await failure(
      connect(wire).request('GET', '/v1/client', undefined, { timeout: 50, maxNetworkRetries: 1 }),
    );
    expect([late.code, wire.asked.length]).toEqual(['Timeout', 2]);
  });

  it('an abort ends the call and the wait between repeats with its own reason', async () => {
    await using wire = await startWire('hang');
    const reason = new Error('closed');
    const abort = new AbortController();
    const ended = expect(
      connect(wire).request('GET', '/v1/client', undefined, { signal: abort.signal }),
    ).rejects.toBe(reason);
    await expect.poll(() => wire.asked).toHaveLength(1);
    abort.abort(reason);
    await ended;
    await using busy = await startWire({ status: 429, body: {}, headers: { 'retry-after': '30' } });
    const later = new AbortController();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const given = expect(
      connect(busy).request('GET', '/v1/client', undefined, { signal: later.signal }),
    ).rejects.toBe(reason);
    const isWaiting = () => timers.mock.calls.some(([, ms = 0]) => ms >= 29_000 && ms <= 31_000);
    await expect.poll(isWaiting).toBe(true);
    timers.mockRestore();
    later.abort(reason);
    await given;
    await expect(
      connect(busy).request('GET', '/v1/client', undefined, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(busy.asked).toHaveLength(1);
  });

  it.each([
    '/v2/x',
    'v1/client',
    '//evil.example/v1/x',
    '/v1/../admin',
    '/v1/%2e%2e/admin',
    '/v1/payments/a b',
    '/v1/a\\b',
    '/v1/x#y',
  ])('refuses the path %j before the network', async (path) => {
    await using wire = await startWire(paid);
    const error = await failure(connect(wire).request('GET', path as '/v1/client'));
    expect([error.type, error.param, wire.asked.length]).toEqual(['validation_error', 'path', 0]);
  });

  it.each(['', '  ', 'ü', 'a\nb', 'x'.repeat(256)])(
    'refuses the idempotency key %j',
    async (idempotencyKey) => {
      await using wire = await startWire(paid);
      const error = await failure(connect(wire).request('PUT', capture, {}, { idempotencyKey }));
      expect([error.param, wire.asked.length]).toEqual(['idempotencyKey', 0]);
    },
  );

  it('refuses an unknown call option and a missing base address', async () => {
    const options = { idempotencykey: 'k' } as object;
    expect((await failure(new Svc('sk_1').request('PUT', capture, {}, options))).param).toBe(
      'idempotencykey',
    );
    expect((await failure(new Svc('sk_1').request('GET', '/v1/client'))).param).toBe('baseUrl');
  });

  it('a 2xx that is not JSON is no answer of the service', async () => {
    await using wire = await startWire({ status: 200, text: '<html>hello' });
    expect(await failure(connect(wire).request('GET', '/v1/client'))).toMatchObject({
      code: 'InvalidResponse',
      raw: '<html>hello',
    });
  });

  it('the logger is told of attempts, not of bodies, queries or credentials', async () => {
    const lines: unknown[] = [];
    const logger = {
      debug: (...line: unknown[]) => void lines.push(line),
      warn: (...line: unknown[]) => void lines.push(line),
    };
    await using wire = await startWire({ status: 500, body: {} }, paid);
    const query = '/v1/payments?email=ada%40example.com' as const;
    await connect(wire, { logger }).request('GET', query);
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toMatch(/ada|svc_t|sk_1|Basic/);
    expect(lines[2]).toEqual([
      'svc call',
      expect.objectContaining({ status: 200, attempt: 1, path: '/v1/payments' }),
    ]);
  });

  it('refuses paths, methods and bodies that the contract does not have, at compile time', () => {
    const svc = new Svc('sk_1');
    const makeWrongCalls = () => [
      // @ts-expect-error no such path
      svc.request('PUT', `/v1/payments/${id}/captured`, {}),
      // @ts-expect-error no such method there
      svc.request('GET', `/v1/payments/${id}/capture`),
      // @ts-expect-error wrong body
      svc.request('PATCH', '/v1/client', { allowedOrigins: 7 }),
      svc
        .request('GET', `/v1/payments/${id as string}`)
        .then((payment) => payment.amountMinor.toFixed()),
      svc.request('GET', '/v1/products?limit=5').then(({ data }) => data[0]?.code.trim()),
    ];
    expect(makeWrongCalls).toBeTypeOf('function');
  });
});

describe('waitBefore', () => {
  it('doubles from half a second to 8 s, less up to half, never under Retry-After', () => {
    for (let attempt = 0; attempt < 12; attempt++) {
      const full = Math.min(8_000, 500 * 2 ** attempt);
      for (let i = 0; i < 50; i++) {
        const wait = waitBefore(attempt, undefined, 500) ?? 0;
        expect(wait).toBeGreaterThanOrEqual(full / 2);
        expect(wait).toBeLessThanOrEqual(full);
      }
    }
    expect(waitBefore(0, 9_000, 500)).toBe(9_000);
    expect(waitBefore(0, 60_001, 500)).toBeUndefined();
  });
});

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['2', 2_000],
    ['Thu, 01 Jan 2026 00:00:03 GMT', 3_000],
    ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('%j is %s ms', (value, expected) => expect(parseRetryAfter(value, now)).toBe(expected));

  it('a date without a zone is GMT, wherever this machine is (RFC 9110 §5.6.7)', () => {
    const { TZ } = process.env;
    process.env.TZ = 'Asia/Tokyo';
    try {
      expect(parseRetryAfter('Thu Jan  1 00:00:03 2026', now)).toBe(3_000);
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });
});
