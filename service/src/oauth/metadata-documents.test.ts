// What the server publishes about itself, and what applications publish at the address that is
// their id. RFC 8414, RFC 9728, client id metadata documents.

import { hash } from 'node:crypto';
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
import {
  Browser,
  type ConsentRequest,
  decide,
  type OauthWorld,
  startOauth,
  uidOf,
} from '../../test/people/oauth.ts';

let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
let browser: Browser;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
  client = await aClient(test.database);
  owner = await aToken(test.database, client);
  browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const readJson = async (path: string) => {
  const response = await fetch(`${world.baseUrl}${path}`);
  return (await response.json()) as Record<string, unknown>;
};

describe('metadata of the server', () => {
  it('Contract §6 metadata: RFC 8414: the issuer is the base address, and every endpoint is there', async () => {
    const metadata = await readJson('/.well-known/oauth-authorization-server');
    expect(metadata).toMatchObject({
      issuer: world.baseUrl,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(metadata).not.toHaveProperty('registration_endpoint');
    expect(metadata).not.toHaveProperty('jwks_uri');
    for (const name of ['token', 'revocation', 'introspection', 'device_authorization']) {
      const response = await fetch(String(metadata[`${name}_endpoint`]), { method: 'POST' });
      expect([name, response.status]).toEqual([name, 400]);
    }
    const authorize = await fetch(String(metadata.authorization_endpoint));
    expect(authorize.status).toBe(400);
  });

  it('RFC 9728: the resource is the base address, and /mcp is named where it is asked for', async () => {
    expect(await readJson('/.well-known/oauth-protected-resource')).toMatchObject({
      resource: world.baseUrl,
      authorization_servers: [world.baseUrl],
      bearer_methods_supported: ['header'],
    });
    const forAgents = await readJson('/.well-known/oauth-protected-resource/mcp');
    expect(forAgents).toMatchObject({
      resource: `${world.baseUrl}/mcp`,
      authorization_servers: [world.baseUrl],
    });
    // A client that asks for all of these scopes gets no scope to create API tokens.
    expect(forAgents.scopes_supported).toContain('payments:read');
    expect(forAgents.scopes_supported).not.toContain('mcp');
  });

  it('Contract §6 challenge: a 401 of the API names the document that leads to it', async () => {
    const headers = { authorization: 'Bearer unknown-unknown-unknown' };
    const response = await callAs(world.server.app, null, 'GET /v1/payments', { headers });
    const [, url] = /resource_metadata="([^"]+)"/.exec(
      String(response.headers['www-authenticate']),
    ) ?? [null, ''];
    expect(await (await fetch(String(url))).json()).toMatchObject({ resource: world.baseUrl });
  });
});

const id = 'https://agent.example.test/application.json';
const redirect = 'http://127.0.0.1/callback';
const document = {
  client_id: id,
  client_name: 'An agent',
  client_uri: 'https://agent.example.test/',
  redirect_uris: [redirect, 'https://agent.example.test/callback'],
};
const verifier = 'x'.repeat(60);

const publish = (body: unknown, more: { status?: number; headers?: Record<string, string> } = {}) =>
  world.documents.set(id, {
    status: 200,
    headers: {},
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    ...more,
  });

const request = (more: Record<string, string> = {}) =>
  `/oauth/authorize?${new URLSearchParams({
    client_id: id,
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1:50123/callback',
    scope: 'mcp payments:read',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...more,
  })}`;

