import { rows } from '@svc/contract/index';
import type { RowShape } from '@svc/contract/rows/row';
import { describe, expect, it } from 'vitest';
import { ImpatientSvc, type Planned, startWire } from '../test/wire.ts';
import { type Svc, SvcConnectionError, SvcError, type SvcOptions } from './index.ts';
import { isRepeatable, keyedPosts } from './repeats.ts';

const id = '0199a1b2-0000-7000-8000-000000000001';
const connect = (wire: { url: string }, options: SvcOptions = {}) =>
  new ImpatientSvc('sk_1', {
    baseUrl: wire.url,
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
const unavailable: Planned = {
  status: 503,
  body: { code: 'service_unavailable', message: 'Retry.', requestId: 'req_7', retryable: true },
};
const busy: Planned = { status: 429, body: {}, headers: { 'retry-after': '0' } };

const harmful: [string, (svc: Svc) => Promise<unknown>][] = [
  ['webhookEndpoints.create', (svc) => svc.webhookEndpoints.create({ url: 'https://a.example' })],
  ['webhookEndpoints.rotateSecret', (svc) => svc.webhookEndpoints.rotateSecret(id)],
  ['webhookEndpoints.test', (svc) => svc.webhookEndpoints.test(id)],
  ['events.redeliver', (svc) => svc.events.redeliver('evt_1')],
  ['apiTokens.create', (svc) => svc.apiTokens.create({ name: 'till' }, { accessToken: 'at' })],
  ['request', (svc) => svc.request('POST', '/v1/webhook-endpoints', { url: 'https://a.example' })],
  [
    'a key of the caller',
    (svc) => svc.webhookEndpoints.rotateSecret(id, {}, { idempotencyKey: 'k' }),
  ],
];

describe('a call that must not arrive twice', () => {
  it.each(harmful)('%s is sent once when its answer is lost', async (_, call) => {
    await using wire = await startWire('cut', { status: 201, body: { id } });
    const error = await failure(call(connect(wire)));
    expect(wire.asked).toHaveLength(1);
    expect(error).toBeInstanceOf(SvcConnectionError);
    expect(error).toMatchObject({ code: 'ConnectionFailed', retryable: false });
    expect(error.message).toMatch(/unknown.*may have been done: look before you send it again/);
    expect(error.cause).toBeDefined();
  });

  it('is sent once when no answer came in time', async () => {
    await using wire = await startWire('hang');
    const rotated = connect(wire, { timeout: 50 }).webhookEndpoints.rotateSecret(id);
    expect(await failure(rotated)).toMatchObject({ code: 'Timeout', retryable: false });
    expect(wire.asked).toHaveLength(1);
  });

  it('is sent once when 503 is answered, whatever that says of a repeat', async () => {
    await using wire = await startWire(unavailable);
    const error = await failure(connect(wire).webhookEndpoints.rotateSecret(id));
    expect(wire.asked).toHaveLength(1);
    expect(error).toMatchObject({
      ...{ name: 'SvcApiError', type: 'api_error', code: 'service_unavailable', status: 503 },
      ...{ requestId: 'req_7', retryable: false, raw: { retryable: true } },
    });
    expect(error.message).toMatch(/^Retry\. This call is not repeated/);
  });

  it('is repeated after 429, which says that nothing was done', async () => {
    await using wire = await startWire(busy, { status: 200, body: { id } });
    await connect(wire).webhookEndpoints.rotateSecret(id);
    expect(wire.asked).toHaveLength(2);
  });

  it('is repeated when there was no connection to send it over', async () => {
    const closed = await startWire();
    await closed[Symbol.asyncDispose]();
    const attempts: number[] = [];
    const svc = connect(closed, { maxNetworkRetries: 1 });
    svc.on('request', ({ attempt }) => attempts.push(attempt));
    const error = await failure(svc.webhookEndpoints.rotateSecret(id));
    expect([attempts, error.retryable]).toEqual([[0, 1], true]);
    expect(error.message).not.toMatch(/unknown/);
  });
});

describe('a call that may arrive twice', () => {
  it.concurrent.each<[string, (svc: Svc) => Promise<unknown>]>([
    ['a refund, by its key', (svc) => svc.payments.refund(id, {})],
    ['a setting', (svc) => svc.webhookEndpoints.update(id, { isEnabled: true })],
    ['a deletion', (svc) => svc.webhookEndpoints.delete(id)],
    ['a setup session', (svc) => svc.setupSessions.create({ userId: id })],
  ])('%s is repeated after a lost answer and 503', async (_, call) => {
    await using wire = await startWire('cut', unavailable, { status: 200, body: { id } });
    await call(connect(wire));
    expect(wire.asked).toHaveLength(3);
  });

  it('is not repeated where the service says that nobody can tell what was done', async () => {
    const stuck = { code: 'payment_method_deletion_failed', message: 'No.', retrySafe: false };
    await using wire = await startWire({ status: 502, body: stuck });
    await failure(connect(wire).paymentMethods.delete(id));
    expect(wire.asked).toHaveLength(1);
  });
});

describe('a deletion whose answer was lost', () => {
  const gone: Planned = { status: 404, body: { code: 'member_not_found', message: 'None.' } };
  const remove = (svc: Svc) => svc.request('DELETE', `/v1/members/${id}`);

  it.concurrent.each<[string, Planned]>([
    ['the connection broke', 'cut'],
    ['503', unavailable],
  ])('%s: the repeat finds nothing left to delete, and that is no error', async (_, lost) => {
    await using wire = await startWire(lost, gone);
    await remove(connect(wire));
    expect(wire.asked).toHaveLength(2);
  });

  it.concurrent.each<[string, Planned[]]>([
    ['at the first try', [gone]],
    ['after 429, which says that nothing was done', [busy, gone]],
    ['of the address', ['cut', { status: 404, body: { code: 'route_not_found', message: 'No.' } }]],
    [
      'that is not of the service',
      [
        { status: 502, body: {} },
        { status: 404, body: {} },
      ],
    ],
  ])('404 %s is an error', async (_, plan) => {
    await using wire = await startWire(...plan);
    expect((await failure(remove(connect(wire)))).status).toBe(404);
  });

  // The service remembers these calls and answers the repeat as the first one: there was never an
  // object of that id.
  it.concurrent.each<[string, (svc: Svc) => Promise<unknown>]>([
    ['payment_method_not_found', (svc) => svc.paymentMethods.delete(id)],
    ['webhook_endpoint_not_found', (svc) => svc.webhookEndpoints.delete(id)],
    ['api_token_not_found', (svc) => svc.apiTokens.delete(id, { accessToken: 'at' })],
    ['invitation_not_found', (svc) => svc.request('DELETE', `/v1/invitations/${id}`)],
  ])('%s is an error: nothing was deleted', async (code, del) => {
    const none: Planned = { status: 404, body: { code, message: 'None.' } };
    await using wire = await startWire(unavailable, none);
    expect(await failure(del(connect(wire)))).toMatchObject({ status: 404, code });
    expect(wire.asked).toHaveLength(2);
  });

  it('404 of what is read stays an error', async () => {
    await using wire = await startWire('cut', gone);
    expect((await failure(connect(wire).payments.retrieve(id))).status).toBe(404);
  });
});

describe('isRepeatable', () => {
  const forServers = Object.values<RowShape>(rows).filter(
    ({ auth }) => auth !== 'person' && auth !== 'visitor',
  );

  it('knows every POST that the service answers again by its key', () => {
    const keyed = forServers
      .filter(({ idempotent, createsOnce }) => idempotent || createsOnce)
      .map(({ call }) => call);
    expect(keyed.filter((call) => call.startsWith('POST')).sort()).toEqual([...keyedPosts].sort());
  });

  it('is false for exactly these: whoever adds a POST decides', () => {
    const once = forServers
      .filter(({ auth }) => auth === 'server' || auth === 'bearer' || auth === 'anyone')
      .map(({ call }) => call)
      .filter((call) => {
        const [method = '', path = ''] = call.split(' ');
        return !isRepeatable(method, `${path.replace(/\{\w+\}/g, id)}?limit=1`);
      });
    expect(once.sort()).toEqual([
      'POST /v1/api-tokens',
      'POST /v1/api-tokens/{id}/rotate',
      'POST /v1/applications',
      'POST /v1/applications/{id}/rotate-secret',
      'POST /v1/customer-page/confirm-address',
      'POST /v1/customer-page/mail-link',
      'POST /v1/customer-page/open',
      'POST /v1/customer-page/request-link',
      'POST /v1/customers/{customerId}/address',
      'POST /v1/customers/{customerId}/page-links/send',
      'POST /v1/events/{eventId}/redeliver',
      'POST /v1/exports',
      'POST /v1/payments/{paymentId}/receipt/send',
      'POST /v1/provider-accounts/{id}/check',
      'POST /v1/reports/months/{month}/close',
      'POST /v1/sandbox/clock/advance',
      'POST /v1/sandbox/disputes',
      'POST /v1/sandbox/faults',
      'POST /v1/sandbox/refund-failures',
      'POST /v1/views',
      'POST /v1/webhook-endpoints',
      'POST /v1/webhook-endpoints/{id}/redeliver',
      'POST /v1/webhook-endpoints/{id}/rotate-secret',
      'POST /v1/webhook-endpoints/{id}/test',
    ]);
  });
});
