// What one process ends, the other refuses at the very next request; and Bearer tokens on routes
// with money and cards. Spec: Authentication 2-4. Contract §6.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  everyScope,
  freshDatabase,
  newId,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../test/harness.ts';
import { aGrant, type TestGrant } from '../../test/people/grants.ts';
import { anApplication, Browser, type OauthWorld, startOauth } from '../../test/people/oauth.ts';
import { fromOwnPage } from '../../test/people/people.ts';
import { openDatabase } from '../storage/database/database.ts';
import { sql } from '../storage/database/sql.ts';

let test: TestDatabase;
let one: OauthWorld;
let two: OauthWorld;
let client: TestClient;
let owner: TestToken;
let other: TestDatabase;
beforeAll(async () => {
  test = await freshDatabase();
  // The second process has its own connections, caches and look-ups.
  other = { ...test, database: openDatabase({ url: test.url }) };
  one = await startOauth(test);
  two = await startOauth(other, { baseUrl: one.baseUrl });
  client = await aClient(test.database);
  owner = await aToken(test.database, client, { scopes: everyScope });
});
afterAll(async () => {
  await Promise.all([one?.server.close(), two?.server.close()]);
  await other?.database.close();
  await test?.close();
});

const scopes = ['mcp', 'payments:read', 'payments:write', 'payment_methods:read'];

async function aConsent(given: { applicationId?: string } = {}): Promise<TestGrant> {
  const user = { id: owner.userId };
  const grant = await aGrant(one.ports, { user, client, scopes, ...given });
  await test.database.write(use, [grant.grantId]);
  return grant;
}

const use = sql(
  'test_use_grant',
  'update oauth_grants set last_used_at = svc_clock() where id = $1',
);
const setRole = sql(
  'test_two_role',
  'update memberships set role = $3 where client_id = $1 and user_id = $2',
);
const leave = sql(
  'test_two_leave',
  'delete from memberships where client_id = $1 and user_id = $2',
);
const disable = sql('test_two_disable', 'update users set disabled_at = svc_clock() where id = $1');

const callAt = (world: OauthWorld, { authorization }: TestGrant, call = 'GET /v1/payments') =>
  callAs(world.server.app, null, call as 'GET /', {
    headers: { authorization, 'idempotency-key': newId() },
  });

describe('revocation', () => {
  it('of a consent, by the person: the other process answers 401 at the very next request', async () => {
    const grant = await aConsent();
    expect((await callAt(two, grant)).statusCode).toBe(200);
    const browser = new Browser(one.baseUrl);
    const signIn = await browser.signIn(one.ports, { id: owner.userId });
    const headers = { ...fromOwnPage(signIn), origin: one.baseUrl };
    const listed = await callAs(one.server.app, null, 'GET /v1/account/applications', { headers });
    expect(listed.json().data).toContainEqual({
      object: 'consent',
      id: grant.grantId,
      applicationId: grant.applicationId,
      applicationName: 'A test application',
      clientId: client.id,
      clientName: 'A shop',
      scopes,
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
    });
    const path = `DELETE /v1/account/applications/${grant.grantId}` as const;
    const ended = await callAs(one.server.app, null, path, { headers });
    expect(ended.statusCode).toBe(204);
    expect((await callAt(two, grant)).statusCode).toBe(401);
    const again = await callAs(one.server.app, null, path, { headers });
    expect(again.json()).toMatchObject({ status: 404, code: 'consent_not_found' });
  });

  it('404 consent_not_found: another person’s consent is as one that never was', async () => {
    const grant = await aConsent();
    const stranger = await aToken(test.database, client);
    const browser = new Browser(one.baseUrl);
    const signIn = await browser.signIn(one.ports, { id: stranger.userId });
    const headers = { ...fromOwnPage(signIn), origin: one.baseUrl };
    const answers = await Promise.all(
      [grant.grantId, newId()].map((id) =>
        callAs(one.server.app, null, `DELETE /v1/account/applications/${id}`, { headers }),
      ),
    );
    const bodies = answers.map((answer) => ({ ...answer.json(), requestId: null }));
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]).toMatchObject({ code: 'consent_not_found' });
    const listed = await callAs(one.server.app, null, 'GET /v1/account/applications', { headers });
    expect(listed.json()).toEqual({ data: [] });
    expect((await callAt(two, grant)).statusCode).toBe(200);
  });

  it('of a token by its application (RFC 7009): 401 in the other process', async () => {
    const applicationId = (await anApplication(one.ports, owner)).id;
    const { refresh_token, access_token } = await tokensOf(applicationId);
    const grant = { authorization: `Bearer ${access_token}` } as TestGrant;
    expect((await callAt(two, grant)).statusCode).toBe(200);
    await fetch(`${one.baseUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: applicationId, token: refresh_token }),
    });
    expect((await callAt(two, grant)).statusCode).toBe(401);
  });

  it('of an application: its tokens are 401, its refresh invalid_client', async () => {
    const applicationId = (await anApplication(one.ports, owner)).id;
    const grant = await aConsent({ applicationId });
    expect((await callAt(two, grant)).statusCode).toBe(200);
    const path = `DELETE /v1/applications/${applicationId}` as const;
    expect((await callAs(one.server.app, owner, path)).statusCode).toBe(204);
    expect((await callAt(two, grant)).statusCode).toBe(401);
    const answer = await fetch(`${two.address}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: applicationId,
        refresh_token: 'x',
      }),
    });
    expect(await answer.json()).toMatchObject({ error: 'invalid_client' });
  });

  it('of scopes of an application: 403 insufficient_scope at once', async () => {
    const applicationId = (await anApplication(one.ports, owner)).id;
    const grant = await aConsent({ applicationId });
    expect((await callAt(two, grant)).statusCode).toBe(200);
    const path = `PATCH /v1/applications/${applicationId}` as const;
    await callAs(one.server.app, owner, path, { body: { scopes: ['mcp'] } });
    const refused = await callAt(two, grant);
    expect(refused.json()).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(refused.headers['www-authenticate']).toContain('insufficient_scope');
  });

  it('Contract §6 role: of a membership: 403 merchant_role_required; of an account: 401', async () => {
    const member = await aToken(test.database, client, { role: 'admin' });
    const grant = await aGrant(one.ports, { user: { id: member.userId }, client, scopes });
    expect((await callAt(two, grant)).statusCode).toBe(200);
    await test.database.write(leave, [client.id, member.userId]);
    expect((await callAt(two, grant)).json()).toMatchObject({
      status: 403,
      code: 'merchant_role_required',
    });
    await test.database.write(disable, [member.userId]);
    expect((await callAt(two, grant)).statusCode).toBe(401);
  });
});

