// Delivering again, and what became of deliveries, over HTTP. Contract §7. A title begins with the row
// that it shows.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../service/src/storage/database/sql.ts';
import { moveClock, newId } from '../../service/test/harness.ts';
import {
  anEvent,
  deliveryOf,
  type Receiver,
  type TestEvent,
} from '../../service/test/webhooks/webhooks.ts';
import {
  expectRefused,
  openWebhookFixture,
  type Shop,
  signersOf,
  type WebhookFixture,
} from './webhooks-fixture.ts';

let fixture: WebhookFixture;
let shop: Shop;
beforeAll(async () => {
  fixture = await openWebhookFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  shop = await fixture.shop();
});
afterEach(() => fixture.rest());

const ages = '2020-01-01T00:00:00.000Z';
const event = (given: { type?: string; resourceId?: string; sequence?: number } = {}) =>
  anEvent(fixture.database, shop.client, given);
const idsAt = ({ received }: Receiver, from = 0) =>
  received.slice(from).map(({ headers }) => headers['webhook-id']);
const redeliver = (one: TestEvent, body: object = {}) =>
  shop.ask(`POST /v1/events/${one.wireId}/redeliver`, body);
const redeliverSpan = (id: string, body: object) =>
  shop.ask(`POST /v1/webhook-endpoints/${id}/redeliver`, body);
const change = (id: string, body: object) => shop.ask(`PATCH /v1/webhook-endpoints/${id}`, body);

const setState = sql(
  'proof_delivery_state',
  'update webhook_deliveries set state = $3 where event_id = $1 and endpoint_id = $2',
);
const forget = sql(
  'proof_delivery_forget',
  'delete from webhook_deliveries where event_id = $1 and endpoint_id = $2',
);

