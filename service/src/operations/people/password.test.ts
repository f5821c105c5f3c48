import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../test/harness.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  auditOf,
  mailsTo,
  shownCode,
} from '../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { issuePasswordLink } from '../../engine/steps/people/issue-password-link.ts';
import { everyClient } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

const disable = sql('test_disable_him', 'update users set disabled_at = svc_clock() where id = $1');
const fresh = 'plinth vexing otter canal';
const signedIn = (person: { readonly id: string }) =>
  aSignedInBrowser({ app: server.app, ports }, person);
const signIn = async (email: string, password: string) =>
  (await aBrowser(server.app).call('POST /v1/account/sign-in', { email, password })).statusCode;
const requestReset = (email: string) =>
  aBrowser(server.app).call('POST /v1/account/password-reset', { email });
const complete = (link: string, password: string) =>
  aBrowser(server.app).call('POST /v1/account/password-reset/complete', { link, password });
/** Every answer takes a quarter of a second. */
const requestAtOnce = (count: number, email: string) =>
  Promise.all(Array.from({ length: count }, () => requestReset(email)));

/** The secret of the latest link that was mailed. */
async function mailedLink(email: string): Promise<string> {
  const mail = (await mailsTo(ports, email)).filter(({ kind }) => kind === 'password_reset').at(-1);
  return /\/account\/reset#([\w-]{43})\n/.exec(mail?.text ?? '')?.[1] ?? 'no link';
}

describe('changePassword', () => {
  it('204: the new one opens, the former does not, and every other browser is out', async () => {
    const person = await aPerson(ports);
    const [browser, other] = [await signedIn(person), await signedIn(person)];
    const changed = await browser.call('PUT /v1/account/password', { password: fresh });
    expect(changed.statusCode).toBe(204);
    expect((await browser.call('GET /v1/account')).statusCode).toBe(200);
    expect((await other.call('GET /v1/account')).statusCode).toBe(401);
    expect(await signIn(person.email, person.password)).toBe(401);
    expect(await signIn(person.email, fresh)).toBe(200);
    expect((await mailsTo(ports, person.email)).map(({ kind }) => kind)).toEqual([
      'password_changed',
    ]);
    const actions = (await auditOf(db.database, person.id)).map(({ action }) => action);
    expect(actions).toContain('password.changed');
  });

  it.each(['elevenchars', 'Password2024!', 'aaaaaaaaaaaa'])(
    '422 password_too_weak: %s',
    async (password) => {
      const browser = await signedIn(await aPerson(ports));
      const refused = await browser.call('PUT /v1/account/password', { password });
      expect(refused.json()).toMatchObject({ code: 'password_too_weak', status: 422 });
      expect(refused.body).not.toContain(password);
    },
  );

  it('422 password_too_weak: the own address', async () => {
    const person = await aPerson(ports, { email: 'ada.lovelace@engines.example' });
    const browser = await signedIn(person);
    const refused = await browser.call('PUT /v1/account/password', { password: person.email });
    expect(refused.json()).toMatchObject({ code: 'password_too_weak' });
  });

  it('403 recent_sign_in_required after fifteen minutes', async () => {
    const browser = await signedIn(await aPerson(ports));
    await moveClock(db.database, 15 * 60_000 + 1000);
    const refused = await browser.call('PUT /v1/account/password', { password: fresh });
    expect(refused.json()).toMatchObject({ code: 'recent_sign_in_required', status: 403 });
  });
});

