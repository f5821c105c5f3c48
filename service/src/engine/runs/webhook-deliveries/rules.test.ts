import { describe, expect, it } from 'vitest';
import { aClient, moveClock, newId } from '../../../../test/harness.ts';
import { DeliveryFixture, limits } from '../../../../test/webhooks/deliveries.ts';
import {
  anEvent,
  aWebhookEndpoint,
  type TestEndpoint,
  type TestEvent,
} from '../../../../test/webhooks/webhooks.ts';
import { sql } from '../../../storage/database/sql.ts';
import { removeOld } from '../../../storage/retention/retention.ts';
import { runAudit, type Violation } from '../audit/run-audit.ts';
import { deliverDue, startDueDeliveries } from './deliver-due.ts';
import { DeliverySlots } from './delivery-slots.ts';
import { sendTestDelivery } from './send-test-delivery.ts';

const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

const readEvents = sql<{ type: string; sequence: number; payload: string }>(
  'test_endpoint_events',
  'select type, sequence, payload from events where resource_id = $1 order by sequence',
);
const setFault = sql(
  'test_set_fault',
  'update webhook_endpoints set test_fault = $2 where id = $1',
);
const makeLive = sql('test_make_live', 'update clients set is_live = true where id = $1');
const redeliver = sql(
  'test_redeliver',
  `update webhook_deliveries set state = 'pending', attempts = 0, redeliveries = redeliveries + 1,
     next_attempt_at = svc_clock(), finished_at = null where event_id = $1`,
);
const readKept = sql<{ attempt: number; url: string; redelivery: number; outcome: string }>(
  'test_kept_attempts',
  `select attempt, url, redelivery, outcome from webhook_attempts
   where event_id = $1 order by epoch`,
);
const countRows = sql<{ attempts: number; deliveries: number; events: number }>(
  'test_count_rows',
  `select (select count(*)::int from webhook_attempts where endpoint_id = $1) as attempts,
     (select count(*)::int from webhook_deliveries where endpoint_id = $1) as deliveries,
     (select count(*)::int from events where client_id = $2) as events`,
);

const fixture = new DeliveryFixture();
const { cancelAll, endpointAt, endpointRow, heldReceiver, pass, receiver, stateOf } = fixture;

const failingReceiver = () => receiver((_, response) => response.writeHead(500).end());

describe('webhook_endpoint.failing', () => {
  const listEvents = (endpoint: TestEndpoint) => fixture.database.read(readEvents, [endpoint.id]);

  async function failAgain(): Promise<void> {
    await cancelAll();
    await anEvent(fixture.database, fixture.client);
    await pass();
  }

  it('Contract §7 webhook_endpoint.failing: once per stretch, after 60 hours of failures and not before, to the other endpoints', async () => {
    const bad = await failingReceiver();
    const sound = await receiver();
    const endpoint = await endpointAt(bad.url);
    await endpointAt(sound.url);
    await failAgain();
    await moveClock(fixture.database, 60 * hourMs - minuteMs);
    await failAgain();
    expect(await listEvents(endpoint)).toEqual([]);
    await moveClock(fixture.database, minuteMs);
    await failAgain();
    const [event, ...more] = await listEvents(endpoint);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'webhook_endpoint.failing', sequence: 1 });
    const text = event?.payload ?? '';
    expect(JSON.parse(text).data.object).toMatchObject({
      id: endpoint.id,
      isEnabled: true,
      disabledReason: null,
    });
    expect(text).not.toContain(endpoint.secret);
    await pass();
    await moveClock(fixture.database, hourMs);
    await failAgain();
    expect(await listEvents(endpoint)).toHaveLength(1);
    const types = (received: typeof sound.received) =>
      received.map(({ body }) => JSON.parse(body.toString()).type);
    expect(types(sound.received)).toContain('webhook_endpoint.failing');
    expect(types(bad.received)).not.toContain('webhook_endpoint.failing');
    // The audit misses no delivery of the event to the endpoint that it is about.
    const missed: string[] = [];
    const onViolation = ({ rule, found }: Violation) => {
      if (rule === 'E5b') missed.push(found);
    };
    await runAudit({ url: fixture.url, onViolation });
    expect(missed).toEqual([]);
  });

  it('a success ends the stretch: the next one is told of again', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    const endpoint = await endpointAt(target.url);
    for (const sequence of [1, 2]) {
      status = 500;
      await failAgain();
      await moveClock(fixture.database, 61 * hourMs);
      await failAgain();
      const events = await listEvents(endpoint);
      expect(events.map((event) => event.sequence)).toEqual([1, 2].slice(0, sequence));
      status = 200;
      await failAgain();
      expect((await endpointRow(endpoint))?.failing_since).toBeNull();
    }
  });

  it('then disabled, at 120 hours: the next event of the same endpoint', async () => {
    const bad = await failingReceiver();
    const endpoint = await endpointAt(bad.url);
    for (const hours of [0, 60, 60]) {
      await moveClock(fixture.database, hours * hourMs);
      await failAgain();
    }
    expect((await listEvents(endpoint)).map(({ type, sequence }) => [type, sequence])).toEqual([
      ['webhook_endpoint.failing', 1],
      ['webhook_endpoint.disabled', 2],
    ]);
  });
});

