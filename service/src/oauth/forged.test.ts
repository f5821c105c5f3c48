// Forged, foreign and mixed-up requests that must not lead to a code, and tokens that must not be
// accepted. RFC 9207, 9700.

import { hash } from 'node:crypto';
import { passTime } from '@svc/tools/pass-time';
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
import { aGrant } from '../../test/people/grants.ts';
import {
  anApplication,
  Browser,
  type ConsentRequest,
  decide,
  type OauthWorld,
  redirectUri,
  startOauth,
  uidOf,
} from '../../test/people/oauth.ts';

let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
let application: { id: string };
let browser: Browser;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
  client = await aClient(test.database);
  owner = await aToken(test.database, client);
  application = await anApplication(world.ports, owner);
  browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const verifier = 'v'.repeat(64);
const challenge = hash('sha256', verifier, 'base64url');

function request(more: Record<string, string | null> = {}): string {
  const params = {
    client_id: application.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'mcp payments:read',
    state: 'a-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  const given = Object.entries(params).filter((each): each is [string, string] => each[1] !== null);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

async function redeem(code: string, more: Record<string, string> = {}) {
  const response = await fetch(`${world.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: application.id,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      code,
      ...more,
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function codeOf(url: string, as = browser): Promise<string> {
  const page = await as.go(url);
  const answer = await decide(as, page, { decision: 'allow', clientId: client.id });
  return (await as.go(answer.body.redirectTo)).searchParams.get('code') ?? '';
}

describe('authorization requests', () => {
  it.each([
    ['another address', { redirect_uri: 'https://evil.example.test/callback' }],
    ['a longer path', { redirect_uri: `${redirectUri}/more` }],
    ['a query added', { redirect_uri: `${redirectUri}?x=1` }],
    ['another port', { redirect_uri: 'https://app.example.test:8443/callback' }],
    ['upper case', { redirect_uri: 'https://app.example.test/Callback' }],
    ['no address', { redirect_uri: null }],
    ['an unknown application', { client_id: '01900000-0000-7000-8000-000000000000' }],
    ['a name that is none', { client_id: '../../admin' }],
  ])('400 on a page of our own, never a redirect: %s', async (_, more) => {
    const response = await browser.fetch(request(more));
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('what a stranger wrote is text on that page, never markup', async () => {
    const response = await browser.fetch(request({ client_id: '<script>alert(1)</script>' }));
    expect(await response.text()).not.toContain('<script>');
  });

  it.each([
    ['PKCE is left out', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['PKCE is plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['no type', { response_type: null }, 'invalid_request'],
    ['a type that is none', { response_type: 'cookie' }, 'unsupported_response_type'],
    [
      'the implicit flow in the query',
      { response_type: 'token', response_mode: 'query' },
      'unsupported_response_type',
    ],
    ['a foreign audience', { resource: 'https://other.example.test' }, 'invalid_target'],
    ['OpenID', { scope: 'openid mcp' }, 'invalid_scope'],
    ['max_age, which is OpenID’s', { max_age: '60' }, 'invalid_request'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a prompt that is none', { prompt: 'dance' }, 'invalid_request'],
  ])('%s: refused at the application, with iss and state', async (_, more, error) => {
    const back = await browser.go(request(more));
    expect(`${back.origin}${back.pathname}`).toBe(redirectUri);
    const answered = Object.fromEntries([
      ...back.searchParams,
      ...new URLSearchParams(back.hash.slice(1)),
    ]);
    expect(answered).toMatchObject({ error, iss: world.baseUrl, state: 'a-state' });
    expect(answered).not.toHaveProperty('code');
  });

  it.each(['form_post', 'fragment', 'jwt'])(
    'an answer in another way than the query is never begun: %s',
    async (response_mode) => {
      const response = await browser.fetch(request({ response_mode }));
      const location = response.headers.get('location') ?? '';
      expect(location).not.toContain('/account/authorize/');
      expect(location + (await response.text())).toMatch(
        /invalid_request|unsupported_response_mode/,
      );
    },
  );

  it('prompt=none never asks: login_required, or consent_required of who is signed in', async () => {
    const nobody = new Browser(world.baseUrl);
    const errorOf = async (as: Browser) =>
      (await as.go(request({ prompt: 'none' }))).searchParams.get('error');
    expect(await errorOf(nobody)).toBe('login_required');
    expect(await errorOf(browser)).toBe('consent_required');
  });

  it('prompt=login asks for a proof that is newer than the request', async () => {
    const person = new Browser(world.baseUrl);
    await person.signIn(world.ports, { id: owner.userId }, 2);
    const page = await person.go(request({ prompt: 'login' }));
    const path = `/oauth/interactions/${uidOf(page)}`;
    expect((await person.call<ConsentRequest>(path)).body.prompt).toBe('sign_in');
    const allow = { decision: 'allow', clientId: client.id };
    expect(await decide(person, page, allow)).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    });
    await passTime(1100, 'instants of proofs are compared in whole seconds of real time');
    await person.signIn(world.ports, { id: owner.userId });
    expect((await person.call<ConsentRequest>(path)).body.prompt).toBe('consent');
    expect((await decide(person, page, allow)).status).toBe(200);
  });

  it('a native application’s loopback port is free, its host and path are not', async () => {
    const native = await anApplication(world.ports, owner, {
      redirectUris: ['http://127.0.0.1/cb', 'com.example.desk:/cb'],
    });
    const authorizeWith = (redirect_uri: string) =>
      browser.fetch(request({ client_id: native.id, redirect_uri }));
    expect((await authorizeWith('http://127.0.0.1:51234/cb')).status).toBe(303);
    expect((await authorizeWith('com.example.desk:/cb')).status).toBe(303);
    for (const wrong of [
      'http://127.0.0.1:51234/other',
      'http://localhost:51234/cb',
      'https://127.0.0.1/cb',
      'http://127.0.0.1.evil.test:51234/cb',
      'http://127.0.0.1:51234@evil.test/cb',
    ]) {
      expect((await authorizeWith(wrong)).status).toBe(400);
    }
  });
});

describe('the token endpoint', () => {
  it.each([
    ['without the verifier', { code_verifier: '' }],
    ['with another address', { redirect_uri: `${redirectUri}/` }],
  ])('a code %s gives nothing', async (_, more) => {
    const answer = await redeem(await codeOf(request()), more);
    expect(answer.status).toBe(400);
    expect(answer.body).not.toHaveProperty('access_token');
  });

  it('takes forms only, and no grant that is not ours', async () => {
    const json = await fetch(`${world.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'authorization_code' }),
    });
    expect(json.status).toBe(400);
    for (const grant_type of ['password', 'client_credentials', 'implicit']) {
      expect(await redeem('x', { grant_type })).toMatchObject({
        status: 400,
        body: { error: 'unsupported_grant_type' },
      });
    }
  });

  it('there is no dynamic registration, and no other route of the library', async () => {
    for (const path of ['/oauth/register', '/reg', '/me', '/jwks', '/session/end', '/request']) {
      const response = await fetch(`${world.baseUrl}${path}`, { method: 'POST' });
      expect(response.status).toBe(404);
    }
  });
});

