// What the contract decides about people and their proofs, over HTTP, in two processes behind one
// https address. A title begins with the place that it shows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../service/src/engine/ports.ts';
import { openDatabase } from '../../service/src/storage/database/database.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aPerson, shownCode, type TestPerson } from '../../service/test/accounts.ts';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  moveClock,
  portsFor,
  type TestDatabase,
} from '../../service/test/harness.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';

const baseUrl = 'https://pay.example';
let db: TestDatabase;
let ports: Ports;
let servers: readonly [TestServer, TestServer];
let closeOther: () => Promise<void>;
beforeAll(async () => {
  db = await freshDatabase();
  const other = openDatabase({ url: db.url });
  const withBaseUrl = (given: Ports): Ports => ({
    ...given,
    settings: { ...given.settings, baseUrl },
  });
  ports = withBaseUrl(portsFor(db.database));
  servers = [await aServer(ports), await aServer(withBaseUrl(portsFor(other)))];
  closeOther = () => other.close();
});
afterAll(async () => {
  for (const server of servers ?? []) await server.close(0);
  await closeOther?.();
  await db?.close();
});

type Call = Parameters<typeof callAs>[2];
type Answer = Awaited<ReturnType<typeof callAs>>;
type SentHeaders = {
  readonly cookie?: string | undefined;
  readonly headers?: Record<string, string>;
};

