// Contract §6: which credentials `/mcp` accepts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSignIn } from '../../service/src/engine/steps/people/open-sign-in.ts';
import { contractLimits } from '../../service/src/http/limits/limits.ts';
import { everyClient } from '../../service/src/storage/database/database.ts';
import {
  allToolScopes,
  type Fixture,
  openFixture,
  postMcp,
  readScopes,
  toolCall,
} from './agent.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const post = (headers: Record<string, string>, body?: unknown) => postMcp(fixture, headers, body);

describe('POST /mcp, who is let in', () => {
  it('401 authentication_required: without a token, with the way to one', async () => {
    const answer = await post({});
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'authentication_required' });
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${fixture.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="${readScopes.join(' ')}"`,
    );
  });

  it('401 authentication_required: money is asked for where the address names it', async () => {
    const challenge = async (query: string) => {
      const answer = await fetch(`${fixture.baseUrl}/mcp?${query}`, { method: 'POST' });
      expect(answer.status).toBe(401);
      return answer.headers
        .get('www-authenticate')
        ?.match(/scope="([^"]*)"/)?.[1]
        ?.split(' ');
    };
    const more = await challenge('scope=refunds:write,payments:write');
    expect(more?.sort()).toEqual([...readScopes, 'refunds:write', 'payments:write'].sort());
    // Scopes that no tool uses are not requested, whatever the address names.
    expect(await challenge('scope=mcp%20members:write%20audit:read%20"x%0d%0a')).toEqual(
      readScopes,
    );
  });

  it.each([
    ['an unknown token', 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a token that is none', 'Bearer ?'],
    ['another scheme', 'Digest x'],
  ])('401 authentication_required: %s', async (_, authorization) => {
    const answer = await post({ authorization });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'authentication_required' });
  });

  it('401 authentication_required: Client Basic, which is for servers', async () => {
    const answer = await post({ authorization: fixture.world.token.authorization });
    expect(answer.status).toBe(401);
  });

  it("401 authentication_required: a person's own browser, which has pages for that", async () => {
    const { database, client, token } = fixture.world;
    const { cookieValue } = await database.transaction(everyClient, (tx) =>
      openSignIn(
        tx,
        {
          userId: token.userId,
          method: 'password',
          caller: { kind: 'anonymous', requestId: 'req_test', origin: null },
        },
        fixture.world.ports,
      ),
    );
    const browser = {
      cookie: `svc_sign_in=${cookieValue}`,
      'x-svc-client': client.id,
      origin: fixture.baseUrl,
      'sec-fetch-site': 'same-origin',
    };
    const answer = await post(browser);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="/);
    // The same browser is accepted by the API for people.
    const listed = await fetch(`${fixture.baseUrl}/v1/payments`, { headers: browser });
    expect(listed.status).toBe(200);
  });

  it('401 authentication_required: a token in the query or in the body is none', async () => {
    const { accessToken } = await fixture.grant(readScopes);
    const answer = await fetch(`${fixture.baseUrl}/mcp?access_token=${accessToken}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: accessToken }),
    });
    expect(answer.status).toBe(401);
  });

  it('200: any token, for the door asks for no scope of its own', async () => {
    for (const scope of allToolScopes) {
      const { authorization } = await fixture.grant([scope]);
      expect((await post({ authorization })).status, scope).toBe(200);
    }
  });

  it('403 insufficient_scope: what lets an agent in makes, shows and ends no API token', async () => {
    const { authorization } = await fixture.grant(allToolScopes.filter((scope) => scope !== 'mcp'));
    expect((await post({ authorization })).status).toBe(200);
    const url = `${fixture.baseUrl}/v1/api-tokens`;
    const json = { 'content-type': 'application/json' };
    const tokenId = fixture.world.token.id;
    const attempts: [string, string, object?][] = [
      ['POST', url, { name: 'for later' }],
      ['GET', url],
      ['GET', `${url}/${tokenId}`],
      ['POST', `${url}/${tokenId}/rotate`, { overlapSeconds: 0 }],
      ['DELETE', `${url}/${tokenId}`],
    ];
    for (const [method, address, body] of attempts) {
      const answer = await fetch(address, {
        method,
        headers: { authorization, ...(body ? json : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      expect(answer.status, `${method} ${address}`).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'insufficient_scope' });
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="mcp"',
      );
    }
    // A program with the scope `mcp` is accepted.
    const keeper = await fixture.grant(['mcp']);
    const made = await fetch(url, {
      method: 'POST',
      headers: { ...json, authorization: keeper.authorization },
      body: JSON.stringify({ name: 'for later' }),
    });
    expect(made.status).toBe(201);
  });

  it('403 cross_site_request: a page of another origin, its name resolving to us', async () => {
    const { authorization } = await fixture.grant(readScopes);
    for (const origin of [
      'https://attacker.example',
      'null',
      `${fixture.baseUrl}.attacker.example`,
    ]) {
      const answer = await post({ authorization, origin });
      expect(answer.status, origin).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'cross_site_request' });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await post({ authorization, origin: fixture.baseUrl })).status).toBe(200);
    // A page that uses DNS rebinding: for its browser it has our origin under another name.
    const rebound = await fixture.server.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization, host: 'attacker.example', 'content-type': 'application/json' },
      payload: JSON.stringify(toolCall('list_payments', {})),
    });
    expect(rebound.statusCode).toBe(403);
    expect(rebound.json()).toMatchObject({ code: 'cross_site_request' });
  });

  it('a tool whose name is no text is an error of the protocol', async () => {
    const { authorization } = await fixture.grant(readScopes);
    for (const name of [{ toString: 1 }, ['get_payment'], 7, null]) {
      const answer = await post({ authorization }, toolCall(name as unknown as string, {}));
      expect(answer.status, JSON.stringify(name)).toBeLessThan(500);
      expect(await answer.text()).toContain('"error"');
    }
  });

  it('405 method_not_allowed: GET and DELETE, for there are no sessions', async () => {
    const { authorization } = await fixture.grant(readScopes);
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(`${fixture.baseUrl}/mcp`, { method, headers: { authorization } });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toContain('POST');
    }
  });

  it.each<readonly [string, string | Buffer<ArrayBuffer>, number, number, string]>([
    ['not JSON', '{"jsonrpc":"2.0",', 400, -32700, 'invalid_body'],
    ['no UTF-8', Buffer.from([0x7b, 0xff]), 400, -32700, 'invalid_body'],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2}', 400, -32700, 'invalid_body'],
    ['a batch', '[]', 400, -32600, 'invalid_body'],
    ['a large one', JSON.stringify({ text: 'x'.repeat(70_000) }), 413, -32600, 'body_too_large'],
    ['a card number', '{"card":"4242424242424242"}', 400, -32600, 'raw_card_data_forbidden'],
    ['a number that no double keeps', '{"id":1e400}', 400, -32600, 'invalid_request'],
  ])('a message that cannot be read is an error of JSON-RPC: %s', async (_, ...expected) => {
    const [body, status, code, own] = expected;
    const { authorization } = await fixture.grant(readScopes);
    const answer = await fetch(`${fixture.baseUrl}/mcp`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(status);
    const error = {
      code,
      message: expect.any(String),
      data: expect.objectContaining({ code: own }),
    };
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: null, error });
  });

  it('415 is an error of JSON-RPC; without a token broken JSON is 401 as every call', async () => {
    const { authorization } = await fixture.grant(readScopes);
    const other = await post({ authorization, 'content-type': 'text/plain' }, 'x');
    expect([other.status, await other.json()]).toMatchObject([415, { error: { code: -32600 } }]);
    expect((await post({}, '{')).status).toBe(401);
  });

  it('429 rate_limited: agents draw on the budget of their merchant', async () => {
    const limited = await openFixture({ limits: { ...contractLimits, clientPerSecond: 3 } });
    const { authorization } = await limited.grant(readScopes);
    const request = () => postMcp(limited, { authorization });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => (await request()).status),
    );
    await limited.close();
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect(statuses).toContain(429);
  });

  it('a stream that would stay open for changes is refused', async () => {
    const { authorization } = await fixture.grant(readScopes);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const answer = await post(
      {
        authorization,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { _meta: meta, notifications: { toolsListChanged: true } },
      },
    );
    expect(await answer.text()).toContain('"error"');
  });
});
