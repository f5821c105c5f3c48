// The audit log as owners and admins read it, over HTTP: who did what from where.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aHold, startWorld, type World } from '../../../test/world.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';

let world: World;
let server: TestServer;
let other: TestToken;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  other = await aToken(world.database, await aClient(world.database));
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

type RowCall = Parameters<typeof callAs>[2];
const agent = { 'user-agent': 'a-shop/1.0' };
const send = (
  call: RowCall,
  given: { body?: unknown; headers?: object; as?: TestToken | null } = {},
) =>
  callAs(server.app, given.as === undefined ? world.token : given.as, call, {
    ...(given.body === undefined ? {} : { body: given.body }),
    headers: { ...agent, ...given.headers },
  });

async function list(query = '', as: TestToken = world.token) {
  const response = await send(`GET /v1/audit-entries?${query}`, { as });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}
const entriesAbout = async (resourceId: string) =>
  (await list(`resourceId[eq]=${encodeURIComponent(resourceId)}`)).data;

describe('what is changed', () => {
  it('a product: made and changed, with what it was and is, by whom, from where, in which request', async () => {
    const prices = [{ currency: 'EUR', amount: 10 }];
    const made = await send('POST /v1/products', {
      body: { code: 'cap', name: 'Cap', kind: 'item', prices },
    });
    const changed = await send('PATCH /v1/products/cap', { body: { name: 'Hat' } });
    const actor = {
      kind: 'api_token',
      userId: world.token.userId,
      email: expect.stringContaining('@example.test'),
      customerId: null,
      credentialId: world.token.id,
      tokenName: 'test',
      applicationId: null,
      applicationName: null,
    };
    expect(await entriesAbout('cap')).toEqual([
      {
        id: expect.any(String),
        object: 'audit_entry',
        clientId: world.client.id,
        action: 'product.updated',
        actor,
        resource: { type: 'product', id: 'cap' },
        userId: null,
        before: { name: 'Cap' },
        after: { name: 'Hat' },
        requestId: changed.headers['request-id'],
        address: '127.0.0.1',
        userAgent: 'a-shop/1.0',
        createdAt: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({
        action: 'product.created',
        before: null,
        after: { code: 'cap', name: 'Cap', kind: 'item', interval: null, active: true, prices },
        requestId: made.headers['request-id'],
      }),
    ]);
  });

  it('never a card number that the program names as itself', async () => {
    const headers = { 'user-agent': 'till 4242 4242 4242 4242' };
    await send('PATCH /v1/products/cap', { body: { name: 'Beret' }, headers });
    expect((await entriesAbout('cap'))[0]).toMatchObject({
      after: { name: 'Beret' },
      userAgent: null,
    });
  });

  it('a refused change leaves no entry', async () => {
    const { total } = await list();
    const body = { code: 'mug', name: 'Mug', kind: 'item', prices: [] };
    expect((await send('POST /v1/products', { body })).statusCode).toBeGreaterThan(399);
    expect((await send('PATCH /v1/products/none', { body: { name: 'x' } })).statusCode).toBe(404);
    expect((await list()).total).toBe(total);
  });

  it('coupons, origins, customers, page links', async () => {
    const id = newId();
    const email = 'somebody.private@example.test';
    await send('POST /v1/coupons', { body: { code: 'TEN', percentOff: 10 } });
    await send('PATCH /v1/coupons/TEN', { body: { active: false } });
    await send('PATCH /v1/client', { body: { allowedOrigins: ['https://shop.example'] } });
    await send('PATCH /v1/client', { body: { businessName: 'Beans' } });
    await send('POST /v1/customers', { body: { id, email } });
    await send(`PATCH /v1/customers/${id}`, { body: { name: 'Some Body' } });
    await send(`POST /v1/customers/${id}/page-links`, { body: {} });
    const { data } = await list('limit=7');
    expect(
      data.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
    ).toEqual([
      ['customer_page.link_created', null, { pageId: expect.any(String) }],
      ['customer.updated', null, { fields: ['name'] }],
      ['customer.created', null, { fields: ['email'] }],
      ['client.updated', { businessName: null }, { businessName: 'Beans' }],
      ['client.updated', { allowedOrigins: [] }, { allowedOrigins: ['https://shop.example'] }],
      ['coupon.updated', { active: true }, { active: false }],
      ['coupon.created', null, expect.objectContaining({ code: 'TEN', percentOff: 10 })],
    ]);
    // Personal data may have to be erased, and this log erases nothing.
    expect(JSON.stringify(data)).not.toMatch(/somebody\.private|Some Body/);
  });

  it('of a change by a person and by an application: which browser, which application', async () => {
    const user = { id: world.token.userId };
    const signIn = await aSignIn(world.ports, user);
    const grant = await aGrant(world.ports, {
      user,
      client: world.client,
      scopes: ['catalog:write'],
    });
    const body = { name: 'By a person' };
    await send('PATCH /v1/products/mug', {
      body,
      as: null,
      headers: fromOwnPage(signIn, world.client.id),
    });
    await send('PATCH /v1/products/mug', {
      body: { name: 'By an application' },
      as: null,
      headers: { authorization: grant.authorization },
    });
    const [byApplication, byPerson] = await entriesAbout('mug');
    expect(byApplication.actor).toMatchObject({
      kind: 'oauth',
      userId: user.id,
      credentialId: grant.grantId,
      applicationId: grant.applicationId,
      applicationName: 'A test application',
    });
    expect(byPerson.actor).toMatchObject({
      kind: 'person',
      userId: user.id,
      credentialId: signIn.signInId,
      applicationId: null,
    });
  });
});

describe('moves of money', () => {
  it('capture, refund and cancel, by an API token, an application and a person', async () => {
    const user = { id: world.token.userId };
    const [one, two] = [await aHold(world), await aHold(world)];
    const grant = await aGrant(world.ports, {
      user,
      client: world.client,
      scopes: ['refunds:write'],
    });
    const signIn = await aSignIn(world.ports, user);
    const captured = await send(`PUT /v1/payments/${one.paymentId}/capture`, {
      headers: { 'idempotency-key': newId() },
    });
    const refunded = await send(`POST /v1/payments/${one.paymentId}/refunds`, {
      body: { amount: 5 },
      as: null,
      headers: { authorization: grant.authorization, 'idempotency-key': newId() },
    });
    const canceled = await send(`PUT /v1/payments/${two.paymentId}/cancel`, {
      as: null,
      headers: { ...fromOwnPage(signIn, world.client.id), 'idempotency-key': newId() },
    });
    expect([captured, refunded, canceled].map(({ statusCode }) => statusCode)).toEqual([
      200, 201, 200,
    ]);

    const { data } = await list('resourceType[eq]=payment');
    const refundId = refunded.json().id;
    expect(data).toMatchObject(
      [
        {
          action: 'payment.cancel_asked',
          actor: { kind: 'person', userId: user.id, credentialId: signIn.signInId, email: /@/ },
          resource: { type: 'payment', id: two.paymentId },
          after: { state: 'succeeded', amountMinor: 1990, currency: 'EUR' },
          requestId: canceled.headers['request-id'],
        },
        {
          action: 'payment.refund_asked',
          actor: { kind: 'oauth', userId: user.id, applicationId: grant.applicationId },
          resource: { type: 'payment', id: refundId },
          after: { state: 'succeeded', amountMinor: 500, currency: 'EUR' },
          requestId: refunded.headers['request-id'],
        },
        {
          action: 'payment.capture_asked',
          actor: { kind: 'api_token', userId: user.id, credentialId: world.token.id },
          resource: { type: 'payment', id: one.paymentId },
          after: { state: 'succeeded', amountMinor: 1990, currency: 'EUR' },
          requestId: captured.headers['request-id'],
        },
      ].map((entry) => ({
        ...entry,
        address: '127.0.0.1',
        actor: {
          ...entry.actor,
          ...('email' in entry.actor ? { email: expect.stringMatching(/@/) } : {}),
        },
      })),
    );
    expect((await list(`actorUserId[eq]=${user.id}&actorKind[eq]=person`)).data[0].action).toBe(
      'payment.cancel_asked',
    );
  });

  it('a batch of captures names each caller', async () => {
    const tokens = [world.token, await aToken(world.database, world.client, { role: 'admin' })];
    const holds = await Promise.all(Array.from({ length: 6 }, () => aHold(world)));
    await Promise.all(
      holds.map(({ paymentId }, i) =>
        send(`PUT /v1/payments/${paymentId}/capture`, {
          as: tokens[i % 2] ?? null,
          headers: { 'idempotency-key': newId() },
        }),
      ),
    );
    for (const [i, { paymentId }] of holds.entries()) {
      const [entry] = await entriesAbout(paymentId);
      expect(entry.actor.credentialId).toBe(tokens[i % 2]?.id);
      expect(entry.address).toBe('127.0.0.1');
    }
  });
});

describe('listAuditEntries', () => {
  it('pages and cursors meet every entry once; the total is exact', async () => {
    const { data, total } = await list('limit=100');
    expect(data.length).toBe(total);
    const ids = data.map(({ id }: { id: string }) => id);
    const times = data.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect([...times].sort().reverse()).toEqual(times);
    const walked: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { data: { id: string }[]; nextCursor: string | null; total: number } = await list(
        `limit=4${cursor ? `&cursor=${cursor}` : ''}`,
      );
      walked.push(...page.data.map(({ id }) => id));
      expect(page.total).toBe(total);
      cursor = page.nextCursor;
    }
    expect(walked).toEqual(ids);
    const second = await list('limit=4&page=2');
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(4, 8));
  });

  it('filters by action, actor, resource and time', async () => {
    const all = (await list('limit=100')).data as { action: string; createdAt: string }[];
    const updated = all.filter(({ action }) => action === 'product.updated');
    expect((await list('action[eq]=product.updated')).total).toBe(updated.length);
    const from = all[3]?.createdAt ?? '';
    const young = all.filter(({ createdAt }) => createdAt >= from).length;
    expect((await list(`createdAt[gte]=${from}`)).total).toBe(young);
    const response = await send('GET /v1/audit-entries?address[eq]=x');
    expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_query']);
  });

  it('403 merchant_role_required: a member; 403 insufficient_scope: without audit:read', async () => {
    const member = await aToken(world.database, world.client, { role: 'member' });
    const narrow = await aToken(world.database, world.client, { scopes: ['catalog:read'] });
    const readRefusal = async (as: TestToken) => {
      const response = await send('GET /v1/audit-entries', { as });
      return [response.statusCode, response.json().code];
    };
    expect(await readRefusal(member)).toEqual([403, 'merchant_role_required']);
    expect(await readRefusal(narrow)).toEqual([403, 'insufficient_scope']);
    const able = await aToken(world.database, world.client, { scopes: ['audit:read'] });
    expect((await list('', able)).total).toBeGreaterThan(0);
  });

  it("another merchant's entries are not there", async () => {
    expect((await list('', other)).total).toBe(0);
    await send('POST /v1/products', {
      as: other,
      body: { code: 'foreign', name: 'F', kind: 'item', prices: [{ currency: 'EUR', amount: 1 }] },
    });
    expect((await list('', other)).data).toMatchObject([{ resource: { id: 'foreign' } }]);
    expect(await entriesAbout('foreign')).toEqual([]);
  });
});

