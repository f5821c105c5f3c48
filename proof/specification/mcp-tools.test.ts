// Contract §6: the tools of `/mcp`: which ones a token sees, and that each does what its call does.
// The client is the protocol's own.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertWebhookEndpoint } from '../../service/src/storage/webhooks/webhook-endpoints.ts';
import { aClient, aToken, newId } from '../../service/test/harness.ts';
import { aStoredEvent } from '../../service/test/payments/stored-rows.ts';
import { aHold } from '../../service/test/world.ts';
import {
  allToolScopes,
  callTool,
  connectAgent,
  connectOldAgent,
  type Era,
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

const eras: readonly Era[] = ['auto', 'legacy'];
const names = async (
  scopes: readonly string[],
  era: Era = 'auto',
  member = fixture.world.token,
) => {
  const agent = await connectAgent(fixture.baseUrl, await fixture.grant(scopes, member), era);
  const { tools } = await agent.listTools();
  await agent.close();
  return tools.map(({ name }) => name);
};

const table: Record<string, RowShape> = rows;
const forPeople = [
  'listAuditEntries',
  'getWebhookTester',
  'getTesterRequests',
  'getRefundRule',
  'getSandbox',
  'getCustomerAddress',
  'listProviderAccounts',
  'getGoLive',
];
/** Files and pages to print: an agent reads the rows that they are made of. */
const files = [
  ...['exportPayments', 'exportCustomers', 'exportDisputes', 'exportSubscriptions'],
  ...['getExportFile', 'getMonthLedger', 'getReceipt'],
];

describe('tools/list', () => {
  const toolOf = (row: string) => row.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  it.each(eras)('shows what the scopes open and nothing more (%s)', async (era) => {
    expect(await names(['mcp'], era)).toEqual([]);
    expect(await names(['disputes:read'], era)).toEqual(['list_disputes', 'get_dispute']);
    const subscriptions = ['cancel_subscription', 'resume_subscription'];
    const moving = ['capture_payment', 'cancel_payment', ...subscriptions];
    expect(await names(['payments:write'], era)).toEqual(moving);
    expect(await names(['refunds:write'], era)).toEqual(['create_refund']);
  });

  it('a reading token sees tools that only read', async () => {
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(readScopes));
    const { tools } = await agent.listTools();
    await agent.close();
    expect(tools.length).toBeGreaterThan(10);
    for (const { name, annotations } of tools) {
      expect(annotations, name).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
  });

  it('money is not shown to somebody whose role moves none', async () => {
    const member = await fixture.member('member');
    const seen = await names(allToolScopes, 'auto', member);
    expect(seen).toContain('get_payment');
    expect(seen).not.toContain('create_refund');
    expect(seen).not.toContain('capture_payment');
  });

  it('credentials, people, browsers and cards are no tools, whatever the scopes', async () => {
    const seen = await names(allToolScopes);
    const offered = Object.keys(table).filter((name) => table[name]?.tool);
    expect(seen.sort()).toEqual(offered.map(toolOf).sort());
    const never =
      /token|member|invitation|application|(?<!merchant_)session|setup|origin|client|page|secret|delete|audit|sign|passkey|password|totp/;
    expect(seen.filter((name) => never.test(name))).toEqual([]);
  });

  it('every reading call of the API with a scope of its own is a tool', () => {
    const missing = Object.entries(table)
      .filter(([, row]) => row.call.startsWith('GET ') && row.scope?.endsWith(':read') && !row.tool)
      .map(([name]) => name)
      // The audit log, the tester and the way to go live are only for people.
      .filter((name) => !forPeople.includes(name) && !files.includes(name));
    expect(missing).toEqual([]);
  });

  it('a tool is described by its row: summary, scope, refusals, arguments', async () => {
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(allToolScopes));
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
      'notifyBuyer',
      'ifVersion',
      'occurrence',
      'confirmation',
    ]);
    // Only the end that can be taken back.
    const cancel = tools.find(({ name }) => name === 'cancel_subscription')?.inputSchema;
    expect(cancel?.properties?.at).toEqual({ type: 'string', enum: ['period_end'] });
    expect(cancel?.required).toEqual(['subscriptionId', 'at']);
    expect(JSON.stringify(tools)).not.toMatch(/"x-/);
  });

  it('a description names the refusals that an agent can meet, and no others', async () => {
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(allToolScopes));
    const { tools } = await agent.listTools();
    await agent.close();
    const refusalsOf = (tool: string) =>
      /May refuse: ([^.]*)\./
        .exec(tools.find(({ name }) => name === tool)?.description ?? '')?.[1]
        ?.split(', ')
        .sort();
    expect(refusalsOf('get_payment')).toEqual([
      'invalid_payment_id',
      'invalid_request',
      'payment_not_found',
    ]);
    expect(refusalsOf('cancel_payment')).toEqual([
      'authorization_expired',
      'confirmation_invalid',
      'confirmation_outdated',
      'gateway_cancel_failed',
      'gateway_outcome_unknown',
      'invalid_payment_id',
      'invalid_request',
      'merchant_role_required',
      'payment_not_authorized',
      'payment_not_found',
      'payment_operation_in_progress',
    ]);
    const ofOthers =
      /sign_in|second_factor|cross_site|idempotency_key|invalid_body|partial_capture|insufficient_scope/;
    for (const { name, description } of tools) expect(description, name).not.toMatch(ofOthers);
  });
});

