// A real OAuth client library against the whole server: code with PKCE, refresh, reuse, revocation,
// introspection. Contract §6; RFC 6749, 7009, 7636, 7662, 8707, 9207, 9700.

import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  moveClock,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../test/harness.ts';
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
} from '../../test/people/oauth.ts';
import { sql } from '../storage/database/sql.ts';

let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
  client = await aClient(test.database, { name: 'A shop' });
  owner = await aToken(test.database, client);
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const scope = 'mcp payments:read';

type Flow = {
  readonly config: oauth.Configuration;
  readonly verifier: string;
  readonly state: string;
  readonly url: URL;
};

async function configOf(application: { id: string; secret: string | null }) {
  const auth = application.secret ? oauth.ClientSecretBasic(application.secret) : oauth.None();
  return oauth.discovery(new URL(world.baseUrl), application.id, undefined, auth, {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });
}

async function beginFlow(
  application: { id: string; secret: string | null },
  more: Record<string, string> = {},
): Promise<Flow> {
  const config = await configOf(application);
  const verifier = oauth.randomPKCECodeVerifier();
  const state = aState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  });
  return { config, verifier, state, url };
}

/** Allows access as the person; the browser returns to the application. */
async function allowAccess(browser: Browser, flow: Flow, clientId = client.id): Promise<URL> {
  const page = await browser.go(flow.url);
  expect(page.pathname).toMatch(/^\/account\/authorize\//);
  const answer = await decide(browser, page, { decision: 'allow', clientId });
  expect(answer).toMatchObject({ status: 200 });
  return browser.go(answer.body.redirectTo);
}

const exchange = ({ config, verifier, state }: Flow, back: URL) =>
  oauth.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });

async function tokens(application: { id: string; secret: string | null }) {
  const browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
  const flow = await beginFlow(application);
  const back = await allowAccess(browser, flow);
  return { ...(await exchange(flow, back)), config: flow.config, flow, back, browser };
}

const call = (token: string, path = 'GET /v1/payments') =>
  callAs(world.server.app, null, path as 'GET /', {
    headers: { authorization: `Bearer ${token}` },
  });