describe('a redelivery', () => {
  it('is labelled with its number, beside the same id and bytes, and kept with its attempt', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    await pass();
    for (const n of [1, 2]) {
      await fixture.database.write(redeliver, [event.id]);
      expect(await pass()).toMatchObject({ sent: 1 });
      expect(target.received.at(n)?.headers['svc-redelivery']).toBe(String(n));
    }
    expect(target.received[0]?.headers).not.toHaveProperty('svc-redelivery');
    expect(new Set(target.received.map(({ body }) => body.toString()))).toEqual(
      new Set([event.payload]),
    );
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', attempts: 1 });
    const kept = { attempt: 1, url: target.url, outcome: 'delivered' };
    expect(await fixture.database.read(readKept, [event.id])).toEqual([
      { ...kept, redelivery: 0 },
      { ...kept, redelivery: 1 },
      { ...kept, redelivery: 2 },
    ]);
  });
});

describe('a redelivery of a young event', () => {
  it('holds no later event of its resource back, as one that was never asked for again does', async () => {
    const bad = await failingReceiver();
    await endpointAt(bad.url);
    const resourceId = newId();
    const event = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 1 });
    expect(await pass()).toMatchObject({ sent: 1 });
    await anEvent(fixture.database, fixture.client, { resourceId, sequence: 2 });
    expect(await pass()).toMatchObject({ sent: 0 });
    await fixture.database.write(redeliver, [event.id]);
    // The endpoint fails, so that one is sent at a time, in order of when they are due.
    for (let n = 0; n < 2; n++) expect(await pass()).toMatchObject({ sent: 1 });
    const labels = bad.received.map(({ headers }) => headers['svc-redelivery']);
    expect(labels).toEqual([undefined, undefined, '1']);
  });
});

describe('what a sandbox does on purpose', () => {
  it('duplicate: every delivery comes twice, same id and bytes, and counts once', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    await fixture.database.write(setFault, [endpoint.id, 'duplicate']);
    const event = await anEvent(fixture.database, fixture.client);
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(target.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      event.wireId,
      event.wireId,
    ]);
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  async function orderOfThree(endpoint: TestEndpoint, target: { received: unknown[] }) {
    const resourceId = newId();
    const events: TestEvent[] = [];
    for (const sequence of [1, 2, 3]) {
      events.push(await anEvent(fixture.database, fixture.client, { resourceId, sequence }));
    }
    await pass();
    await moveClock(fixture.database, 3 * secondMs);
    for (let n = 0; n < 3; n++) await pass();
    expect(await stateOf(events[2] ?? { id: '' }, endpoint)).toMatchObject({ state: 'delivered' });
    const received = target.received as { headers: Record<string, string> }[];
    return received.map(
      ({ headers }) => events.findIndex(({ wireId }) => wireId === headers['webhook-id']) + 1,
    );
  }

  it('reorder: a later event of a resource overtakes an earlier one, and all arrive', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    await fixture.database.write(setFault, [endpoint.id, 'reorder']);
    const order = await orderOfThree(endpoint, target);
    expect(order[0]).toBe(2);
    expect(order.toSorted()).toEqual([1, 2, 3]);
  });

  it.each(['duplicate', 'reorder'])('%s is left alone for a live client', async (fault) => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    await fixture.database.write(setFault, [endpoint.id, fault]);
    await fixture.database.write(makeLive, [fixture.client.id]);
    expect(await orderOfThree(endpoint, target)).toEqual([1, 2, 3]);
  });
});

