// The codes that calls of people, members and applications refuse with, over HTTP. A title begins with
// the code that it shows. Contract §1, §6.

import type { PasskeyCreation } from '@svc/contract/passkeys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../service/src/engine/ports.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  mailsTo,
  shownCode,
  type TestBrowser,
} from '../../service/test/accounts.ts';
import { aGrant } from '../../service/test/grants.ts';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import { anInvitation, join, linkIn } from '../../service/test/members.ts';
import { anApplication } from '../../service/test/oauth.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { SoftwareAuthenticator } from '../../service/test/software-authenticator.ts';
import { refusal } from './buyer.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let client: TestClient;
let owner: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  client = await aClient(db.database);
  owner = await aToken(db.database, client, { scopes: everyScope });
});
afterAll(async () => {
  await server?.close(0);
  await db?.close();
});

type Response = Awaited<ReturnType<typeof callAs>>;
type Call = Parameters<typeof callAs>[2];

const types: Readonly<Record<number, string>> = {
  400: 'validation_error',
  401: 'authentication_error',
  404: 'not_found_error',
  409: 'conflict_error',
  422: 'validation_error',
};

/** Expects a complete refusal with this status and code. */
function expectRefused(response: Response, status: number, code: string): void {
  const seen = { status: response.statusCode, body: response.json() as unknown };
  const type = types[status];
  expect(seen).toMatchObject(refusal(status, code, { type, retryable: false }));
}
/** Returns everything that could distinguish two refusals, except the request's id. */
const bytesOf = ({ statusCode, body }: Response) => `${statusCode} ${body.replace(/req_\w+/, '')}`;

const request = (call: Call, body?: unknown) =>
  callAs(server.app, owner, call, body === undefined ? {} : { body });

async function signedIn(given: { password?: null } = {}) {
  const person = await aPerson(ports, given);
  const browser = await aSignedInBrowser({ app: server.app, ports }, person);
  return { person, browser };
}
const wayIn = 'POST /v1/account/sign-in';
const strong = 'plinth vexing otter canal';

async function addPasskey(browser: TestBrowser): Promise<string> {
  const options = await browser.call('POST /v1/account/passkeys/options');
  const passkey = new SoftwareAuthenticator().create(options.json() as PasskeyCreation);
  const added = await browser.call('POST /v1/account/passkeys', { name: 'Key', passkey });
  expect(added.statusCode).toBe(201);
  return (added.json() as { id: string }).id;
}

/** Switches an authenticator on and returns its secret. */
async function switchOn(browser: TestBrowser): Promise<string> {
  const made = await browser.call('POST /v1/account/authenticator');
  const { secret } = made.json() as { secret: string };
  const code = await shownCode(db.database, secret);
  const on = await browser.call('POST /v1/account/authenticator/confirm', { code });
  expect(on.statusCode).toBe(200);
  return secret;
}

describe('signing in', () => {
  it('Contract §1 sign_in_required: 401 for nobody, an ended sign-in and an invented cookie', async () => {
    const { browser } = await signedIn();
    const { cookie } = browser;
    await browser.call('POST /v1/account/sign-out');
    const browsers = [
      aBrowser(server.app),
      aBrowser(server.app, { cookie: cookie ?? '' }),
      aBrowser(server.app, { cookie: 'A'.repeat(43) }),
    ];
    for (const each of browsers) {
      expectRefused(await each.call('GET /v1/account'), 401, 'sign_in_required');
    }
    const half = await aBrowser(server.app).call('POST /v1/account/sign-in/second-factor', {
      code: '123456',
    });
    expectRefused(half, 401, 'sign_in_required');
  });

  it('Contract §1 sign_in_failed: 401, the same bytes for a wrong password and an unknown address', async () => {
    const { email, password } = await aPerson(ports);
    const none = await aPerson(ports, { password: null });
    const visitor = aBrowser(server.app);
    const answers = [
      await visitor.call(wayIn, { email, password: `${password}x` }),
      await visitor.call(wayIn, { email: none.email, password }),
      await visitor.call(wayIn, { email: 'nobody@people.example', password }),
    ];
    for (const answer of answers) expectRefused(answer, 401, 'sign_in_failed');
    expect(new Set(answers.map(bytesOf)).size).toBe(1);
    expect(visitor.cookie).toBeNull();
    expect((await visitor.call(wayIn, { email, password })).statusCode).toBe(200);
  });

  it('Contract §1 sign_in_not_found: 404, the same bytes for another person’s and none', async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    const list = (await other.browser.call('GET /v1/account/sign-ins')).json() as {
      data: { id: string }[];
    };
    const end = (id: string) => mine.browser.call(`DELETE /v1/account/sign-ins/${id}`);
    const [foreign, none] = [await end(list.data[0]?.id ?? ''), await end(newId())];
    for (const answer of [foreign, none]) expectRefused(answer, 404, 'sign_in_not_found');
    expect(bytesOf(foreign)).toBe(bytesOf(none));
    expect((await other.browser.call('GET /v1/account')).statusCode).toBe(200);
  });
});

