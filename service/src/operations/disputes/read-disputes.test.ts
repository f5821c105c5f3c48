// GET /v1/disputes, /v1/disputes/{id} and /v1/payments/{id}/timeline through the real routes.

import { randomUUID } from 'node:crypto';
import type { Dispute, TimelineEntry } from '@svc/contract/payments/disputes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import {
  aPurchase,
  chargebacksOf,
  deliverDisputeEvents,
  dispute,
  step,
} from '../../../test/payments/disputes.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { sql } from '../../storage/database/sql.ts';
import { insertWebhookEndpoint } from '../../storage/webhooks/webhook-endpoints.ts';

let world: World;
let server: TestServer;
let stranger: TestToken;
const intents: Record<string, string> = {};
const payments: string[] = [];
beforeAll(async () => {
  world = await startWorld();
  // Cancels the deliveries, because no worker runs here.
  await world.database.transaction(world.client.id, (tx) =>
    insertWebhookEndpoint(tx, {
      id: newId(),
      clientId: world.client.id,
      url: 'https://shop.example.test/hook',
      eventTypes: null,
      secretSealed: Buffer.from('never opened'),
      apiVersion: '2026-01-01',
    }),
  );
  stranger = await aToken(world.database, await aClient(world.database));
  server = await aServer(world.ports);
  for (let i = 0; i < 3; i++) {
    const { paymentId, intent } = await aPurchase(world);
    payments.push(paymentId);
    intents[paymentId] = intent;
    const id = await dispute(world, intent, { amount: 500 + i });
    if (i === 2) await step(world, id, 'close', { outcome: 'lost' });
    await deliverDisputeEvents(world, id);
  }
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const get = (path: string, as: TestToken = world.token) => callAs(server.app, as, `GET ${path}`);

async function list(query = ''): Promise<{ data: Dispute[]; total: number; nextCursor: string }> {
  const answer = await get(`/v1/disputes${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

/** Everything that a caller can compare, except the request's id. */
const comparablePart = ({ statusCode, headers, body }: Awaited<ReturnType<typeof get>>) => ({
  statusCode,
  headers: Object.keys(headers).sort(),
  body: body.replaceAll(String(headers['request-id']), 'req'),
});

describe('GET /v1/disputes', () => {
  it('lists newest first, in pages, with the exact total', async () => {
    const all = await list();
    expect(all.total).toBe(3);
    expect(all.data.map((one) => one.paymentId)).toEqual([...payments].reverse());
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data]).toEqual(all.data);
    const oldest = await list('?sortDirection=ASC&limit=1');
    expect(oldest.data).toEqual(all.data.slice(-1));
  });

  it('filters by id, status, payment, provider dispute and creation', async () => {
    const { data } = await list();
    const [lost, other] = data as [Dispute, Dispute];
    const ids = async (query: string) => (await list(`?${query}`)).data.map(({ id }) => id);
    expect(await ids('status[eq]=lost')).toEqual([lost.id]);
    expect(await ids(`id[eq]=${other.id}`)).toEqual([other.id]);
    expect(await ids(`paymentId[eq]=${other.paymentId}`)).toEqual([other.id]);
    expect(await ids(`providerDisputeId[eq]=${other.providerDisputeId}`)).toEqual([other.id]);
    expect(await ids(`createdAt[gt]=${other.createdAt}`)).toEqual([lost.id]);
    expect((await get('/v1/disputes?status[eq]=paid')).statusCode).toBe(400);
    expect((await get('/v1/disputes?openedAt[eq]=x')).json().code).toBe('invalid_query');
  });

  it('filters by reason, amount, currency, buyer and deadline, and sorts by the deadline', async () => {
    const { data } = await list();
    const [lost, other] = data as [Dispute, Dispute];
    const ids = async (query: string) => (await list(`?${query}`)).data.map(({ id }) => id);
    const all = data.map(({ id }) => id);
    expect(await ids(`reason[eq]=${other.reason}&currency[eq]=EUR`)).toEqual(all);
    expect(await ids('reason[eq]=none')).toEqual([]);
    expect(await ids(`amount[gt]=${other.amount}`)).toEqual([lost.id]);
    const bought = (await get(`/v1/payments/${other.paymentId}`)).json();
    expect(await ids(`customerId[eq]=${bought.userId}`)).toEqual([other.id]);
    expect(await ids(`evidenceDueBy[gte]=${other.evidenceDueBy}&id[eq]=${other.id}`)).toEqual([
      other.id,
    ]);
    const due = (await list('?sortField=evidenceDueBy&sortDirection=ASC')).data;
    const far = '9999';
    const instants = due.map(({ evidenceDueBy }) => evidenceDueBy ?? far);
    expect(instants).toEqual(instants.toSorted());
  });

  it('an entry is the dispute that a single read shows', async () => {
    for (const one of (await list()).data) {
      const read = await get(`/v1/disputes/${one.id}`);
      expect(read.json()).toEqual(one);
      expect(one.withdrawnAmount).toBe(one.amount);
    }
  });

  it('404 dispute_not_found: what is foreign looks like what does not exist', async () => {
    const { data } = await list();
    const [one] = data as [Dispute];
    const foreign = [
      `/v1/disputes/${one.id}`,
      `/v1/disputes?id[eq]=${one.id}`,
      `/v1/disputes?paymentId[eq]=${one.paymentId}`,
      `/v1/disputes?providerDisputeId[eq]=${one.providerDisputeId}`,
      `/v1/payments/${one.paymentId}/timeline`,
    ];
    const missing = [
      `/v1/disputes/${newId()}`,
      `/v1/disputes?id[eq]=${newId()}`,
      `/v1/disputes?paymentId[eq]=${newId()}`,
      '/v1/disputes?providerDisputeId[eq]=dp_none',
      `/v1/payments/${newId()}/timeline`,
    ];
    for (const [i, path] of foreign.entries()) {
      const theirs = await get(path, stranger);
      expect(comparablePart(theirs), path).toEqual(comparablePart(await get(missing[i] ?? '')));
      expect(comparablePart(theirs), path).not.toEqual(comparablePart(await get(path)));
    }
    expect((await get(`/v1/disputes/${one.id}`, stranger)).json().code).toBe('dispute_not_found');
    expect((await get('/v1/disputes', stranger)).json().total).toBe(0);
  });

  it('403 insufficient_scope without disputes:read; 400 for what is no id', async () => {
    const poor = await aToken(world.database, world.client, { scopes: ['payments:read'] });
    for (const path of ['/v1/disputes', `/v1/disputes/${newId()}`]) {
      expect((await get(path, poor)).json().code).toBe('insufficient_scope');
    }
    const rich = await aToken(world.database, world.client, { scopes: ['disputes:read'] });
    expect((await get('/v1/disputes', rich)).statusCode).toBe(200);
    expect((await get('/v1/disputes/x')).json().code).toBe('invalid_request');
  });
});

const tables = {
  status: `select count(*)::int as n from payment_history where payment_id = any($1)`,
  operation: `select count(*)::int as n from payment_operations where payment_id = any($1)`,
  attempt: `select count(*)::int as n from operation_attempts a
    join payment_operations o on o.id = a.operation_id where o.payment_id = any($1)`,
  event: `select count(*)::int as n from events where resource_id = any($1)`,
  delivery: `select count(*)::int as n from webhook_deliveries where resource_id = any($1)`,
};
const counts = Object.entries(tables).map(
  ([kind, text]) => [kind, sql<{ n: number }>(`test_timeline_${kind}`, text)] as const,
);

async function timeline(paymentId: string): Promise<TimelineEntry[]> {
  const answer = await get(`/v1/payments/${paymentId}/timeline?limit=100&sortDirection=ASC`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
}

describe('GET /v1/payments/{paymentId}/timeline', () => {
  let paymentId: string;
  let refundId: string;
  let disputeId: string;
  let entries: TimelineEntry[];
  beforeAll(async () => {
    const bought = await aPurchase(world);
    paymentId = bought.paymentId;
    const refunded = await callAs(
      server.app,
      world.token,
      `POST /v1/payments/${paymentId}/refunds`,
      { body: { amount: 5, reason: 'duplicate' }, headers: { 'idempotency-key': randomUUID() } },
    );
    refundId = refunded.json().id;
    const id = await dispute(world, bought.intent, { amount: 1000 });
    await deliverDisputeEvents(world, id);
    await step(world, id, 'close', { outcome: 'won' });
    await deliverDisputeEvents(world, id);
    disputeId = (await list(`?paymentId[eq]=${paymentId}`)).data[0]?.id ?? '';
    entries = await timeline(paymentId);
  });

  it('a captured, refunded and disputed payment: every record of every table, none else', async () => {
    const chargebacks = await chargebacksOf(world, paymentId);
    expect(chargebacks).toHaveLength(2);
    const family = [paymentId, refundId, ...chargebacks.map(({ id }) => id), disputeId];
    const stored: Record<string, number> = {};
    for (const [kind, count] of counts) {
      const [row] = await world.database.read(count, [family]);
      stored[kind] = row?.n ?? 0;
    }
    const told: Record<string, number> = {};
    for (const { kind } of entries) told[kind] = (told[kind] ?? 0) + 1;
    expect(told).toEqual(stored);
    expect(Object.values(stored).every((n) => n > 0)).toBe(true);
  });

  it('in order of time; of one instant the cause goes first', () => {
    const times = entries.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    expect(entries[0]).toMatchObject({ kind: 'status', paymentId, status: 'pending', version: 0 });
    const placeOfEntry = (kind: string, type: string) =>
      entries.findIndex((one) => one.kind === kind && one.type === type);
    expect(placeOfEntry('operation', 'authorize')).toBeLessThan(
      placeOfEntry('attempt', 'authorize'),
    );
    expect(placeOfEntry('attempt', 'authorize')).toBeLessThan(
      placeOfEntry('event', 'item.purchased'),
    );
    expect(placeOfEntry('event', 'item.purchased')).toBeLessThan(
      placeOfEntry('delivery', 'item.purchased'),
    );
    expect(placeOfEntry('event', 'item.purchased')).toBeLessThan(
      placeOfEntry('operation', 'refund'),
    );
    expect(placeOfEntry('operation', 'refund')).toBeLessThan(
      placeOfEntry('event', 'refund.succeeded'),
    );
    expect(placeOfEntry('event', 'refund.succeeded')).toBeLessThan(
      placeOfEntry('event', 'dispute.opened'),
    );
    expect(placeOfEntry('event', 'dispute.opened')).toBeLessThan(
      placeOfEntry('event', 'dispute.closed'),
    );
  });

  it('each entry names what it is about', () => {
    const events = entries.filter(({ kind }) => kind === 'event');
    expect(events.map(({ type }) => type).sort()).toEqual([
      'chargeback.reinstated',
      'chargeback.withdrawn',
      'dispute.closed',
      'dispute.opened',
      'item.purchased',
      'refund.created',
      'refund.succeeded',
    ]);
    for (const one of entries) {
      expect([one.paymentId, one.disputeId].filter(Boolean)).toHaveLength(1);
      const isOfOperation = ['operation', 'attempt'].includes(one.kind);
      expect(one.operationId !== null).toBe(isOfOperation);
      expect(one.eventId !== null).toBe(['event', 'delivery'].includes(one.kind));
      expect(one.endpointId !== null).toBe(one.kind === 'delivery');
    }
    const [told] = events;
    expect(told?.eventId).toMatch(/^evt_[0-9a-f]{32}$/);
  });

  it('says in words what happened, and who asked for it', () => {
    const asked = entries.find(({ kind, type }) => kind === 'operation' && type === 'refund');
    const email = asked?.actor?.email ?? '';
    expect(asked?.actor).toEqual({
      kind: 'api_token',
      userId: world.token.userId,
      email: expect.stringContaining('@'),
      name: null,
      tokenName: 'test',
      applicationName: null,
    });
    expect(asked?.text).toBe(`${email} asked to refund 5.00 EUR: paid twice.`);
    const told = entries.filter(({ kind }) => kind === 'status').map(({ text }) => text);
    expect(told).toContain('The payment of 19.90 EUR began.');
    expect(told).toContain('19.90 EUR was collected.');
    expect(told).toContain('5.00 EUR was refunded.');
    expect(told).toContain("The buyer's bank moved 10.00 EUR over a dispute.");
    expect(entries.every(({ text }) => /^[^{}]+\.$/.test(text))).toBe(true);
    const others = entries.filter((one) => one !== asked && one.actor !== null);
    expect(others).toEqual([]);
  });

  it('holds no secret, no address of an endpoint and nothing of the provider’s', () => {
    const text = JSON.stringify(entries);
    for (const secret of [world.account.secretKey, 'shop.example.test', 'whsec', 'pm_']) {
      expect(text).not.toContain(secret);
    }
    // `api_token` is no intent.
    expect(text).not.toMatch(/(?<!a)pi_/);
  });

  it('of a refund: its own part', async () => {
    const own = await timeline(refundId);
    expect(own).toEqual(entries.filter((one) => one.paymentId === refundId));
    expect(own.length).toBeGreaterThan(0);
  });

  it('has pages as other lists: by number and by cursor, both ways, each entry once', async () => {
    const read = async (query: string) => {
      const answer = await get(`/v1/payments/${paymentId}/timeline?${query}`);
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json() as { data: TimelineEntry[]; total: number; nextCursor: string | null };
    };
    for (const direction of ['ASC', 'DESC']) {
      const wanted = direction === 'ASC' ? entries : entries.toReversed();
      const found: TimelineEntry[] = [];
      let cursor: string | null = null;
      do {
        const on: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page = await read(`limit=3&sortDirection=${direction}${on}`);
        expect(page.total).toBe(entries.length);
        found.push(...page.data);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(found).toEqual(wanted);
      const second = await read(`limit=4&page=2&sortDirection=${direction}`);
      expect(second.data).toEqual(wanted.slice(4, 8));
    }
    expect((await read('')).data).toEqual(entries.toReversed().slice(0, 20));
    expect(await read('page=1000')).toMatchObject({ data: [], total: entries.length });
  });

  it('400 invalid_payment_id, and invalid_query for a foreign cursor', async () => {
    expect((await get('/v1/payments/x/timeline')).json().code).toBe('invalid_payment_id');
    const first = (await get(`/v1/payments/${paymentId}/timeline?limit=1`)).json();
    for (const query of [
      `/v1/payments/${refundId}/timeline?cursor=${first.nextCursor}`,
      `/v1/payments/${paymentId}/timeline?cursor=${first.nextCursor}&sortDirection=ASC`,
      `/v1/payments/${paymentId}/timeline?limit=101`,
      `/v1/payments/${paymentId}/timeline?sortField=kind`,
    ]) {
      expect((await get(query)).json().code, query).toBe('invalid_query');
    }
  });
});