describe('a test send', () => {
  const request = { id: 'req_test', idempotencyKey: null };
  const sendTest = ({ clientId, id }: TestEndpoint) =>
    sendTestDelivery(fixture.ports, { clientId, endpointId: id, request });

  it('Contract §7 webhook_endpoint.test: is a real event for that endpoint alone, whatever it is subscribed to', async () => {
    const target = await receiver();
    const other = await receiver();
    const endpoint = await aWebhookEndpoint(fixture.database, fixture.client, {
      url: target.url,
      eventTypes: ['item.purchased'],
    });
    await endpointAt(other.url);
    const sent = await sendTest(endpoint);
    expect(sent).toMatchObject({ outcome: 'delivered', status: 200, excerpt: 'ok', attempt: 1 });
    expect(JSON.parse(target.received[0]?.body.toString() ?? '')).toMatchObject({
      type: 'webhook_endpoint.test',
      sequence: 1,
      request,
      data: { object: { id: endpoint.id, url: target.url, isEnabled: true } },
    });
    await sendTest(endpoint);
    expect(await pass()).toMatchObject({ sent: 0 });
    expect(other.received).toHaveLength(0);
    const events = await fixture.database.read(readEvents, [endpoint.id]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('that fails is dead after it, and the endpoint no worse for it', async () => {
    const target = await failingReceiver();
    const endpoint = await endpointAt(target.url);
    const sent = await sendTest(endpoint);
    expect(sent).toMatchObject({ outcome: 'failed', status: 500, error: 'not_2xx' });
    const event = { id: typeof sent === 'string' ? '' : sent.eventId };
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'dead', attempts: 1 });
    expect((await endpointRow(endpoint))?.failing_since).toBeNull();
    await moveClock(fixture.database, hourMs);
    expect(await pass()).toMatchObject({ sent: 0 });
    expect(target.received).toHaveLength(1);
  });

  it('that a crash cut short is made once more, and then is over', async () => {
    const target = await failingReceiver();
    const endpoint = await endpointAt(target.url);
    const dying = { ...fixture.ports, sendWebhook: () => Promise.reject(new Error('killed here')) };
    const call = { clientId: endpoint.clientId, endpointId: endpoint.id, request };
    await expect(sendTestDelivery(dying, call)).rejects.toThrow('killed here');
    await moveClock(fixture.database, 31 * secondMs);
    expect(await pass()).toMatchObject({ sent: 1 });
    await moveClock(fixture.database, hourMs);
    expect(await pass()).toMatchObject({ sent: 0 });
    expect((await endpointRow(endpoint))?.failing_since).toBeNull();
  });

  it('410 disables, as always', async () => {
    const target = await receiver((_, response) => response.writeHead(410).end());
    const endpoint = await endpointAt(target.url);
    await sendTest(endpoint);
    expect(await endpointRow(endpoint)).toMatchObject({
      is_enabled: false,
      disabled_reason: 'gone',
    });
    expect(await sendTest(endpoint)).toBe('disabled');
  });

  it('holds few requests at a receiver that hangs: one an endpoint, three a merchant', async () => {
    const target = await fixture.heldReceiver();
    const endpoints = await Promise.all([1, 2, 3, 4].map(() => endpointAt(target.url)));
    const [first] = endpoints as [TestEndpoint];
    const ended: unknown[] = [];
    const sendAndRecord = async () => {
      const answer = await sendTest(first);
      ended.push(answer);
      return answer;
    };
    const many = Promise.all(Array.from({ length: 8 }, sendAndRecord));
    await target.arrived(1);
    // A delivery that comes after the first one's end gets a slot: all others must have come
    // before.
    await expect.poll(() => ended).toHaveLength(7);
    const two = endpoints.slice(1, 3).map(sendTest);
    await target.arrived(3);
    expect(await Promise.all([...endpoints].map(sendTest))).toEqual(Array(4).fill('busy'));
    for (const response of target.held.splice(0)) response.end();
    expect((await many).filter((one) => one !== 'busy')).toHaveLength(1);
    await Promise.all(two);
    const next = sendTest(first);
    await target.arrived(4);
    for (const response of target.held.splice(0)) response.end();
    expect(await next).toMatchObject({ outcome: 'delivered' });
  });

  it("another merchant's endpoint is missing, and nothing is left behind", async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const other = await aClient(fixture.database);
    const call = { clientId: other.id, endpointId: endpoint.id, request };
    expect(await sendTestDelivery(fixture.ports, call)).toBe('missing');
    expect(await fixture.database.read(readEvents, [endpoint.id])).toEqual([]);
    expect(target.received).toHaveLength(0);
  });
});