describe('authorization code with PKCE', () => {
  it('Spec 5 rule 2 · Contract §6 access token, merchant: a person signs in, chooses a merchant, allows; the token acts for it', async () => {
    const application = await anApplication(world.ports, owner, { name: 'Desk' });
    const browser = new Browser(world.baseUrl);
    const flow = await beginFlow(application);
    const page = await browser.go(flow.url);
    const path = `/oauth/interactions/${uidOf(page)}`;
    const before = await browser.call<ConsentRequest>(path);
    expect(before.body).toMatchObject({ prompt: 'sign_in', person: null, merchants: [] });
    await browser.signIn(world.ports, { id: owner.userId });
    const asked = await browser.call<ConsentRequest>(path);
    expect(asked).toEqual({
      status: 200,
      body: {
        prompt: 'consent',
        kind: 'redirect',
        application: {
          id: application.id,
          name: 'Desk',
          uri: null,
          redirectHost: 'app.example.test',
          isSelfNamed: false,
          madeBy: 'A shop',
        },
        scopes: ['mcp', 'payments:read'],
        isForAgents: false,
        merchants: [{ clientId: client.id, name: 'A shop', role: 'owner' }],
        person: { email: `${owner.userId}@example.test`, name: null },
      },
    });
    const answer = await decide(browser, page, { decision: 'allow', clientId: client.id });
    const back = await browser.go(answer.body.redirectTo);
    expect(`${back.origin}${back.pathname}`).toBe(redirectUri);
    expect(back.searchParams.get('iss')).toBe(world.baseUrl);
    expect(back.searchParams.get('state')).toBe(flow.state);
    const got = await exchange(flow, back);
    expect(got).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope });
    expect(got.access_token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(got.id_token).toBeUndefined();
    expect((await call(got.access_token)).statusCode).toBe(200);
    expect(world.errors).toEqual([]);
  });

  it('the person may refuse: access_denied goes back to the application, and nothing is kept', async () => {
    const browser = new Browser(world.baseUrl);
    await browser.signIn(world.ports, { id: owner.userId });
    const flow = await beginFlow(await anApplication(world.ports, owner));
    const page = await browser.go(flow.url);
    const answer = await decide(browser, page, { decision: 'refuse' });
    const back = await browser.go(answer.body.redirectTo);
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('state')).toBe(flow.state);
    expect(back.searchParams.get('code')).toBeNull();
  });

  it('a part of the scopes may be allowed, never more than was asked', async () => {
    const browser = new Browser(world.baseUrl);
    await browser.signIn(world.ports, { id: owner.userId });
    const flow = await beginFlow(await anApplication(world.ports, owner));
    const page = await browser.go(flow.url);
    const more = { decision: 'allow', clientId: client.id, scopes: ['payment_methods:read'] };
    expect(await decide(browser, page, more)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', param: 'scopes' },
    });
    const answer = await decide(browser, page, { ...more, scopes: ['mcp'] });
    const got = await exchange(flow, await browser.go(answer.body.redirectTo));
    expect(got.scope).toBe('mcp');
    expect((await call(got.access_token)).json()).toMatchObject({ code: 'insufficient_scope' });
  });

  it('scopes that the application may not have are left out; none that it may: invalid_scope', async () => {
    const application = await anApplication(world.ports, owner, { scopes: ['mcp'] });
    const browser = new Browser(world.baseUrl);
    await browser.signIn(world.ports, { id: owner.userId });
    const flow = await beginFlow(application, { scope: 'mcp refunds:write sudo' });
    const page = await browser.go(flow.url);
    const asked = await browser.call<ConsentRequest>(`/oauth/interactions/${uidOf(page)}`);
    expect(asked.body.scopes).toEqual(['mcp']);
    for (const none of ['refunds:write', 'sudo', 'openid mcp', '']) {
      const { url } = await beginFlow(application, { scope: none });
      expect((await browser.go(url)).searchParams.get('error')).toBe('invalid_scope');
    }
  });

  it('a code counts once: the second use ends what the first one gave', async () => {
    const { access_token, flow, back } = await tokens(await anApplication(world.ports, owner));
    expect((await call(access_token)).statusCode).toBe(200);
    await expect(exchange(flow, back)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await call(access_token)).statusCode).toBe(401);
  });

  it('of two uses of a code at once at most one is answered with tokens, and these are dead', async () => {
    const browser = new Browser(world.baseUrl);
    await browser.signIn(world.ports, { id: owner.userId });
    const flow = await beginFlow(await anApplication(world.ports, owner));
    const back = await allowAccess(browser, flow);
    const answers = await Promise.allSettled([1, 2, 3].map(() => exchange(flow, back)));
    const got = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(got.length).toBeLessThanOrEqual(1);
    for (const { access_token } of got) expect((await call(access_token)).statusCode).toBe(401);
  });

  it('Contract §6 code: a code of another application, without its verifier, or late, is refused', async () => {
    const application = await anApplication(world.ports, owner);
    const other = await configOf(await anApplication(world.ports, owner));
    const browser = new Browser(world.baseUrl);
    await browser.signIn(world.ports, { id: owner.userId });
    const wrong: ((flow: Flow, back: URL) => Promise<unknown>)[] = [
      (flow, back) => exchange({ ...flow, config: other }, back),
      (flow, back) => exchange({ ...flow, verifier: oauth.randomPKCECodeVerifier() }, back),
      async (flow, back) => {
        await moveClock(test.database, 61_000);
        return exchange(flow, back);
      },
    ];
    for (const attempt of wrong) {
      const flow = await beginFlow(application);
      const back = await allowAccess(browser, flow);
      await expect(attempt(flow, back)).rejects.toMatchObject({ error: 'invalid_grant' });
    }
  });
});

