// A token request that the database could not serve gets 503, so that the application repeats it. A
// second use of a code or refresh token whose first response was never sent is no theft.

import { hash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../test/harness.ts';
import { type LossyWay, openLossyWay } from '../../test/network/lossy-way.ts';
import {
  anApplication,
  aState,
  Browser,
  decide,
  type OauthWorld,
  redirectUri,
  startOauth,
} from '../../test/people/oauth.ts';
import { type Database, openDatabase } from '../storage/database/database.ts';

let test: TestDatabase;
let world: OauthWorld;
let way: LossyWay;
let distant: Database;
let client: TestClient;
let owner: TestToken;
beforeAll(async () => {
  test = await freshDatabase();
  way = await openLossyWay(test.url);
  distant = openDatabase({ url: way.url });
  world = await startOauth({ ...test, database: distant });
  client = await aClient(test.database);
  owner = await aToken(test.database, client);
});
afterAll(async () => {
  await world?.server.close();
  await distant?.close();
  await way?.close();
  await test?.close();
});

type Tokens = { readonly access_token: string; readonly refresh_token: string };
type Form = Readonly<Record<string, string>>;

const requestToken = (form: Form) =>
  fetch(`${world.address}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });

/**
 * Sends the request while another transaction locks the grant for longer than the service waits for
 * a row.
 */
async function requestWhileLocked(form: Form): Promise<Response> {
  const holder = new pg.Client({ connectionString: test.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from oauth_grants for update');
    return await requestToken(form);
  } finally {
    await holder.end();
  }
}

/** Returns the request for the first tokens, after a person has allowed it. */
async function aCode(): Promise<Form> {
  const application = await anApplication(world.ports, owner);
  const browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
  const verifier = aState().repeat(2);
  const asked = new URL('/oauth/authorize', world.baseUrl);
  asked.search = new URLSearchParams({
    client_id: application.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'payments:read',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const page = await browser.go(asked);
  const allowed = await decide(browser, page, { decision: 'allow', clientId: client.id });
  const back = await browser.go(allowed.body.redirectTo);
  return {
    grant_type: 'authorization_code',
    client_id: application.id,
    redirect_uri: redirectUri,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
  };
}

const isAccepted = async (token: string) =>
  (
    await callAs(world.server.app, null, 'GET /v1/payments', {
      headers: { authorization: `Bearer ${token}` },
    })
  ).statusCode;

describe('a token request that was answered 503', () => {
  it('of a code: gives its tokens when it comes again', async () => {
    const form = await aCode();
    const failed = await requestWhileLocked(form);
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await failed.text()).not.toContain('token"');
    const again = await requestToken(form);
    expect(again.status).toBe(200);
    expect(await isAccepted(((await again.json()) as Tokens).access_token)).toBe(200);
  });

  it('of a refresh token: ends nothing when it comes again', async () => {
    const { client_id = '', ...code } = await aCode();
    const first = (await (await requestToken({ client_id, ...code })).json()) as Tokens;
    const { refresh_token } = first;
    const form = { grant_type: 'refresh_token', client_id, refresh_token };
    expect((await requestWhileLocked(form)).status).toBe(503);
    const again = await requestToken(form);
    expect(again.status).toBe(200);
    const next = (await again.json()) as Tokens;
    expect(await isAccepted(first.access_token)).toBe(200);
    expect(await isAccepted(next.access_token)).toBe(200);
    // After a response was sent, the code is used up.
    expect((await requestToken(form)).status).toBe(400);
    expect(await isAccepted(next.access_token)).toBe(401);
  });
});

describe('a token request whose commit is lost', () => {
  it.each(['before', 'after'] as const)('%s it took effect: is answered', async (when) => {
    const { client_id = '', ...code } = await aCode();
    way.lose(1, when);
    const first = await requestToken({ client_id, ...code });
    expect([first.status, way.lost()]).toEqual([200, 1]);
    const { refresh_token } = (await first.json()) as Tokens;
    way.lose(1, when);
    const second = await requestToken({ grant_type: 'refresh_token', client_id, refresh_token });
    expect([second.status, way.lost()]).toEqual([200, 1]);
    expect(await isAccepted(((await second.json()) as Tokens).access_token)).toBe(200);
  });
});
