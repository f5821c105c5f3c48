// Subscriptions as they are seen, and their renewals among the payments. Contract §5, §7.

import type { Subscription } from '@svc/contract/customers/subscriptions';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  aClub,
  advanceToRenewal,
  cancelClub,
  endAll,
  renewAll,
  renewalsOf,
  subscriptionOf,
} from '../../../test/customers/subscriptions.ts';
import { aClient, aToken, callAs, callerOf, newId, type TestToken } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';

let world: World;
let server: TestServer;
let stranger: TestToken;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  stranger = await aToken(world.database, await aClient(world.database));
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

// Ends the subscriptions, so that a later test renews only its own.
afterEach(() => endAll(world));

const get = (path: string, as: TestToken = world.token) => callAs(server.app, as, `GET ${path}`);
const post = (path: string, as: TestToken = world.token) => callAs(server.app, as, `POST ${path}`);

async function list(query = '', as = world.token) {
  const answer = await get(`/v1/subscriptions${query}`, as);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json() as { data: Subscription[]; total: number; nextCursor: string | null };
}

/** Everything that a caller can compare, except the request's id. */
const comparablePart = ({ statusCode, headers, body }: Awaited<ReturnType<typeof get>>) => ({
  statusCode,
  headers: Object.keys(headers).sort(),
  body: body.replaceAll(String(headers['request-id']), 'req'),
});

describe('GET /v1/subscriptions', () => {
  it('200: in pages, newest first, with the exact total', async () => {
    for (let i = 0; i < 3; i += 1) await aClub(world);
    const all = await list();
    expect(all.total).toBe(all.data.length);
    const first = await list('?limit=2');
    expect(first.data).toEqual(all.data.slice(0, 2));
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect(second.data).toEqual(all.data.slice(2));
    const sorted = await list('?sortField=updatedAt&sortDirection=ASC&limit=100');
    const times = sorted.data.map(({ updatedAt }) => updatedAt);
    expect(times).toEqual(times.toSorted());
  });

  it('200: filtered by id, user, status, product, method and creation', async () => {
    const { id, userId, methodId } = await aClub(world);
    const canceled = await aClub(world);
    await cancelClub(world, canceled.id);
    const ids = async (query: string) =>
      (await list(`?limit=100&${query}`)).data.map((it) => it.id);
    expect(await ids(`id[eq]=${id}`)).toEqual([id]);
    expect(await ids(`userId[eq]=${userId}`)).toEqual([id]);
    expect(await ids(`paymentMethodId[eq]=${methodId}`)).toEqual([id]);
    const others = `userId[eq]=${canceled.userId}`;
    expect(await ids(`status[eq]=canceled&${others}`)).toEqual([canceled.id]);
    expect(await ids(`status[ne]=canceled&${others}`)).toEqual([]);
    expect(await ids(`productCode[eq]=club&userId[eq]=${userId}`)).toEqual([id]);
    expect(await ids(`productCode[eq]=news&userId[eq]=${userId}`)).toEqual([]);
    const { createdAt } = (await get(`/v1/subscriptions/${id}`)).json() as Subscription;
    expect(await ids(`createdAt[gt]=${createdAt}`)).toEqual([canceled.id]);
  });

  it("200: another merchant's list has none of them", async () => {
    expect(await list('', stranger)).toMatchObject({ data: [], total: 0 });
  });

  it.each(['?amount[eq]=5', '?status[eq]=resting', '?sortField=amount', '?limit=101'])(
    '400 invalid_query: %s',
    async (query) => {
      const answer = await get(`/v1/subscriptions${query}`);
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_query']);
    },
  );
});

