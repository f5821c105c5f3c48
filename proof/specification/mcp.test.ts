// Contract §6: `/mcp`, what it opens to whom. The client is the protocol's own.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/row';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractLimits } from '../../service/src/http/limits.ts';
import { openSignIn } from '../../service/src/operations/people/open-sign-in.ts';
import { everyClient } from '../../service/src/storage/database.ts';
import { aClient, aToken, newId } from '../../service/test/harness.ts';
import { aHold } from '../../service/test/world.ts';
import { callTool, connectAgent, type Era, type Ground, openGround } from './agent.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const eras: readonly Era[] = ['auto', 'legacy'];
const reading = [
  'mcp',
  'payments:read',
  'payment_methods:read',
  'customers:read',
  'catalog:read',
  'events:read',
  'disputes:read',
];
const everything = [
  ...reading,
  'payments:write',
  'refunds:write',
  'customers:write',
  'catalog:write',
  'payment_methods:write',
  'checkout:write',
  'members:write',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
];

const post = (headers: Record<string, string>, body: unknown = ping, method = 'POST') =>
  fetch(`${ground.baseUrl}/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  });
const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const call = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const names = async (scopes: readonly string[], era: Era = 'auto', member = ground.world.token) => {
  const agent = await connectAgent(ground.baseUrl, await ground.grant(scopes, member), era);
  const { tools } = await agent.listTools();
  await agent.close();
  return tools.map(({ name }) => name);
};

describe('POST /mcp, who is let in', () => {
  it('401 authentication_required: without a token, with the way to one', async () => {
    const answer = await post({});
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'authentication_required' });
    expect(answer.headers.get('www-authenticate')).toContain(
      `resource_metadata="${ground.baseUrl}/.well-known/oauth-protected-resource"`,
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
    const answer = await post({ authorization: ground.world.token.authorization });
    expect(answer.status).toBe(401);
  });

  it("401 authentication_required: a person's own browser, which has pages for that", async () => {
    const { database, client, token } = ground.world;
    const { cookieValue } = await database.transaction(everyClient, (tx) =>
      openSignIn(
        tx,
        {
          userId: token.userId,
          method: 'password',
          caller: { kind: 'anonymous', requestId: 'req_test', origin: null },
        },
        ground.world.ports,
      ),
    );
    const browser = {
      cookie: `svc_sign_in=${cookieValue}`,
      'x-svc-client': client.id,
      origin: ground.baseUrl,
      'sec-fetch-site': 'same-origin',
    };
    const answer = await post(browser);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="/);
    // The same browser is let in where people are.
    const listed = await fetch(`${ground.baseUrl}/v1/payments`, { headers: browser });
    expect(listed.status).toBe(200);
  });

  it('401 authentication_required: a token in the query or in the body is none', async () => {
    const { accessToken } = await ground.grant(reading);
    const answer = await fetch(`${ground.baseUrl}/mcp?access_token=${accessToken}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...ping, access_token: accessToken }),
    });
    expect(answer.status).toBe(401);
  });

  it('403 insufficient_scope: a token without mcp, whatever else it opens', async () => {
    const { authorization } = await ground.grant(everything.filter((scope) => scope !== 'mcp'));
    const answer = await post({ authorization });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'insufficient_scope' });
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="mcp"',
    );
  });

  it('403 cross_site_request: a page of another origin, its name resolving to us', async () => {
    const { authorization } = await ground.grant(reading);
    for (const origin of [
      'https://attacker.example',
      'null',
      `${ground.baseUrl}.attacker.example`,
    ]) {
      const answer = await post({ authorization, origin });
      expect(answer.status, origin).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'cross_site_request' });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await post({ authorization, origin: ground.baseUrl })).status).toBe(200);
  });

  it('405 method_not_allowed: GET and DELETE, for there are no sessions', async () => {
    const { authorization } = await ground.grant(reading);
    for (const method of ['GET', 'DELETE']) {
      const answer = await post({ authorization }, undefined, method);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toContain('POST');
    }
  });

  it('413 body_too_large, 400 invalid_body, 400 raw_card_data_forbidden: as every call', async () => {
    const { authorization } = await ground.grant(reading);
    const codeOf = async (body: unknown) =>
      ((await (await post({ authorization }, body)).json()) as { code: string }).code;
    expect(await codeOf(call('get_payment', { paymentId: 'x'.repeat(70_000) }))).toBe(
      'body_too_large',
    );
    expect(await codeOf('{"jsonrpc":"2.0","id":1,"id":2}')).toBe('invalid_body');
    expect(await codeOf('[]')).toBe('invalid_body');
    expect(await codeOf(call('get_payment', { paymentId: '4242424242424242' }))).toBe(
      'raw_card_data_forbidden',
    );
  });

  it('429 rate_limited: agents draw on the budget of their merchant', async () => {
    const limited = await openGround({ limits: { ...contractLimits, clientPerSecond: 3 } });
    const { authorization } = await limited.grant(reading);
    const ask = () =>
      fetch(`${limited.baseUrl}/mcp`, {
        method: 'POST',
        headers: {
          authorization,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(ping),
      });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => (await ask()).status),
    );
    await limited.close();
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect(statuses).toContain(429);
  });

  it('a stream that would stay open for changes is refused', async () => {
    const { authorization } = await ground.grant(reading);
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

describe('tools/list', () => {
  const table: Record<string, RowShape> = rows;
  const toolOf = (row: string) => row.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  it.each(eras)('shows what the scopes open and nothing more (%s)', async (era) => {
    expect(await names(['mcp'], era)).toEqual([]);
    expect(await names(['mcp', 'disputes:read'], era)).toEqual(['list_disputes', 'get_dispute']);
    const moving = ['capture_payment', 'cancel_payment'];
    expect(await names(['mcp', 'payments:write'], era)).toEqual(moving);
    expect(await names(['mcp', 'refunds:write'], era)).toEqual(['create_refund']);
  });

  it('a reading token sees tools that only read', async () => {
    const agent = await connectAgent(ground.baseUrl, await ground.grant(reading));
    const { tools } = await agent.listTools();
    await agent.close();
    expect(tools.length).toBeGreaterThan(10);
    for (const { name, annotations } of tools) {
      expect(annotations, name).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
  });

  it('money is not shown to somebody whose role moves none', async () => {
    const member = await ground.member('member');
    const seen = await names(everything, 'auto', member);
    expect(seen).toContain('get_payment');
    expect(seen).not.toContain('create_refund');
    expect(seen).not.toContain('capture_payment');
  });

  it('credentials, people, browsers and cards are no tools, whatever the scopes', async () => {
    const seen = await names(everything);
    const offered = Object.keys(table).filter((name) => table[name]?.tool);
    expect(seen.sort()).toEqual(offered.map(toolOf).sort());
    const never =
      /token|member|invitation|application|session|setup|origin|client|page|secret|delete|audit|sign|passkey|password|totp/;
    expect(seen.filter((name) => never.test(name))).toEqual([]);
  });

  it('every reading call of the API with a scope of its own is a tool', () => {
    const missing = Object.entries(table)
      .filter(([, row]) => row.call.startsWith('GET ') && row.scope?.endsWith(':read') && !row.tool)
      .map(([name]) => name)
      // What people did is for people.
      .filter((name) => name !== 'listAuditEntries');
    expect(missing).toEqual([]);
  });

  it('a tool is described by its row: summary, scope, refusals, arguments', async () => {
    const agent = await connectAgent(ground.baseUrl, await ground.grant(everything));
    const { tools } = await agent.listTools();
    await agent.close();
    const refund = tools.find(({ name }) => name === 'create_refund');
    expect(refund?.description).toContain(rows.createRefund.summary);
    expect(refund?.description).toContain('Scope: refunds:write.');
    expect(refund?.description).toContain('refund_amount_exceeds_available');
    expect(refund?.inputSchema).toMatchObject({
      required: ['paymentId'],
      additionalProperties: false,
    });
    const given = Object.keys(refund?.inputSchema.properties ?? {});
    expect(given).toEqual([
      'paymentId',
      'amount',
      'reason',
      'metadata',
      'occurrence',
      'confirmation',
    ]);
    expect(JSON.stringify(tools)).not.toMatch(/"x-/);
  });
});

describe('tools/call', () => {
  it.each(eras)('a read answers what the API answers (%s)', async (era) => {
    const { paymentId } = await aHold(ground.world);
    const grant = await ground.grant(reading);
    const agent = await connectAgent(ground.baseUrl, grant, era);
    await agent.listTools();
    const told = await callTool(agent, 'get_payment', { paymentId });
    await agent.close();
    const answer = await fetch(`${ground.baseUrl}/v1/payments/${paymentId}`, {
      headers: { authorization: grant.authorization },
    });
    expect(told.isError).toBe(false);
    expect(told.structured).toEqual(await answer.json());
    expect(JSON.parse(told.text)).toEqual(told.structured);
  });

  it('lists take filters, paging and sorting', async () => {
    const { paymentId } = await aHold(ground.world);
    const agent = await connectAgent(ground.baseUrl, await ground.grant(reading));
    await agent.listTools();
    const told = await callTool(agent, 'list_payments', {
      limit: 1,
      filters: [
        { field: 'id', op: 'eq', values: [paymentId] },
        { field: 'status', op: 'in', values: ['authorized', 'succeeded'] },
      ],
    });
    expect(told.structured).toMatchObject({ total: 1, limit: 1, data: [{ id: paymentId }] });
    for (const args of [
      { filters: [{ field: 'secret', op: 'eq', values: ['1'] }] },
      { filters: [{ field: 'status', op: 'like', values: ['s'] }] },
      { filters: [{ field: 'status', op: 'eq', values: ['s', 't'] }] },
      { filters: 'status' },
      { limit: 1000 },
      { limit: '1' },
    ]) {
      expect((await callTool(agent, 'list_payments', args)).code).toBe('invalid_query');
    }
    await agent.close();
  });

  it('a write does what the API does, with the same refusals', async () => {
    const agent = await connectAgent(ground.baseUrl, await ground.grant(everything));
    await agent.listTools();
    const product = {
      code: 'cup',
      name: 'Cup',
      kind: 'item',
      prices: [{ currency: 'EUR', amount: 5 }],
    };
    expect((await callTool(agent, 'create_product', product)).structured).toMatchObject({
      code: 'cup',
    });
    expect((await callTool(agent, 'create_product', product)).code).toBe('product_code_taken');
    const changed = await callTool(agent, 'update_product', { code: 'cup', name: 'Big cup' });
    expect(changed.structured).toMatchObject({ name: 'Big cup', version: 1 });
    expect((await callTool(agent, 'update_product', { code: 'cup', nme: 'x' })).code).toBe(
      'invalid_request',
    );
    await agent.close();
  });

  it("404: another merchant's payment, in the same words as none", async () => {
    const { paymentId } = await aHold(ground.world);
    const client = await aClient(ground.world.database, { name: 'Another shop' });
    const stranger = await aToken(ground.world.database, client);
    const agent = await connectAgent(ground.baseUrl, await ground.grant(everything, stranger));
    await agent.listTools();
    for (const tool of ['get_payment', 'capture_payment', 'create_refund', 'cancel_payment']) {
      const told = await Promise.all(
        [paymentId, newId()].map((id) => callTool(agent, tool, { paymentId: id })),
      );
      const [foreign, missing] = told.map(({ structured: { requestId: _, ...rest } }) => rest);
      expect(foreign).toMatchObject({ code: 'payment_not_found' });
      expect(foreign).toEqual(missing);
    }
    await agent.close();
  });

  it('403 insufficient_scope: a tool that the token does not open, with the scope to ask for', async () => {
    const { paymentId } = await aHold(ground.world);
    const { authorization } = await ground.grant(['mcp', 'payments:read']);
    const answer = await post({ authorization }, call('capture_payment', { paymentId }));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'insufficient_scope' });
    expect(answer.headers.get('www-authenticate')).toContain('scope="payments:write"');
  });

  it('403 merchant_role_required: the tool says so', async () => {
    const { paymentId } = await aHold(ground.world);
    const member = await ground.member('member');
    const agent = await connectAgent(ground.baseUrl, await ground.grant(everything, member));
    await agent.listTools();
    const told = await callTool(agent, 'capture_payment', { paymentId });
    await agent.close();
    expect(told).toMatchObject({ isError: true, code: 'merchant_role_required' });
  });

  it('a tool that there is not is an error of the protocol', async () => {
    const { authorization } = await ground.grant(everything);
    const answer = await post({ authorization }, call('create_api_token', { name: 'x' }));
    expect(await answer.text()).toContain('Unknown tool: create_api_token');
  });
});
