// Limits of people and of the browser library over HTTP, with a clock that stands still until it is
// moved; those of payments, sessions and addresses are in checkout-limits. Spec 8. Contract §10 and
// docs/spec/additions.md.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentAPI } from '../../libraries/browser/src/payment-api.ts';
import type { Ports } from '../../service/src/engine/ports.ts';
import { contractLimits } from '../../service/src/http/limits/limits.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  mailsTo,
  shownCode,
  type TestBrowser,
  type TestPerson,
} from '../../service/test/accounts.ts';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import { join } from '../../service/test/members.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { email, openShop, refusal } from './buyer.ts';

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
function expectLimited(response: Response, retryable = true): number {
  const seen = { status: response.statusCode, body: response.json() as unknown };
  expect(seen).toMatchObject(refusal(429, 'rate_limited', { type: 'rate_limit_error', retryable }));
  const wait = Number(response.headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  return wait;
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

  it('Contract §10 passwords: ten wrong in a quarter of an hour an account and address, nobody elsewhere', async () => {
    const person = await aPerson(ports);
    expect(await statuses(10, () => signIn(browserAt(here), person, 'x'))).toEqual({ 401: 10 });
    const wait = expectLimited(await signIn(browserAt(here), person));
    expect(wait).toBeLessThanOrEqual(900);
    expect((await signIn(browserAt(elsewhere), person)).statusCode).toBe(200);
    await passTime(wait + 1);
    expect((await signIn(browserAt(here), person)).statusCode).toBe(200);
  });

  it('Contract §10 codes: ten wrong in a quarter of an hour a person from anywhere; a recovery code passes', async () => {
    const person = await aPerson(ports);
    const own = await aSignedInBrowser({ app: server.app, ports }, person);
    const made = await own.call('POST /v1/account/authenticator');
    const { secret } = made.json() as { secret: string };
    const on = await own.call('POST /v1/account/authenticator/confirm', {
      code: await shownCode(db.database, secret),
    });
    const { recoveryCodes } = on.json() as { recoveryCodes: string[] };
    await passTime(901);
    const submitSecondFactor = (browser: TestBrowser, proof: object) =>
      browser.call('POST /v1/account/sign-in/second-factor', proof);
    const halfSignIn = async (address: string) => {
      const browser = browserAt(address);
      expect((await signIn(browser, person)).json()).toEqual({ state: 'second_factor' });
      return browser;
    };
    const [one, other] = [await halfSignIn(here), await halfSignIn(elsewhere)];
    const code = await shownCode(db.database, secret, 9);
    const guess = (n: number) => submitSecondFactor(n % 2 ? one : other, { code });
    expect(await statuses(10, guess)).toEqual({ 422: 10 });
    const right = await shownCode(db.database, secret);
    expectLimited(await submitSecondFactor(one, { code: right }));
    const recovered = await submitSecondFactor(other, { recoveryCode: recoveryCodes[0] });
    expect(recovered.json()).toEqual({ state: 'open' });
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

  it('Contract §10 reset links: five an hour an address of mail, and every answer is 202', async () => {
    const person = await aPerson(ports);
    const ask = () =>
      browserAt(here).call('POST /v1/account/password-reset', { email: person.email });
    const mails = async () => (await mailsTo(ports, person.email)).length;
    expect(await statuses(7, ask)).toEqual({ 202: 7 });
    expect(await mails()).toBe(5);
    await passTime(3601);
    expect((await ask()).statusCode).toBe(202);
    expect(await mails()).toBe(6);
  });
});

describe('Contract §10, invitations', () => {
  let n = 0;
  const invite = ({ authorization }: TestToken) =>
    callAs(server.app, null, 'POST /v1/invitations', {
      headers: { authorization },
      body: { email: `guest-${n++}@people.example`, role: 'member' },
    });

  it('Contract §10 invitations: twenty an hour a person, over all merchants', async () => {
    const scopes = everyScope;
    const owner = await aToken(db.database, await aClient(db.database), { scopes });
    const [client, user] = [await aClient(db.database), { id: owner.userId }];
    await join(db.database, client, { person: user, role: 'admin' });
    const same = await aToken(db.database, client, { user, scopes });
    expect(await statuses(20, (each) => invite(each % 2 ? owner : same))).toEqual({ 201: 20 });
    for (const token of [owner, same]) {
      expect(expectLimited(await invite(token))).toBeLessThanOrEqual(3600);
    }
    await passTime(3601);
    expect((await invite(owner)).statusCode).toBe(201);
  });

  it('Contract §10 open invitations: fifty of a merchant', async () => {
    const client = await aClient(db.database);
    const owners = await Promise.all(
      [1, 2, 3].map(() => aToken(db.database, client, { scopes: everyScope })),
    );
    const made = await statuses(50, (at) => invite(owners[at % 3] as TestToken));
    expect(made).toEqual({ 201: 50 });
    // Waiting does not help: an invitation must be answered or withdrawn first.
    expectLimited(await invite(owners[2] as TestToken), false);
  });
});

describe('Spec 8, Limits', () => {
  it('Spec 8.6: getPaymentsByEmail asks for page 1 and limit 1 unless told', async () => {
    const shop = await openShop();
    const baseUrl = await shop.app.listen({ host: '127.0.0.1', port: 0 });
    const { session, paymentId } = await shop.checkout('automatic');
    const library = new PaymentAPI(baseUrl);
    library.rememberSession(session.sessionId, session.nonce);
    expect(await library.getPaymentsByEmail(email)).toMatchObject({
      data: [{ id: paymentId }],
      page: 1,
      limit: 1,
      total: 1,
    });
    expect(await library.getPaymentsByEmail(email, { page: 2, limit: 5 })).toMatchObject({
      data: [],
      page: 2,
      limit: 5,
    });
    await shop.close();
  });
});