describe('confirmSignIn with the password', () => {
  it('200: the proof is young again under a new cookie; the former cookie is dead', async () => {
    const person = await aPerson(ports);
    const browser = await signedIn(person);
    const former = browser.cookie ?? '';
    await moveClock(db.database, 16 * 60_000);
    const { password } = person;
    const confirmed = await browser.call('POST /v1/account/confirm', { password });
    expect(confirmed.statusCode).toBe(200);
    const { provenAt } = confirmed.json() as { provenAt: string };
    const account = (await browser.call('GET /v1/account')).json() as {
      signIn: { provenAt: string; confirmedUntil: string };
    };
    expect(account.signIn.provenAt).toBe(provenAt);
    expect(Date.parse(account.signIn.confirmedUntil) - Date.parse(provenAt)).toBe(15 * 60_000);
    const thief = aBrowser(server.app, { cookie: former });
    expect((await thief.call('GET /v1/account')).statusCode).toBe(401);
    const changed = await browser.call('PUT /v1/account/password', { password: fresh });
    expect(changed.statusCode).toBe(204);
  });

  it('401 sign_in_failed for a wrong one, 400 invalid_request for none', async () => {
    const browser = await signedIn(await aPerson(ports));
    const wrong = await browser.call('POST /v1/account/confirm', { password: 'not the password' });
    expect(wrong.json()).toMatchObject({ code: 'sign_in_failed', status: 401 });
    expect((await browser.call('POST /v1/account/confirm', {})).statusCode).toBe(400);
    expect((await browser.call('GET /v1/account')).statusCode).toBe(200);
  });
});

describe('requestPasswordReset', () => {
  it('202 with the same bytes for known, unknown and disabled addresses, after the same time', async () => {
    const person = await aPerson(ports);
    const gone = await aPerson(ports);
    await db.database.write(disable, [gone.id]);
    const times: number[] = [];
    for (const email of [person.email, 'nobody@people.example', gone.email]) {
      const started = performance.now();
      const answer = await requestReset(email);
      times.push(performance.now() - started);
      expect(answer.statusCode).toBe(202);
      expect(answer.body).toBe('');
    }
    // No request is answered before the others can be.
    expect(Math.min(...times)).toBeGreaterThan(240);
    expect((await mailsTo(ports, person.email)).map(({ kind }) => kind)).toEqual([
      'password_reset',
    ]);
    for (const email of ['nobody@people.example', gone.email]) {
      expect(await mailsTo(ports, email)).toEqual([]);
    }
  });

  it('202: in place of a used link another one is mailed to its owner, with the same bytes as for none', async () => {
    const person = await aPerson(ports);
    await requestReset(person.email);
    const link = await mailedLink(person.email);
    expect((await complete(link, fresh)).statusCode).toBe(204);
    const path = 'POST /v1/account/password-reset';
    for (const each of [link, `${link}x`]) {
      const answer = await aBrowser(server.app).call(path, { link: each });
      expect([answer.statusCode, answer.body]).toEqual([202, '']);
    }
    const kinds = (await mailsTo(ports, person.email)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'password_reset')).toHaveLength(2);
    const another = await mailedLink(person.email);
    expect(another).not.toBe(link);
    expect((await complete(another, `${fresh} again`)).statusCode).toBe(204);
  });

  it.each([{}, { email: 'ada@people.example', link: 'x' }])(
    '400 invalid_request: %j is neither an address nor a link',
    async (body) => {
      const answer = await aBrowser(server.app).call('POST /v1/account/password-reset', body);
      expect([answer.statusCode, answer.json()]).toMatchObject([400, { code: 'invalid_request' }]);
    },
  );

  it('Contract §10 reset links: mails five links an hour at most', async () => {
    const person = await aPerson(ports);
    for (const { statusCode } of await requestAtOnce(7, person.email)) expect(statusCode).toBe(202);
    expect(await mailsTo(ports, person.email)).toHaveLength(5);
    await moveClock(db.database, 3_600_000);
    await requestReset(person.email);
    expect(await mailsTo(ports, person.email)).toHaveLength(6);
  });

  it('mails one more when no link works any longer: who asked five times locks nobody out', async () => {
    const person = await aPerson(ports);
    await requestAtOnce(6, person.email);
    expect(await mailsTo(ports, person.email)).toHaveLength(5);
    await moveClock(db.database, 30 * 60_000 + 1000);
    await requestAtOnce(2, person.email);
    expect(await mailsTo(ports, person.email)).toHaveLength(6);
    expect((await complete(await mailedLink(person.email), fresh)).statusCode).toBe(204);
  });
});

