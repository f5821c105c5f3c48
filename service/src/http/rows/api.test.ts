import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld, expectRefusal, readSeen } from '../../../test/echo.ts';
import { aToken, newId, type TestToken } from '../../../test/harness.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { DatabaseUnavailable } from '../../storage/database/database.ts';

let world: EchoWorld;
const call: EchoWorld['call'] = (...given) => world.call(...given);
beforeAll(async () => {
  world = await echoWorld();
});
afterAll(() => world.close());

describe('every answer', () => {
  it('carries a request id and the headers of an API', async () => {
    const ids = new Set<unknown>();
    for (const url of ['/v1/echo', '/nowhere', '/healthz', '/%zz']) {
      const { headers } = await call('GET', url);
      expect(headers['request-id']).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
      ids.add(headers['request-id']);
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers.server).toBeUndefined();
      if (url === '/%zz') continue;
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['strict-transport-security']).toContain('max-age=63072000');
    }
    expect(ids.size).toBe(4);
  });

  it('a stored answer is sent byte for byte, and says so', async () => {
    const response = await call('POST', '/v1/replayed', {});
    expect(response.body).toBe('{"seen":  1.50}');
    expect(response.headers['idempotent-replayed']).toBe('true');
  });
});

describe('routes', () => {
  it('404 route_not_found', async () => {
    const none = await call('GET', '/v1/none?of=it');
    expectRefusal(none, 'route_not_found');
    expect(none.json().message).toBe('There is no route for GET at this path.');
    expectRefusal(await call('GET', '/v1/echo/'), 'route_not_found');
    expectRefusal(await call('POST', '/'.repeat(2000), {}), 'route_not_found');
    // Its body is not read.
    expectRefusal(await call('POST', '/v1/none', '{'), 'route_not_found');
  });

  it('405 method_not_allowed names what is allowed', async () => {
    const response = await call('DELETE', '/v1/echo');
    expectRefusal(response, 'method_not_allowed');
    expect(response.headers.allow).toBe('POST');
    const listed = await call('POST', '/v1/listed?page=1', {});
    expect(listed.headers.allow).toBe('GET, HEAD');
    expect((await call('PATCH', `/v1/keyed/${newId()}`)).headers.allow).toBe('PUT');
    expect((await call('OPTIONS', '/v1/echo')).statusCode).toBe(405);
  });

  it('X-HTTP-Method-Override changes nothing', async () => {
    expect(
      (await call('POST', '/v1/listed', {}, { 'x-http-method-override': 'GET' })).statusCode,
    ).toBe(405);
  });
});

describe('idempotent rows', () => {
  const id = newId();
  const putKeyed = (
    headers: Record<string, string>,
    body: unknown = {},
    url = `/v1/keyed/${id}`,
    as: TestToken | null = world.token,
  ) => call('PUT', url, body, headers, as);

  it('Spec 7.1.1: the order of refusals: credential, UUID, key, body, role', async () => {
    const member = await aToken(world.db.database, world.client, { role: 'member' });
    const bad = '/v1/keyed/not-a-uuid';
    expectRefusal(await putKeyed({}, '{', bad, null), 'authentication_required');
    expectRefusal(await putKeyed({}, '{', bad, member), 'invalid_payment_id');
    expectRefusal(await putKeyed({}, '{', undefined, member), 'idempotency_key_required');
    expectRefusal(
      await putKeyed({ 'idempotency-key': 'k' }, '{', undefined, member),
      'invalid_body',
    );
    expectRefusal(
      await putKeyed({ 'idempotency-key': 'k' }, { amount: 1 }, undefined, member),
      'partial_capture_not_supported',
    );
    expectRefusal(
      await putKeyed({ 'idempotency-key': 'k' }, {}, undefined, member),
      'merchant_role_required',
    );
    readSeen(await putKeyed({ 'idempotency-key': 'k' }));
  });

  it.each(['', ' ', '\t'])('Spec 8.7 · 400 idempotency_key_required: %j', async (key) => {
    expectRefusal(await putKeyed({ 'idempotency-key': key }), 'idempotency_key_required');
  });

  it.each(['a'.repeat(256), 'clé', 'a\u007f', 'a\tb'])(
    '400 idempotency_key_invalid: %j',
    async (key) => {
      expectRefusal(await putKeyed({ 'idempotency-key': key }), 'idempotency_key_invalid');
    },
  );

  it('400 raw_card_data_forbidden: a card number as key', async () => {
    const answer = await putKeyed({ 'idempotency-key': 'order 4242 4242 4242 4242' });
    expectRefusal(answer, 'raw_card_data_forbidden');
  });

  it('takes 255 characters as they are, quotes included', async () => {
    for (const key of ['a'.repeat(255), '"abc"', 'a b', '~!@#']) {
      expect(readSeen(await putKeyed({ 'idempotency-key': key })).input.idempotencyKey).toBe(key);
    }
  });

  it.each([
    '1',
    '%00',
    'x'.repeat(36),
    `${newId()}x`,
    `{${newId()}}`,
    `urn:uuid:${newId()}`,
    '..%2f',
    '%7B%7D',
  ])('400 invalid_payment_id: %s', async (text) => {
    expectRefusal(await putKeyed({}, {}, `/v1/keyed/${text}`), 'invalid_payment_id');
  });

  it('the fingerprint knows resource and meaning, not spelling', async () => {
    const print = async (body: unknown, url?: string) => {
      const { input } = readSeen(await putKeyed({ 'idempotency-key': 'k' }, body, url));
      return { canon: String(input.canonSha256), raw: String(input.rawSha256) };
    };
    const one = await print('{"a":1.50,"b":[1]}');
    const other = await print(' { "b" : [1e0], "a":15e-1 }');
    expect(other.canon).toBe(one.canon);
    expect(other.raw).not.toBe(one.raw);
    expect((await print('{"a":1.50,"b":[1]}', `/v1/keyed/${id.toUpperCase()}`)).canon).toBe(
      one.canon,
    );
    expect((await print('{"a":1.50,"b":[1]}', `/v1/keyed/${newId()}`)).canon).not.toBe(one.canon);
    expect((await print('{"a":9007199254740993}')).canon).not.toBe(
      (await print('{"a":9007199254740992}')).canon,
    );
    expect((await print('')).canon).toBe((await print('{}')).canon);
    const expected = hash('sha256', `PUT\nkeyed\n${id}\n{}`, 'hex');
    expect((await print('{}')).canon).toBe(expected);
    expect((await print('')).raw).toBe(hash('sha256', ''));
  });
});