describe('passwords and links', () => {
  it('Contract §1 password_too_weak: 422, and the former password stays', async () => {
    const { person, browser } = await signedIn();
    for (const password of ['elevenchars', 'Password2024!', 'aaaaaaaaaaaa', 'x'.repeat(201)]) {
      const answer = await browser.call('PUT /v1/account/password', { password });
      expectRefused(answer, 422, 'password_too_weak');
      expect(answer.body).not.toContain(password);
    }
    const { email, password } = person;
    const again = await aBrowser(server.app).call(wayIn, { email, password });
    expect(again.statusCode).toBe(200);
  });

  it('Contract §1 link_not_found: 404, the same bytes for a link unknown, used and late', async () => {
    const { email } = await aPerson(ports);
    const visitor = aBrowser(server.app);
    const reset = (link: string) =>
      visitor.call('POST /v1/account/password-reset/complete', { link, password: strong });
    const mailed = async () => {
      await visitor.call('POST /v1/account/password-reset', { email });
      return linkIn((await mailsTo(ports, email)).at(-1)?.text ?? '');
    };
    const used = await mailed();
    expect((await reset(used)).statusCode).toBe(204);
    const late = await mailed();
    await moveClock(db.database, 30 * 60_000 + 1000);
    const { link: dead } = await anInvitation(ports, client);
    const answers = [await reset(used), await reset(late), await reset('A'.repeat(43))];
    for (const what of ['look', 'accept']) {
      answers.push(await visitor.call(`POST /v1/invitation/${what}`, { link: late }));
    }
    // A link works only for the purpose for which it was mailed.
    answers.push(await reset(dead));
    for (const answer of answers) expectRefused(answer, 404, 'link_not_found');
    expect(new Set(answers.map(bytesOf)).size).toBe(1);
    const look = await visitor.call('POST /v1/invitation/look', { link: dead });
    expect(look.statusCode).toBe(200);
  });

  it('Contract §1 account_exists: 409, an invitation gives no second password to an account', async () => {
    const { email, password } = await aPerson(ports);
    const { link } = await anInvitation(ports, client, { email });
    const visitor = aBrowser(server.app);
    const taken = await visitor.call('POST /v1/invitation/accept', {
      link,
      name: 'Eve',
      password: strong,
    });
    expectRefused(taken, 409, 'account_exists');
    expect((await visitor.call(wayIn, { email, password: strong })).statusCode).toBe(401);
    expect((await visitor.call(wayIn, { email, password })).statusCode).toBe(200);
    const joined = await visitor.call('POST /v1/invitation/accept', { link });
    expect(joined.statusCode).toBe(200);
  });
});

