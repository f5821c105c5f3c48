// The end of a subscription: at once, with its period, and taken back; renewals meet it. Contract §5, §7.

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
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { eventsOf, runRecovery } from '../../../test/payments/checkouts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import type { Ports } from '../../engine/ports.ts';

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

const confirm = { method: 'POST', path: '/v1/payment_intents/*/confirm' };
const reads = { method: 'GET', path: '/v1/payment_intents' };

/** Ports of a process that dies before it calls the provider. */
const dyingPorts = (ports: Ports): Ports => ({
  ...ports,
  provider: () => {
    throw new Error('killed');
  },
});

const get = (path: string, as: TestToken = world.token) => callAs(server.app, as, `GET ${path}`);
const post = (path: string, as: TestToken = world.token) => callAs(server.app, as, `POST ${path}`);

const end = (id: string, at: string) =>
  callAs(server.app, world.token, `POST /v1/subscriptions/${id}/cancel`, { body: { at } });

/** Everything that a caller can compare, except the request's id. */
const comparablePart = ({ statusCode, headers, body }: Awaited<ReturnType<typeof get>>) => ({
  statusCode,
  headers: Object.keys(headers).sort(),
  body: body.replaceAll(String(headers['request-id']), 'req'),
});

describe('POST /v1/subscriptions/{id}/cancel', () => {
  it('200: ended at once, subscription.canceled, never renewed again; repeated, the same answer', async () => {
    const { id } = await aClub(world);
    const first = await post(`/v1/subscriptions/${id}/cancel`);
    expect(first.statusCode, first.body).toBe(200);
    expect(first.json()).toMatchObject({
      status: 'canceled',
      cancelReason: 'merchant_requested',
      nextRenewalAt: null,
      version: 1,
    });
    const again = await post(`/v1/subscriptions/${id}/cancel`);
    expect(again.json()).toEqual(first.json());
    expect(await eventsOf(world, id)).toEqual(['subscription.created', 'subscription.canceled']);
  });

  it('several at once: one event', async () => {
    const { id } = await aClub(world);
    await Promise.all(Array.from({ length: 6 }, () => cancelClub(world, id)));
    expect(await eventsOf(world, id)).toEqual(['subscription.created', 'subscription.canceled']);
  });

  it('a renewal under way settles by itself; the subscription stays canceled', async () => {
    const { id } = await aClub(world);
    await advanceToRenewal(world, id);
    await world.fault(confirm, 'drop_reply', { count: 9 });
    await world.fault(reads, 'error_503_unrecorded', { count: 99 });
    await renewAll(world);
    await cancelClub(world, id);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect((await renewalsOf(world, id)).map(({ status }) => status)).toEqual(['succeeded']);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'canceled', periods: 1 });
    expect(await eventsOf(world, id)).toEqual(['subscription.created', 'subscription.canceled']);
    expect(await renewAll(world)).toBe(0);
  });

  it.each([
    ['killed before its call', 'killed'],
    ['lost on its way', 'lost'],
  ])('a renewal that reached nobody (%s) is not sent after the end', async (_, trouble) => {
    const { id } = await aClub(world);
    await advanceToRenewal(world, id);
    if (trouble === 'killed') {
      await expect(renewAll(world, dyingPorts(world.ports))).rejects.toThrow('killed');
    } else {
      await world.fault(confirm, 'drop_request', { count: 9 });
      await world.fault(reads, 'error_503_unrecorded', { count: 99 });
      await renewAll(world);
    }
    await cancelClub(world, id);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    const [renewal] = await renewalsOf(world, id);
    expect(renewal?.status).toBe('failed');
    const intent = renewal?.provider_intent_id ?? null;
    const moves = intent === null ? [] : await world.ledger(intent);
    expect(moves.filter(({ kind }) => kind === 'capture')).toEqual([]);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'canceled', periods: 1 });
    expect(await eventsOf(world, id)).toEqual(['subscription.created', 'subscription.canceled']);
  });

  it('at the end of the period: runs on until then, is not renewed, and ends', async () => {
    const { id } = await aClub(world);
    const { currentPeriodEnd } = await subscriptionOf(world, id);
    const planned = await end(id, 'period_end');
    const cancelAt = currentPeriodEnd.toISOString();
    expect(planned.json()).toMatchObject({ status: 'active', cancelAt, nextRenewalAt: null });
    expect((await end(id, 'period_end')).json()).toEqual(planned.json());
    await advanceToRenewal(world, id);
    expect(await renewAll(world)).toBe(1);
    expect(await renewAll(world)).toBe(0);
    expect(await renewalsOf(world, id)).toEqual([]);
    expect((await get(`/v1/subscriptions/${id}`)).json()).toMatchObject({
      status: 'canceled',
      cancelAt: null,
      cancelReason: 'merchant_requested',
    });
    expect(await eventsOf(world, id)).toEqual([
      'subscription.created',
      'subscription.cancellation_scheduled',
      'subscription.canceled',
    ]);
  });

  it('at the end of a period that is over: at once, and nothing is charged', async () => {
    const { id } = await aClub(world);
    await advanceToRenewal(world, id);
    expect((await end(id, 'period_end')).json()).toMatchObject({ status: 'canceled' });
    expect(await renewAll(world)).toBe(0);
    expect(await renewalsOf(world, id)).toEqual([]);
  });

  it('now, of one that was to end with its period', async () => {
    const { id } = await aClub(world);
    await end(id, 'period_end');
    const ended = (await end(id, 'now')).json();
    expect(ended).toMatchObject({ status: 'canceled', cancelAt: null, version: 2 });
  });

  it('at the end of the period, while its renewal is under way: paid, it ends one period later', async () => {
    const { id } = await aClub(world);
    await advanceToRenewal(world, id);
    await world.fault(confirm, 'drop_reply', { count: 9 });
    await world.fault(reads, 'error_503_unrecorded', { count: 99 });
    await renewAll(world);
    expect((await end(id, 'period_end')).json()).toMatchObject({ status: 'active' });
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect((await renewalsOf(world, id)).map(({ status }) => status)).toEqual(['succeeded']);
    const paid = await subscriptionOf(world, id);
    expect(paid).toMatchObject({ status: 'active', periods: 2, endReason: 'merchant_requested' });
    await advanceToRenewal(world, id);
    await renewAll(world);
    expect(await renewalsOf(world, id)).toHaveLength(1);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'canceled', periods: 2 });
  });

  it('at the end of the period, before a renewal that was claimed and killed: it is not sent', async () => {
    const { id } = await aClub(world);
    await advanceToRenewal(world, id);
    await expect(renewAll(world, dyingPorts(world.ports))).rejects.toThrow('killed');
    await end(id, 'period_end');
    await runRecovery(world);
    const [renewal] = await renewalsOf(world, id);
    expect(renewal).toMatchObject({ status: 'failed', provider_intent_id: null });
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'canceled', periods: 1 });
  });

  it('400 invalid_request: at a time that there is not', async () => {
    const { id } = await aClub(world);
    const answer = await end(id, 'tomorrow');
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
  });

  it('403 merchant_role_required: a member does not', async () => {
    const { id } = await aClub(world);
    const token = await aToken(world.database, world.client, { role: 'member' });
    const answer = await post(`/v1/subscriptions/${id}/cancel`, token);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'merchant_role_required']);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'active' });
  });

  it("404 subscription_not_found: missing and another merchant's look alike, and nothing ends", async () => {
    const { id } = await aClub(world);
    const missing = await post(`/v1/subscriptions/${newId()}/cancel`);
    expect([missing.statusCode, missing.json().code]).toEqual([404, 'subscription_not_found']);
    expect(comparablePart(await post(`/v1/subscriptions/${id}/cancel`, stranger))).toEqual(
      comparablePart(missing),
    );
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'active' });
  });
});

