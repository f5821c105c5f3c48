import { hash, scryptSync } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../test/harness.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  auditOf,
  mailsTo,
  type TestPerson,
} from '../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { passwordCost } from '../../engine/steps/people/password-hash.ts';
import { verifySignIn } from '../../engine/steps/people/verify-sign-in.ts';
import { contractLimits } from '../../http/limits/limits.ts';
import { openDatabase } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';

// Comparing a password is slow on purpose, and slower on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let limited: TestServer;
/** Compares passwords as slowly as the product. */
let slow: TestServer;
let person: TestPerson;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  const settings = { ...ports.settings, attemptLimits: contractLimits };
  limited = await aServer({ ...ports, settings }, { trustedProxies: 1 });
  slow = await aServer({ ...ports, passwordCost });
  person = await aPerson(ports, { name: 'Ada' });
});
afterAll(async () => {
  await server?.app.close();
  await limited?.app.close();
  await slow?.app.close();
  await db?.close();
});

const disable = sql('test_disable', 'update users set disabled_at = svc_clock() where id = $1');
const setHash = sql('test_set_hash', 'update users set password_hash = $2 where id = $1');
const readHash = sql<{ password_hash: string }>(
  'test_read_hash',
  'select password_hash from users where id = $1',
);

const signInAs = (email: string, password: string, address?: string) =>
  aBrowser((address ? limited : server).app, address ? { address } : {}).call(
    'POST /v1/account/sign-in',
    { email, password },
  );

/** Returns the response without what differs in each request. */
function comparablePart(response: LightMyRequestResponse) {
  const { date, 'request-id': id, ...headers } = response.headers;
  return {
    status: response.statusCode,
    body: response.body.replaceAll(String(id), 'REQUEST'),
    headers,
  };
}

