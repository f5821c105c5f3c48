import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld, expectRefusal, readSeen } from '../../../test/echo.ts';

let world: EchoWorld;
const call: EchoWorld['call'] = (...given) => world.call(...given);
beforeAll(async () => {
  world = await echoWorld();
});
afterAll(() => world.close());

describe('bodies', () => {
  const post = (payload: string | Buffer, type = 'application/json') =>
    call('POST', '/v1/echo', payload, { 'content-type': type });

  it('an empty body with a JSON content type is {}', async () => {
    expect(readSeen(await post('')).input.body).toEqual({});
    expect(readSeen(await call('POST', '/v1/echo')).input.body).toEqual({});
  });

  it.each([
    'null',
    '1',
    '"a"',
    '[]',
    'true',
    '{',
    '{}{}',
    '{"a":1,}',
    '{} x',
    '\ufeff{}',
    '{"name":"a","name":"b"}',
    '{"name":"a","n\\u0061me":"b"}',
    '{"name":"\\ud800"}',
    '{"name":"\\u0000"}',
    "{'name':1}",
    '{"n":NaN}',
    '{"n":01}',
    `{"name":${'['.repeat(21)}${']'.repeat(21)}}`,
    '['.repeat(50_000),
    `{${Array.from({ length: 1001 }, (_, i) => `"k${i}":1`)}}`,
    `{"name":"${'a'.repeat(8193)}"}`,
    'not json at all',
    '{"name":"a"} // c',
    '\u00a0{}',
  ])('400 invalid_body: %.40j', async (text) => {
    const body = expectRefusal(await post(text), 'invalid_body');
    expect(body.message).not.toContain(text);
  });

  it.each(['\\u001b[2J', '\\u0007', '\u009b', '\u202e', '\u2066', '\\n', '\\t', '\u2028'])(
    '400 invalid_request: a name with %j',
    async (sign) => {
      const body = expectRefusal(await post(`{"name":"Gold ${sign} x"}`), 'invalid_request');
      expect(body.param).toBe('name');
    },
  );

  it('400 invalid_body: not UTF-8, UTF-16', async () => {
    expectRefusal(
      await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      'invalid_body',
    );
    expectRefusal(await post(Buffer.from('{}', 'utf16le')), 'invalid_body');
  });

  it('Contract §10 body · 413 body_too_large one byte over 64 kB, and not at 64 kB', async () => {
    const paddedBody = (size: number) => `{"name":"a"}${' '.repeat(size - 12)}`;
    readSeen(await post(paddedBody(65_536)));
    expectRefusal(await post(paddedBody(65_537)), 'body_too_large');
  });

  it('415 unsupported_media_type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/vnd.api+json',
      'x',
    ]) {
      expectRefusal(await post('{}', type), 'unsupported_media_type');
    }
    readSeen(await post('{}', 'application/json; charset=UTF-8'));
    readSeen(await post('{}', 'Application/JSON'));
  });

  it('400 invalid_request names an unknown or wrong field', async () => {
    expect(
      expectRefusal(await call('POST', '/v1/echo', { nmae: 'x' }), 'invalid_request').param,
    ).toBe('nmae');
    expect(expectRefusal(await call('POST', '/v1/echo', { n: '1' }), 'invalid_request').param).toBe(
      'n',
    );
    const body = expectRefusal(
      await call('POST', '/v1/echo', { n: 1.5, name: 'too long' }),
      'invalid_request',
    );
    expect(body.errors.map(({ path: p }: { path: string }) => p).sort()).toEqual(['n', 'name']);
    for (const key of ['__proto__', 'constructor', 'toString', 'then', 'id', 'clientId']) {
      expect(expectRefusal(await post(`{"${key}":{"polluted":1}}`), 'invalid_request').param).toBe(
        key,
      );
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('400 raw_card_data_forbidden wherever a card number stands, and it is not logged', async () => {
    const number = '4242424242424242';
    // Half of the number: four digits also occur in random ids.
    const partOfIt = /4242[ -]?4242/;
    for (const text of [
      `{"name":"${number}"}`,
      `{"name":"4242 4242 4242 4242"}`,
      `{"n":${number}}`,
      `{"${number}":1}`,
      `{"a":[{"b":"card 4242-4242-4242-4242."}]}`,
      '{"name":"\\u0034242424242424242"}',
    ]) {
      const response = await post(text);
      expectRefusal(response, 'raw_card_data_forbidden');
      expect(response.body).not.toMatch(partOfIt);
    }
    readSeen(await post('{"n":4242424242424241}'));
    expect(JSON.stringify(world.server.logged)).not.toMatch(partOfIt);
  });

  it('a call without a body refuses one', async () => {
    // GET bodies are never read, so this test is about calls that write.
    expect(
      expectRefusal(
        await call('POST', '/v1/open', { clientIdx: 1, clientId: 3 }),
        'invalid_request',
      ).param,
    ).toBe('clientId');
  });
});

describe('queries', () => {
  const list = (query: string) => call('GET', `/v1/listed?${query}`);

  it('fills in defaults and types', async () => {
    expect(readSeen(await list('')).input).toMatchObject({ page: 1, limit: 20, filters: [] });
    expect(readSeen(await list('page=3&limit=100')).input).toMatchObject({ page: 3, limit: 100 });
    expect(
      readSeen(await list('status[eq]=a&amount[gte]=1.5&status%5Bin%5D=a,b')).input.filters,
    ).toEqual([
      { field: 'status', op: 'eq', values: ['a'] },
      { field: 'amount', op: 'gte', values: ['1.5'] },
      { field: 'status', op: 'in', values: ['a', 'b'] },
    ]);
  });

  it.each([
    'page=0',
    'page=-1',
    'page=1e3',
    'page=0x10',
    'page=1.5',
    'page=',
    'page=%20',
    'page=01',
    'limit=0',
    'limit=101',
    'page=1&page=1',
    'status[eq]=a&status[eq]=a',
    'unknown=1',
    'status=a',
    'status[]=a',
    '[eq]=a',
    'status[eq][x]=a',
    'status[like]=a',
    'status[eq]=c',
    'status[in]=a,c',
    'status[in]=',
    'nope[eq]=1',
    'amount[gt]=x',
    'amount[gt]=1e5',
    'amount[gt]=Infinity',
    '__proto__[eq]=1',
    'constructor[eq]=1',
    'status[eq]=%00',
    'status[eq]=%zz',
    '%ff=1',
    'page=5001&limit=20&status[eq]=a',
    `status[eq]=${'a'.repeat(1001)}`,
    `amount[in]=${Array(101).fill(1)}`,
    'sortDirection=desc;--',
    Array.from({ length: 60 }, (_, i) => `x${i}=1`).join('&'),
  ])('400 invalid_query: %.60s', async (query) => {
    expectRefusal(await list(query), 'invalid_query');
  });

  it('a value that a field cannot have is refused with those that it can', async () => {
    const { message } = expectRefusal(await list('status[in]=a,c'), 'invalid_query');
    expect(message).toBe('The query parameter status[in] must be one of a, b.');
  });

  it('reads to 100 000 rows deep on a filtered list, and deeper on a plain one', async () => {
    readSeen(await list('page=5000&limit=20&status[eq]=a'));
    readSeen(await list('page=999999&limit=100'));
  });

  it('a call without query parameters refuses one', async () => {
    expectRefusal(await call('POST', '/v1/echo?x=1', {}), 'invalid_query');
  });
});