describe('redeliverEvent', () => {
  it('Contract §7 redelivery of one event: the same body and id, labelled, signed anew', async () => {
    const target = await fixture.receiver();
    const { id, secret } = await shop.endpoint(target.url);
    const one = await event();
    await fixture.deliver();
    for (const count of [1, 2]) {
      expect(await redeliver(one)).toMatchObject({ status: 202, body: { deliveries: 1 } });
      await fixture.deliver();
      expect(target.received).toHaveLength(count + 1);
    }
    const [first, ...again] = target.received;
    expect(first?.headers['svc-redelivery']).toBeUndefined();
    expect(again.map(({ headers }) => headers['svc-redelivery'])).toEqual(['1', '2']);
    for (const each of target.received) {
      expect(each.body.equals(first?.body as Buffer)).toBe(true);
      expect(each.headers['webhook-id']).toBe(one.wireId);
      expect(signersOf(each, [secret])).toEqual([0]);
    }
    const { data } = (await shop.ask(`GET /v1/webhook-endpoints/${id}/deliveries`)).body;
    expect(data).toMatchObject([{ state: 'delivered', attempts: 1, redeliveries: 2 }]);
  });

  it('Contract §7 redelivery: a dead one has all its attempts again', async () => {
    const target = await fixture.receiver((_, response) => response.writeHead(500).end());
    const endpoint = await shop.endpoint(target.url);
    const one = await event();
    await fixture.deliver();
    await fixture.database.write(setState, [one.id, endpoint.id, 'dead']);
    expect((await redeliver(one)).body).toEqual({ deliveries: 1 });
    await fixture.deliver();
    const state = await deliveryOf(fixture.database, one, endpoint);
    expect(state).toMatchObject({ state: 'pending', attempts: 1 });
    await moveClock(fixture.database, 6500);
    await fixture.deliver();
    expect(idsAt(target)).toEqual([one.wireId, one.wireId, one.wireId]);
  });

  it('one that waits for its next attempt is sent now', async () => {
    let status = 500;
    const target = await fixture.receiver((_, response) => response.writeHead(status).end());
    await shop.endpoint(target.url);
    const one = await event();
    await fixture.deliver();
    status = 200;
    expect((await redeliver(one)).body).toEqual({ deliveries: 1 });
    await fixture.deliver();
    expect(target.received).toHaveLength(2);
  });

  it('Contract §7 redelivery: to every endpoint that subscribes now, or to those named', async () => {
    const [a, b, c, off] = [
      await fixture.receiver(),
      await fixture.receiver(),
      await fixture.receiver(),
      await fixture.receiver(),
    ];
    await shop.endpoint(a.url, { eventTypes: ['refund.created'] });
    const one = await event({ type: 'refund.created' });
    // Created after the event, so these endpoints have no delivery of it.
    await shop.endpoint(b.url, { eventTypes: ['refund.created'] });
    const deaf = await shop.endpoint(c.url, { eventTypes: ['item.purchased'] });
    const disabled = await shop.endpoint(off.url);
    await change(disabled.id, { isEnabled: false });
    await fixture.deliver();
    expect((await redeliver(one)).body).toEqual({ deliveries: 2 });
    await fixture.deliver();
    const counts = () => [a, b, c, off].map(({ received }) => idsAt({ received } as Receiver));
    expect(counts()).toEqual([[one.wireId, one.wireId], [one.wireId], [], []]);
    const named = { endpointIds: [deaf.id, deaf.id.toUpperCase()] };
    expect((await redeliver(one, named)).body).toEqual({ deliveries: 1 });
    await fixture.deliver();
    expect(idsAt(c)).toEqual([one.wireId]);
    expect(c.received[0]?.headers['svc-redelivery']).toBe('1');
  });

  it('a test event goes to the endpoint that was tested and to no other', async () => {
    const [a, b] = [await fixture.receiver(), await fixture.receiver()];
    const { id } = await shop.endpoint(a.url);
    await shop.endpoint(b.url);
    const sent = (await shop.ask(`POST /v1/webhook-endpoints/${id}/test`)).body;
    const again = await shop.ask(`POST /v1/events/${sent.eventId}/redeliver`, {});
    expect(again.body).toEqual({ deliveries: 1 });
    expect((await redeliverSpan(id, { since: ages, status: 'all' })).body).toMatchObject({
      deliveries: 0,
    });
    await fixture.deliver();
    expect([a.received.length, b.received.length]).toEqual([2, 0]);
  });

  it("404 event_not_found and webhook_endpoint_not_found, also another merchant's", async () => {
    const rival = await fixture.shop();
    const foreign = await anEvent(fixture.database, rival.client);
    const { id } = await rival.endpoint('https://shop.example/');
    for (const wireId of [foreign.wireId, `evt_${'0'.repeat(32)}`, 'evt_x', newId()]) {
      const answer = await shop.ask(`POST /v1/events/${wireId}/redeliver`, {});
      expectRefused(answer, [404, 'event_not_found']);
    }
    const target = await fixture.receiver();
    const own = await shop.endpoint(target.url);
    const one = await event();
    await fixture.deliver();
    for (const endpointIds of [[id], [newId()], [own.id, id]]) {
      expectRefused(await redeliver(one, { endpointIds }), [404, 'webhook_endpoint_not_found']);
    }
    await fixture.deliver();
    expect(target.received).toHaveLength(1);
    expectRefused(await redeliver(one, { endpointIds: [] }), [400, 'invalid_request']);
  });
});

