import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../test/harness.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  auditOf,
  clockShiftMs,
  mailsTo,
  shownCode,
  startStep,
  type TestBrowser,
  type TestPerson,
} from '../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { contractLimits } from '../../http/limits/limits.ts';

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

const second = 'POST /v1/account/sign-in/second-factor';
const step = 30_000;

/** Creates a person with an authenticator, whose first code has been used. */
async function withAuthenticator() {
  const person = await aPerson(ports);
  const browser = await aSignedInBrowser({ app: server.app, ports }, person);
  const made = await browser.call('POST /v1/account/authenticator');
  expect(made.statusCode).toBe(201);
  const { secret, uri } = made.json() as { secret: string; uri: string };
  const code = await shownCode(db.database, secret);
  const on = await browser.call('POST /v1/account/authenticator/confirm', { code });
  expect(on.statusCode).toBe(200);
  const { recoveryCodes } = on.json() as { recoveryCodes: string[] };
  return { person, browser, secret, uri, recoveryCodes };
}

/** A browser that gave the right password and must give a second factor. */
async function halfSignIn({ email, password }: TestPerson): Promise<TestBrowser> {
  const browser = aBrowser(server.app);
  const answer = await browser.call('POST /v1/account/sign-in', { email, password });
  expect(answer.json()).toEqual({ state: 'second_factor' });
  return browser;
}

it('codes go by the time of a phone, however far a sandbox has moved its clock', async () => {
  const phoneTime = async () => new Date();
  const real = await aServer({ ...ports, phoneTime }, { trustedProxies: 1 });
  await moveClock(db.database, 31 * 86_400_000);
  const person = await aPerson(ports);
  const browser = await aSignedInBrowser({ app: real.app, ports }, person);
  const made = await browser.call('POST /v1/account/authenticator');
  const { secret } = made.json() as { secret: string };
  const confirm = (code: string) =>
    browser.call('POST /v1/account/authenticator/confirm', { code });
  const moved = await confirm(await shownCode(db.database, secret));
  expect(moved.json()).toMatchObject({ code: 'totp_code_invalid' });
  const shift = Math.round((await clockShiftMs(db.database)) / step);
  const shown = await confirm(await shownCode(db.database, secret, -shift));
  expect(shown.statusCode).toBe(200);
  await real.app.close();
});

describe('confirmAuthenticator', () => {
  it('200: it is on only after a right code; ten recovery codes are shown once', async () => {
    const person = await aPerson(ports);
    const browser = await aSignedInBrowser({ app: server.app, ports }, person);
    const made = await browser.call('POST /v1/account/authenticator');
    const { secret, uri } = made.json() as { secret: string; uri: string };
    expect(uri).toContain(`secret=${secret}`);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const confirm = (code: string) =>
      browser.call('POST /v1/account/authenticator/confirm', { code });
    const wrong = await confirm(await shownCode(db.database, secret, 5));
    expect(wrong.json()).toMatchObject({ code: 'totp_code_invalid', status: 422 });
    expect((await browser.call('GET /v1/account')).json()).toMatchObject({
      hasAuthenticator: false,
    });
    const on = await confirm(await shownCode(db.database, secret));
    const { recoveryCodes } = on.json() as { recoveryCodes: string[] };
    expect(new Set(recoveryCodes).size).toBe(10);
    expect((await browser.call('GET /v1/account')).json()).toMatchObject({
      hasAuthenticator: true,
      recoveryCodesLeft: 10,
    });
    expect((await mailsTo(ports, person.email)).map(({ kind }) => kind)).toEqual([
      'authenticator_on',
    ]);
  });

  it('409 totp_already_on, 409 totp_not_on', async () => {
    const { browser } = await withAuthenticator();
    const again = await browser.call('POST /v1/account/authenticator');
    expect(again.json()).toMatchObject({ code: 'totp_already_on', status: 409 });
    const confirmed = await browser.call('POST /v1/account/authenticator/confirm', {
      code: '123456',
    });
    expect(confirmed.json()).toMatchObject({ code: 'totp_already_on', status: 409 });
    const plain = await aSignedInBrowser({ app: server.app, ports }, await aPerson(ports));
    for (const answer of [
      await plain.call('POST /v1/account/authenticator/confirm', { code: '123456' }),
      await plain.call('DELETE /v1/account/authenticator'),
      await plain.call('POST /v1/account/recovery-codes'),
    ]) {
      expect(answer.json()).toMatchObject({ code: 'totp_not_on', status: 409 });
    }
  });
});

