// After a password reset: what was created in the person's name before it, and how it is ended.

import type { PasskeyCreation, PasskeyRequest } from '@svc/contract/account/passkeys';
import type { RecentAccess, RecentAccesses } from '@svc/contract/account/recent-access';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  moveClock,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../../test/harness.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  auditOf,
  mailsTo,
  type TestBrowser,
  type TestPerson,
} from '../../../test/people/accounts.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { anInvitation, isLinkOpen, join } from '../../../test/people/members.ts';
import { SoftwareAuthenticator } from '../../../test/people/software-authenticator.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let shop: TestClient;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  shop = await aClient(db.database, { name: 'Blue Bikes' });
});
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

const dayMs = 86_400_000;
const chosen = 'plinth vexing otter canal';

async function addPasskey(browser: TestBrowser, device: SoftwareAuthenticator): Promise<void> {
  const options = await browser.call('POST /v1/account/passkeys/options');
  const passkey = device.create(options.json() as PasskeyCreation);
  const added = await browser.call('POST /v1/account/passkeys', { name: 'Laptop', passkey });
  expect(added.statusCode).toBe(201);
}

async function signInWith(device: SoftwareAuthenticator): Promise<number> {
  const browser = aBrowser(server.app);
  const options = await browser.call('POST /v1/account/sign-in/passkey-options');
  const asserted = device.get(options.json() as PasskeyRequest);
  return (await browser.call('POST /v1/account/sign-in/passkey', asserted)).statusCode;
}

/** Creates one way to sign in of each kind, as somebody who has the password does. */
async function createSignIns(person: TestPerson) {
  await join(db.database, shop, { person, role: 'owner' });
  const device = new SoftwareAuthenticator(-7);
  await addPasskey(await aSignedInBrowser({ app: server.app, ports }, person), device);
  const token = await aToken(db.database, shop, { user: person });
  const grant = await aGrant(ports, { user: person, client: shop, scopes: ['payments:read'] });
  const invited = await anInvitation(ports, shop, {
    email: `${person.id}@guests.example`,
    role: 'admin',
    invitedBy: person.id,
  });
  const status = async (authorization: string) =>
    (await callAs(server.app, null, 'GET /v1/payments', { headers: { authorization } })).statusCode;
  return {
    /** Returns which of them still work: passkey, token, application, invitation. */
    work: async () => [
      (await signInWith(device)) === 200,
      (await status(token.authorization)) === 200,
      (await status(grant.authorization)) === 200,
      await isLinkOpen(ports, invited.link),
    ],
  };
}

/** Sets a new password with the mailed link, and signs in. */
async function reset(person: TestPerson): Promise<TestBrowser> {
  const visitor = aBrowser(server.app);
  await visitor.call('POST /v1/account/password-reset', { email: person.email });
  const mail = (await mailsTo(ports, person.email)).findLast(
    ({ kind }) => kind === 'password_reset',
  );
  const link = /\/account\/reset#([\w-]{43})\n/.exec(mail?.text ?? '')?.[1];
  const set = { link, password: chosen };
  expect((await visitor.call('POST /v1/account/password-reset/complete', set)).statusCode).toBe(
    204,
  );
  const browser = aBrowser(server.app);
  const given = { email: person.email, password: chosen };
  expect((await browser.call('POST /v1/account/sign-in', given)).statusCode).toBe(200);
  return browser;
}

const listAccess = async (browser: TestBrowser): Promise<RecentAccess[]> =>
  ((await browser.call('GET /v1/account/recent-access')).json() as RecentAccesses).data;
const kindsOf = (made: readonly RecentAccess[]) => made.map(({ kind }) => kind).sort();
const endAccess = (browser: TestBrowser, body: object) =>
  browser.call('POST /v1/account/recent-access/end', body);