describe('places that grow', () => {
  it('what waits for its turn when the worker stops is due again at once, without an attempt', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    const events = [];
    for (let n = 0; n < 4; n++) events.push(await anEvent(fixture.database, fixture.client));
    const gate = new DeliverySlots(2);
    const { started } = await startDueDeliveries(fixture.ports, { ...limits, gate });
    await target.arrived(2);
    gate.close();
    for (const response of target.held) response.end();
    const results = await Promise.all(started.map(({ recorded }) => recorded));
    const outcomes = results.map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['delivered', 'delivered', 'given_back', 'given_back']);
    const back = results.find(({ outcome }) => outcome === 'given_back');
    expect(await stateOf({ id: back?.claimed.eventId ?? '' }, endpoint)).toMatchObject({
      state: 'pending',
      attempts: 0,
      isLeased: false,
    });
    const again = deliverDue(fixture.ports, limits);
    await target.arrived(4);
    for (const response of target.held) response.end();
    expect(await again).toMatchObject({ sent: 2 });
  });
});

describe('what is older than 90 days', () => {
  const dayMs = 24 * hourMs;

  it('attempts and deliveries that are over go, in bounded batches; what waits and events stay', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const rows = async () => {
      const [row] = await fixture.database.read(countRows, [endpoint.id, fixture.client.id]);
      return row;
    };
    for (let n = 0; n < 3; n++) await anEvent(fixture.database, fixture.client);
    await pass();
    await moveClock(fixture.database, 89 * dayMs);
    const sweep = async (most: number) =>
      (await removeOld(fixture.database, { kind: 'deliveries', days: 90 }, most)).removed;
    await sweep(100);
    expect(await rows()).toEqual({ attempts: 3, deliveries: 3, events: 3 });
    const again = await anEvent(fixture.database, fixture.client);
    await pass();
    await moveClock(fixture.database, 2 * dayMs);
    const waiting = await anEvent(fixture.database, fixture.client);
    const swept: number[] = [];
    while (swept.at(-1) !== 0) swept.push(await sweep(2));
    expect(Math.max(...swept)).toBeLessThanOrEqual(2);
    expect(await rows()).toEqual({ attempts: 1, deliveries: 2, events: 5 });
    expect(await stateOf(again, endpoint)).toMatchObject({ state: 'delivered' });
    expect(await stateOf(waiting, endpoint)).toMatchObject({ state: 'pending' });
  });
});
