// The routes themselves: behind a proxy at another address, in the log, with invalid bodies,
// without a database.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  freshDatabase,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../test/harness.ts';
import {
  anApplication,
  type OauthWorld,
  redirectUri,
  startOauth,
} from '../../test/people/oauth.ts';
import { openDatabase } from '../storage/database/database.ts';

const baseUrl = 'https://pay.example.test/svc';
let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
let application: { id: string };
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test, { baseUrl });
  client = await aClient(test.database);
  owner = await aToken(test.database, client);
  application = await anApplication(world.ports, owner);
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const request = () =>
  `/oauth/authorize?${new URLSearchParams({
    client_id: application.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'mcp',
    state: 'state-of-the-application',
    code_challenge: hash('sha256', 'x'.repeat(50), 'base64url'),
    code_challenge_method: 'S256',
  })}`;

const post = (path: string, init: RequestInit, at = world) =>
  fetch(`${at.address}${path}`, { method: 'POST', ...init });

describe('behind a proxy with a path of its own', () => {
  it('every address is the public one, and cookies are for TLS and this request alone', async () => {
    const response = await fetch(`${world.address}${request()}`, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example.test', 'x-forwarded-proto': 'http' },
    });
    expect(response.status).toBe(303);
    const page = new URL(response.headers.get('location') ?? '');
    expect(page.href).toMatch(/^https:\/\/pay\.example\.test\/svc\/account\/authorize\/[\w-]+$/);
    const uid = page.pathname.split('/').at(-1);
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(1);
    const paths = new Set<string | undefined>();
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; secure/i);
      expect(cookie).toMatch(/; httponly/i);
      expect(cookie).toMatch(/; samesite=lax/i);
      paths.add(/; path=([^;]+)/i.exec(cookie)?.[1]);
    }
    expect([...paths].sort()).toEqual([
      `/svc/oauth/authorize/${uid}`,
      `/svc/oauth/interactions/${uid}`,
    ]);
  });

  it('a device is sent to the public address', async () => {
    const body = new URLSearchParams({ client_id: application.id, scope: 'mcp' });
    const answer = await (await post('/oauth/device_authorization', { body })).json();
    expect(answer).toMatchObject({ verification_uri: `${baseUrl}/account/device` });
  });
});

describe('the access log', () => {
  it('names the route, never what stands in the query', async () => {
    await fetch(`${world.address}${request()}`, { redirect: 'manual' });
    const lines = () => world.server.logged.filter(({ route }) => route === '/oauth/authorize');
    await expect.poll(() => lines().length).toBeGreaterThan(0);
    expect(lines().at(-1)).toMatchObject({ method: 'GET', status: 303 });
    expect(JSON.stringify(world.server.logged)).not.toContain('state-of-the-application');
  });
});

describe('bodies and methods', () => {
  it('400 or 413: a body that is too large is not read to its end', async () => {
    const body = new URLSearchParams({ grant_type: 'x'.repeat(200_000) });
    const response = await post('/oauth/token', { body }).catch(() => null);
    expect([400, 413, null]).toContain(response?.status ?? null);
    const after = await post('/oauth/token', { body: new URLSearchParams() });
    expect(after.status).toBe(400);
  });

  it.each([
    ['a name twice', 'client_id=a&client_id=b&grant_type=refresh_token'],
    ['no form', '{"grant_type":"refresh_token"}'],
    ['a broken escape', 'grant_type=%E0%A4%A&client_id=%00'],
    ['names of objects', '__proto__[x]=1&constructor=2&grant_type=toString'],
  ])('400 or 401, with a word for the application: %s', async (_, body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await post('/oauth/token', { body, headers });
    expect([400, 401]).toContain(response.status);
    expect(await response.json()).toHaveProperty('error');
  });

  it('405 with Allow, in our own error object', async () => {
    const response = await fetch(`${world.address}/oauth/token`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
  });
});

describe('without a database', () => {
  it('503 with Retry-After: nothing was decided, and nothing of the reason is told', async () => {
    const database = openDatabase({
      url: test.url.replace(/\/[^/?]+(\?|$)/, '/no_such_database$1'),
    });
    const alone = await startOauth({ ...test, database });
    try {
      const body = new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: application.id,
        refresh_token: 'x',
      });
      const response = await post('/oauth/token', { body }, alone);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.text()).not.toContain('no_such_database');
      expect(alone.errors).toHaveLength(1);
    } finally {
      await alone.server.close();
      await database.close();
    }
  });
});
