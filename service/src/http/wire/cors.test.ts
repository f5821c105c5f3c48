import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld } from '../../../test/echo.ts';
import { aClient, newId, portsFor } from '../../../test/harness.ts';
import { openOriginGuard, readOrigin } from './cors.ts';

const shop = 'https://shop.example';
let world: EchoWorld;
beforeAll(async () => {
  world = await echoWorld();
});
afterAll(() => world.close());

const allowedOriginOf = (response: Awaited<ReturnType<EchoWorld['call']>>) =>
  response.headers['access-control-allow-origin'];

describe('a preflight', () => {
  const sendPreflight = (url: string, origin: string) =>
    world.call(
      'OPTIONS',
      url,
      undefined,
      { origin, 'access-control-request-method': 'POST' },
      null,
    );

  it('of a browser route is answered for any well-formed origin', async () => {
    const response = await sendPreflight('/v1/open', 'https://anyone.example');
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': 'https://anyone.example',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-checkout-session-token, x-user-id',
      'access-control-max-age': '600',
    });
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    expect(response.headers.vary).toContain('Origin');
    expect(allowedOriginOf(await sendPreflight('/v1/open', 'null'))).toBeUndefined();
    expect(
      allowedOriginOf(await sendPreflight('/v1/open', 'https://shop.example/path')),
    ).toBeUndefined();
  });

  it('of any other route is none: 405 without CORS headers', async () => {
    const response = await sendPreflight('/v1/echo', shop);
    expect(response.statusCode).toBe(405);
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-'))).toEqual([]);
  });
});

describe('an answer', () => {
  const callOpen = (origin: string, body: unknown = {}) =>
    world.call('POST', '/v1/open', body, { origin }, null);

  it('Contract §3 origins · 403 origin_not_allowed: readable for an origin that the client registered, and no other, which hears why', async () => {
    const clientId = world.client.id;
    expect(allowedOriginOf(await callOpen(shop, { clientId }))).toBe(shop);
    expect(allowedOriginOf(await callOpen(shop, { clientId: clientId.toUpperCase() }))).toBe(shop);
    for (const origin of [
      'https://shop.example:444',
      'http://shop.example',
      'https://evil.example',
      'https://x.shop.example',
    ]) {
      const response = await callOpen(origin, { clientId });
      // Only the refusal was sent, and nothing was done for that page.
      expect([response.statusCode, response.json().code]).toEqual([403, 'origin_not_allowed']);
      expect(allowedOriginOf(response)).toBe(origin);
      expect(response.headers.vary).toContain('Origin');
    }
    const other = await aClient(world.db.database);
    expect((await callOpen(shop, { clientId: other.id })).json().code).toBe('origin_not_allowed');
    // An unknown client has no list of origins.
    expect(allowedOriginOf(await callOpen(shop, { clientId: newId() }))).toBeUndefined();
    expect(allowedOriginOf(await callOpen(shop))).toBeUndefined();
  });

  it('in the sandbox is readable for every loopback origin, refusals included', async () => {
    for (const origin of [
      'http://localhost:3000',
      'http://127.0.0.1:8080',
      'http://[::1]:1',
      'http://shop.localhost',
    ]) {
      expect(allowedOriginOf(await callOpen(origin))).toBe(origin);
      const refused = await world.call('GET', '/v1/session', undefined, { origin }, null);
      expect([refused.statusCode, allowedOriginOf(refused)]).toEqual([401, origin]);
    }
  });

  it('to a server is never shared', async () => {
    const response = await world.call('POST', '/v1/open', {}, { origin: 'http://localhost:3000' });
    expect(allowedOriginOf(response)).toBeUndefined();
  });

  it('of a route that is not for browsers never carries CORS headers', async () => {
    const response = await world.call('POST', '/v1/echo', {}, { origin: 'http://localhost:3000' });
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-'))).toEqual([]);
    expect(response.headers['cross-origin-resource-policy']).toBe('same-origin');
  });
});

describe('the guard in live mode', () => {
  it('allows the own pages and registered origins, not loopback; a change is seen after 10 s', async () => {
    let nowMs = 0;
    const ports = portsFor(world.db.database);
    const own = ['https://pay.example'];
    const guard = openOriginGuard(ports, { isLive: true, ownOrigins: own }, () => nowMs);
    const client = await aClient(world.db.database, { allowedOrigins: [] });
    const of = { clientId: client.id };
    expect(await guard.judge('https://pay.example', null)).toBe('listed');
    expect(await guard.judge('http://localhost:3000', of)).toBe('unlisted');
    expect(await guard.judge(shop, of)).toBe('unlisted');
    await world.db.database.write(
      { name: 't_origins', text: 'update clients set allowed_origins = $2 where id = $1' },
      [client.id, [shop]],
    );
    nowMs = 9999;
    expect(await guard.judge(shop, of)).toBe('unlisted');
    nowMs = 10_000;
    expect(await guard.judge(shop, of)).toBe('listed');
    expect(await guard.judge(shop, { nonceSha256: randomBytes(32) })).toBe('unknown');
  });
});

describe('readOrigin', () => {
  it.each([
    shop,
    'http://localhost:3000',
    'http://[::1]:80/'.slice(0, 12),
    'https://xn--bcher-kva.example',
  ])('takes %s', (origin) => {
    expect(readOrigin(origin)).toBe(origin);
  });

  it.each([
    '',
    'null',
    '*',
    'shop.example',
    '//shop.example',
    'HTTPS://shop.example',
    'https://Shop.example',
    'https://shop.example/',
    'https://shop.example:443',
    'https://u@shop.example',
    'https://shop.example?x',
    'https://shop.example#x',
    'https://a b',
    'ftp://shop.example',
    'javascript://shop.example',
    'https://shop.example, https://evil.example',
    'https://shop\\.example',
    `https://${'a'.repeat(400)}.example`,
    'https://',
    'https://bücher.example',
    'http://0x7f.1',
  ])('refuses %j', (origin) => {
    expect(readOrigin(origin)).toBeNull();
  });

  it('never lets a header be split', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readOrigin(`https://${text}`) ?? '').not.toMatch(/[\r\n\s,]/);
      }),
    );
  });
});