describe('GET /v1/subscriptions/{id}', () => {
  it('Contract §5 subscription · 200: exactly the fields of the contract', async () => {
    const { id, userId, session, methodId } = await aClub(world);
    const answer = await get(`/v1/subscriptions/${id}`);
    const stored = await subscriptionOf(world, id);
    expect(answer.json()).toEqual({
      id,
      object: 'subscription',
      clientId: world.client.id,
      userId,
      externalId: null,
      sessionId: session.sessionId,
      status: 'active',
      productCode: 'club',
      quantity: 1,
      amount: 24,
      amountMinor: 2400,
      currency: 'EUR',
      paymentMethodId: methodId,
      provider: 'cardprovider',
      interval: 'month',
      currentPeriodEnd: stored.currentPeriodEnd.toISOString(),
      nextRenewalAt: stored.currentPeriodEnd.toISOString(),
      renewalTries: 0,
      cancelAt: null,
      canceledAt: null,
      cancelReason: null,
      metadata: {},
      livemode: false,
      version: 0,
      createdAt: stored.createdAt.toISOString(),
      updatedAt: stored.updatedAt.toISOString(),
    });
  });

  it("404 subscription_not_found: missing and another merchant's look alike", async () => {
    const { id } = await aClub(world);
    const missing = await get(`/v1/subscriptions/${newId()}`);
    expect([missing.statusCode, missing.json().code]).toEqual([404, 'subscription_not_found']);
    expect(comparablePart(await get(`/v1/subscriptions/${id}`, stranger))).toEqual(
      comparablePart(missing),
    );
  });

  it('400 invalid_request: an id that is none', async () => {
    const answer = await get('/v1/subscriptions/club');
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
  });

  it('403 insufficient_scope, for reading and for cancelling', async () => {
    const { id } = await aClub(world);
    const scopes = ['catalog:read'];
    const token = await aToken(world.database, world.client, { scopes });
    for (const answer of [
      await get('/v1/subscriptions', token),
      await get(`/v1/subscriptions/${id}`, token),
      await post(`/v1/subscriptions/${id}/cancel`, token),
    ]) {
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'insufficient_scope']);
    }
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'active' });
  });
});

describe('a renewal among the payments', () => {
  it('GET /v1/payments and its timeline show it: a purchase without a session', async () => {
    const { id, userId, methodId } = await aClub(world);
    await advanceToRenewal(world, id);
    await renewAll(world);
    const [renewal] = await renewalsOf(world, id);
    const path = `/v1/payments?userId[eq]=${userId}`;
    const { data } = (await get(path)).json() as { data: Record<string, unknown>[] };
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({
      id: renewal?.id,
      type: 'purchase',
      status: 'succeeded',
      sessionId: null,
      userId,
      amount: 24,
      metadata: { subscriptionId: id },
      paymentMethod: { id: methodId, lastFour: '4242' },
    });
    const timeline = (await get(`/v1/payments/${renewal?.id}/timeline?limit=100`)).json() as {
      data: { kind: string; type: string; status: string | null }[];
    };
    const told = timeline.data.map(({ kind, type, status }) => [kind, type, status]);
    expect(told).toContainEqual(['operation', 'authorize', 'succeeded']);
    expect(told).toContainEqual(['status', 'purchase', 'succeeded']);
    expect(told).toContainEqual(['event', 'payment.succeeded', null]);
  });

  it('GET /v1/events: what happened to it, in order of sequence', async () => {
    const { id } = await aClub(world);
    await advanceToRenewal(world, id);
    await renewAll(world);
    await cancelClub(world, id, callerOf(world.token, { requestId: 'req_cancel' }));
    const { data } = (await get(`/v1/events?resourceId[eq]=${id}&sortDirection=ASC`)).json() as {
      data: { type: string; sequence: number; request: unknown; data: { object: Subscription } }[];
    };
    expect(data.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['subscription.created', 1],
      ['subscription.renewed', 2],
      ['subscription.canceled', 3],
    ]);
    expect(data[1]?.data.object).toMatchObject({ id, object: 'subscription', status: 'active' });
    expect(data[2]).toMatchObject({
      request: { id: 'req_cancel' },
      data: { previousAttributes: { status: 'active' } },
    });
  });
});