describe('POST /v1/subscriptions/{id}/resume', () => {
  const resume = (id: string, as?: TestToken) => post(`/v1/subscriptions/${id}/resume`, as);

  it('takes the planned end back, and it is renewed; repeatable, with one event', async () => {
    const { id } = await aClub(world);
    const before = (await get(`/v1/subscriptions/${id}`)).json();
    await end(id, 'period_end');
    const resumed = await resume(id);
    const { currentPeriodEnd: nextRenewalAt } = before;
    expect(resumed.json()).toMatchObject({ status: 'active', cancelAt: null, nextRenewalAt });
    expect((await resume(id)).json()).toEqual(resumed.json());
    await advanceToRenewal(world, id);
    await renewAll(world);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'active', periods: 2 });
    expect(await eventsOf(world, id)).toEqual([
      'subscription.created',
      'subscription.cancellation_scheduled',
      'subscription.resumed',
      'subscription.renewed',
    ]);
  });

  it('409 subscription_ended: once the period is over, before and after the end is written', async () => {
    const { id } = await aClub(world);
    await end(id, 'period_end');
    await advanceToRenewal(world, id);
    const expectEnded = async () => {
      const answer = await resume(id);
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'subscription_ended']);
    };
    await expectEnded();
    await renewAll(world);
    await expectEnded();
    expect(await renewalsOf(world, id)).toEqual([]);
  });

  it("403 merchant_role_required for a member; 404 subscription_not_found: another merchant's", async () => {
    const { id } = await aClub(world);
    await end(id, 'period_end');
    const member = await aToken(world.database, world.client, { role: 'member' });
    expect((await resume(id, member)).json().code).toBe('merchant_role_required');
    expect((await resume(id, stranger)).json().code).toBe('subscription_not_found');
    expect(await subscriptionOf(world, id)).toMatchObject({ endReason: 'merchant_requested' });
  });
});