describe('failures of an operation', () => {
  const failWith = (error: unknown) => world.failWith(error);

  it('a declared refusal is answered by its code with its facts', async () => {
    const response = await failWith(
      new Refusal('payment_not_found', { param: 'p', headers: { allow: 'X' }, retryAfter: 7 }),
    );
    expect(expectRefusal(response, 'payment_not_found').param).toBe('p');
    expect(response.headers).toMatchObject({ allow: 'X', 'retry-after': '7' });
  });

  it('an undeclared refusal makes a test fail', async () => {
    expectRefusal(await failWith(new Refusal('card_declined')), 'internal_error');
    expect(JSON.stringify(world.server.logged.at(-2))).toContain(
      'fails refuses card_declined undeclared',
    );
  });

  it('Contract §1 internal_error: a bug is a bare 500, logged with its request id', async () => {
    const secret = 'select * from payments where token = svc_whsec_abcdefgh12345678';
    const response = await failWith(new TypeError(secret));
    expectRefusal(response, 'internal_error');
    expect(response.body).not.toContain('select');
    const line = world.server.logged.find(
      ({ requestId, level }) => level === 'error' && requestId === response.headers['request-id'],
    );
    expect(line?.error).toContain('TypeError');
    expect(JSON.stringify(world.server.logged)).not.toContain('svc_whsec_abcdefgh');
  });

  it.each([
    [
      'pool exhausted',
      new DatabaseUnavailable(new Error('timeout exceeded when trying to connect')),
    ],
    ['lock timeout', Object.assign(new Error('x'), { code: '55P03' })],
    ['statement timeout', Object.assign(new Error('x'), { code: '57014' })],
    ['too many connections', Object.assign(new Error('x'), { code: '53300' })],
    ['socket died', new Error('Connection terminated unexpectedly')],
    ['refused', Object.assign(new Error('x'), { code: 'ECONNREFUSED' })],
  ])('503 service_unavailable: %s', async (_, error) => {
    const response = await failWith(error);
    expect(expectRefusal(response, 'service_unavailable').retryable).toBe(true);
    expect(response.headers['retry-after']).toBe('1');
  });

  it('a constraint is a bug and no outage', async () => {
    expectRefusal(
      await failWith(Object.assign(new Error('x'), { code: '23505' })),
      'internal_error',
    );
  });
});

describe('the access log', () => {
  it('has one line per request, of the allow-list, with the route and not the path', async () => {
    const before = world.server.logged.length;
    const response = await call('GET', `/v1/listed?page=1&status[eq]=a`, undefined, {
      'x-secret': 'hidden',
    });
    const lines = world.server.logged.slice(before);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      msg: 'request',
      requestId: response.headers['request-id'],
      method: 'GET',
      route: '/v1/listed',
      status: 200,
      operation: 'listed',
      clientId: world.client.id,
      actorId: world.token.userId,
    });
    expect(Object.keys(lines[0] ?? {}).sort()).toEqual([
      'actorId',
      'address',
      'agent',
      'clientId',
      'level',
      'method',
      'ms',
      'msg',
      'operation',
      'requestId',
      'route',
      'status',
      'time',
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/hidden|status\[eq\]/);
  });
});