async function tokensOf(applicationId: string) {
  const browser = new Browser(one.baseUrl);
  await browser.signIn(one.ports, { id: owner.userId });
  const verifier = 'w'.repeat(50);
  const redirect_uri = 'https://app.example.test/callback';
  const params = {
    client_id: applicationId,
    response_type: 'code',
    redirect_uri,
    scope: 'mcp payments:read',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  };
  const page = await browser.go(`/oauth/authorize?${new URLSearchParams(params)}`);
  const uid = page.pathname.split('/').at(-1) ?? '';
  const { body } = await browser.call<{ redirectTo: string }>(`/oauth/interactions/${uid}`, {
    decision: 'allow',
    clientId: client.id,
  });
  const back = await browser.go(body.redirectTo);
  // The other process exchanges the code that this one issued.
  const answer = await fetch(`${two.address}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: applicationId,
      redirect_uri,
      code_verifier: verifier,
      code: back.searchParams.get('code') ?? '',
    }),
  });
  return (await answer.json()) as { access_token: string; refresh_token: string };
}

describe('Bearer where money and cards are', () => {
  const capture = () => `PUT /v1/payments/${newId()}/capture`;

  it('Spec 5 rule 4, rule 9: cards ask for payment_methods:read: 200 with it, 403 insufficient_scope without', async () => {
    const user = { id: owner.userId };
    const cards = 'GET /v1/payment-methods';
    const withScope = await aGrant(one.ports, { user, client, scopes: ['payment_methods:read'] });
    expect((await callAt(two, withScope, cards)).statusCode).toBe(200);
    const without = await aGrant(one.ports, { user, client, scopes: ['mcp', 'payments:write'] });
    const refused = await callAt(two, without, cards);
    expect(refused.json()).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(refused.headers['www-authenticate']).toContain('scope="payment_methods:read"');
  });

  it('Spec 5 rule 3 · Contract §6 role alone: a capture asks for an owner or admin of this moment, whatever the token says', async () => {
    const admin = await aToken(test.database, client, { role: 'admin' });
    const grant = await aGrant(one.ports, { user: { id: admin.userId }, client, scopes: ['mcp'] });
    const found = await callAt(two, grant, capture());
    expect(found.json()).toMatchObject({ status: 404, code: 'payment_not_found' });
    await test.database.write(setRole, [client.id, admin.userId, 'member']);
    const refused = await callAt(two, grant, capture());
    expect(refused.json()).toMatchObject({ status: 403, code: 'merchant_role_required' });
  });

  it('the chosen merchant is the only one: another’s objects are missing', async () => {
    const rival = await aClient(test.database);
    const rivalOwner = await aToken(test.database, rival);
    const { id } = await anApplication(one.ports, rivalOwner);
    const grant = await aGrant(one.ports, {
      user: { id: owner.userId },
      client,
      scopes: ['members:write'],
    });
    const foreign = await callAt(two, grant, `GET /v1/applications/${id}`);
    const missing = await callAt(two, grant, `GET /v1/applications/${newId()}`);
    expect({ ...foreign.json(), requestId: 0 }).toEqual({ ...missing.json(), requestId: 0 });
    expect(foreign.json()).toMatchObject({ status: 404, code: 'application_not_found' });
  });
});