it('every tool has a title of its own for people, without marks of a program', async () => {
  const agent = await connectAgent(fixture.baseUrl, await fixture.grant(allToolScopes));
  const { tools } = await agent.listTools();
  await agent.close();
  const titles = tools.map(({ title }) => title);
  for (const title of titles) expect(title).toMatch(/^[A-Z][a-z]+( [a-z]+)+$/);
  expect(new Set(titles).size).toBe(tools.length);
});

describe('tools/call', () => {
  it.each(eras)('a read answers what the API answers (%s)', async (era) => {
    const { paymentId } = await aHold(fixture.world);
    const grant = await fixture.grant(readScopes);
    const agent = await connectAgent(fixture.baseUrl, grant, era);
    await agent.listTools();
    const told = await callTool(agent, 'get_payment', { paymentId });
    await agent.close();
    const answer = await fetch(`${fixture.baseUrl}/v1/payments/${paymentId}`, {
      headers: { authorization: grant.authorization },
    });
    expect(told.isError).toBe(false);
    expect(told.structured).toEqual(await answer.json());
    expect(JSON.parse(told.text)).toEqual(told.structured);
  });

  it('lists take filters, paging and sorting', async () => {
    const { paymentId } = await aHold(fixture.world);
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(readScopes));
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

  it('the example of every list that takes filters is one that it takes', async () => {
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(allToolScopes));
    const { tools } = await agent.listTools();
    const { database, client } = fixture.world;
    // Ids that some lists require.
    const places = { id: newId(), eventId: (await aStoredEvent(database, client)).id };
    await database.transaction(client.id, (tx) =>
      insertWebhookEndpoint(tx, {
        ...{ id: places.id, clientId: client.id, url: 'https://shop.example/', eventTypes: null },
        ...{ secretSealed: Buffer.from('not sealed'), apiVersion: '2026-01-01' },
      }),
    );
    let tried = 0;
    for (const { name, inputSchema } of tools) {
      const { description } = (inputSchema.properties?.filters ?? {}) as { description?: string };
      if (description === undefined) continue;
      const filters: unknown = JSON.parse(description.split('Example: ')[1] ?? 'null');
      const named = Object.entries(places).filter(([place]) =>
        inputSchema.required?.includes(place),
      );
      const told = await callTool(agent, name, { ...Object.fromEntries(named), filters });
      expect(told, `${name} ${description}`).toMatchObject({ isError: false });
      tried += 1;
    }
    await agent.close();
    expect(tried).toBe(Object.values(table).filter((row) => row.tool && row.filters).length);
  });

  it('a write does what the API does, with the same refusals', async () => {
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(allToolScopes));
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

  it.each([
    ['2.x', () => connectAgent],
    ['1.x', () => connectOldAgent],
  ])("a refusal reaches an agent with the protocol's SDK %s as text", async (_, connect) => {
    const agent = await connect()(fixture.baseUrl, await fixture.grant(readScopes));
    // The client keeps the output schemas of this list and checks structured content against them.
    await agent.listTools();
    for (const [name, args, code] of [
      ['get_payment', { paymentId: newId() }, 'payment_not_found'],
      ['list_payments', { limit: 1000 }, 'invalid_query'],
    ] as const) {
      const told = await agent.callTool({ name, arguments: args });
      expect(told).toMatchObject({ isError: true, content: [{ type: 'text' }] });
      expect(told).not.toHaveProperty('structuredContent');
      const [{ text }] = told.content as [{ text: string }];
      expect(JSON.parse(text)).toMatchObject({ code, docUrl: expect.any(String) });
    }
    await agent.close();
  });

  it("404: another merchant's payment, in the same words as none", async () => {
    const { paymentId } = await aHold(fixture.world);
    const client = await aClient(fixture.world.database, { name: 'Another shop' });
    const stranger = await aToken(fixture.world.database, client);
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(allToolScopes, stranger));
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
    const { paymentId } = await aHold(fixture.world);
    const { authorization } = await fixture.grant(['payments:read']);
    const answer = await post({ authorization }, toolCall('capture_payment', { paymentId }));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'insufficient_scope' });
    expect(answer.headers.get('www-authenticate')).toContain('scope="payments:write"');
  });

  it('403 merchant_role_required: the tool says so', async () => {
    const { paymentId } = await aHold(fixture.world);
    const member = await fixture.member('member');
    const agent = await connectAgent(fixture.baseUrl, await fixture.grant(allToolScopes, member));
    await agent.listTools();
    const told = await callTool(agent, 'capture_payment', { paymentId });
    await agent.close();
    expect(told).toMatchObject({ isError: true, code: 'merchant_role_required' });
  });

  it('a tool that there is not is an error of the protocol', async () => {
    const { authorization } = await fixture.grant(allToolScopes);
    const answer = await post({ authorization }, toolCall('create_api_token', { name: 'x' }));
    expect(await answer.text()).toContain('Unknown tool: create_api_token');
  });
});