describe('resetPassword', () => {
  it('204: sets it once, ends every sign-in and proves the address', async () => {
    const person = await aPerson(ports);
    const browser = await signedIn(person);
    await requestReset(person.email);
    const link = await mailedLink(person.email);
    expect((await complete(link, fresh)).statusCode).toBe(204);
    expect((await browser.call('GET /v1/account')).statusCode).toBe(401);
    expect(await signIn(person.email, person.password)).toBe(401);
    const next = await signedIn(person);
    const account = (await next.call('GET /v1/account')).json() as { emailProvenAt: unknown };
    expect(account.emailProvenAt).toEqual(expect.any(String));
    const again = await complete(link, `${fresh} again`);
    expect(again.json()).toMatchObject({ code: 'link_not_found', status: 404 });
    expect(await signIn(person.email, fresh)).toBe(200);
  });

  it('404 link_not_found: unknown, used, expired and of a disabled person are one answer', async () => {
    const [late, gone, used] = [await aPerson(ports), await aPerson(ports), await aPerson(ports)];
    for (const { email } of [gone, used]) await requestReset(email);
    const links = [await mailedLink(gone.email), await mailedLink(used.email)];
    await db.database.write(disable, [gone.id]);
    await complete(links[1] ?? '', fresh);
    await requestReset(late.email);
    links.push(await mailedLink(late.email), 'A'.repeat(43));
    await moveClock(db.database, 30 * 60_000 + 1000);
    const bodies = [];
    for (const link of links) {
      const answer = await complete(link, fresh);
      expect(answer.statusCode).toBe(404);
      bodies.push(answer.body.replace(/req_\w+/, 'REQUEST'));
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it('sets one password of two that come with one link at once', async () => {
    const person = await aPerson(ports);
    await requestReset(person.email);
    const link = await mailedLink(person.email);
    const answers = await Promise.all([complete(link, fresh), complete(link, `${fresh} two`)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 404]);
  });

  it('422 password_too_weak: the link stays good', async () => {
    const person = await aPerson(ports);
    await requestReset(person.email);
    const link = await mailedLink(person.email);
    expect((await complete(link, 'password1234')).statusCode).toBe(422);
    expect((await complete(link, fresh)).statusCode).toBe(204);
  });

  it('a new link does not kill the former, a new password kills all', async () => {
    const person = await aPerson(ports);
    await requestReset(person.email);
    const first = await mailedLink(person.email);
    await requestReset(person.email);
    const browser = await signedIn(person);
    await browser.call('PUT /v1/account/password', { password: fresh });
    for (const link of [first, await mailedLink(person.email)]) {
      expect((await complete(link, `${fresh} three`)).statusCode).toBe(404);
    }
  });

  it('keeps the second factor on', async () => {
    const person = await aPerson(ports);
    const browser = await signedIn(person);
    const { secret } = (await browser.call('POST /v1/account/authenticator')).json() as {
      secret: string;
    };
    const code = await shownCode(db.database, secret);
    await browser.call('POST /v1/account/authenticator/confirm', { code });
    await requestReset(person.email);
    await complete(await mailedLink(person.email), fresh);
    const answer = await aBrowser(server.app).call('POST /v1/account/sign-in', {
      email: person.email,
      password: fresh,
    });
    expect(answer.json()).toEqual({ state: 'second_factor' });
  });
});

describe('issuePasswordLink', () => {
  it('makes links without bound, that give an account its first password', async () => {
    const person = await aPerson(ports, { password: null });
    let url = '';
    for (let n = 0; n < 7; n++) {
      ({ url } = await db.database.transaction(everyClient, (tx) =>
        issuePasswordLink(tx, person.id, ports),
      ));
    }
    const [page, link = ''] = url.split('#');
    expect(page).toBe('http://localhost:4000/account/reset');
    expect((await complete(link, fresh)).statusCode).toBe(204);
    expect(await signIn(person.email, fresh)).toBe(200);
  });
});