describe('listRecentAccess', () => {
  it('200: after a password reset names one of each kind, where it is, and this sign-in; nothing else of anybody', async () => {
    const person = await aPerson(ports);
    await createSignIns(await aPerson(ports));
    const ways = await createSignIns(person);
    const browser = await reset(person);
    expect(await ways.work()).toEqual([true, true, true, true]);
    const made = (await listAccess(browser)).filter(({ kind }) => kind !== 'sign_in');
    expect(kindsOf(made)).toEqual(['api_token', 'consent', 'invitation', 'passkey']);
    for (const { kind, clientName } of made) {
      expect([kind, clientName]).toEqual([kind, kind === 'passkey' ? null : 'Blue Bikes']);
    }
    const names = Object.fromEntries(made.map(({ kind, name }) => [kind, name]));
    expect(names).toMatchObject({
      passkey: 'Laptop',
      consent: 'A test application',
      invitation: `${person.id}@guests.example`,
    });
    const signIns = (await listAccess(browser)).filter(({ kind }) => kind === 'sign_in');
    expect(signIns.map(({ isThisOne }) => isThisOne).sort()).toEqual([false, true]);
  });

  it('200: what was made more than 30 days ago, or ended, is not in it', async () => {
    const person = await aPerson(ports);
    await createSignIns(person);
    await moveClock(db.database, 30 * dayMs + 1000);
    const browser = await reset(person);
    expect(kindsOf(await listAccess(browser))).toEqual(['sign_in']);
  });
});

describe('endRecentAccess', () => {
  it('200: each by itself, whatever its kind, and not again', async () => {
    const person = await aPerson(ports);
    const ways = await createSignIns(person);
    const browser = await reset(person);
    const works = { passkey: 0, api_token: 1, consent: 2, invitation: 3 } as const;
    const left = [true, true, true, true];
    for (const { kind, id } of await listAccess(browser)) {
      if (kind === 'sign_in') continue;
      const items = [{ kind, id }];
      expect((await endAccess(browser, { items })).json()).toEqual({ ended: 1 });
      expect((await endAccess(browser, { items })).json()).toEqual({ ended: 0 });
      left[works[kind]] = false;
      expect(await ways.work()).toEqual(left);
    }
    const actions = (await auditOf(db.database, person.id)).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['passkey.removed', 'consent.revoked', 'invitation.revoked']),
    );
  });

  it('200: all of it at once, but for this sign-in', async () => {
    const person = await aPerson(ports);
    const ways = await createSignIns(person);
    const browser = await reset(person);
    const other = await aSignedInBrowser({ app: server.app, ports }, person);
    expect((await endAccess(browser, { all: true })).json()).toEqual({ ended: 5 });
    expect(await ways.work()).toEqual([false, false, false, false]);
    expect((await other.call('GET /v1/account')).statusCode).toBe(401);
    expect((await listAccess(browser)).map(({ isThisOne }) => isThisOne)).toEqual([true]);
  });

  it("somebody else's is as none: it stays", async () => {
    const [person, other] = [await aPerson(ports), await aPerson(ports)];
    const ways = await createSignIns(other);
    const theirs = await listAccess(await aSignedInBrowser({ app: server.app, ports }, other));
    const browser = await aSignedInBrowser({ app: server.app, ports }, person);
    const items = theirs.map(({ kind, id }) => ({ kind, id }));
    expect((await endAccess(browser, { items })).json()).toEqual({ ended: 0 });
    expect(await ways.work()).toEqual([true, true, true, true]);
  });

  it('409 last_proof_kept: the only passkey of a person without a password, and nothing else ends', async () => {
    const person = await aPerson(ports, { password: null });
    const ways = await createSignIns(person);
    const browser = await aSignedInBrowser({ app: server.app, ports }, person);
    expect((await endAccess(browser, { all: true })).json()).toMatchObject({
      code: 'last_proof_kept',
    });
    expect(await ways.work()).toEqual([true, true, true, true]);
  });

  it('403 recent_sign_in_required after fifteen minutes, 400 invalid_request for nothing and for both', async () => {
    const browser = await aSignedInBrowser({ app: server.app, ports }, await aPerson(ports));
    const items = [{ kind: 'passkey', id: shop.id }];
    for (const body of [{}, { all: true, items }, { items: [] }]) {
      expect((await endAccess(browser, body)).statusCode).toBe(400);
    }
    await moveClock(db.database, 15 * 60_000 + 1000);
    expect((await endAccess(browser, { all: true })).json()).toMatchObject({
      code: 'recent_sign_in_required',
    });
  });
});