describe('client id metadata documents', () => {
  // A document that was read is kept by the process for an hour at least: the good one comes last.
  it.each([
    ['is not there', '', { status: 404 }],
    ['redirects', '', { status: 302, headers: { location: 'https://other.example.test/' } }],
    ['is no JSON', '<html>', {}],
    ['is a list', [], {}],
    ['names another id', { ...document, client_id: 'https://other.example.test/a.json' }, {}],
    ['names no id', { ...document, client_id: undefined }, {}],
    ['has a secret', { ...document, client_secret: 'x' }, {}],
    [
      'wants a shared secret',
      { ...document, token_endpoint_auth_method: 'client_secret_post' },
      {},
    ],
    ['wants keys', { ...document, token_endpoint_auth_method: 'private_key_jwt' }, {}],
    ['sends to plain http', { ...document, redirect_uris: ['http://agent.example.test/cb'] }, {}],
    ['sends to a script', { ...document, redirect_uris: ['javascript:alert(1)'] }, {}],
    ['sends to many', { ...document, redirect_uris: Array(21).fill(redirect) }, {}],
    ['sends to no text', { ...document, redirect_uris: [1] }, {}],
  ])('400 on our own page where the document %s', async (_, body, more) => {
    publish(body, more);
    const { redirect_uris: named = [] } = body as { redirect_uris?: unknown[] };
    const [first = redirect] = named.length === 1 ? named : [];
    const response = await browser.fetch(request({ redirect_uri: String(first) }));
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  it.each([
    'http://agent.example.test/application.json',
    'https://agent.example.test/a/../b.json',
    'https://user@agent.example.test/a.json',
    'https://agent.example.test/a.json#x',
    'https://',
    'file:///etc/passwd',
  ])('an id of another form is never fetched: %s', async (client_id) => {
    const before = world.fetched.length;
    expect((await browser.fetch(request({ client_id }))).status).toBe(400);
    expect(world.fetched).toHaveLength(before);
  });

  it('an application known by its document alone comes through the whole flow, named by itself', async () => {
    publish(document);
    const before = world.fetched.length;
    const pages = await Promise.all([1, 2, 3].map(() => browser.go(request())));
    // The document is fetched once, for requests at the same time and in the hours after.
    expect(world.fetched).toHaveLength(before + 1);
    const [page = new URL(world.baseUrl)] = pages;
    const asked = await browser.call<ConsentRequest>(`/oauth/interactions/${uidOf(page)}`);
    expect(asked.body.application).toEqual({
      id,
      name: 'An agent',
      uri: 'https://agent.example.test/',
      redirectHost: '127.0.0.1:50123',
      isSelfNamed: true,
      madeBy: null,
    });
    const answer = await decide(browser, page, { decision: 'allow', clientId: client.id });
    const back = await browser.go(answer.body.redirectTo);
    expect(back.origin).toBe('http://127.0.0.1:50123');
    const token = await fetch(`${world.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: id,
        redirect_uri: 'http://127.0.0.1:50123/callback',
        code_verifier: verifier,
        code: back.searchParams.get('code') ?? '',
      }),
    });
    const got = (await token.json()) as { access_token: string; refresh_token: string };
    expect(got.refresh_token).toBeTruthy();
    const headers = { authorization: `Bearer ${got.access_token}` };
    const called = await callAs(world.server.app, null, 'GET /v1/payments', { headers });
    expect(called.statusCode).toBe(200);
    expect(world.fetched).toHaveLength(before + 1);
    expect(world.errors).toEqual([]);
  });

  it('its name is shown on one line that nothing turns; an address in capitals is an address', async () => {
    const odd = 'HTTPS://odd.example.test/a.json';
    const client_name = ' \u202eSvc\u0000 team 👩‍🍳 ';
    world.documents.set(odd, {
      status: 200,
      body: Buffer.from(JSON.stringify({ ...document, client_id: odd, client_name })),
    });
    const page = await browser.go(request({ client_id: odd }));
    const asked = await browser.call<ConsentRequest>(`/oauth/interactions/${uidOf(page)}`);
    expect(asked.body.application).toMatchObject({ name: 'Svc team 👩‍🍳', isSelfNamed: true });
    const answer = await decide(browser, page, { decision: 'allow', clientId: client.id });
    expect(answer.status).toBe(200);
  });
});