describe('listAccountAuditEntries', () => {
  it("a person's own account alone, and nothing of a merchant", async () => {
    const user = { id: world.token.userId };
    const signIn = await aSignIn(world.ports, user);
    const stranger = await aSignIn(world.ports, { id: other.userId });
    const read = async (headers: Readonly<Record<string, string>>) =>
      (await send('GET /v1/account/audit-entries', { as: null, headers })).json();
    const own = await read(fromOwnPage(signIn));
    const ofOther = await read(fromOwnPage(stranger));
    expect(own.data[0]).toMatchObject({
      action: 'sign_in.opened',
      clientId: null,
      userId: user.id,
      actor: { kind: 'person', userId: user.id },
    });
    const people = (page: { data: { userId: string; clientId: string | null }[] }) =>
      new Set(page.data.map(({ userId, clientId }) => `${userId} ${clientId}`));
    expect([...people(own)]).toEqual([`${user.id} null`]);
    expect([...people(ofOther)]).toEqual([`${other.userId} null`]);
  });
});

describe('append-only', () => {
  it.each([
    ['update', "update audit_entries set action = 'product.forgotten'"],
    ['delete', 'delete from audit_entries'],
    ['truncate', 'truncate audit_entries'],
    [
      'who asked for money',
      "update payment_operations set asked_network = '::' where kind = 'capture'",
    ],
    ['the money’s own rows', "delete from payment_operations where kind = 'capture'"],
  ])('raw SQL: %s is refused, for the service and for the owner', async (_, text) => {
    for (const connectionString of [world.url, world.ownerUrl]) {
      const client = new pg.Client({ connectionString });
      await client.connect();
      await expect(client.query(text)).rejects.toThrow(
        /never change|append|permission denied|refuse/i,
      );
      await client.end();
    }
  });

  it('an entry goes with its change: undone together', async () => {
    const { total } = await list();
    const caller = { kind: 'anonymous', requestId: 'req_test', origin: null } as const;
    const change = { action: 'test.changed', resourceType: 'test', resourceId: 'x' };
    const undone = world.database.transaction(world.client.id, async (tx) => {
      await recordChange(tx, caller, { ...change, clientId: world.client.id }, world.ports);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await list()).total).toBe(total);
  });

  it('no token or cookie stands in any entry or line of the log', async () => {
    const rows = await world.database.read<{ text: string }>(
      { name: 'test_audit_text', text: 'select audit_entries::text as text from audit_entries' },
      [],
    );
    const all = JSON.stringify([rows, server.logged]);
    expect(rows.length).toBeGreaterThan(5);
    expect(all).not.toContain(world.token.token);
    expect(all).not.toContain(other.token);
    expect(all).not.toMatch(/svc_sign_in=|Bearer /);
  });
});
