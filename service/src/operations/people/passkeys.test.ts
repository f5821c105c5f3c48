import type { PasskeyCreation, PasskeyRequest } from '@svc/contract/account/passkeys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../test/harness.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  auditOf,
  mailsTo,
  type TestBrowser,
  type TestPerson,
} from '../../../test/people/accounts.ts';
import {
  type AuthenticatorChanges,
  SoftwareAuthenticator,
} from '../../../test/people/software-authenticator.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { contractLimits } from '../../http/limits/limits.ts';
import { sql } from '../../storage/database/sql.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  ports = { ...ports, settings: { ...ports.settings, attemptLimits: contractLimits } };
  server = await aServer(ports, { trustedProxies: 1 });
});
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

const disable = sql(
  'test_disable_owner',
  'update users set disabled_at = svc_clock() where id = $1',
);

async function addPasskey(
  browser: TestBrowser,
  device: SoftwareAuthenticator,
  bent: AuthenticatorChanges = {},
) {
  const options = await browser.call('POST /v1/account/passkeys/options');
  expect(options.statusCode).toBe(200);
  const passkey = device.create(options.json() as PasskeyCreation, bent);
  return browser.call('POST /v1/account/passkeys', { name: 'Laptop', passkey });
}

async function signInWith(
  browser: TestBrowser,
  device: SoftwareAuthenticator,
  bent: AuthenticatorChanges = {},
) {
  const options = await browser.call('POST /v1/account/sign-in/passkey-options');
  const asserted = device.get(options.json() as PasskeyRequest, bent);
  return browser.call('POST /v1/account/sign-in/passkey', asserted);
}

async function aDevice(algorithm: -7 | -257 = -7) {
  const person = await aPerson(ports);
  const browser = await aSignedInBrowser({ app: server.app, ports }, person);
  const device = new SoftwareAuthenticator(algorithm);
  const added = await addPasskey(browser, device);
  expect(added.statusCode).toBe(201);
  return { person, browser, device, id: (added.json() as { id: string }).id };
}

describe('createPasskey', () => {
  it.each([-7, -257] as const)(
    '201: a passkey of algorithm %i signs in without an address',
    async (algorithm) => {
      const { person, device } = await aDevice(algorithm);
      const elsewhere = aBrowser(server.app);
      const signedIn = await signInWith(elsewhere, device);
      expect(signedIn.json()).toEqual({ state: 'open' });
      expect((await elsewhere.call('GET /v1/account')).json()).toMatchObject({
        id: person.id,
        passkeyCount: 1,
      });
      const [listed] = (
        (await elsewhere.call('GET /v1/account/passkeys')).json() as { data: unknown[] }
      ).data;
      expect(listed).toMatchObject({ name: 'Laptop', lastUsedAt: expect.any(String) });
    },
  );

  it('asks for a verified, discoverable credential and leaves out what there is', async () => {
    const { browser, device, person } = await aDevice();
    const options = (await browser.call('POST /v1/account/passkeys/options')).json();
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: person.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      pubKeyCredParams: [{ alg: -7 }, { alg: -257 }],
      excludeCredentials: [{ id: device.made[0]?.id.toString('base64url'), type: 'public-key' }],
    });
  });

  it.each<[string, AuthenticatorChanges]>([
    ['another origin', { origin: 'http://localhost:4001' }],
    ['an origin that only begins alike', { origin: 'http://localhost:4000.evil.example' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['an answer to a request to sign in', { type: 'webauthn.get' }],
    ['a challenge of nobody', { challenge: 'A'.repeat(43) }],
    ['another relying party', { rpId: 'evil.example' }],
    ['nobody present', { flags: 64 | 4 }],
    ['nobody verified', { flags: 64 | 1 }],
    ['no credential', { flags: 1 | 4 }],
    ['an algorithm that was not asked for', { algorithm: -8 }],
    ['the id of another credential', { id: 'B'.repeat(43) }],
    ['an id longer than any is', { idBytes: 1024 }],
    ['bytes after the end', { trailing: Buffer.of(0) }],
  ])('422 passkey_invalid: %s', async (_, bent) => {
    const person = await aPerson(ports);
    const browser = await aSignedInBrowser({ app: server.app, ports }, person, {
      address: '198.51.100.1',
    });
    const refused = await addPasskey(browser, new SoftwareAuthenticator(), bent);
    expect(refused.statusCode).toBe(422);
    expect(refused.json()).toMatchObject({ code: 'passkey_invalid' });
  });

  it('422 passkey_invalid: a challenge counts once, five minutes, and in the browser that asked', async () => {
    const person = await aPerson(ports);
    const browser = await aSignedInBrowser({ app: server.app, ports }, person);
    const device = new SoftwareAuthenticator();
    const options = (
      await browser.call('POST /v1/account/passkeys/options')
    ).json() as PasskeyCreation;
    const other = await aSignedInBrowser({ app: server.app, ports }, person);
    const add = (from: TestBrowser) =>
      from.call('POST /v1/account/passkeys', { name: 'Key', passkey: device.create(options) });
    expect((await add(other)).statusCode).toBe(422);
    expect((await add(browser)).statusCode).toBe(201);
    expect((await add(browser)).statusCode).toBe(422);
    const late = (
      await browser.call('POST /v1/account/passkeys/options')
    ).json() as PasskeyCreation;
    await moveClock(db.database, 5 * 60_000 + 1000);
    const passkey = device.create(late);
    const refused = await browser.call('POST /v1/account/passkeys', { name: 'Key', passkey });
    expect(refused.statusCode).toBe(422);
  });

  it('422 passkey_invalid: a credential that another account has', async () => {
    const { device } = await aDevice();
    const made = device.made[0];
    const thief = await aSignedInBrowser({ app: server.app, ports }, await aPerson(ports));
    const copy = new SoftwareAuthenticator();
    const options = (
      await thief.call('POST /v1/account/passkeys/options')
    ).json() as PasskeyCreation;
    const passkey = copy.create(options);
    const own = copy.made[0]?.id ?? Buffer.alloc(0);
    const attestation = Buffer.from(passkey.attestationObject, 'base64url');
    const at = attestation.indexOf(own);
    made?.id.copy(attestation, at);
    const forged = {
      ...passkey,
      id: made?.id.toString('base64url') ?? '',
      attestationObject: attestation.toString('base64url'),
    };
    const refused = await thief.call('POST /v1/account/passkeys', { name: 'Key', passkey: forged });
    expect(refused.json()).toMatchObject({ code: 'passkey_invalid', status: 422 });
  });
});