describe('second factor and passkeys', () => {
  it('Contract §1 totp_code_invalid: 422 for a wrong code and for one that was used', async () => {
    const { person, browser } = await signedIn();
    const made = await browser.call('POST /v1/account/authenticator');
    const { secret } = made.json() as { secret: string };
    const path = 'POST /v1/account/authenticator/confirm';
    const far = await shownCode(db.database, secret, 9);
    expectRefused(await browser.call(path, { code: far }), 422, 'totp_code_invalid');
    const code = await shownCode(db.database, secret);
    expect((await browser.call(path, { code })).statusCode).toBe(200);
    const { email, password } = person;
    const elsewhere = aBrowser(server.app);
    expect((await elsewhere.call(wayIn, { email, password })).json()).toEqual({
      state: 'second_factor',
    });
    const second = (given: string) =>
      elsewhere.call('POST /v1/account/sign-in/second-factor', { code: given });
    for (const wrong of [code, far]) {
      expectRefused(await second(wrong), 422, 'totp_code_invalid');
    }
    expect((await second(await shownCode(db.database, secret, 1))).statusCode).toBe(200);
  });

  it('Contract §1 totp_already_on: 409 to make or to confirm another', async () => {
    const { browser } = await signedIn();
    const secret = await switchOn(browser);
    const again = await browser.call('POST /v1/account/authenticator');
    expectRefused(again, 409, 'totp_already_on');
    const code = await shownCode(db.database, secret, 1);
    const confirmed = await browser.call('POST /v1/account/authenticator/confirm', { code });
    expectRefused(confirmed, 409, 'totp_already_on');
  });

  it('Contract §1 totp_not_on: 409 where there is none to confirm, remove or make codes for', async () => {
    const { browser } = await signedIn();
    const answers = [
      await browser.call('POST /v1/account/authenticator/confirm', { code: '123456' }),
      await browser.call('DELETE /v1/account/authenticator'),
      await browser.call('POST /v1/account/recovery-codes'),
    ];
    for (const answer of answers) expectRefused(answer, 409, 'totp_not_on');
  });

  it('Contract §1 passkey_invalid: 422 for one that another origin made, and it is not kept', async () => {
    const { browser } = await signedIn();
    const options = await browser.call('POST /v1/account/passkeys/options');
    const passkey = new SoftwareAuthenticator().create(options.json() as PasskeyCreation, {
      origin: 'https://evil.example',
    });
    const answer = await browser.call('POST /v1/account/passkeys', { name: 'Key', passkey });
    expectRefused(answer, 422, 'passkey_invalid');
    expect((await browser.call('GET /v1/account/passkeys')).json()).toEqual({ data: [] });
  });

  it('Contract §1 passkey_not_found: 404, the same bytes for another person’s and none', async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    const foreign = await addPasskey(other.browser);
    const calls = [
      (id: string) => mine.browser.call(`PATCH /v1/account/passkeys/${id}`, { name: 'Mine' }),
      (id: string) => mine.browser.call(`DELETE /v1/account/passkeys/${id}`),
    ];
    for (const call of calls) {
      const [theirs, none] = [await call(foreign), await call(newId())];
      expectRefused(theirs, 404, 'passkey_not_found');
      expect(bytesOf(theirs)).toBe(bytesOf(none));
    }
    const confirming = await mine.browser.call('POST /v1/account/confirm/passkey-options');
    expectRefused(confirming, 404, 'passkey_not_found');
  });

  it('Contract §1 last_proof_kept: 409, the only way to sign in stays', async () => {
    const { browser } = await signedIn({ password: null });
    const [first, last] = [await addPasskey(browser), await addPasskey(browser)];
    expect((await browser.call(`DELETE /v1/account/passkeys/${first}`)).statusCode).toBe(204);
    const answer = await browser.call(`DELETE /v1/account/passkeys/${last}`);
    expectRefused(answer, 409, 'last_proof_kept');
  });
});