describe('Bearer tokens', () => {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'x', sub: 'y', aud: 'http://localhost:4000', exp: 4_102_444_800 };
  const forged = [
    `${encodePart({ alg: 'none', typ: 'at+jwt' })}.${encodePart(claims)}.`,
    `${encodePart({ alg: 'None' })}.${encodePart(claims)}.`,
    `${encodePart({ alg: 'HS256' })}.${encodePart(claims)}.${'A'.repeat(43)}`,
    `${encodePart({ alg: 'RS256', jku: 'https://evil.example.test' })}.${encodePart(claims)}.${'A'.repeat(342)}`,
    'A'.repeat(43),
    'A'.repeat(200),
    'A'.repeat(9000),
    '0'.repeat(64),
    '',
    ' ',
    'null',
    '%00',
    '💳',
  ];

  it.each(forged.map((token) => [token.slice(0, 30), token]))(
    'forged is 401 authentication_required: %s',
    async (_, token) => {
      const headers = { authorization: `Bearer ${Buffer.from(token).toString('latin1')}` };
      const response = await callAs(world.server.app, null, 'GET /v1/payments', { headers });
      expect(response.statusCode).toBe(401);
      expect(response.json()).toMatchObject({ code: 'authentication_required' });
    },
  );

  it('neither a code, nor a refresh token, nor a digest is an access token', async () => {
    const code = await codeOf(request());
    const { body } = await redeem(code);
    const grant = await aGrant(world.ports, {
      user: { id: owner.userId },
      client,
      scopes: ['mcp'],
    });
    const digest = hash('sha256', grant.accessToken, 'hex');
    for (const token of [code, String(body.refresh_token), digest, grant.grantId]) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await callAs(world.server.app, null, 'GET /v1/payments', { headers });
      expect(response.statusCode).toBe(401);
    }
  });

  it('in the query or the body a token is not looked at', async () => {
    const { accessToken } = await aGrant(world.ports, {
      user: { id: owner.userId },
      client,
      scopes: ['mcp', 'payments:read'],
    });
    const query = await callAs(
      world.server.app,
      null,
      `GET /v1/payments?access_token=${accessToken}`,
    );
    expect(query.statusCode).toBe(401);
  });
});