describe('refresh', () => {
  it('Contract §6 refresh: rotates; the token before is used up, and showing it again ends the whole family', async () => {
    const first = await tokens(await anApplication(world.ports, owner));
    const second = await oauth.refreshTokenGrant(first.config, first.refresh_token ?? '');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    for (const { access_token } of [first, second]) {
      expect((await call(access_token)).statusCode).toBe(200);
    }
    const again = oauth.refreshTokenGrant(first.config, first.refresh_token ?? '');
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant' });
    for (const { access_token, refresh_token } of [first, second]) {
      expect((await call(access_token)).statusCode).toBe(401);
      const dead = oauth.refreshTokenGrant(first.config, refresh_token ?? '');
      await expect(dead).rejects.toMatchObject({ error: 'invalid_grant' });
    }
  });

  it('twice at once is twice: at most one answer, and the family is dead', async () => {
    const first = await tokens(await anApplication(world.ports, owner));
    const answers = await Promise.allSettled(
      [1, 2, 3].map(() => oauth.refreshTokenGrant(first.config, first.refresh_token ?? '')),
    );
    const got = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(got.length).toBeLessThanOrEqual(1);
    for (const { access_token } of [first, ...got]) {
      expect((await call(access_token)).statusCode).toBe(401);
    }
  });

  it('slides for 30 days, and ends 90 days after the consent', async () => {
    const dayMs = 86_400_000;
    const first = await tokens(await anApplication(world.ports, owner));
    let refresh = first.refresh_token ?? '';
    for (let days = 29; days < 90; days += 29) {
      await moveClock(test.database, 29 * dayMs);
      const next = await oauth.refreshTokenGrant(first.config, refresh);
      refresh = next.refresh_token ?? '';
      expect((await call(next.access_token)).statusCode).toBe(200);
    }
    await moveClock(test.database, 4 * dayMs);
    await expect(oauth.refreshTokenGrant(first.config, refresh)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const idle = await tokens(await anApplication(world.ports, owner));
    await moveClock(test.database, 30 * dayMs + 1000);
    await expect(
      oauth.refreshTokenGrant(idle.config, idle.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('may ask for less, never for more', async () => {
    const first = await tokens(await anApplication(world.ports, owner));
    const refresh = (wanted: string, token: string) =>
      oauth.refreshTokenGrant(first.config, token, { scope: wanted });
    const less = await refresh('mcp', first.refresh_token ?? '');
    expect(less.scope).toBe('mcp');
    expect((await call(less.access_token)).json()).toMatchObject({ code: 'insufficient_scope' });
    const more = refresh('mcp refunds:write', less.refresh_token ?? '');
    await expect(more).rejects.toMatchObject({ error: 'invalid_scope' });
  });
});

describe('revocation and introspection', () => {
  it('Contract §6 revoke: RFC 7009: the application ends its own tokens, of either kind, and no others', async () => {
    const application = await anApplication(world.ports, owner);
    const stranger = await configOf(await anApplication(world.ports, owner));
    const one = await tokens(application);
    await oauth.tokenRevocation(stranger, one.access_token);
    expect((await call(one.access_token)).statusCode).toBe(200);
    await oauth.tokenRevocation(one.config, one.access_token);
    expect((await call(one.access_token)).statusCode).toBe(401);
    const two = await tokens(application);
    await oauth.tokenRevocation(two.config, two.refresh_token ?? '');
    expect((await call(two.access_token)).statusCode).toBe(401);
    await oauth.tokenRevocation(two.config, 'never issued');
  });

  it('Contract §6 introspect: RFC 7662: a confidential application looks at its own tokens; others see nothing', async () => {
    const application = await anApplication(world.ports, owner, { kind: 'confidential' });
    const other = await anApplication(world.ports, owner, { kind: 'confidential' });
    const { access_token, refresh_token, config } = await tokens(application);
    expect(await oauth.tokenIntrospection(config, access_token)).toMatchObject({
      active: true,
      client_id: application.id,
      sub: owner.userId,
      aud: world.baseUrl,
      iss: world.baseUrl,
      scope,
      token_type: 'Bearer',
    });
    expect(await oauth.tokenIntrospection(await configOf(other), access_token)).toEqual({
      active: false,
    });
    const { config: shared } = await tokens(await anApplication(world.ports, owner));
    expect(await oauth.tokenIntrospection(shared, access_token)).toEqual({ active: false });
    await oauth.tokenRevocation(config, refresh_token ?? '');
    expect(await oauth.tokenIntrospection(config, access_token)).toEqual({ active: false });
  });

  it('a wrong secret is a 401 invalid_client, and so is a secret of a public application', async () => {
    const made = await anApplication(world.ports, owner, { kind: 'confidential' });
    const open = await anApplication(world.ports, owner);
    for (const { id } of [made, open]) {
      const config = await configOf({ id, secret: 'svc_app_wrong' });
      await expect(oauth.tokenIntrospection(config, 'x')).rejects.toMatchObject({ status: 401 });
    }
    const config = await configOf({ id: made.id, secret: null });
    await expect(oauth.refreshTokenGrant(config, 'x')).rejects.toMatchObject({
      error: 'invalid_client',
    });
  });
});

describe('what is kept', () => {
  const everything = sql<{ text: string }>(
    'test_oauth_rows',
    `select row_to_json(r)::text as text from oauth_records r
     union all select row_to_json(g)::text from oauth_grants g
     union all select row_to_json(a)::text from applications a
     union all select row_to_json(e)::text from audit_entries e`,
  );

  it('nothing in the store opens anything: no value, no secret, in no spelling', async () => {
    const application = await anApplication(world.ports, owner, { kind: 'confidential' });
    const { access_token, refresh_token, back } = await tokens(application);
    const rows = await test.database.read(everything, []);
    const stored = rows.map(({ text }) => text).join('\n');
    expect(rows.length).toBeGreaterThan(10);
    const secrets = [
      access_token,
      refresh_token,
      back.searchParams.get('code'),
      application.secret,
    ];
    for (const secret of secrets) {
      expect(secret).toBeTruthy();
      const hex = Buffer.from(String(secret)).toString('hex');
      expect(stored).not.toContain(String(secret));
      expect(stored).not.toContain(hex);
    }
    expect(JSON.stringify(world.server.logged)).not.toContain(String(access_token));
    expect(JSON.stringify(world.server.logged)).not.toContain(
      String(back.searchParams.get('code')),
    );
  });
});