describe('signIn', () => {
  it('Contract §6 cookie · 200 open: the browser is signed in by a cookie that scripts cannot read', async () => {
    const browser = aBrowser(server.app);
    const { email, password } = person;
    const response = await browser.call('POST /v1/account/sign-in', { email, password });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ state: 'open' });
    expect(response.headers['set-cookie']).toMatch(
      /^svc_sign_in=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    const account = await browser.call('GET /v1/account');
    expect(account.json()).toMatchObject({ id: person.id, email, name: 'Ada', hasPassword: true });
  });

  it('200 in any case of the address and any form of the same characters', async () => {
    const { email, password } = person;
    expect((await signInAs(email.toUpperCase(), password)).statusCode).toBe(200);
  });

  it('401 sign_in_failed: unknown address, wrong password, no password and disabled are one answer', async () => {
    const bare = await aPerson(ports, { password: null });
    const gone = await aPerson(ports);
    await db.database.write(disable, [gone.id]);
    const answers = [
      await signInAs('nobody@people.example', person.password),
      await signInAs(person.email, 'not the password'),
      await signInAs(bare.email, bare.password),
      await signInAs(gone.email, gone.password),
    ].map(comparablePart);
    expect(answers[0]).toMatchObject({ status: 401 });
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ code: 'sign_in_failed' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('takes as long for an address that nobody has as for a wrong password', async () => {
    const known = await aPerson({ ...ports, passwordCost });
    const tookMs = async (email: string) => {
      const started = performance.now();
      const typed = { email, password: 'not the password' };
      await aBrowser(slow.app).call('POST /v1/account/sign-in', typed);
      return performance.now() - started;
    };
    // Compares the fastest tries, because noise only adds time; takes more when noise affected one
    // kind only.
    let [wrong, unknown] = [Infinity, Infinity];
    const isAlikeInTime = () => Math.abs(wrong - unknown) < Math.max(wrong, unknown) * 0.4;
    for (let n = 0; n < 8 || (n < 24 && !isAlikeInTime()); n++) {
      wrong = Math.min(wrong, await tookMs(known.email));
      unknown = Math.min(unknown, await tookMs(`nobody${n}@people.example`));
    }
    expect(isAlikeInTime(), `${wrong} and ${unknown} ms`).toBe(true);
    expect(unknown).toBeGreaterThan(20);
  });

  it('writes down who signed in from where, and every failure, without what was typed', async () => {
    const somebody = await aPerson(ports);
    await signInAs(somebody.email, 'canary-not-the-password', '203.0.113.5');
    await signInAs(somebody.email, somebody.password, '203.0.113.5');
    const lines = await auditOf(db.database, somebody.id);
    expect(lines).toEqual([
      {
        action: 'sign_in.failed',
        actor_kind: 'anonymous',
        actor_user_id: null,
        address: '203.0.113.5',
        after: { proof: 'password' },
      },
      {
        action: 'sign_in.opened',
        actor_kind: 'person',
        actor_user_id: somebody.id,
        address: '203.0.113.5',
        after: { method: 'password' },
      },
    ]);
  });

  it('stores a password of former cost at the cost of today once it was right', async () => {
    const somebody = await aPerson(ports);
    const salt = Buffer.alloc(16, 5);
    const key = scryptSync(somebody.password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
    const plainBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const former = `$scrypt$ln=10,r=8,p=1$${plainBase64(salt)}$${plainBase64(key)}`;
    await db.database.write(setHash, [somebody.id, former]);
    expect((await signInAs(somebody.email, 'wrong all the same')).statusCode).toBe(401);
    expect(await db.database.read(readHash, [somebody.id])).toEqual([{ password_hash: former }]);
    expect((await signInAs(somebody.email, somebody.password)).statusCode).toBe(200);
    const [stored] = await db.database.read(readHash, [somebody.id]);
    expect(stored?.password_hash.startsWith(`$scrypt$ln=${ports.passwordCost},r=8,p=1$`)).toBe(
      true,
    );
    expect((await signInAs(somebody.email, somebody.password)).statusCode).toBe(200);
  });

  it('401 sign_in_failed: a password that changes while it is compared opens nothing', async () => {
    const somebody = await aPerson({ ...ports, passwordCost });
    const browser = await aSignedInBrowser({ app: slow.app, ports }, somebody);
    for (let round = 0; round < 4; round++) {
      const password = `${somebody.password} ${round}`;
      const former = round === 0 ? somebody.password : `${somebody.password} ${round - 1}`;
      const late = aBrowser(slow.app);
      const [changed] = await Promise.all([
        browser.call('PUT /v1/account/password', { password }),
        late.call('POST /v1/account/sign-in', { email: somebody.email, password: former }),
      ]);
      expect(changed.statusCode).toBe(204);
      // The sign-in came before the change and was ended by it, or it was refused.
      expect((await late.call('GET /v1/account')).statusCode).toBe(401);
    }
  });

  it('401 sign_in_required for a cookie of before: signing in anew ends what the browser had', async () => {
    const browser = await aSignedInBrowser({ app: server.app, ports }, person);
    const former = aBrowser(server.app, { cookie: browser.cookie ?? '' });
    const { email, password } = person;
    await browser.call('POST /v1/account/sign-in', { email, password });
    expect((await browser.call('GET /v1/account')).statusCode).toBe(200);
    expect((await former.call('GET /v1/account')).json()).toMatchObject({
      code: 'sign_in_required',
    });
  });
});

const digestOf = (email: string) => hash('sha256', `password\n${email}`, 'buffer');
// Inserts the rest of a hundred tries, each of which would take a tenth of a second.
const countTries = sql(
  't_count_tries',
  'update proof_budgets set tried = tried + $3 where key_sha256 = $1 and tried = $2',
);

describe('limits of signing in', () => {
  it('Contract §10 passwords · 429 rate_limited after ten wrong passwords from one network, even for the right one', async () => {
    const somebody = await aPerson(ports);
    for (let n = 0; n < 10; n++) {
      const answer = await signInAs(somebody.email, 'not the password', '203.0.113.7');
      expect(answer.statusCode).toBe(401);
    }
    const late = await signInAs(somebody.email, somebody.password, '203.0.113.7');
    expect(late.json()).toMatchObject({ code: 'rate_limited' });
    expect(late.statusCode).toBe(429);
    const seconds = Number(late.headers['retry-after']);
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    // The person can sign in from another address, and other people from this one.
    expect((await signInAs(somebody.email, somebody.password, '198.51.100.8')).statusCode).toBe(
      200,
    );
    expect((await signInAs(person.email, person.password, '203.0.113.7')).statusCode).toBe(200);
    await moveClock(db.database, seconds * 1000 + 1000);
    expect((await signInAs(somebody.email, somebody.password, '203.0.113.7')).statusCode).toBe(200);
  });

  it('429 rate_limited after a hundred wrong passwords over all networks; a mailed link is the way back', async () => {
    const somebody = await aPerson(ports);
    const guessPassword = (n: number) =>
      signInAs(somebody.email, 'not the password', `198.51.${n}.9`);
    const early = await Promise.all(Array.from({ length: 12 }, (_, n) => guessPassword(n)));
    expect(new Set(early.map(({ statusCode }) => statusCode))).toEqual(new Set([401]));
    const wrong = 100 - early.length;
    await db.database.write(countTries, [digestOf(somebody.email), 100 - wrong, wrong]);
    const late = await signInAs(somebody.email, somebody.password, '192.0.2.77');
    expect([late.statusCode, late.json().code]).toEqual([429, 'rate_limited']);
    expect(late.json().message).toContain('mailed link');
    expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(3600);
    // Other people can still sign in.
    expect((await signInAs(person.email, person.password, '192.0.2.77')).statusCode).toBe(200);
    const visitor = aBrowser(server.app);
    await visitor.call('POST /v1/account/password-reset', { email: somebody.email });
    const [mail] = await mailsTo(ports, somebody.email);
    const link = /#([\w-]{43})/.exec(mail?.text ?? '')?.[1];
    const password = 'four-other-words-77';
    const path = 'POST /v1/account/password-reset/complete';
    expect((await visitor.call(path, { link, password })).statusCode).toBe(204);
    expect((await signInAs(somebody.email, password, '192.0.2.77')).statusCode).toBe(200);
  });

  it('429 for every spelling of the address together; letters that only some fold are others', async () => {
    const somebody = await aPerson(ports, { email: `iii-${person.id}@people.example` });
    const spellings = [
      somebody.email,
      somebody.email.toUpperCase(),
      // U+0130: "i" to PostgreSQL's lower(), two characters to toLowerCase().
      somebody.email.replace('i', '\u0130'),
      somebody.email.replace('iii', '\u0130\u0130\u0130'),
    ];
    const right = spellings.map((email) => signInAs(email, somebody.password, '203.0.113.20'));
    const answers = (await Promise.all(right)).map(({ statusCode }) => statusCode);
    expect(answers).toEqual([200, 200, 401, 401]);
    for (let n = 0; n < 10; n++) {
      const spelling = spellings[n % 2] as string;
      await signInAs(spelling, 'not the password', '203.0.113.21');
    }
    const late = spellings.map((email) => signInAs(email, somebody.password, '203.0.113.21'));
    const refused = (await Promise.all(late)).map(({ statusCode }) => statusCode);
    expect(refused).toEqual([429, 429, 401, 401]);
  });

  it('429 for an address that nobody has, all alike', async () => {
    for (let n = 0; n < 10; n++) await signInAs('nobody@x.example', 'not it', '203.0.113.9');
    expect((await signInAs('nobody@x.example', 'not it', '203.0.113.9')).statusCode).toBe(429);
  });

  it('counts right passwords not at all', async () => {
    const somebody = await aPerson(ports);
    for (let n = 0; n < 12; n++) {
      const answer = await signInAs(somebody.email, somebody.password, '203.0.113.10');
      expect(answer.statusCode).toBe(200);
    }
  });

  it('lets exactly ten of thirty wrong ones at once be compared, over two processes', async () => {
    const somebody = await aPerson(ports);
    const database = openDatabase({ url: db.url });
    const settings = { ...ports.settings, attemptLimits: contractLimits };
    const other = await aServer({ ...portsFor(database), settings }, { trustedProxies: 1 });
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const browser = aBrowser((n % 2 ? limited : other).app, { address: '203.0.113.11' });
        const { email } = somebody;
        return browser.call('POST /v1/account/sign-in', { email, password: `wrong one ${n}` });
      }),
    );
    const compared = answers.filter(({ statusCode }) => statusCode === 401);
    expect(compared).toHaveLength(10);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(20);
    await other.app.close();
    await database.close();
  });
});

