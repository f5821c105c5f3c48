// Reports of browsers, and anything else that is posted as one: only names reach the log.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, portsFor, type TestDatabase } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';

let db: TestDatabase;
let server: TestServer;
let nowMs = 0;
beforeAll(async () => {
  db = await freshDatabase();
  server = await aServer(portsFor(db.database), { nowMs: () => nowMs, trustedProxies: 1 });
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});
beforeEach(() => {
  nowMs += 60_000;
  server.logged.length = 0;
});

const modern = 'application/reports+json';
const legacy = 'application/csp-report';
const post = (payload: string | object, type = modern, address = '203.0.113.1') =>
  server.app.inject({
    method: 'POST',
    url: '/csp-reports',
    headers: { 'content-type': type, 'x-forwarded-for': address },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
const page = 'https://pay.shop.example/c/cs_1?nonce=n0nce-of-ada#frag';
const aReport = (given: object = {}) => ({
  type: 'csp-violation',
  age: 1,
  url: page,
  user_agent: 'Mozilla/5.0 (of Ada)',
  body: {
    documentURL: page,
    referrer: 'https://shop.example/?email=ada@example.test',
    blockedURL: 'inline',
    effectiveDirective: 'script-src-elem',
    originalPolicy: "default-src 'none'",
    sourceFile: page,
    sample: 'fetch("/steal?card=4242424242424242")',
    disposition: 'enforce',
    lineNumber: 7,
    ...given,
  },
});
const listReports = () =>
  server.logged
    .filter(({ msg }) => msg === 'a page broke its security policy')
    .map(({ time: _, requestId: __, msg: ___, ...fields }) => fields);

describe('POST /csp-reports', () => {
  it('a report is one line: the page’s route, the directive, what was stopped; nothing of the address', async () => {
    expect((await post([aReport()])).statusCode).toBe(204);
    const fields = { level: 'warn', directive: 'script-src-elem', blocked: 'inline' };
    expect(listReports()).toEqual([{ ...fields, route: '/c/*' }]);
    const old = {
      'document-uri': 'https://pay.shop.example/account/sign-in?next=secret',
      'blocked-uri': 'https://evil.example:8443/x.js?stolen=ada',
      'effective-directive': 'img-src',
      'script-sample': 'ada',
    };
    expect((await post({ 'csp-report': old }, legacy)).statusCode).toBe(204);
    const second = { directive: 'img-src', blocked: 'https://evil.example:8443' };
    expect(listReports()[1]).toEqual({ level: 'warn', ...second, route: '/account/*' });
    const lines = JSON.stringify(server.logged);
    for (const word of [
      'n0nce',
      'cs_1',
      'ada',
      'Ada',
      'frag',
      '4242',
      'steal',
      'stolen',
      'next=',
    ]) {
      expect(lines, word).not.toContain(word);
    }
  });

  it('forged ones say no more than a name: unknown words are "other", pages of others nothing', async () => {
    const odd = [
      { blockedURL: 'ada@example.test', effectiveDirective: 'evil\n{"level":"fatal"}' },
      { blockedURL: `https://${'a'.repeat(200)}.example/`, effectiveDirective: {} },
      { blockedURL: 'https://ada:secret@evil.example/', effectiveDirective: 'toString' },
      { blockedURL: ['inline'], effectiveDirective: null },
      { blockedURL: 'javascript:alert(1)', effectiveDirective: '__proto__' },
      { blockedURL: 'chrome-extension://abcdef/x.js', effectiveDirective: 'x'.repeat(5000) },
    ];
    const { statusCode } = await post(odd.map((given) => aReport(given)));
    expect(statusCode).toBe(204);
    expect(listReports().map(({ directive }) => directive)).toEqual(odd.map(() => 'other'));
    expect(listReports().map(({ blocked }) => blocked)).toEqual([
      ...['other', 'other', 'https://evil.example', 'other', 'other', 'chrome-extension'],
    ]);
    server.logged.length = 0;
    const foreign = ['https://x/other', 'not an address', '', 7, 'https://x/v1/payments?c=1'];
    await post(foreign.map((documentURL) => aReport({ documentURL })));
    await post([
      null,
      1,
      'x',
      [],
      {},
      { type: 'deprecation', body: {} },
      { type: 'csp-violation' },
    ]);
    expect(listReports()).toEqual([]);
  });

  it('of one body ten count', async () => {
    expect((await post(Array.from({ length: 40 }, () => aReport({ sample: '' })))).statusCode).toBe(
      413,
    );
    const brief = { type: 'csp-violation', body: { documentURL: page, blockedURL: 'eval' } };
    expect((await post(Array.from({ length: 40 }, () => brief))).statusCode).toBe(204);
    expect(listReports()).toHaveLength(10);
  });

  it('400 for what is no report, 413 over 16 kB, 415 for any other type, 405 for GET', async () => {
    for (const body of ['', '{', '1', 'null', '"x"', '{}', '{"reports":[]}']) {
      expect((await post(body)).statusCode, body).toBe(400);
    }
    expect((await post(`[${' '.repeat(16_384)}]`)).json()).toMatchObject({
      status: 413,
      code: 'body_too_large',
      message: 'The body is over 16 kB.',
    });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data', '']) {
      expect((await post([aReport()], type)).statusCode, type).toBe(415);
    }
    const got = await server.app.inject('/csp-reports');
    expect([got.statusCode, got.headers.allow]).toEqual([405, 'POST']);
    expect(listReports()).toEqual([]);
  });

  it('a flood is refused with 429: thirty a minute of one address, three hundred of all', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 35; n++) statuses.push((await post([aReport()])).statusCode);
    expect(statuses).toEqual([...Array(30).fill(204), ...Array(5).fill(429)]);
    const refused = await post([aReport()]);
    expect(refused.json().code).toBe('rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    for (let n = 0; n < 300; n++) await post([aReport()], modern, `198.51.100.${n % 250}`);
    expect(listReports()).toHaveLength(300);
    nowMs += 60_000;
    expect((await post([aReport()])).statusCode).toBe(204);
  });
});
