// RFC 8707: an access token for /mcp is accepted at that address and by the management of API
// tokens, and cannot be exchanged for another. Contract §6.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, freshDatabase, type TestDatabase } from '../../test/harness.ts';
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
let clientId: string;
let application: { id: string };
let browser: Browser;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
  const client = await aClient(test.database);
  const owner = await aToken(test.database, client);
  clientId = client.id;
  application = await anApplication(world.ports, owner);
  browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const verifier = 'v'.repeat(64);
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

async function requestAt(path: string, params: Record<string, string>) {
  const response = await fetch(`${world.baseUrl}${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: application.id, ...params }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const redeem = (code: string, more: Record<string, string> = {}) =>
  requestAt('/oauth/token', {
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
    ...more,
  });

const refresh = (token: string | undefined, more: Record<string, string> = {}) =>
  requestAt('/oauth/token', { grant_type: 'refresh_token', refresh_token: token ?? '', ...more });

/**
 * Returns a code that the person allowed for the resource; without a given resource it is for none.
 */
async function codeFor(...resources: string[]): Promise<string> {
  const params = new URLSearchParams({
    client_id: application.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'mcp payments:read',
    state: 'a-state',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  for (const resource of resources) params.append('resource', resource);
  const page = await browser.go(`/oauth/authorize?${params}`);
  const asked = await browser.call<ConsentRequest>(`/oauth/interactions/${uidOf(page)}`);
  const isForAgents = resources.length > 0 && resources.every((each) => each.endsWith('/mcp'));
  expect(asked.body.isForAgents).toBe(isForAgents);
  const answer = await decide(browser, page, { decision: 'allow', clientId });
  return (await browser.go(answer.body.redirectTo)).searchParams.get('code') ?? '';
}

async function callWithToken(token: string | undefined) {
  const headers = { authorization: `Bearer ${token}` };
  const json = { ...headers, 'content-type': 'application/json', accept: 'application/json' };
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const [payments, tokens, agents] = await Promise.all([
    fetch(`${world.baseUrl}/v1/payments`, { headers }),
    fetch(`${world.baseUrl}/v1/api-tokens`, { headers }),
    fetch(`${world.baseUrl}/mcp`, { method: 'POST', headers: json, body: ping }),
  ]);
  const said = payments.status === 401 ? payments.headers.get('www-authenticate') : '';
  return { payments: payments.status, tokens: tokens.status, isLetIn: agents.status !== 401, said };
}

const agentsAlone = {
  payments: 401,
  tokens: 200,
  isLetIn: true,
  said: expect.stringContaining('Bearer error="invalid_token"'),
};
const wider = { status: 400, body: { error: 'invalid_target' } };

describe('the resource of an access token', () => {
  it('Contract §6 audience: the service may be named as clients write it, or not at all', async () => {
    const everything = { payments: 200, tokens: 200, isLetIn: true, said: '' };
    for (const resource of ['', '/']) {
      const named = `${world.baseUrl}${resource}`;
      const { body } = await redeem(await codeFor(named), { resource: named });
      expect(await callWithToken(body.access_token)).toEqual(everything);
    }
    const { body } = await redeem(await codeFor());
    expect(await callWithToken(body.access_token)).toEqual(everything);
    const foreign = { resource: 'https://other.example.test' };
    expect(await redeem(await codeFor(), foreign)).toMatchObject(wider);
  });

  it('Contract §6 resource: a token for /mcp opens /mcp and API tokens alone, refreshed ones too', async () => {
    const first = await redeem(await codeFor(`${world.baseUrl}/mcp`));
    const again = await refresh(first.body.refresh_token);
    for (const { status, body } of [first, again]) {
      expect(status).toBe(200);
      expect(await callWithToken(body.access_token)).toEqual(agentsAlone);
    }
  });

  it('what was allowed for /mcp is no token for the service: not by the code, not by refreshing', async () => {
    const agents = `${world.baseUrl}/mcp`;
    for (const resource of [world.baseUrl, `${world.baseUrl}/`]) {
      expect(await redeem(await codeFor(agents), { resource })).toMatchObject(wider);
    }
    const { body } = await redeem(await codeFor(agents));
    const told = await refresh(body.refresh_token, { resource: world.baseUrl });
    expect(told).toMatchObject(wider);
  });

  it('of both that were allowed the one that is named at the token counts', async () => {
    const both = [world.baseUrl, `${world.baseUrl}/mcp`];
    const { body } = await redeem(await codeFor(...both), { resource: `${world.baseUrl}/mcp` });
    expect(await callWithToken(body.access_token)).toEqual(agentsAlone);
  });

  it('by a device’s code as well', async () => {
    const asked = { scope: 'mcp payments:read', resource: `${world.baseUrl}/mcp` };
    const allowedCode = async () => {
      const { body: device } = await requestAt('/oauth/device_authorization', asked);
      const typed = await browser.call<{ uid: string }>('/oauth/device-code', {
        userCode: device.user_code,
      });
      await browser.call(`/oauth/interactions/${typed.body.uid}`, { decision: 'allow', clientId });
      return { grant_type: grantType, device_code: device.device_code ?? '' };
    };
    const more = { ...(await allowedCode()), resource: world.baseUrl };
    expect(await requestAt('/oauth/token', more)).toMatchObject(wider);
    const { body } = await requestAt('/oauth/token', await allowedCode());
    expect(await callWithToken(body.access_token)).toEqual(agentsAlone);
  });
});