describe('signInSecondFactor', () => {
  it('401 second_factor_required: the password alone opens nothing', async () => {
    const { person } = await withAuthenticator();
    const browser = await halfSignIn(person);
    const account = await browser.call('GET /v1/account');
    expect(account.json()).toMatchObject({ code: 'second_factor_required', status: 401 });
  });

  it('200: a code opens it under a new cookie, and the half one is dead', async () => {
    const { person, secret } = await withAuthenticator();
    const browser = await halfSignIn(person);
    const former = browser.cookie ?? '';
    await moveClock(db.database, step);
    const code = await shownCode(db.database, secret);
    expect((await browser.call(second, { code })).json()).toEqual({ state: 'open' });
    expect(browser.cookie).not.toBe(former);
    expect((await browser.call('GET /v1/account')).statusCode).toBe(200);
    const stale = await aBrowser(server.app, { cookie: former }).call('GET /v1/account');
    expect(stale.json()).toMatchObject({ code: 'sign_in_required' });
    expect((await auditOf(db.database, person.id)).at(-1)).toMatchObject({
      action: 'sign_in.opened',
      after: { method: 'password_totp' },
    });
  });

  it('422 totp_code_invalid: a code of one step before or after is good once, others never', async () => {
    const { person, secret } = await withAuthenticator();
    const browser = await halfSignIn(person);
    const sendCode = async (steps: number) =>
      (await browser.call(second, { code: await shownCode(db.database, secret, steps) }))
        .statusCode;
    await moveClock(db.database, 10 * step);
    await startStep(db.database);
    expect(await sendCode(-2)).toBe(422);
    expect(await sendCode(2)).toBe(422);
    expect(await sendCode(1)).toBe(200);
    // After an accepted step, no earlier step is valid.
    const next = await halfSignIn(person);
    for (const steps of [1, 0, -1]) {
      const code = await shownCode(db.database, secret, steps);
      expect((await next.call(second, { code })).json()).toMatchObject({
        code: 'totp_code_invalid',
        status: 422,
      });
    }
    await moveClock(db.database, 2 * step);
    const code = await shownCode(db.database, secret);
    expect((await next.call(second, { code })).statusCode).toBe(200);
  });

  it('opens one of two sign-ins that give the same code at once', async () => {
    const { person, secret } = await withAuthenticator();
    const browsers = await Promise.all([halfSignIn(person), halfSignIn(person)]);
    await moveClock(db.database, step);
    const code = await shownCode(db.database, secret);
    const answers = await Promise.all(browsers.map((browser) => browser.call(second, { code })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422]);
  });

  it('200: a recovery code counts once, in any spelling; the address is told', async () => {
    const { person, browser: owner, recoveryCodes } = await withAuthenticator();
    const [code = ''] = recoveryCodes;
    const browser = await halfSignIn(person);
    const recoveryCode = ` ${code.toUpperCase()}`;
    expect((await browser.call(second, { recoveryCode })).statusCode).toBe(200);
    const again = await halfSignIn(person);
    const refused = await again.call(second, { recoveryCode: code });
    expect(refused.json()).toMatchObject({ code: 'totp_code_invalid', status: 422 });
    expect((await owner.call('GET /v1/account')).json()).toMatchObject({ recoveryCodesLeft: 9 });
    const kinds = (await mailsTo(ports, person.email)).map(({ kind }) => kind);
    expect(kinds).toContain('recovery_code_used');
  });

  it('401 sign_in_required: without a half sign-in, and ten minutes after one', async () => {
    const { person, secret } = await withAuthenticator();
    const stranger = await aBrowser(server.app).call(second, { code: '123456' });
    expect(stranger.json()).toMatchObject({ code: 'sign_in_required', status: 401 });
    const browser = await halfSignIn(person);
    await moveClock(db.database, 10 * 60_000 + 1000);
    const code = await shownCode(db.database, secret);
    expect((await browser.call(second, { code })).json()).toMatchObject({
      code: 'sign_in_required',
    });
  });

  it('401 sign_in_required: after signing out half-way', async () => {
    const { person, recoveryCodes } = await withAuthenticator();
    const browser = await halfSignIn(person);
    const former = browser.cookie ?? '';
    expect((await browser.call('POST /v1/account/sign-out')).statusCode).toBe(204);
    const thief = aBrowser(server.app, { cookie: former });
    const [recoveryCode] = recoveryCodes;
    expect((await thief.call(second, { recoveryCode })).json()).toMatchObject({
      code: 'sign_in_required',
    });
  });

  it('400 invalid_request: both proofs, or none', async () => {
    const { person } = await withAuthenticator();
    const browser = await halfSignIn(person);
    for (const body of [{}, { code: '123456', recoveryCode: 'abcd' }]) {
      expect((await browser.call(second, body)).statusCode).toBe(400);
    }
  });

  it('Contract §10 codes · 429 rate_limited after ten wrong codes from anywhere; a recovery code still passes', async () => {
    const { person, secret, recoveryCodes } = await withAuthenticator();
    const browsers = await Promise.all([halfSignIn(person), halfSignIn(person)]);
    await moveClock(db.database, step);
    for (let n = 0; n < 10; n++) {
      const [browser = browsers[0]] = browsers.slice(n % 2);
      const code = await shownCode(db.database, secret, 10 + n);
      expect((await browser?.call(second, { code }))?.statusCode).toBe(422);
    }
    const [browser] = browsers;
    const code = await shownCode(db.database, secret);
    const late = await browser?.call(second, { code });
    expect(late?.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    const opened = await browser?.call(second, { recoveryCode: recoveryCodes[3] });
    expect(opened?.statusCode).toBe(200);
  });
});

describe('deleteAuthenticator and createRecoveryCodes', () => {
  it('201: ten new codes, and the former ones are dead', async () => {
    const { person, browser, recoveryCodes } = await withAuthenticator();
    const renewed = await browser.call('POST /v1/account/recovery-codes');
    expect(renewed.statusCode).toBe(201);
    const fresh = (renewed.json() as { recoveryCodes: string[] }).recoveryCodes;
    const waiting = await halfSignIn(person);
    const former = await waiting.call(second, { recoveryCode: recoveryCodes[0] });
    expect(former.statusCode).toBe(422);
    expect((await waiting.call(second, { recoveryCode: fresh[0] })).statusCode).toBe(200);
  });

  it('204: the password alone opens again, and the recovery codes are gone', async () => {
    const { person, browser } = await withAuthenticator();
    expect((await browser.call('DELETE /v1/account/authenticator')).statusCode).toBe(204);
    const { email, password } = person;
    const answer = await aBrowser(server.app).call('POST /v1/account/sign-in', { email, password });
    expect(answer.json()).toEqual({ state: 'open' });
    expect((await browser.call('GET /v1/account')).json()).toMatchObject({ recoveryCodesLeft: 0 });
    const actions = (await auditOf(db.database, person.id)).map(({ action }) => action);
    expect(actions).toContain('authenticator.turned_off');
  });

  it('403 recent_sign_in_required: an old proof changes no second factor', async () => {
    const { browser } = await withAuthenticator();
    await moveClock(db.database, 15 * 60_000 + 1000);
    for (const answer of [
      await browser.call('DELETE /v1/account/authenticator'),
      await browser.call('POST /v1/account/recovery-codes'),
      await browser.call('POST /v1/account/authenticator'),
    ]) {
      expect(answer.json()).toMatchObject({ code: 'recent_sign_in_required', status: 403 });
    }
  });
});

describe('confirmSignIn with an authenticator', () => {
  it('401 second_factor_required for the password alone, 200 with a code', async () => {
    const { person, browser, secret } = await withAuthenticator();
    await moveClock(db.database, 16 * 60_000);
    const { password } = person;
    const alone = await browser.call('POST /v1/account/confirm', { password });
    expect(alone.json()).toMatchObject({ code: 'second_factor_required', status: 401 });
    const wrong = await browser.call('POST /v1/account/confirm', { password, code: '000000' });
    expect(wrong.json()).toMatchObject({ code: 'totp_code_invalid', status: 422 });
    const code = await shownCode(db.database, secret);
    const confirmed = await browser.call('POST /v1/account/confirm', { password, code });
    expect(confirmed.statusCode).toBe(200);
    expect((await browser.call('DELETE /v1/account/authenticator')).statusCode).toBe(204);
  });
});