describe('redeliverToEndpoint', () => {
  it('Contract §7 redelivery of what failed: given up, cancelled, or never begun; nothing else', async () => {
    const target = await fixture.receiver();
    const endpoint = await shop.endpoint(target.url, { eventTypes: ['payment.authorized'] });
    const [delivered, dead, cancelled, missed] = [
      await event(),
      await event(),
      await event(),
      await event(),
    ];
    await fixture.deliver();
    await fixture.database.write(setState, [dead.id, endpoint.id, 'dead']);
    await fixture.database.write(setState, [cancelled.id, endpoint.id, 'cancelled']);
    await fixture.database.write(forget, [missed.id, endpoint.id]);
    await event({ type: 'refund.created' });
    const rival = await fixture.shop();
    await anEvent(fixture.database, rival.client);
    const before = target.received.length;
    const put = await redeliverSpan(endpoint.id, { since: ages });
    expect(put).toMatchObject({ status: 202, body: { deliveries: 3, continueFrom: null } });
    await fixture.deliver();
    const wanted = [dead, cancelled, missed].map(({ wireId }) => wireId).sort();
    expect(idsAt(target, before).sort()).toEqual(wanted);
    const labels = target.received.slice(before).map(({ headers }) => headers['svc-redelivery']);
    expect(labels).toEqual(['1', '1', '1']);
    expect(idsAt(target).filter((id) => id === delivered.wireId)).toHaveLength(1);
    // A repeated call queues nothing more.
    expect((await redeliverSpan(endpoint.id, { since: ages })).body).toMatchObject({
      deliveries: 0,
    });
  });

  it('Contract §7 redelivery of all: what arrived too, from since on and before until', async () => {
    const target = await fixture.receiver();
    const { id } = await shop.endpoint(target.url);
    const made: TestEvent[] = [];
    const times: string[] = [];
    for (let index = 0; index < 4; index++) {
      made.push(await event());
      await moveClock(fixture.database, 60_000);
    }
    await fixture.deliver();
    for (const { wireId } of made) {
      const [row] = (
        await shop.ask(`GET /v1/webhook-endpoints/${id}/deliveries?limit=100`)
      ).body.data.filter((each) => each.eventId === wireId);
      times.push(String(row?.createdAt));
    }
    const before = target.received.length;
    const limits = { since: times[1], until: times[3], status: 'all' };
    expect((await redeliverSpan(id, limits)).body).toEqual({ deliveries: 2, continueFrom: null });
    await fixture.deliver();
    expect(idsAt(target, before).sort()).toEqual(
      made
        .slice(1, 3)
        .map(({ wireId }) => wireId)
        .sort(),
    );
  });

  it('an endpoint is not told as failed what happened before there was one', async () => {
    await event();
    const target = await fixture.receiver();
    const { id } = await shop.endpoint(target.url);
    expect((await redeliverSpan(id, { since: ages })).body).toMatchObject({ deliveries: 0 });
    expect((await redeliverSpan(id, { since: ages, status: 'all' })).body).toMatchObject({
      deliveries: 1,
    });
  });

  it('400 invalid_request for a span that is none; 404 for an endpoint of others', async () => {
    const { id } = await shop.endpoint('https://shop.example/');
    const bodies = [
      {},
      { since: 'yesterday' },
      { since: '2026-02-31T00:00:00.000Z' },
      { since: ages, until: '0000-01-01T00:00:00.000Z' },
      { since: ages, status: 'pending' },
    ];
    for (const body of bodies)
      expectRefused(await redeliverSpan(id, body), [400, 'invalid_request']);
    const first = '2026-02-01T00:00:00.001Z';
    const turned = { since: first, until: '2026-02-01T00:00:00.000Z', status: 'all' };
    for (const [param, body] of [
      ['since', { since: '2026-02-31T00:00:00.000Z' }],
      ['until', turned],
    ] as const) {
      const errors = [{ path: param, code: 'invalid_request', message: expect.any(String) }];
      expectRefused(await redeliverSpan(id, body), [400, 'invalid_request'], { param, errors });
    }
    expect((await redeliverSpan(id, { ...turned, until: first })).body.deliveries).toBe(0);
    const rival = await fixture.shop();
    const foreign = await rival.endpoint('https://shop.example/');
    const answer = await redeliverSpan(foreign.id, { since: ages, status: 'all' });
    expectRefused(answer, [404, 'webhook_endpoint_not_found']);
  });
});

