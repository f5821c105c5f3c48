// Tries that do not count as guesses of a password: a right one, and one that was never compared.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../test/harness.ts';
import { aBrowser, aPerson, aSignedInBrowser, shownCode } from '../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { passwordCost, verifyPassword } from '../../engine/steps/people/password-hash.ts';
import { contractLimits } from '../../http/limits/limits.ts';

// Comparing a password is slow on purpose, and slower on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  // A comparison takes long enough to keep the others waiting.
  ports = portsFor(db.database, { passwordCost });
  ports = { ...ports, settings: { ...ports.settings, attemptLimits: contractLimits } };
  server = await aServer(ports, { trustedProxies: 1 });
});
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

/** Fills all places for comparisons of one address, one after the other until `end`. */
function fillComparisons(place: string): { end(): Promise<void> } {
  let isOver = false;
  const compare = async (): Promise<void> => {
    while (!isOver) await verifyPassword('anything', { stored: null, ports, place });
  };
  const all = Promise.all(Array.from({ length: 18 }, compare));
  return {
    async end() {
      isOver = true;
      await all;
    },
  };
}

describe('tries at a password', () => {
  it('are none while it was not compared: 503 ten times, then 200', async () => {
    const address = '203.0.113.21';
    const { email, password } = await aPerson(ports);
    const signIn = () =>
      aBrowser(server.app, { address }).call('POST /v1/account/sign-in', { email, password });
    const others = fillComparisons(address);
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await signIn()).statusCode);
    await others.end();
    expect(statuses).toEqual(Array(11).fill(503));
    expect((await signIn()).statusCode).toBe(200);
  });

  it('are none where it was right, and the code was not: a recovery code still confirms', async () => {
    const person = await aPerson(ports);
    const { email, password } = person;
    const address = '203.0.113.22';
    const browser = await aSignedInBrowser({ app: server.app, ports }, person, { address });
    const made = await browser.call('POST /v1/account/authenticator');
    const { secret } = made.json() as { secret: string };
    const code = await shownCode(db.database, secret);
    const on = await browser.call('POST /v1/account/authenticator/confirm', { code });
    const { recoveryCodes } = on.json() as { recoveryCodes: string[] };
    await moveClock(db.database, 60_000);
    const confirm = (proof: object) =>
      browser.call('POST /v1/account/confirm', { password, ...proof });
    const ends = [];
    for (let n = 0; n < 12; n++) {
      const wrong = await shownCode(db.database, secret, 10 + n);
      ends.push((await confirm({ code: wrong })).statusCode);
    }
    expect(ends).toEqual([...Array(10).fill(422), 429, 429]);
    const confirmed = await confirm({ recoveryCode: recoveryCodes[0] });
    expect(confirmed.statusCode).toBe(200);
    const elsewhere = aBrowser(server.app, { address });
    const half = await elsewhere.call('POST /v1/account/sign-in', { email, password });
    expect(half.json()).toEqual({ state: 'second_factor' });
  });
});
