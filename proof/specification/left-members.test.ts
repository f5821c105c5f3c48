// A person who has left a merchant, or was removed, and what is still held of them: an access token, a
// refresh token, API tokens. Everything goes through the API. Spec: Authentication 3.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { scopes } from '@svc/contract/rows/scopes';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from '../../service/src/http/docs/example.ts';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  moveClock,
  newId,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import { join } from '../../service/test/people/members.ts';
import {
  anApplication,
  aState,
  Browser,
  decide,
  type OauthWorld,
  redirectUri,
  startOauth,
} from '../../service/test/people/oauth.ts';

let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
  client = await aClient(test.database, { name: 'A shop' });
  owner = await aToken(test.database, client, { scopes: everyScope });
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const ofMerchants = Object.entries(rows as Record<string, RowShape>).filter(([, { auth }]) =>
  ['server', 'bearer', 'server-or-session', 'anyone'].includes(auth),
);

/** Gives the person's application a consent, and returns its tokens. */
async function createGrantToken(person: TestToken) {
  const { id } = await anApplication(world.ports, owner, { scopes: [...scopes] });
  const config = await oauth.discovery(new URL(world.baseUrl), id, undefined, oauth.None(), {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = aState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: person.userId });
  const page = await browser.go(url);
  const answer = await decide(browser, page, { decision: 'allow', clientId: client.id });
  const back = await browser.go(answer.body.redirectTo);
  const tokens = await oauth.authorizationCodeGrant(config, back, {
    pkceCodeVerifier,
    expectedState,
  });
  return { config, tokens };
}

async function outcome(row: RowShape, accessToken: string): Promise<string> {
  const [method = '', template = ''] = row.call.split(' ');
  const example = String(Object.values(exampleOf(row.input.path ?? {}) as object)[0] ?? newId());
  const body = row.input.body && exampleOf(row.input.body);
  const call = `${method as 'GET'} ${template.replace(/\{\w+\}/g, () => example)}` as const;
  const response = await callAs(world.server.app, null, call, {
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(row.idempotent ? { 'idempotency-key': 'key' } : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
  return `${response.statusCode} ${response.json().code}`;
}

const callEachRow = async (accessToken: string) =>
  Object.fromEntries(
    await Promise.all(
      ofMerchants.map(async ([name, row]) => [name, await outcome(row, accessToken)] as const),
    ),
  );

const sameForEach = (said: string) => Object.fromEntries(ofMerchants.map(([name]) => [name, said]));

type LeaveKind = 'removed by an owner' | 'leaving';

async function endMembership(ending: LeaveKind, person: TestToken): Promise<number> {
  const agreed = `?tokenIds=${person.id}`;
  if (ending === 'removed by an owner') {
    const path = `DELETE /v1/members/${person.userId}${agreed}` as const;
    return (await callAs(world.server.app, owner, path)).statusCode;
  }
  const browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: person.userId });
  const left = await browser.fetch(`/v1/account/memberships/${client.id}${agreed}`, {
    method: 'DELETE',
    headers: { 'sec-fetch-site': 'same-origin', origin: world.baseUrl },
  });
  return left.status;
}

const cases = [
  { role: 'owner', ending: 'removed by an owner' },
  { role: 'member', ending: 'leaving' },
] as const;

describe('a Bearer token whose person is no member any more', () => {
  it.each(cases)(
    'Spec 5 rule 3: $role, $ending: 403 merchant_role_required on capture, cancel and every other row',
    async ({ role, ending }) => {
      const person = await aToken(test.database, client, { role });
      const { config, tokens } = await createGrantToken(person);
      expect(await outcome(rows.listPayments, tokens.access_token)).toMatch(/^200/);
      expect(await endMembership(ending, person)).toBe(204);
      expect(await callEachRow(tokens.access_token)).toEqual(
        sameForEach('403 merchant_role_required'),
      );
      const agent = await fetch(`${world.baseUrl}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      const { code } = (await agent.json()) as { code: string };
      expect([agent.status, code]).toEqual([403, 'merchant_role_required']);
      const refreshed = oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
      await expect(refreshed).rejects.toMatchObject({ error: 'invalid_grant' });
      // The API token is refused like an unknown one.
      const byToken = await callAs(world.server.app, person, 'GET /v1/payments');
      expect(byToken.statusCode).toBe(401);
    },
    30_000,
  );

  it('Contract §6 left: who comes back gets nothing back: 401 with the token of before', async () => {
    const person = await aToken(test.database, client, { role: 'admin' });
    const { config, tokens } = await createGrantToken(person);
    expect(await endMembership('removed by an owner', person)).toBe(204);
    await join(test.database, client, { person: { id: person.userId }, role: 'owner' });
    expect(await outcome(rows.capturePayment, tokens.access_token)).toBe(
      '401 authentication_required',
    );
    await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject(
      { error: 'invalid_grant' },
    );
  });

  it('Contract §6 left: after its hour it is 401, as every token that is over', async () => {
    const person = await aToken(test.database, client, { role: 'admin' });
    const { tokens } = await createGrantToken(person);
    expect(await endMembership('leaving', person)).toBe(204);
    await moveClock(test.database, 3_601_000);
    expect(await outcome(rows.capturePayment, tokens.access_token)).toBe(
      '401 authentication_required',
    );
  });

  it('Contract §6 left: what was taken back before its person left stays 401', async () => {
    const person = await aToken(test.database, client, { role: 'admin' });
    const { config, tokens } = await createGrantToken(person);
    await oauth.tokenRevocation(config, tokens.access_token);
    expect(await endMembership('removed by an owner', person)).toBe(204);
    expect(await outcome(rows.capturePayment, tokens.access_token)).toBe(
      '401 authentication_required',
    );
  });
});
