// Calls of the sandbox's controls by a page of another site.
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ limits: null });
});
afterAll(() => sandbox.close());

/** `fetch` sets these headers by itself. */
const request = (method: string, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = http.request(sandbox.url + path, { method, headers }, (answer) => {
      resolve(answer.resume().statusCode ?? 0);
    });
    call.on('error', reject).end();
  });

const controls = [
  ['POST', '/_control/reset'],
  ['GET', '/_control/ledger'],
  ['GET', '/_control/clock'],
  ['DELETE', '/_control/faults'],
  ['POST', '/_control/wallet/orders/x/approve'],
  ['POST', '/_control/webhooks/release'],
] as const;

describe.each(controls)('%s %s', (method, path) => {
  test.each([
    ['a name that was made to resolve to this machine', { host: 'rebound.example' }],
    ['the same with the port', { host: 'rebound.example:4002' }],
    ['a name that begins like this machine', { host: '127.0.0.1.rebound.example' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another port of this machine', { origin: 'http://localhost:4003' }],
    ['a page without an origin', { origin: 'null' }],
    ['a request across sites', { 'sec-fetch-site': 'cross-site' }],
    ['a request of the same site', { 'sec-fetch-site': 'same-site' }],
  ])('403: %s', async (_, headers) => {
    expect(await request(method, path, headers)).toBe(403);
  });
});

test('this machine by each of its names, and the own page, are let in', async () => {
  const { port } = sandbox;
  for (const host of ['localhost', '127.0.0.1', '[::1]', `localhost:${port}`]) {
    expect(await request('GET', '/_control/clock', { host })).toBe(200);
  }
  const own = { host: `localhost:${port}`, origin: `http://localhost:${port}` };
  expect(await request('GET', '/_control/clock', { ...own, 'sec-fetch-site': 'same-origin' })).toBe(
    200,
  );
  expect(await request('GET', '/_control/clock', { 'sec-fetch-site': 'none' })).toBe(200);
});

test('the page with the keys: 200 for a link elsewhere, 403 by a host name of somebody else, no frame', async () => {
  expect(await request('GET', '/', { 'sec-fetch-site': 'cross-site' })).toBe(200);
  expect(await request('GET', '/', { host: 'evil.example' })).toBe(403);
  expect((await fetch(sandbox.url)).headers.get('x-frame-options')).toBe('DENY');
});