describe('listWebhookDeliveries', () => {
  it('Contract §7 deliveries: where each stands, by filter and page, with the exact total', async () => {
    let status = 200;
    const target = await fixture.receiver((_, response) => response.writeHead(status).end());
    const { id } = await shop.endpoint(target.url);
    const other = await shop.endpoint('https://shop.example/');
    const one = await event({ type: 'refund.created' });
    await fixture.deliver();
    status = 500;
    const two = await event();
    await fixture.deliver();
    const list = async (query = '') =>
      (await shop.ask(`GET /v1/webhook-endpoints/${id}/deliveries${query}`)).body;
    const whole = await list();
    expect(whole.total).toBe(2);
    expect(whole.data).toMatchObject([
      {
        eventId: two.wireId,
        eventType: 'payment.authorized',
        endpointId: id,
        state: 'pending',
        attempts: 1,
        redeliveries: 0,
        lastStatus: 500,
        lastError: 'not_2xx',
        nextAttemptAt: expect.stringMatching(/Z$/),
        finishedAt: null,
      },
      {
        eventId: one.wireId,
        eventType: 'refund.created',
        state: 'delivered',
        lastStatus: 200,
        lastError: null,
        nextAttemptAt: null,
        finishedAt: expect.stringMatching(/Z$/),
      },
    ]);
    for (const query of ['?state[eq]=delivered', '?eventType[in]=refund.created,refund.failed']) {
      const { data, total } = await list(query);
      expect([data.map(({ eventId }) => eventId), total]).toEqual([[one.wireId], 1]);
    }
    const second = await list('?limit=1&page=2');
    expect([second.data, second.total]).toEqual([[whole.data[1]], 2]);
    const first = await list('?limit=1');
    expect((await list(`?limit=1&cursor=${first.nextCursor}`)).data).toEqual([whole.data[1]]);
    const up = await list('?sortDirection=ASC');
    expect(up.data).toEqual(whole.data.toReversed());
    const ofOther = (await shop.ask(`GET /v1/webhook-endpoints/${other.id}/deliveries`)).body;
    expect(ofOther.data.every(({ endpointId }) => endpointId === other.id)).toBe(true);
  });
});

describe('listEventAttempts', () => {
  it('Contract §7 attempts: request and answer of each, newest first, by filter and page', async () => {
    let status = 503;
    const target = await fixture.receiver((_, response) => {
      response.writeHead(status);
      response.end(`<b>${'é'.repeat(300)}\u0000`);
    });
    const quiet = await fixture.receiver();
    const { id } = await shop.endpoint(target.url);
    await shop.endpoint(quiet.url);
    const one = await event();
    await fixture.deliver();
    status = 200;
    await moveClock(fixture.database, 6500);
    await fixture.deliver();
    await redeliver(one, { endpointIds: [id] });
    await fixture.deliver();
    const list = async (query = '') =>
      (await shop.ask(`GET /v1/events/${one.wireId}/attempts${query}`)).body;
    expect((await list()).total).toBe(4);
    const { data, total } = await list(`?endpointId[eq]=${id}`);
    expect(total).toBe(3);
    const common = { eventId: one.wireId, endpointId: id };
    expect(data).toMatchObject([
      { ...common, attempt: 1, isRedelivery: true, outcome: 'delivered', status: 200 },
      { ...common, attempt: 2, isRedelivery: false, outcome: 'delivered', status: 200 },
      { ...common, attempt: 1, outcome: 'failed', status: 503, error: 'not_2xx' },
    ]);
    const sent = target.received.toReversed();
    for (const [index, each] of data.entries()) {
      const { url, headers } = each.request as { url: string; headers: object };
      expect(url).toBe(target.url);
      expect(sent[index]?.headers).toMatchObject(headers);
      expect(Object.keys(headers).some((name) => /signature|timestamp/.test(name))).toBe(false);
      expect([...String(each.response)]).toHaveLength(200);
    }
    expect(data[0]?.request).toMatchObject({ headers: { 'svc-redelivery': '1' } });
    expect((await list('?outcome[eq]=failed')).total).toBe(1);
    const paged = await list('?limit=1&page=2');
    expect([paged.data.length, paged.total]).toEqual([1, 4]);
    const first = await list('?limit=3');
    const rest = await list(`?limit=3&cursor=${first.nextCursor}`);
    expect([...first.data, ...rest.data]).toEqual((await list()).data);
  });

  it('404 event_not_found for an event of another merchant', async () => {
    const rival = await fixture.shop();
    const foreign = await anEvent(fixture.database, rival.client);
    const answer = await shop.ask(`GET /v1/events/${foreign.wireId}/attempts`);
    expectRefused(answer, [404, 'event_not_found']);
  });
});