const send = (
  process: 0 | 1,
  call: Call,
  { cookie, headers, ...rest }: SentHeaders & { readonly body?: unknown } = {},
): Promise<Answer> =>
  callAs(servers[process].app, null, call, {
    ...rest,
    headers: {
      host: new URL(baseUrl).host,
      origin: baseUrl,
      'sec-fetch-site': 'same-origin',
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
  });

const cookieOf = (answer: Answer): string =>
  String(answer.headers['set-cookie']).split(';')[0] ?? '';

/** Signs in and returns the browser's cookie. */
async function signIn({ email, password }: TestPerson): Promise<string> {
  const answer = await send(0, 'POST /v1/account/sign-in', { body: { email, password } });
  expect(answer.statusCode).toBe(200);
  return cookieOf(answer);
}

const join = sql(
  'spec_people_join',
  `insert into memberships (client_id, user_id, role, created_at)
   values ($1, $2, 'admin', svc_clock())`,
);

const refusedWith = (status: number, code: string) => expect.objectContaining({ status, code });
const bodyOfAnswer = async (answer: Promise<Answer>) => (await answer).json() as unknown;

describe('Contract §6, people', () => {
  it('Contract §6 cookie: of this host alone, unreadable for scripts, known in every process', async () => {
    const { email, password, id } = await aPerson(ports);
    const answer = await send(0, 'POST /v1/account/sign-in', { body: { email, password } });
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-svc_sign_in=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
    const cookie = cookieOf(answer);
    expect(await bodyOfAnswer(send(1, 'GET /v1/account', { cookie }))).toMatchObject({ id });
    expect(await bodyOfAnswer(send(1, 'GET /v1/account'))).toEqual(
      refusedWith(401, 'sign_in_required'),
    );
  });

  it('Contract §1 cross_site_request: 403 from any other site, with or without a cookie', async () => {
    const person = await aPerson(ports);
    const cookie = await signIn(person);
    const bent: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { host: 'evil.example' },
      { host: 'localhost:4000' },
    ];
    for (const headers of bent) {
      const out = send(0, 'POST /v1/account/sign-out', { cookie, headers, body: {} });
      expect(await bodyOfAnswer(out)).toEqual(refusedWith(403, 'cross_site_request'));
      const body = { email: person.email, password: person.password };
      const login = send(0, 'POST /v1/account/sign-in', { headers, body });
      expect(await bodyOfAnswer(login)).toEqual(refusedWith(403, 'cross_site_request'));
    }
    expect((await send(0, 'GET /v1/account', { cookie })).statusCode).toBe(200);
  });

  it('Contract §1 authentication_required: 401 for a program, whatever its token may do', async () => {
    const token = await aToken(db.database, await aClient(db.database));
    const { authorization } = token;
    for (const call of ['GET /v1/account', 'GET /v1/account/sign-ins'] as const) {
      const answer = bodyOfAnswer(send(0, call, { headers: { authorization } }));
      expect(await answer).toEqual(refusedWith(401, 'authentication_required'));
    }
  });

  it('Contract §6 sign-ins: one that ends in one process is over in the other at once', async () => {
    const person = await aPerson(ports);
    const [mine, lost] = [await signIn(person), await signIn(person)];
    for (let round = 0; round < 20; round++) {
      const each = await signIn(person);
      expect((await send(1, 'GET /v1/account', { cookie: each })).statusCode).toBe(200);
      await send(0, 'POST /v1/account/sign-out', { cookie: each, body: {} });
      const after = bodyOfAnswer(send(1, 'GET /v1/account', { cookie: each }));
      expect(await after).toEqual(refusedWith(401, 'sign_in_required'));
    }
    await send(0, 'POST /v1/account/sign-ins/end-others', { cookie: mine, body: {} });
    const after = bodyOfAnswer(send(1, 'GET /v1/account', { cookie: lost }));
    expect(await after).toEqual(refusedWith(401, 'sign_in_required'));
  });

  it('Contract §1 second_factor_required: 401, half a sign-in opens no call of a person or a merchant', async () => {
    const client = await aClient(db.database);
    const { userId } = await aToken(db.database, client);
    const person = await aPerson(ports);
    await db.database.write(join, [client.id, person.id]);
    const cookie = await signIn(person);
    const made = await send(0, 'POST /v1/account/authenticator', { cookie, body: {} });
    const { secret } = made.json() as { secret: string };
    const code = await shownCode(db.database, secret);
    await send(0, 'POST /v1/account/authenticator/confirm', { cookie, body: { code } });
    const half = await signIn(person);
    const asMerchant = { cookie: half, headers: { 'x-svc-client': client.id } };
    for (const answer of [
      send(1, 'GET /v1/account', { cookie: half }),
      send(1, 'GET /v1/account/memberships', { cookie: half }),
      send(1, 'GET /v1/payments', asMerchant),
      send(1, 'GET /v1/members', asMerchant),
    ]) {
      expect(await bodyOfAnswer(answer)).toEqual(refusedWith(401, 'second_factor_required'));
    }
    await moveClock(db.database, 30_000);
    const next = await shownCode(db.database, secret);
    const path = 'POST /v1/account/sign-in/second-factor';
    const whole = await send(1, path, { cookie: half, body: { code: next } });
    expect(whole.json()).toEqual({ state: 'open' });
    const members = await send(0, 'GET /v1/members', {
      cookie: cookieOf(whole),
      headers: { 'x-svc-client': client.id },
    });
    expect(members.statusCode).toBe(200);
    expect(members.body).toContain(userId);
  });

  it('Contract §1 recent_sign_in_required: 403 after fifteen minutes for every change of a proof', async () => {
    const person = await aPerson(ports);
    const cookie = await signIn(person);
    await moveClock(db.database, 15 * 60_000 + 1000);
    const someId = '01900000-0000-7000-8000-000000000000';
    const calls: readonly [Call, unknown][] = [
      ['PUT /v1/account/password', { password: 'plinth vexing otter canal' }],
      ['POST /v1/account/authenticator', {}],
      ['POST /v1/account/authenticator/confirm', { code: '123456' }],
      ['DELETE /v1/account/authenticator', undefined],
      ['POST /v1/account/recovery-codes', {}],
      ['POST /v1/account/passkeys/options', {}],
      [`DELETE /v1/account/passkeys/${someId}`, undefined],
    ];
    for (const [call, body] of calls) {
      const answer = bodyOfAnswer(send(0, call, { cookie, body }));
      expect(await answer, call).toEqual(refusedWith(403, 'recent_sign_in_required'));
    }
    const { password } = person;
    const confirmed = await send(1, 'POST /v1/account/confirm', { cookie, body: { password } });
    expect(confirmed.statusCode).toBe(200);
    const fresh = cookieOf(confirmed);
    const body = { password: 'plinth vexing otter canal' };
    const changed = await send(0, 'PUT /v1/account/password', { cookie: fresh, body });
    expect(changed.statusCode).toBe(204);
  });

  it('Contract §6 sign-ins: twelve hours without use, and no longer', async () => {
    const cookie = await signIn(await aPerson(ports));
    await moveClock(db.database, 12 * 3_600_000 - 60_000);
    expect((await send(0, 'GET /v1/account', { cookie })).statusCode).toBe(200);
    await moveClock(db.database, 12 * 3_600_000 + 1000);
    const late = bodyOfAnswer(send(1, 'GET /v1/account', { cookie }));
    expect(await late).toEqual(refusedWith(401, 'sign_in_required'));
  });
});
