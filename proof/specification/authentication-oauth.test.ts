// What the contract decides about the OAuth server, with a real client library against a whole service:
// how an application gets a Bearer token, what it opens, and how it ends. A title begins with the rule
// that it shows. Contract §6.

import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aGrant } from '../../service/test/grants.ts';
import {
  aClient,
  aToken,
  basicHeader,
  callAs,
  freshDatabase,
  moveClock,
  newId,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import {
  anApplication,
  aState,
  Browser,
  type ConsentRequest,
  decide,
  type OauthWorld,
  redirectUri,
  startOauth,
  uidOf,
} from '../../service/test/oauth.ts';
import { refusal } from './buyer.ts';

let db: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  world = await startOauth(db);
  client = await aClient(db.database, { name: 'A shop' });
  owner = await aToken(db.database, client);
});
afterAll(async () => {
  await world?.server.close();
  await db?.close();
});

type Application = { readonly id: string; readonly secret: string | null };
type Flow = {
  readonly config: oauth.Configuration;
  readonly verifier: string;
  readonly state: string;
  readonly url: URL;
};

async function beginFlow(
  application: Application,
  more: Record<string, string> = {},
): Promise<Flow> {
  const auth = application.secret ? oauth.ClientSecretBasic(application.secret) : oauth.None();
  const config = await oauth.discovery(new URL(world.baseUrl), application.id, undefined, auth, {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });
  const verifier = oauth.randomPKCECodeVerifier();
  const state = aState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'mcp payments:read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  });
  return { config, verifier, state, url };
}

async function aBrowserOf({ userId }: TestToken): Promise<Browser> {
  const browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: userId });
  return browser;
}

/** Gives consent for the merchant; returns the address to which the browser comes back. */
async function allow(flow: Flow, person = owner, clientId = person.clientId): Promise<URL> {
  const browser = await aBrowserOf(person);
  const page = await browser.go(flow.url);
  const { status, body } = await decide(browser, page, { decision: 'allow', clientId });
  expect(status).toBe(200);
  return browser.go(body.redirectTo);
}

const exchange = ({ config, verifier, state }: Flow, back: URL, more?: Record<string, string>) =>
  oauth.authorizationCodeGrant(
    config,
    back,
    { pkceCodeVerifier: verifier, expectedState: state },
    more,
  );

async function tokensOf(given: { person?: TestToken; kind?: 'public' | 'confidential' } = {}) {
  const { person = owner, kind = 'public' } = given;
  const flow = await beginFlow(await anApplication(world.ports, owner, { kind }));
  const got = await exchange(flow, await allow(flow, person));
  return { ...got, refresh_token: got.refresh_token ?? '', config: flow.config };
}

type Call = Parameters<typeof callAs>[2];
const callWith = (authorization: string, call: Call = 'GET /v1/payments') =>
  callAs(world.server.app, null, call, { headers: { authorization } });
const statusOf = async (token: string, call?: Call) =>
  (await callWith(`Bearer ${token}`, call)).statusCode;
const invalid = (error: string) => expect.objectContaining({ error });

const setRole = sql(
  'spec_oauth_role',
  'update memberships set role = $3 where client_id = $1 and user_id = $2',
);
const leave = sql(
  'spec_oauth_leave',
  'delete from memberships where client_id = $1 and user_id = $2',
);
const store = sql<{ text: string }>(
  'spec_oauth_store',
  `select (select coalesce(string_agg(r::text, ' '), '') from oauth_records r)
     || (select coalesce(string_agg(g::text, ' '), '') from oauth_grants g) as text`,
);