describe('verifySignIn', () => {
  const verified = (cookie: string | null) =>
    verifySignIn(hash('sha256', cookie ?? '', 'buffer'), ports);
  const hour = 3_600_000;

  it('knows the person, and nothing of an unknown cookie', async () => {
    const { cookie } = await aSignedInBrowser({ app: server.app, ports }, person);
    expect(await verified(cookie)).toMatchObject({ userId: person.id, needsSecondFactor: false });
    expect(await verified('A'.repeat(43))).toBeUndefined();
    expect(await verified(null)).toBeUndefined();
  });

  it('knows it no more once its owner may not sign in', async () => {
    const somebody = await aPerson(ports);
    const { cookie } = await aSignedInBrowser({ app: server.app, ports }, somebody);
    await db.database.write(disable, [somebody.id]);
    expect(await verified(cookie)).toBeUndefined();
  });

  it('ends twelve hours after the last use', async () => {
    const { cookie } = await aSignedInBrowser({ app: server.app, ports }, person);
    for (let n = 0; n < 3; n++) {
      await moveClock(db.database, 11 * hour);
      expect(await verified(cookie)).toBeDefined();
    }
    await moveClock(db.database, 12 * hour + 1000);
    expect(await verified(cookie)).toBeUndefined();
  });

  it('ends after thirty days however much it is used', async () => {
    const { cookie } = await aSignedInBrowser({ app: server.app, ports }, person);
    for (let n = 0; n < 71; n++) {
      await moveClock(db.database, 10 * hour);
      expect(await verified(cookie)).toBeDefined();
    }
    await moveClock(db.database, 10 * hour + 1000);
    expect(await verified(cookie)).toBeUndefined();
  });

  it('writes its use at most every five minutes, and works where that cannot be written', async () => {
    const { cookie } = await aSignedInBrowser({ app: server.app, ports }, person);
    let writes = 0;
    const database = {
      ...db.database,
      write: async () => {
        writes++;
        throw new Error('no writing today');
      },
    };
    const digest = hash('sha256', cookie ?? '', 'buffer');
    await moveClock(db.database, 299_000);
    expect(await verifySignIn(digest, { database })).toBeDefined();
    expect(writes).toBe(0);
    await moveClock(db.database, 2000);
    expect(await verifySignIn(digest, { database })).toBeDefined();
    expect(writes).toBe(1);
  });
});
