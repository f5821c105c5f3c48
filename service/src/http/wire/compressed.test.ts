// Documents that are sent as one of their compressed forms.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld, expectRefusal } from '../../../test/echo.ts';
import { contractLimits } from '../limits/limits.ts';

let nowMs = 0;
let world: EchoWorld;
beforeAll(async () => {
  const limits = { ...contractLimits, pagesPerMinute: 60 };
  world = await echoWorld({ limits, nowMs: () => nowMs });
});
afterAll(() => world.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  world.call('GET', url, undefined, headers, null);

describe.each(['/openapi.json', '/docs'])('%s', (url) => {
  it('comes as the caller takes it, with a tag, and is kept for five minutes', async () => {
    const plain = await get(url);
    const br = await get(url, { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await get(url, { 'accept-encoding': 'gzip, br;q=0' });
    expect([plain, br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'br',
      'gzip',
    ]);
    expect(brotliDecompressSync(br.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true);
    for (const { headers } of [plain, br, gzip]) {
      expect(headers).toMatchObject({
        etag: plain.headers.etag,
        vary: 'Accept-Encoding',
        'cache-control': 'public, max-age=300',
      });
    }
  });

  it('304 without a body to a caller that has it', async () => {
    const { etag } = (await get(url)).headers;
    const again = await get(url, { 'if-none-match': `"x", ${etag}` });
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
    // Weak comparison: RFC 9110 §13.1.2.
    for (const known of [String(etag).replace('W/', ''), '*']) {
      expect((await get(url, { 'if-none-match': known })).statusCode).toBe(304);
    }
    expect((await get(url, { 'if-none-match': '"x"' })).statusCode).toBe(200);
  });
});

it('an unknown guide is a page that leads to the guides, and is not kept', async () => {
  for (const url of [
    '/guides/nope',
    '/guides/images/..%2f..%2fpackage.json',
    '/guides/__proto__',
  ]) {
    const { statusCode, headers, body } = await get(url, { accept: 'text/html' });
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      ...[404, 'text/html; charset=utf-8', 'no-store'],
    ]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).toContain('<a href="/guides">All guides</a>');
  }
});

it('429 rate_limited: pages, files and unknown paths have one budget for each address', async () => {
  nowMs += 60_000;
  const urls = ['/openapi.json', '/docs', '/', '/c/x', '/assets/none.js', '/none', '/v1/none'];
  for (let i = 0; i < 60; i++) {
    expect((await get(urls[i % urls.length] ?? '')).statusCode).not.toBe(429);
  }
  for (const url of urls) {
    const refused = await get(url);
    expectRefusal(refused, 'rate_limited');
    expect(refused.headers['retry-after']).toBe('1');
  }
  // Responses to calls, probes and provider notices are not compressed documents.
  expect((await world.call('POST', '/v1/echo', {})).statusCode).toBe(200);
  expect((await get('/healthz')).statusCode).toBe(200);
  expect((await world.call('POST', '/provider-notices/x', {})).statusCode).not.toBe(429);
  nowMs += 1000;
  expect((await get('/docs')).statusCode).toBe(200);
});