describe('the consent page’s calls', () => {
  const allow = () => ({ decision: 'allow', clientId: client.id });

  it('403 cross_site_request: another site’s page decides nothing', async () => {
    const page = await browser.go(request());
    const path = `/oauth/interactions/${uidOf(page)}`;
    for (const headers of [
      { origin: 'https://evil.example.test', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example.test' },
      { origin: 'null' },
      {},
      { origin: world.baseUrl, 'sec-fetch-site': 'same-site' },
    ]) {
      const options = { method: 'POST', body: allow(), headers: headers as Record<string, string> };
      const response = await browser.fetch(path, options);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'cross_site_request' });
    }
    expect((await decide(browser, page, allow())).status).toBe(200);
  });

  it('404 authorization_not_found: in another browser the request is nobody’s', async () => {
    const page = await browser.go(request());
    const victim = new Browser(world.baseUrl);
    await victim.signIn(world.ports, { id: owner.userId });
    expect((await decide(victim, page, allow())).body.code).toBe('authorization_not_found');
    await victim.go(request());
    expect((await decide(victim, page, allow())).body.code).toBe('authorization_not_found');
  });

  it('once decided it is over; and somebody else’s way back is no way', async () => {
    const page = await browser.go(request());
    const answer = await decide(browser, page, allow());
    expect((await decide(browser, page, allow())).status).toBe(404);
    const other = new Browser(world.baseUrl);
    expect((await other.fetch(answer.body.redirectTo)).status).toBe(400);
    expect((await browser.go(answer.body.redirectTo)).searchParams.get('code')).toBeTruthy();
    expect((await browser.fetch(answer.body.redirectTo)).status).toBe(400);
  });

  it('a consent given is not carried on in the browser of who has signed in meanwhile', async () => {
    const person = new Browser(world.baseUrl);
    await person.signIn(world.ports, { id: owner.userId });
    const page = await person.go(request());
    const answer = await decide(person, page, allow());
    const other = await aToken(test.database, client, { role: 'member' });
    await person.signIn(world.ports, { id: other.userId });
    const next = await person.go(answer.body.redirectTo);
    expect(next.pathname).toMatch(/^\/account\/authorize\//);
    person.signOut();
    expect(
      (await person.call<ConsentRequest>(`/oauth/interactions/${uidOf(next)}`)).body,
    ).toMatchObject({
      prompt: 'sign_in',
    });
  });

  it('401 sign_in_required, 403 recent_sign_in_required, 404 client_not_found', async () => {
    const person = new Browser(world.baseUrl);
    const page = await person.go(request());
    expect((await decide(person, page, allow())).body.code).toBe('sign_in_required');
    await person.signIn(world.ports, { id: owner.userId }, 16);
    expect((await decide(person, page, allow())).body.code).toBe('recent_sign_in_required');
    await person.signIn(world.ports, { id: owner.userId });
    const foreign = await aClient(test.database);
    for (const clientId of [foreign.id, '01900000-0000-7000-8000-000000000000']) {
      const answer = await decide(person, page, { decision: 'allow', clientId });
      expect(answer).toMatchObject({ status: 404, body: { code: 'client_not_found' } });
    }
  });

  it('400 invalid_request: a decision of another shape', async () => {
    const page = await browser.go(request());
    for (const body of [
      {},
      { decision: 'maybe' },
      { decision: 'allow' },
      { decision: 'allow', clientId: 'x' },
      { ...allow(), scopes: 'mcp' },
      { ...allow(), scopes: [] },
      { ...allow(), scopes: [1] },
      { ...allow(), more: true },
    ]) {
      expect((await decide(browser, page, body)).body.code).toBe('invalid_request');
    }
  });
});
