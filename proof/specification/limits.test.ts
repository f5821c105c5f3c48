// The limits of people, over HTTP, with a clock that stands still until it is moved; those of payments,
// sessions and addresses are in service/src/http/limits. Contract §10.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '../../service/src/engine/ports.ts';
import { contractLimits } from '../../service/src/http/limits/limits.ts';
import {
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestDatabase,
} from '../../service/test/harness.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  type TestBrowser,
  type TestPerson,
} from '../../service/test/people/accounts.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { refusal } from './shop.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let nowMs = 0;
beforeAll(async () => {
  db = await freshDatabase();
  const plain = portsFor(db.database);
  ports = { ...plain, settings: { ...plain.settings, attemptLimits: contractLimits } };
  server = await aServer(ports, { limits: contractLimits, nowMs: () => nowMs, trustedProxies: 1 });
});
// Moves to the next hour, in which no limit is used up.
beforeEach(() => passTime(3601));
afterAll(async () => {
  await server?.close(0);
  await db?.close();
});

/** Moves the time of this process and of the database. */
async function passTime(seconds: number): Promise<void> {
  nowMs += seconds * 1000;
  await moveClock(db.database, seconds * 1000);
}

type Response = Awaited<ReturnType<TestBrowser['call']>>;

async function statuses(times: number, call: (n: number) => Promise<Response>) {
  const counts: Record<number, number> = {};
  for (let n = 0; n < times; n++) {
    const { statusCode } = await call(n);
    counts[statusCode] = (counts[statusCode] ?? 0) + 1;
  }
  return counts;
}

/** Expects a refusal with the time to wait. */
function expectLimited(response: Response): void {
  const seen = { status: response.statusCode, body: response.json() as unknown };
  expect(seen).toMatchObject(
    refusal(429, 'rate_limited', { type: 'rate_limit_error', retryable: true }),
  );
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
}

const [here, elsewhere] = ['198.51.100.7', '203.0.113.9'];
const browserAt = (address: string) => aBrowser(server.app, { address });
const signIn = (browser: TestBrowser, { email: name, password }: TestPerson, more = '') =>
  browser.call('POST /v1/account/sign-in', { email: name, password: `${password}${more}` });

describe('Contract §10, people', () => {
  it('Contract §10 sign-in: 60 calls a minute an address, and other addresses are not held up', async () => {
    const request = (browser: TestBrowser) =>
      browser.call('POST /v1/account/sign-in/passkey-options');
    expect(await statuses(60, () => request(browserAt(here)))).toEqual({ 200: 60 });
    expectLimited(await request(browserAt(here)));
    expect((await request(browserAt(elsewhere))).statusCode).toBe(200);
    await passTime(61);
    expect((await request(browserAt(here))).statusCode).toBe(200);
  });

  it('Contract §10 wrong proofs: twenty a minute an address, links too, then 429; a right one still passes', async () => {
    const person = await aPerson(ports);
    const guess = (address = here) =>
      browserAt(address).call('POST /v1/invitation/look', { link: newId() });
    expect(await statuses(22, () => guess())).toEqual({ 404: 20, 429: 2 });
    expectLimited(await guess());
    expectLimited(await signIn(browserAt(here), person, 'x'));
    expect((await signIn(browserAt(here), person)).statusCode).toBe(200);
    expect((await guess(elsewhere)).statusCode).toBe(404);
  });

  it('Contract §10 person: 300 calls a minute of a signed-in person, in all browsers together', async () => {
    const person = await aPerson(ports);
    const browsers = [
      await aSignedInBrowser({ app: server.app, ports }, person),
      await aSignedInBrowser({ app: server.app, ports }, person, { address: elsewhere }),
    ];
    const read = (n: number) => (browsers[n % 2] as TestBrowser).call('GET /v1/account');
    expect(await statuses(300, read)).toEqual({ 200: 300 });
    expectLimited(await read(0));
    const other = await aSignedInBrowser({ app: server.app, ports }, await aPerson(ports));
    expect((await other.call('GET /v1/account')).statusCode).toBe(200);
  });
});
