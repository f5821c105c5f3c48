// The device flow (RFC 8628) with a real client library, and what our page gets meanwhile.

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
  Browser,
  type ConsentRequest,
  type OauthWorld,
  startOauth,
} from '../../test/people/oauth.ts';

let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
let config: oauth.Configuration;
let browser: Browser;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test, { isLimited: true });
  client = await aClient(test.database);
  owner = await aToken(test.database, client);
  const { id } = await anApplication(world.ports, owner, { redirectUris: [] });
  config = await oauth.discovery(new URL(world.baseUrl), id, undefined, oauth.None(), {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });
  browser = new Browser(world.baseUrl);
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const startFlow = () => oauth.initiateDeviceAuthorization(config, { scope: 'mcp payments:read' });

const poll = (device: oauth.DeviceAuthorizationResponse) =>
  oauth.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.05 });

/** Polls for the token once, without waiting. */
async function pollToken(device: oauth.DeviceAuthorizationResponse) {
  const response = await fetch(`${world.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: config.clientMetadata().client_id,
      device_code: device.device_code,
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const enterCode = (userCode: string, as = browser) =>
  as.call<{ uid: string; code: string }>('/oauth/device-code', { userCode });

const decide = (uid: string, decision: object, as = browser) =>
  as.call<{ redirectTo: string; code: string }>(`/oauth/interactions/${uid}`, decision);

describe('device flow', () => {
  it('Contract §6 device: the person types the code, allows at one merchant, and the device gets its token', async () => {
    const device = await startFlow();
    expect(device).toMatchObject({
      verification_uri: `${world.baseUrl}/account/device`,
      verification_uri_complete: `${world.baseUrl}/account/device?user_code=${device.user_code}`,
      expires_in: 600,
    });
    expect(device.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect((await pollToken(device)).body).toMatchObject({ error: 'authorization_pending' });
    expect(await enterCode(device.user_code)).toMatchObject({
      status: 401,
      body: { code: 'sign_in_required' },
    });
    await browser.signIn(world.ports, { id: owner.userId });
    const typed = await enterCode(` ${device.user_code.toLowerCase().replace('-', '')} `);
    expect(typed.status).toBe(200);
    const asked = await browser.call<ConsentRequest>(`/oauth/interactions/${typed.body.uid}`);
    expect(asked.body).toMatchObject({
      prompt: 'consent',
      kind: 'device',
      application: { name: 'Desk', redirectHost: null },
      scopes: ['mcp', 'payments:read'],
      merchants: [{ clientId: client.id }],
    });
    const waiting = poll(device);
    const answer = await decide(typed.body.uid, { decision: 'allow', clientId: client.id });
    expect(answer.body.redirectTo).toBe(`${world.baseUrl}/account/device?done=allowed`);
    const got = await waiting;
    expect(got).toMatchObject({ scope: 'mcp payments:read', expires_in: 3600 });
    expect(got.refresh_token).toBeTruthy();
    const headers = { authorization: `Bearer ${got.access_token}` };
    const read = await callAs(world.server.app, null, 'GET /v1/payments', { headers });
    expect(read.statusCode).toBe(200);
    expect((await pollToken(device)).body).toMatchObject({ error: 'invalid_grant' });
    const after = await callAs(world.server.app, null, 'GET /v1/payments', { headers });
    expect(after.statusCode).toBe(401);
  });

  it('RFC 8628 §3.5: a device that asks too often is told slow_down, and still gets its token', async () => {
    const device = await startFlow();
    expect((await pollToken(device)).body).toMatchObject({ error: 'authorization_pending' });
    const soon = await pollToken(device);
    expect([soon.status, soon.body.error]).toEqual([400, 'slow_down']);
    const { uid } = (await enterCode(device.user_code)).body;
    await decide(uid, { decision: 'allow', clientId: client.id });
    expect((await pollToken(device)).status).toBe(200);
  });

  it('the person refuses: access_denied, once and for all', async () => {
    const device = await startFlow();
    const { uid } = (await enterCode(device.user_code)).body;
    const answer = await decide(uid, { decision: 'refuse' });
    expect(answer.body.redirectTo).toBe(`${world.baseUrl}/account/device?done=refused`);
    expect((await pollToken(device)).body).toMatchObject({ error: 'access_denied' });
    const late = await decide(uid, { decision: 'allow', clientId: client.id });
    expect(late).toMatchObject({ status: 404, body: { code: 'authorization_not_found' } });
  });

  it('of two decisions at once one counts, the other is 404 authorization_not_found', async () => {
    const device = await startFlow();
    const { uid } = (await enterCode(device.user_code)).body;
    const [allowed, refused] = await Promise.all([
      decide(uid, { decision: 'allow', clientId: client.id }),
      decide(uid, { decision: 'refuse' }),
    ]);
    expect([allowed.status, refused.status].sort()).toEqual([200, 404]);
    const { body } = await pollToken(device);
    expect(body.error).toBe(refused.status === 200 ? 'access_denied' : undefined);
  });

  it('after ten minutes the code is nobody’s: expired for the device, 404 for the person', async () => {
    const device = await startFlow();
    const { uid } = (await enterCode(device.user_code)).body;
    await moveClock(test.database, 601_000);
    expect((await enterCode(device.user_code)).body.code).toBe('authorization_not_found');
    expect((await decide(uid, { decision: 'allow', clientId: client.id })).body.code).toBe(
      'authorization_not_found',
    );
    expect((await pollToken(device)).status).toBe(400);
    await browser.signIn(world.ports, { id: owner.userId });
  });

  it('what one person typed in is not another’s to allow', async () => {
    const device = await startFlow();
    const { uid } = (await enterCode(device.user_code)).body;
    const other = new Browser(world.baseUrl);
    const member = await aToken(test.database, client, { role: 'member' });
    await other.signIn(world.ports, { id: member.userId });
    const asked = await other.call<ConsentRequest>(`/oauth/interactions/${uid}`);
    expect(asked.body).toMatchObject({ prompt: 'sign_in', person: null, merchants: [] });
    const answer = await decide(uid, { decision: 'allow', clientId: client.id }, other);
    expect(answer).toMatchObject({ status: 404, body: { code: 'authorization_not_found' } });
    for (const forged of [`${uid}x`, 'd.', 'd.AAAA', uid.slice(2)]) {
      expect((await decide(forged, { decision: 'refuse' })).status).toBe(404);
    }
  });

  it('codes that are not there cost: 429 rate_limited after ten within a minute', async () => {
    // The requests come at once, so that a count after the look-up would not see the others.
    const answers = await Promise.all(Array.from({ length: 40 }, () => enterCode('BBBB-BBBB')));
    const looked = answers.filter(({ body }) => body.code === 'authorization_not_found');
    expect(looked.length).toBeGreaterThan(5);
    expect(looked.length).toBeLessThanOrEqual(10);
    const others = answers.filter((answer) => !looked.includes(answer));
    for (const { body } of others) expect(body.code).toBe('rate_limited');
  });

  it('429 after 120 refresh tokens within a minute that are none; waiting devices cost nothing', async () => {
    const device = await startFlow();
    const statuses: number[] = [];
    for (let at = 0; at < 122; at += 1) {
      const answer = await fetch(`${world.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: config.clientMetadata().client_id,
          refresh_token: `none-${at}`.padEnd(43, 'x'),
        }),
      });
      statuses.push(answer.status);
      // One of the requests polls for a code that still waits for the person's decision.
      if (at === 10) expect((await pollToken(device)).body.error).toBe('authorization_pending');
    }
    expect(statuses.slice(0, 100)).toEqual(Array(100).fill(400));
    expect(statuses.at(-1)).toBe(429);
    // The limit is checked before any work, whichever code is sent.
    expect((await pollToken(device)).status).toBe(429);
  });

  it('429 after twenty wrong secrets within a minute; a right one still passes', async () => {
    const { id, secret } = await anApplication(world.ports, owner, { kind: 'confidential' });
    const requestToken = async (given: string) => {
      const authorization = `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}`;
      const response = await fetch(`${world.baseUrl}/oauth/introspect`, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ token: 'x' }),
      });
      return response;
    };
    const statuses: number[] = [];
    for (let at = 0; at < 25; at += 1) statuses.push((await requestToken('svc_app_wrong')).status);
    expect(statuses[0]).toBe(401);
    const last = await requestToken('svc_app_wrong');
    expect([last.status, Number(last.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await requestToken(secret ?? '')).status).toBe(200);
  });

  it('a stranger begins only so many: 429 rate_limited after sixty within a minute', async () => {
    const begun: number[] = [];
    for (let at = 0; at < 70; at += 1) {
      const { status } = await fetch(`${world.baseUrl}/oauth/authorize?client_id=none`);
      begun.push(status);
    }
    expect(begun.at(-1)).toBe(429);
    expect(begun.filter((status) => status === 400).length).toBeLessThanOrEqual(60);
  });
});