describe('signInWithPasskey', () => {
  it.each<[string, AuthenticatorChanges]>([
    ['another origin', { origin: 'https://localhost:4000' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['an answer of making a passkey', { type: 'webauthn.create' }],
    ['a challenge of nobody', { challenge: 'A'.repeat(43) }],
    ['another relying party', { rpId: 'evil.example' }],
    ['nobody present', { flags: 4 }],
    ['nobody verified', { flags: 1 }],
    ['a broken signature', { brokenSignature: true }],
    ['an unknown credential', { id: 'B'.repeat(43) }],
    ['the handle of somebody else', { userHandle: 'A'.repeat(22) }],
    ['a counter that stands', { signCount: 1 }],
  ])('401 sign_in_failed: %s', async (_, bent) => {
    const { device } = await aDevice();
    const browser = aBrowser(server.app, { address: '198.51.100.2' });
    const refused = await signInWith(browser, device, bent);
    expect(refused.statusCode).toBe(401);
    expect(refused.json()).toMatchObject({ code: 'sign_in_failed' });
    expect(browser.cookie).toBeNull();
    // The passkey itself is valid.
    expect((await signInWith(browser, device)).statusCode).toBe(200);
  });

  it('401 sign_in_failed: no handle, as nobody was named', async () => {
    const { device } = await aDevice();
    const browser = aBrowser(server.app);
    const options = (await browser.call('POST /v1/account/sign-in/passkey-options')).json();
    const { userHandle: _, ...asserted } = device.get(options as PasskeyRequest);
    const refused = await browser.call('POST /v1/account/sign-in/passkey', asserted);
    expect(refused.json()).toMatchObject({ code: 'sign_in_failed' });
  });

  it('401 sign_in_failed: the same answer of an authenticator twice', async () => {
    const { device } = await aDevice();
    const browser = aBrowser(server.app);
    const options = (await browser.call('POST /v1/account/sign-in/passkey-options')).json();
    const asserted = device.get(options as PasskeyRequest);
    const [first, second] = await Promise.all([
      browser.call('POST /v1/account/sign-in/passkey', asserted),
      aBrowser(server.app).call('POST /v1/account/sign-in/passkey', asserted),
    ]);
    expect([first.statusCode, second.statusCode].sort()).toEqual([200, 401]);
  });

  it('401 sign_in_failed: a counter that goes back, of a copied authenticator', async () => {
    const { device } = await aDevice();
    device.signCount = 100;
    expect((await signInWith(aBrowser(server.app), device)).statusCode).toBe(200);
    device.signCount = 50;
    expect((await signInWith(aBrowser(server.app), device)).statusCode).toBe(401);
  });

  it('200 for authenticators that do not count', async () => {
    const person = await aPerson(ports);
    const device = new SoftwareAuthenticator();
    device.signCount = null;
    await addPasskey(await aSignedInBrowser({ app: server.app, ports }, person), device);
    expect((await signInWith(aBrowser(server.app), device)).statusCode).toBe(200);
    expect((await signInWith(aBrowser(server.app), device)).statusCode).toBe(200);
  });

  it('401 sign_in_failed: its owner may not sign in any more', async () => {
    const { device, person } = await aDevice();
    await db.database.write(disable, [person.id]);
    expect((await signInWith(aBrowser(server.app), device)).statusCode).toBe(401);
  });

  it('200 where the account is slowed down for wrong passwords', async () => {
    const { device, person } = await aDevice();
    const browser = aBrowser(server.app, { address: '203.0.113.50' });
    const wrong = { email: person.email, password: 'not the password' };
    const codes: number[] = [];
    for (let n = 0; n < 11; n++) {
      codes.push((await browser.call('POST /v1/account/sign-in', wrong)).statusCode);
    }
    expect(codes.at(-1)).toBe(429);
    expect((await signInWith(browser, device)).statusCode).toBe(200);
  });
});

describe('deletePasskey', () => {
  it('409 last_proof_kept: the only way to sign in stays', async () => {
    const { browser, device, id, person } = await aDevice();
    await db.database.write(dropPassword, [person.id]);
    const refused = await browser.call(`DELETE /v1/account/passkeys/${id}`);
    expect(refused.json()).toMatchObject({ code: 'last_proof_kept', status: 409 });
    expect((await signInWith(aBrowser(server.app), device)).statusCode).toBe(200);
    const second = await addPasskey(browser, new SoftwareAuthenticator());
    const { id: secondId } = second.json() as { id: string };
    // When both are removed at once, one remains.
    const answers = await Promise.all([
      browser.call(`DELETE /v1/account/passkeys/${id}`),
      browser.call(`DELETE /v1/account/passkeys/${secondId}`),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 409]);
  });

  it('204: it signs in no more, the address is told, the log knows', async () => {
    const { browser, device, id, person } = await aDevice();
    expect((await browser.call(`DELETE /v1/account/passkeys/${id}`)).statusCode).toBe(204);
    expect((await signInWith(aBrowser(server.app), device)).statusCode).toBe(401);
    const kinds = (await mailsTo(ports, person.email)).map(({ kind }) => kind);
    expect(kinds).toEqual(['passkey_added', 'passkey_removed']);
    const actions = (await auditOf(db.database, person.id)).map(({ action }) => action);
    expect(actions).toEqual(['sign_in.opened', 'passkey.added', 'passkey.removed']);
  });

  it('404 passkey_not_found: a foreign one answers like one that never was', async () => {
    const { id, browser: owner } = await aDevice();
    const browser = await aSignedInBrowser({ app: server.app, ports }, await aPerson(ports));
    const missing = '01900000-0000-7000-8000-000000000000';
    for (const [method, body] of [['DELETE'], ['PATCH', { name: 'Mine' }]] as const) {
      const [foreign, unknown] = [
        await browser.call(`${method} /v1/account/passkeys/${id}`, body),
        await browser.call(`${method} /v1/account/passkeys/${missing}`, body),
      ];
      expect(foreign.json()).toMatchObject({ code: 'passkey_not_found', status: 404 });
      const withoutRequestId = (text: string) => text.replace(/req_\w+/g, 'REQUEST');
      expect(withoutRequestId(foreign.body)).toBe(withoutRequestId(unknown.body));
    }
    const renamed = await owner.call(`PATCH /v1/account/passkeys/${id}`, { name: 'Phone' });
    expect(renamed.json()).toMatchObject({ id, name: 'Phone' });
  });
});

describe('confirmSignIn with a passkey', () => {
  const confirm = async (browser: TestBrowser, device: SoftwareAuthenticator) => {
    const options = await browser.call('POST /v1/account/confirm/passkey-options');
    const passkey = device.get(options.json() as PasskeyRequest);
    return browser.call('POST /v1/account/confirm', { passkey });
  };

  it('200: the proof is young again, under a new cookie', async () => {
    const { browser, device } = await aDevice();
    const former = browser.cookie;
    await moveClock(db.database, 16 * 60_000);
    const stale = await browser.call('POST /v1/account/passkeys/options');
    expect(stale.json()).toMatchObject({ code: 'recent_sign_in_required', status: 403 });
    expect((await confirm(browser, device)).statusCode).toBe(200);
    expect(browser.cookie).not.toBe(former);
    expect((await browser.call('POST /v1/account/passkeys/options')).statusCode).toBe(200);
  });

  it('401 sign_in_failed: the passkey of somebody else', async () => {
    const { browser } = await aDevice();
    const { device: foreign } = await aDevice();
    expect((await confirm(browser, foreign)).json()).toMatchObject({ code: 'sign_in_failed' });
  });

  it('404 passkey_not_found where the person has none', async () => {
    const person: TestPerson = await aPerson(ports);
    const browser = await aSignedInBrowser({ app: server.app, ports }, person);
    const refused = await browser.call('POST /v1/account/confirm/passkey-options');
    expect(refused.json()).toMatchObject({ code: 'passkey_not_found', status: 404 });
  });
});

const dropPassword = sql(
  'test_drop_password',
  'update users set password_hash = null where id = $1',
);