describe('Contract §6, where it is found', () => {
  it('Contract §6 metadata: both documents name every endpoint of the base address', async () => {
    const get = async (path: string) => (await fetch(`${world.baseUrl}${path}`)).json();
    const oauthUrl = (path: string) => `${world.baseUrl}/oauth/${path}`;
    expect(await get('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: world.baseUrl,
      authorization_endpoint: oauthUrl('authorize'),
      token_endpoint: oauthUrl('token'),
      revocation_endpoint: oauthUrl('revoke'),
      introspection_endpoint: oauthUrl('introspect'),
      device_authorization_endpoint: oauthUrl('device_authorization'),
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(await get('/.well-known/oauth-protected-resource')).toMatchObject({
      resource: world.baseUrl,
      authorization_servers: [world.baseUrl],
      bearer_methods_supported: ['header'],
    });
  });

  it('Contract §6 challenge: 401 tells Bearer where the documents are, and Basic its realm', async () => {
    const { headers, statusCode } = await callAs(world.server.app, null, 'GET /v1/payments');
    const told = String(headers['www-authenticate']);
    expect(statusCode).toBe(401);
    const resource = `${world.baseUrl}/.well-known/oauth-protected-resource`;
    expect(told).toContain(`Bearer resource_metadata="${resource}"`);
    expect(told).toContain('Basic realm="svc"');
  });

  it('Contract §6 unknown client: the same bytes for no such client and for a wrong token', async () => {
    const rival = await aToken(db.database, await aClient(db.database));
    const answers = [
      await callWith(basicHeader(newId(), owner.token)),
      await callWith(basicHeader(client.id, rival.token)),
      await callWith(basicHeader('nobody', 'x')),
    ];
    const bearer = await callWith(`Bearer ${'A'.repeat(43)}`);
    const body = (answer: typeof bearer) => answer.body.replace(/req_\w+/, '');
    const seen = answers.map((each) =>
      JSON.stringify([each.statusCode, body(each), each.headers['www-authenticate']]),
    );
    expect(bearer.json()).toMatchObject({ status: 401, code: 'authentication_required' });
    expect(new Set(seen).size).toBe(1);
    expect(new Set([bearer, ...answers].map(body)).size).toBe(1);
  });
});

describe('Contract §6, the authorization code', () => {
  it('Contract §6 code: PKCE with S256, an exact redirect address, and iss in the answer', async () => {
    const application = await anApplication(world.ports, owner);
    const flow = await beginFlow(application);
    const back = await allow(flow);
    expect(back.searchParams.get('iss')).toBe(world.baseUrl);
    const stolen = exchange({ ...flow, verifier: oauth.randomPKCECodeVerifier() }, back);
    await expect(stolen).rejects.toEqual(invalid('invalid_grant'));

    const browser = await aBrowserOf(owner);
    for (const method of ['plain', '']) {
      const bent = await beginFlow(application, { code_challenge_method: method });
      const refused = await browser.go(bent.url);
      expect(refused.searchParams.get('error')).toBe('invalid_request');
      expect(refused.searchParams.get('iss')).toBe(world.baseUrl);
    }
    const naked = new URL(flow.url);
    for (const name of ['code_challenge', 'code_challenge_method']) naked.searchParams.delete(name);
    expect((await browser.go(naked)).searchParams.get('error')).toBe('invalid_request');
    for (const other of [
      `${redirectUri}/`,
      `${redirectUri}?a=1`,
      'https://evil.example/callback',
    ]) {
      const { url } = await beginFlow(application, { redirect_uri: other });
      const answer = await browser.fetch(String(url));
      // The browser is never sent to an address that is not registered.
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
  });

  it('Contract §6 merchant: the person picks it, the token keeps it, and no other can be picked', async () => {
    const second = await aClient(db.database, { name: 'B shop' });
    const foreign = await aClient(db.database, { name: 'Of others' });
    const token = await aToken(db.database, second, { user: { id: owner.userId } });
    await db.database.write(join, [second.id, owner.userId]);
    const flow = await beginFlow(await anApplication(world.ports, owner));
    const browser = await aBrowserOf(owner);
    const page = await browser.go(flow.url);
    const asked = await browser.call<ConsentRequest>(`/oauth/interactions/${uidOf(page)}`);
    expect(asked.body.merchants.map(({ name }) => name)).toEqual(['A shop', 'B shop']);
    const pick = (clientId: string) => decide(browser, page, { decision: 'allow', clientId });
    expect(await pick(foreign.id)).toMatchObject(refusal(404, 'client_not_found'));
    const { body } = await pick(second.id);
    const { access_token } = await exchange(flow, await browser.go(body.redirectTo));
    const tokens = await callWith(`Bearer ${access_token}`, 'GET /v1/api-tokens');
    // The person has tokens at both merchants; the application sees only that of the chosen one.
    expect(tokens.json()).toMatchObject({ data: [{ id: token.id }] });
  });

  it('Contract §6 resource: bound to the audience, /mcp is not /v1; any other is invalid_target', async () => {
    const application = await anApplication(world.ports, owner);
    const opened: [resource: string, status: number][] = [
      [world.baseUrl, 200],
      [`${world.baseUrl}/mcp`, 401],
    ];
    for (const [resource, status] of opened) {
      const flow = await beginFlow(application, { resource });
      const { access_token } = await exchange(flow, await allow(flow), { resource });
      expect(await statusOf(access_token)).toBe(status);
    }
    const flow = await beginFlow(application, { resource: 'https://evil.example' });
    const refused = await (await aBrowserOf(owner)).go(flow.url);
    expect(refused.searchParams.get('error')).toBe('invalid_target');
  });

  it('Contract §1 authorization_not_found: 404 for a request unknown, of another browser and over', async () => {
    const flow = await beginFlow(await anApplication(world.ports, owner));
    const browser = await aBrowserOf(owner);
    const page = await browser.go(flow.url);
    const path = `/oauth/interactions/${uidOf(page)}`;
    const expected = refusal(404, 'authorization_not_found', { type: 'not_found_error' });
    const unknown = `/oauth/interactions/${'A'.repeat(uidOf(page).length)}`;
    expect(await browser.call(unknown)).toMatchObject(expected);
    expect(await (await aBrowserOf(owner)).call(path)).toMatchObject(expected);
    expect((await browser.call(path)).status).toBe(200);
    const { body } = await decide(browser, page, { decision: 'refuse' });
    await browser.go(body.redirectTo);
    expect(await browser.call(path)).toMatchObject(expected);
  });
});

const join = sql(
  'spec_oauth_join',
  `insert into memberships (client_id, user_id, role, created_at)
   values ($1, $2, 'owner', svc_clock())`,
);

describe('Spec 5, how a Bearer token is obtained', () => {
  it('Spec 5 rule 9: payment_methods:read and :write, asked for and allowed by the code flow', async () => {
    const scopes = ['payment_methods:read', 'payment_methods:write'];
    const path = `${world.baseUrl}/.well-known/oauth-authorization-server`;
    const { scopes_supported } = (await (await fetch(path)).json()) as Record<string, string[]>;
    expect(scopes_supported).toEqual(expect.arrayContaining(scopes));
    const remove = `DELETE /v1/payment-methods/${newId()}` as const;
    const seen: Record<string, unknown> = {};
    for (const scope of scopes) {
      const flow = await beginFlow(await anApplication(world.ports, owner, { scopes }), { scope });
      const { access_token } = await exchange(flow, await allow(flow));
      seen[scope] = [
        await statusOf(access_token, 'GET /v1/payment-methods'),
        await statusOf(access_token, remove),
      ];
    }
    expect(seen).toEqual({
      'payment_methods:read': [200, 403],
      'payment_methods:write': [403, 404],
    });
  });
});

describe('Contract §6, tokens', () => {
  it('Contract §6 access token: opaque, for one hour, and its value is stored nowhere', async () => {
    const { access_token, expires_in, refresh_token } = await tokensOf();
    expect([access_token.length, expires_in]).toEqual([43, 3600]);
    expect(access_token).not.toContain('.');
    const [kept] = await db.database.read(store, []);
    expect(kept?.text).toContain('AccessToken');
    for (const secret of [access_token, refresh_token]) {
      expect(kept?.text).not.toContain(secret);
      expect(kept?.text).not.toContain(Buffer.from(secret).toString('hex'));
    }
    await moveClock(db.database, 3_590_000);
    expect(await statusOf(access_token)).toBe(200);
    await moveClock(db.database, 11_000);
    expect(await statusOf(access_token)).toBe(401);
  });

  it('Contract §6 refresh: rotates, and a token that comes twice ends the whole family', async () => {
    const first = await tokensOf();
    const second = await oauth.refreshTokenGrant(first.config, first.refresh_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await statusOf(second.access_token)).toBe(200);
    const again = oauth.refreshTokenGrant(first.config, first.refresh_token);
    await expect(again).rejects.toEqual(invalid('invalid_grant'));
    expect(await statusOf(first.access_token)).toBe(401);
    expect(await statusOf(second.access_token)).toBe(401);
    const last = oauth.refreshTokenGrant(first.config, second.refresh_token ?? '');
    await expect(last).rejects.toEqual(invalid('invalid_grant'));
  });

  it('Contract §6 revoke: the next request is 401, by either token, and never by a stranger', async () => {
    const [one, two, stranger] = [await tokensOf(), await tokensOf(), await tokensOf()];
    await oauth.tokenRevocation(stranger.config, one.access_token);
    expect(await statusOf(one.access_token)).toBe(200);
    await oauth.tokenRevocation(one.config, one.access_token);
    await oauth.tokenRevocation(two.config, two.refresh_token);
    expect(await statusOf(one.access_token)).toBe(401);
    expect(await statusOf(two.access_token)).toBe(401);
    expect(await statusOf(stranger.access_token)).toBe(200);
  });

  it('Contract §6 introspect: an application learns of its own tokens, and of no others', async () => {
    const mine = await tokensOf({ kind: 'confidential' });
    const other = await tokensOf({ kind: 'confidential' });
    expect(await oauth.tokenIntrospection(mine.config, mine.access_token)).toMatchObject({
      active: true,
      sub: owner.userId,
      aud: world.baseUrl,
      scope: 'mcp payments:read',
    });
    const none = { active: false };
    expect(await oauth.tokenIntrospection(other.config, mine.access_token)).toEqual(none);
    await oauth.tokenRevocation(mine.config, mine.access_token);
    expect(await oauth.tokenIntrospection(mine.config, mine.access_token)).toEqual(none);
  });

  it('Contract §6 device: a code that the person types gives the device its token', async () => {
    const application = await anApplication(world.ports, owner, { redirectUris: [] });
    const { config } = await beginFlow(application);
    const device = await oauth.initiateDeviceAuthorization(config, { scope: 'payments:read' });
    expect(device.verification_uri).toBe(`${world.baseUrl}/account/device`);
    const browser = await aBrowserOf(owner);
    const { body } = await browser.call<{ uid: string }>('/oauth/device-code', {
      userCode: device.user_code,
    });
    const allowed = { decision: 'allow', clientId: client.id };
    expect((await browser.call(`/oauth/interactions/${body.uid}`, allowed)).status).toBe(200);
    const { access_token } = await oauth.pollDeviceAuthorizationGrant(config, {
      ...device,
      interval: 0.05,
    });
    expect(await statusOf(access_token)).toBe(200);
  });
});

describe('Contract §6, what a token opens', () => {
  const createGrant = async (person: TestToken, scopes: readonly string[]) =>
    aGrant(world.ports, { user: { id: person.userId }, client, scopes });

  it('Contract §6 role: read at each request, and 403 merchant_role_required without a membership', async () => {
    const person = await aToken(db.database, client, { role: 'member' });
    const { authorization } = await createGrant(person, ['members:write']);
    const list = async () => (await callWith(authorization, 'GET /v1/members')).json();
    expect(await list()).toMatchObject({ status: 403, code: 'merchant_role_required' });
    await db.database.write(setRole, [client.id, person.userId, 'admin']);
    expect(await list()).toMatchObject({ total: expect.any(Number) });
    await db.database.write(setRole, [client.id, person.userId, 'member']);
    expect(await list()).toMatchObject({ status: 403, code: 'merchant_role_required' });
    await db.database.write(leave, [client.id, person.userId]);
    expect(await list()).toMatchObject({ status: 403, code: 'merchant_role_required' });
  });

  it('Contract §6 audience: one token for /v1 and /mcp', async () => {
    const { authorization } = await createGrant(owner, ['mcp', 'payments:read']);
    expect((await callWith(authorization)).statusCode).toBe(200);
    const response = await fetch(`${world.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('list_payments');
  });
});