describe('members and applications', () => {
  it('Contract §1 member_has_tokens: 409 names each, and what is named is agreed to', async () => {
    const { userId, id } = await aToken(db.database, client, { role: 'member' });
    const answer = await request(`DELETE /v1/members/${userId}`);
    expectRefused(answer, 409, 'member_has_tokens');
    expect((answer.json() as { errors: { path: string }[] }).errors).toMatchObject([
      { path: `tokenIds.${id}` },
    ]);
    const other = await request(`DELETE /v1/members/${userId}?tokenIds=${newId()}`);
    expectRefused(other, 409, 'member_has_tokens');
    expect((await request(`DELETE /v1/members/${userId}?tokenIds=${id}`)).statusCode).toBe(204);
  });

  it('Contract §1 already_a_member: 409 to invite or to accept', async () => {
    const { person, browser } = await signedIn();
    const { link } = await anInvitation(ports, client, { email: person.email });
    await join(db.database, client, { person, role: 'member' });
    const invited = await request('POST /v1/invitations', { email: person.email, role: 'admin' });
    expectRefused(invited, 409, 'already_a_member');
    const accepted = await browser.call('POST /v1/invitation/accept', { link });
    expectRefused(accepted, 409, 'already_a_member');
  });

  it('Contract §1 client_not_found: 404, the same bytes for a merchant of others and none', async () => {
    const { browser } = await signedIn();
    const leaveMembership = (id: string) => browser.call(`DELETE /v1/account/memberships/${id}`);
    const [foreign, none] = [await leaveMembership(client.id), await leaveMembership(newId())];
    expectRefused(foreign, 404, 'client_not_found');
    expect(bytesOf(foreign)).toBe(bytesOf(none));
  });

  it('Contract §1 application_not_found: 404, the same bytes for another merchant’s and none', async () => {
    const rival = await aToken(db.database, await aClient(db.database));
    const { id: foreign } = await anApplication(ports, rival, { kind: 'confidential' });
    const calls: readonly ((id: string) => [Call, unknown?])[] = [
      (id) => [`GET /v1/applications/${id}`],
      (id) => [`PATCH /v1/applications/${id}`, { name: 'Mine' }],
      (id) => [`POST /v1/applications/${id}/rotate-secret`, {}],
      (id) => [`DELETE /v1/applications/${id}`],
    ];
    for (const call of calls) {
      const [theirs, none] = [await request(...call(foreign)), await request(...call(newId()))];
      expectRefused(theirs, 404, 'application_not_found');
      expect(bytesOf(theirs)).toBe(bytesOf(none));
    }
  });

  it('Contract §1 version_conflict: 409 for a version that is no longer the last one', async () => {
    const { id } = await anApplication(ports, owner);
    const changeApplication = (name: string, version: number) =>
      request(`PATCH /v1/applications/${id}`, { name, version });
    expect((await changeApplication('One', 1)).statusCode).toBe(200);
    expectRefused(await changeApplication('Two', 1), 409, 'version_conflict');
    expect((await request(`GET /v1/applications/${id}`)).json()).toMatchObject({ name: 'One' });
  });

  it('Contract §1 consent_not_found: 404, the same bytes for another person’s and none', async () => {
    const { browser } = await signedIn();
    const other = await aToken(db.database, client);
    const scopes = ['payments:read'];
    const grant = await aGrant(ports, { user: { id: other.userId }, client, scopes });
    const revoke = (id: string) => browser.call(`DELETE /v1/account/applications/${id}`);
    const [foreign, none] = [await revoke(grant.grantId), await revoke(newId())];
    expectRefused(foreign, 404, 'consent_not_found');
    expect(bytesOf(foreign)).toBe(bytesOf(none));
    const headers = { authorization: grant.authorization };
    const read = await callAs(server.app, null, 'GET /v1/payments', { headers });
    expect(read.statusCode).toBe(200);
  });
});

describe('what else a merchant has', () => {
  it('Contract §1 dispute_not_found, event_not_found, product_not_found, coupon_not_found: 404', async () => {
    const event = `evt_${newId().replaceAll('-', '')}`;
    const missing: readonly [Call, string][] = [
      [`GET /v1/disputes/${newId()}`, 'dispute_not_found'],
      [`GET /v1/events/${event}`, 'event_not_found'],
      ['GET /v1/products/nothing', 'product_not_found'],
      ['GET /v1/coupons/nothing', 'coupon_not_found'],
    ];
    for (const [call, code] of missing) expectRefused(await request(call), 404, code);
  });

  it('Contract §1 product_code_taken, coupon_code_taken: 409 for a second of the same code', async () => {
    const prices = [{ currency: 'EUR', amount: 5 }];
    const product = { code: 'cup', name: 'Cup', kind: 'item', prices };
    const coupon = { code: 'ten', percentOff: 10 };
    expect((await request('POST /v1/products', product)).statusCode).toBe(201);
    expectRefused(await request('POST /v1/products', product), 409, 'product_code_taken');
    expect((await request('POST /v1/coupons', coupon)).statusCode).toBe(201);
    const again = await request('POST /v1/coupons', { ...coupon, code: 'TEN' });
    expectRefused(again, 409, 'coupon_code_taken');
  });

  it('every refusal so far told nothing that is secret', async () => {
    const [{ words } = { words: '' }] = await db.database.read(passwords, []);
    expect(words).toMatch(/\$scrypt\$/);
    const lines = JSON.stringify(server.logged);
    expect(lines).toContain('signIn');
    for (const secret of [strong, ...words.split(' ')]) expect(lines).not.toContain(secret);
  });
});

const passwords = sql<{ words: string }>(
  'spec_codes_passwords',
  "select string_agg(password_hash, ' ') as words from users where password_hash is not null",
);
