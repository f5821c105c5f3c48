import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type TestClient, type TestDatabase, aClient, freshDatabase, moveClock, newId,
} from '../../../test/harness.ts';
import {
  type Receiver, aReceiver, aWebhookEndpoint, anEvent, deliveryOf, deliveryPorts, sealedFor,
} from '../../../test/webhooks.ts';
import { newWebhookSecret } from '../../domain/webhook-secret.ts';
import { sql } from '../../storage/sql.ts';
import { webhookSecretPlace } from '../../storage/webhook-endpoints.ts';
import { type DeliveryPorts, deliverDue, startDueDeliveries } from './deliver-due.ts';

const secondMs = 1000;
const hourMs = 3600 * secondMs;
const limits = { limit: 50, failingLimit: 25 };

const readAttempts = sql<{
  attempt: number; epoch: number; outcome: string; http_status: number | null;
  error: string | null; response_excerpt: string | null; duration_ms: number;
}>(
  'test_attempts',
  `select attempt, epoch, outcome, http_status, error, response_excerpt, duration_ms
   from webhook_attempts where event_id = $1 and endpoint_id = $2 order by started_at, epoch`,
);
const readEndpoint = sql<{
  is_enabled: boolean; disabled_reason: string | null; failing_since: Date | null;
}>(
  'test_endpoint',
  'select is_enabled, disabled_reason, failing_since from webhook_endpoints where id = $1',
);
const readEvents = sql<{ type: string; sequence: number; payload: string }>(
  'test_events_of',
  'select type, sequence, payload from events where resource_id = $1 order by sequence',
);
const rotate = sql(
  'test_rotate',
  `update webhook_endpoints set previous_secret_sealed = secret_sealed, secret_sealed = $2,
     previous_secret_until = svc_clock() + interval '24 hours' where id = $1`,
);
const enable = sql('test_enable', 'update webhook_endpoints set is_enabled = $2 where id = $1');
const cleared = sql(
  'test_clear',
  "update webhook_deliveries set state = 'cancelled' where state = 'pending'",
);
const countStates = sql<{ state: string; n: number }>(
  'test_states',
  `select state, count(*)::int as n from webhook_deliveries where endpoint_id = $1 group by state`,
);
const endLease = sql(
  'test_end_lease',
  `update webhook_deliveries set lease_until = svc_clock(), next_attempt_at = svc_clock()
   where event_id = $1`,
);

let db: TestDatabase;
let ports: DeliveryPorts;
let client: TestClient;
const receivers: Receiver[] = [];

beforeAll(async () => {
  db = await freshDatabase();
  ports = deliveryPorts(db.database);
});
afterAll(() => db.close());
beforeEach(async () => {
  client = await aClient(db.database);
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((one) => one.close()));
  await db.database.write(cleared, []);
});

async function receiver(...given: Parameters<typeof aReceiver>): Promise<Receiver> {
  const made = await aReceiver(...given);
  receivers.push(made);
  return made;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A receiver that holds its answers until the test gives them. */
async function heldReceiver(): Promise<Receiver & { held: ServerResponse[] }> {
  const held: ServerResponse[] = [];
  return { ...(await receiver((_, response) => held.push(response))), held };
}

const endpointAt = (url: string) => aWebhookEndpoint(db.database, client, { url });
const stateOf = (event: { id: string }, endpoint: { id: string }) =>
  deliveryOf(db.database, event, endpoint);
const pass = (limit = limits) => deliverDue(ports, limit);

describe('a delivery', () => {
  it('arrives signed, is acknowledged, and is not sent again', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(await pass()).toMatchObject({ sent: 0 });
    const [one, ...more] = target.received;
    expect(more).toEqual([]);
    expect(one?.body.equals(Buffer.from(event.payload))).toBe(true);
    expect(one?.headers['webhook-id']).toBe(event.wireId);
    const header = String(one?.headers['svc-signature']);
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    const signed = Buffer.concat([Buffer.from(`${t}.`), one?.body ?? Buffer.alloc(0)]);
    expect(v1).toBe(createHmac('sha256', endpoint.secret).update(signed).digest('hex'));
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'delivered', attempts: 1, epoch: 1, lastStatus: 200, lastError: null, isLeased: false,
    });
    expect(await db.database.read(readAttempts, [event.id, endpoint.id])).toMatchObject([
      { attempt: 1, epoch: 1, outcome: 'delivered', http_status: 200, response_excerpt: 'ok' },
    ]);
  });

  it('goes to every endpoint that was subscribed, each with its own secret', async () => {
    const [first, second, third] = [await receiver(), await receiver(), await receiver()];
    const one = await endpointAt(first.url);
    const two = await endpointAt(second.url);
    await aWebhookEndpoint(db.database, client, { url: third.url, eventTypes: ['item.purchased'] });
    const foreign = await aClient(db.database);
    await anEvent(db.database, foreign);
    await anEvent(db.database, client);
    expect(await pass()).toMatchObject({ sent: 2 });
    expect([first, second, third].map(({ received }) => received.length)).toEqual([1, 1, 0]);
    expect(one.secret).not.toBe(two.secret);
    const signatures = [first, second].map(({ received }) => received[0]?.headers['svc-signature']);
    expect(signatures[0]).not.toBe(signatures[1]);
  });

  it('E6: body bytes and id are the same on every attempt, the signature is not', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    await pass();
    await moveClock(db.database, 7 * secondMs);
    await pass();
    await moveClock(db.database, 400 * secondMs);
    status = 200;
    await pass();
    expect(target.received).toHaveLength(3);
    const expected = Buffer.from(event.payload);
    expect(target.received.every(({ body }) => body.equals(expected))).toBe(true);
    const of = (name: string) => new Set(target.received.map(({ headers }) => headers[name]));
    expect(of('webhook-id').size).toBe(1);
    expect(of('svc-signature').size).toBe(3);
    expect(of('webhook-timestamp').size).toBe(3);
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', attempts: 3 });
  });

  it('E10: both secrets sign during a rotation, and only the new one after it', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const secret = newWebhookSecret(Buffer.alloc(32, 5));
    const place = webhookSecretPlace(client.id, endpoint.id);
    await db.database.write(rotate, [
      endpoint.id, await sealedFor(db.database).seal(place, secret),
    ]);
    await anEvent(db.database, client);
    await pass();
    await moveClock(db.database, 24 * hourMs);
    await anEvent(db.database, client);
    await pass();
    const valid = target.received.map(({ headers, body }) => {
      const [t = '', ...signatures] = String(headers['svc-signature']).split(',');
      return [secret, endpoint.secret].map((key) => signatures.includes(
        `v1=${createHmac('sha256', key).update(`${t.slice(2)}.${body}`).digest('hex')}`,
      ));
    });
    expect(valid).toEqual([[true, true], [true, false]]);
  });

  it('secret_unreadable: a secret that was swapped signs nothing and stops nobody else', async () => {
    const target = await receiver();
    const broken = await endpointAt(target.url);
    const sound = await endpointAt(target.url);
    const place = webhookSecretPlace(client.id, sound.id);
    await db.database.write(rotate, [broken.id, await sealedFor(db.database).seal(place, 'x')]);
    const event = await anEvent(db.database, client);
    await pass();
    expect(target.received).toHaveLength(1);
    expect(await stateOf(event, broken)).toMatchObject({
      state: 'pending', attempts: 1, lastStatus: null, lastError: 'secret_unreadable',
    });
    expect(await stateOf(event, sound)).toMatchObject({ state: 'delivered' });
  });
});

describe('a failed attempt', () => {
  it('follows the schedule to the tenth attempt, then the delivery is dead with all recorded', async () => {
    const target = await receiver((_, response) => response.writeHead(500).end('oops'));
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    const plan = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, seconds] of plan.entries()) {
      expect(await pass()).toMatchObject({ sent: 1 });
      const state = await stateOf(event, endpoint);
      expect(state).toMatchObject({ state: 'pending', attempts: index + 1, isLeased: false });
      expect(state.dueInMs).toBeGreaterThan(seconds * 800 - 2000);
      expect(state.dueInMs).toBeLessThanOrEqual(seconds * 1200);
      await moveClock(db.database, state.dueInMs - 2000);
      expect(await pass()).toMatchObject({ sent: 0 });
      await moveClock(db.database, 2000);
    }
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'dead', attempts: 10, lastStatus: 500, lastError: 'not_2xx',
    });
    const attempts = await db.database.read(readAttempts, [event.id, endpoint.id]);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(attempts[3]).toMatchObject({
      outcome: 'failed', http_status: 500, error: 'not_2xx', response_excerpt: 'oops',
    });
    await moveClock(db.database, 100 * hourMs);
    expect(await pass()).toMatchObject({ sent: 0 });
  });

  it('Retry-After is honoured, up to 24 hours', async () => {
    let asked = '600';
    const target = await receiver((_, response) =>
      response.writeHead(429, { 'retry-after': asked }).end());
    const endpoint = await endpointAt(target.url);
    const first = await anEvent(db.database, client);
    await pass();
    const { dueInMs } = await stateOf(first, endpoint);
    expect(dueInMs / secondMs).toBeGreaterThan(595);
    expect(dueInMs / secondMs).toBeLessThanOrEqual(600);
    asked = '999999999';
    await moveClock(db.database, dueInMs);
    await pass();
    const again = await stateOf(first, endpoint);
    expect(again.dueInMs / hourMs).toBeGreaterThan(23.9);
    expect(again.dueInMs / hourMs).toBeLessThanOrEqual(24);
  });

  it('no answer at all is kept with our own word for it', async () => {
    const target = await aReceiver();
    await target.close();
    const endpoint = await endpointAt(target.url);
    const inside = await endpointAt('https://10.0.0.1/');
    const event = await anEvent(db.database, client);
    await pass();
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'pending', lastStatus: null, lastError: 'connection_refused',
    });
    expect(await stateOf(event, inside)).toMatchObject({ lastError: 'address_refused' });
  });
});

describe('order', () => {
  const sequenceOf = (target: Receiver, events: { wireId: string }[]) =>
    target.received.map(({ headers }) =>
      events.findIndex(({ wireId }) => wireId === headers['webhook-id']) + 1);

  it('E7: a later event waits for the success of the earlier one, for 60 s', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    await endpointAt(target.url);
    const resourceId = newId();
    const events = [
      await anEvent(db.database, client, { resourceId, sequence: 1 }),
      await anEvent(db.database, client, { resourceId, sequence: 2 }),
    ];
    await pass();
    await pass();
    expect(sequenceOf(target, events)).toEqual([1]);
    await moveClock(db.database, 7 * secondMs);
    await pass();
    expect(sequenceOf(target, events)).toEqual([1, 1]);
    await moveClock(db.database, 50 * secondMs);
    await pass();
    expect(sequenceOf(target, events)).toEqual([1, 1]);
    await moveClock(db.database, 4 * secondMs);
    status = 200;
    await pass();
    expect(sequenceOf(target, events)).toEqual([1, 1, 2]);
  });

  it('E7: in sequence order at once when all goes well, across passes', async () => {
    const target = await receiver();
    await endpointAt(target.url);
    const resourceId = newId();
    const events = [];
    for (const sequence of [1, 2, 3]) {
      events.push(await anEvent(db.database, client, { resourceId, sequence }));
    }
    for (let n = 0; n < 3; n++) expect(await pass()).toMatchObject({ sent: 1 });
    expect(sequenceOf(target, events)).toEqual([1, 2, 3]);
  });

  it('an event in flight holds the next one back, other resources and endpoints go on', async () => {
    const slow = await heldReceiver();
    const quick = await receiver();
    const slowEndpoint = await endpointAt(slow.url);
    const quickEndpoint = await endpointAt(quick.url);
    const resourceId = newId();
    const first = await anEvent(db.database, client, { resourceId, sequence: 1 });
    const second = await anEvent(db.database, client, { resourceId, sequence: 2 });
    const other = await anEvent(db.database, client);
    const { started } = await startDueDeliveries(ports, limits);
    await slow.arrived(2);
    expect(slow.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      [first.wireId, other.wireId],
    );
    expect(started).toHaveLength(4);
    await quick.arrived(2);
    while ((await stateOf(first, quickEndpoint)).state !== 'delivered') await tick();
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(await stateOf(second, quickEndpoint)).toMatchObject({ state: 'delivered' });
    expect(await stateOf(second, slowEndpoint)).toMatchObject({ state: 'pending', epoch: 0 });
    for (const response of slow.held) response.end();
    await Promise.all(started.map(({ recorded }) => recorded));
  });

  it('E12: an event that commits late, under a low id, is delivered', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const lowId = newId();
    const late = new pg.Client({ connectionString: db.url });
    await late.connect();
    await late.query('begin');
    await late.query(
      `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
         created_at) values ($1, $2, 'payment.failed', 'payment', $3, 1, '{"late":true}',
         svc_clock())`, [lowId, client.id, newId()],
    );
    await late.query(
      `insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
         next_attempt_at, created_at)
       select id, $2, client_id, resource_id, sequence, created_at, created_at
       from events where id = $1`, [lowId, endpoint.id],
    );
    const early = [await anEvent(db.database, client), await anEvent(db.database, client)];
    expect(await pass()).toMatchObject({ sent: 2 });
    expect(early.every(({ id }) => id > lowId)).toBe(true);
    await late.query('commit');
    await late.end();
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(target.received.at(-1)?.body.toString()).toBe('{"late":true}');
  });
});

describe('claims', () => {
  it('at most four in flight per endpoint, one while it fails', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    for (let n = 0; n < 9; n++) await anEvent(db.database, client);
    const first = await startDueDeliveries(ports, limits);
    expect(first.started).toHaveLength(4);
    expect((await startDueDeliveries(ports, limits)).started).toHaveLength(0);
    await target.arrived(4);
    for (const response of target.held.splice(0)) response.writeHead(500).end();
    await Promise.all(first.started.map(({ recorded }) => recorded));
    const second = await startDueDeliveries(ports, limits);
    expect(second.started).toHaveLength(1);
    expect(second.started[0]?.isFailing).toBe(true);
    await target.arrived(5);
    for (const response of target.held.splice(0)) response.end();
    await Promise.all(second.started.map(({ recorded }) => recorded));
    const [row] = await db.database.read(readEndpoint, [endpoint.id]);
    expect(row?.failing_since).toBeNull();
    const third = await startDueDeliveries(ports, limits);
    expect(third.started).toHaveLength(4);
    await target.arrived(9);
    for (const response of target.held.splice(0)) response.end();
    await Promise.all(third.started.map(({ recorded }) => recorded));
  });

  it('E9: many passes at once never send one attempt twice, and keep to the cap', async () => {
    const target = await receiver((_, response) => setTimeout(() => response.end(), 15));
    const endpoint = await endpointAt(target.url);
    // Passes share nothing but the database, as processes do.
    const others = [1, 2, 3].map(() => deliveryPorts(db.database));
    const events = [];
    for (let n = 0; n < 40; n++) events.push(await anEvent(db.database, client));
    for (let round = 0; round < 200 && target.received.length < 40; round++) {
      await Promise.all([ports, ...others].map((one) => deliverDue(one, limits)));
    }
    const ids = target.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(40);
    expect(new Set(ids).size).toBe(40);
    expect(target.most()).toBeGreaterThan(1);
    expect(target.most()).toBeLessThanOrEqual(4);
    const states = await db.database.read(countStates, [endpoint.id]);
    expect(states).toEqual([{ state: 'delivered', n: 40 }]);
  });

  it('a crash after sending, before recording: sent again under the same id after the lease', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    const dying: DeliveryPorts = {
      ...ports,
      sendWebhook: async (call) => {
        await ports.sendWebhook(call);
        throw new Error('killed here');
      },
    };
    await expect(deliverDue(dying, limits)).rejects.toThrow('killed here');
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'pending', attempts: 0, epoch: 1, isLeased: true,
    });
    await moveClock(db.database, 58 * secondMs);
    expect(await pass()).toMatchObject({ sent: 0 });
    await moveClock(db.database, 2 * secondMs);
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(target.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      [event.wireId, event.wireId],
    );
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'delivered', attempts: 1, epoch: 2,
    });
  });

  it('a holder whose lease was lost changes nothing, and its attempt is kept', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    const slow = await startDueDeliveries(ports, limits);
    await target.arrived(1);
    await db.database.write(endLease, [event.id]);
    const next = await startDueDeliveries(ports, limits);
    await target.arrived(2);
    target.held[1]?.end();
    await Promise.all(next.started.map(({ recorded }) => recorded));
    target.held[0]?.writeHead(500).end();
    const [result] = await Promise.all(slow.started.map(({ recorded }) => recorded));
    expect(result?.outcome).toBe('lease_lost');
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'delivered', attempts: 1, epoch: 2, lastStatus: 200,
    });
    const attempts = await db.database.read(readAttempts, [event.id, endpoint.id]);
    expect(attempts.map(({ epoch, outcome }) => [epoch, outcome])).toEqual(
      [[1, 'failed'], [2, 'delivered']],
    );
  });

  it('the limit of a pass holds, and failing endpoints take no more than their share', async () => {
    const target = await receiver();
    const failing = await receiver((_, response) => response.writeHead(500).end());
    await endpointAt(target.url);
    const bad = await Promise.all([1, 2, 3].map(() => endpointAt(failing.url)));
    await anEvent(db.database, client);
    await pass();
    for (let n = 0; n < 3; n++) await anEvent(db.database, client);
    const sent = target.received.length;
    const { started } = await startDueDeliveries(ports, { limit: 4, failingLimit: 2 });
    await Promise.all(started.map(({ recorded }) => recorded));
    expect(started.map(({ isFailing }) => isFailing)).toEqual([false, false, false, true]);
    const more = await startDueDeliveries(ports, { limit: 50, failingLimit: 2 });
    await Promise.all(more.started.map(({ recorded }) => recorded));
    expect(more.started.map(({ isFailing }) => isFailing)).toEqual([true, true]);
    expect(target.received.length - sent).toBe(3);
    expect(bad).toHaveLength(3);
  });

  it('says when the next delivery is due', async () => {
    expect(await pass()).toEqual({ sent: 0, nextDueInMs: null });
    const target = await receiver((_, response) => response.writeHead(500).end());
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    await pass();
    const { nextDueInMs } = await pass();
    const { dueInMs } = await stateOf(event, endpoint);
    expect(Math.abs((nextDueInMs ?? 0) - dueInMs)).toBeLessThan(1000);
    expect(nextDueInMs).toBeGreaterThan(0);
  });

  it('no transaction is open while a receiver is waited for', async () => {
    const target = await heldReceiver();
    await endpointAt(target.url);
    await anEvent(db.database, client);
    const { started } = await startDueDeliveries(ports, limits);
    await target.arrived(1);
    // As the service's own role: of another role's sessions it would see nothing.
    const watcher = new pg.Client({ connectionString: db.url });
    await watcher.connect();
    const { rows } = await watcher.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
    );
    await watcher.end();
    target.held[0]?.end();
    await Promise.all(started.map(({ recorded }) => recorded));
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('an endpoint', () => {
  it('410: disabled at once, what waits is cancelled, the client hears of it elsewhere', async () => {
    const gone = await receiver((_, response) => response.writeHead(410).end());
    const sound = await receiver();
    const endpoint = await endpointAt(gone.url);
    await endpointAt(sound.url);
    const resourceId = newId();
    const first = await anEvent(db.database, client, { resourceId, sequence: 1 });
    const second = await anEvent(db.database, client, { resourceId, sequence: 2 });
    await pass();
    expect(await db.database.read(readEndpoint, [endpoint.id])).toMatchObject([
      { is_enabled: false, disabled_reason: 'gone' },
    ]);
    expect(await stateOf(first, endpoint)).toMatchObject({ state: 'dead', lastStatus: 410 });
    expect(await stateOf(second, endpoint)).toMatchObject({ state: 'cancelled', attempts: 0 });
    await pass();
    expect(gone.received).toHaveLength(1);
    const [event, ...more] = await db.database.read(readEvents, [endpoint.id]);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'webhook_endpoint.disabled', sequence: 1 });
    expect(JSON.parse(event?.payload ?? '')).toMatchObject({
      type: 'webhook_endpoint.disabled',
      clientId: client.id,
      resource: { type: 'webhook_endpoint', id: endpoint.id },
      data: { object: { id: endpoint.id, isEnabled: false, disabledReason: 'gone' } },
    });
    expect(sound.received.map(({ body }) => JSON.parse(body.toString()).type).sort()).toEqual(
      ['payment.authorized', 'payment.authorized', 'webhook_endpoint.disabled'],
    );
    expect(event?.payload).not.toContain(endpoint.secret);
  });

  it('disabled while a delivery is in flight: its success counts, its failure cancels', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    const events = [await anEvent(db.database, client), await anEvent(db.database, client)];
    const { started } = await startDueDeliveries(ports, limits);
    await target.arrived(2);
    await db.database.write(enable, [endpoint.id, false]);
    await pass();
    target.held[0]?.end();
    target.held[1]?.writeHead(500).end();
    await Promise.all(started.map(({ recorded }) => recorded));
    const states = await Promise.all(events.map((event) => stateOf(event, endpoint)));
    expect(states.map(({ state }) => state).sort()).toEqual(['cancelled', 'delivered']);
    expect(await db.database.read(readEvents, [endpoint.id])).toEqual([]);
  });

  it('deliveries that were added while it was being disabled are cancelled', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    await db.database.write(enable, [endpoint.id, false]);
    await pass();
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'cancelled' });
    expect(target.received).toHaveLength(0);
  });

  it('failing for 120 hours: disabled, and not before', async () => {
    const target = await receiver((_, response) => response.writeHead(500).end());
    const endpoint = await endpointAt(target.url);
    await anEvent(db.database, client);
    await pass();
    await db.database.write(cleared, []);
    await moveClock(db.database, 119 * hourMs);
    const before = await anEvent(db.database, client);
    await pass();
    expect(await stateOf(before, endpoint)).toMatchObject({ state: 'pending' });
    await db.database.write(cleared, []);
    await moveClock(db.database, hourMs);
    const last = await anEvent(db.database, client);
    const waiting = await anEvent(db.database, client);
    await pass();
    expect(await db.database.read(readEndpoint, [endpoint.id])).toMatchObject([
      { is_enabled: false, disabled_reason: 'failing' },
    ]);
    for (const event of [last, waiting]) {
      expect(await stateOf(event, endpoint)).toMatchObject({ state: 'cancelled' });
    }
  });

  it('one success in between starts the 120 hours anew', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    const endpoint = await endpointAt(target.url);
    await anEvent(db.database, client);
    await pass();
    await db.database.write(cleared, []);
    await moveClock(db.database, 100 * hourMs);
    status = 200;
    await anEvent(db.database, client);
    await pass();
    status = 500;
    await moveClock(db.database, 100 * hourMs);
    await anEvent(db.database, client);
    await pass();
    expect(await db.database.read(readEndpoint, [endpoint.id])).toMatchObject([
      { is_enabled: true },
    ]);
  });

  it('disabled a second time: its events count on', async () => {
    const gone = await receiver((_, response) => response.writeHead(410).end());
    const endpoint = await endpointAt(gone.url);
    for (const sequence of [1, 2]) {
      await db.database.write(enable, [endpoint.id, true]);
      await anEvent(db.database, client);
      await pass();
      expect((await db.database.read(readEvents, [endpoint.id])).at(-1)?.sequence).toBe(sequence);
    }
  });
});

describe('a database that is away for a moment', () => {
  it('the result is recorded over a new connection, and the event is not sent twice', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    const { started } = await startDueDeliveries(ports, limits);
    await target.arrived(1);
    const admin = new pg.Client({ connectionString: db.url });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await admin.end();
    target.held[0]?.end();
    await Promise.all(started.map(({ recorded }) => recorded));
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', epoch: 1 });
    expect(target.received).toHaveLength(1);
  });

  it.each([200, 500])('a commit whose answer was lost is repeated without harm: %i', async (status) => {
    const target = await receiver((_, response) => response.writeHead(status).end());
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(db.database, client);
    let lost = 0;
    const lose = async <T>(result: Promise<T>, isCommit: boolean): Promise<T> => {
      const value = await result;
      if (isCommit && lost++ < 2) throw Object.assign(new Error('terminated'), { code: '57P01' });
      return value;
    };
    let isClaimed = false;
    const flaky: DeliveryPorts = {
      ...ports,
      database: {
        ...db.database,
        write: (...call) => lose(db.database.write(...call), isClaimed),
        transaction: async (work) => {
          const result = lose(db.database.transaction(work), isClaimed);
          isClaimed = true;
          return result;
        },
      },
    };
    await deliverDue(flaky, limits);
    expect(lost).toBe(3);
    const state = await stateOf(event, endpoint);
    expect(state).toMatchObject({
      state: status === 200 ? 'delivered' : 'pending', attempts: 1, isLeased: false,
    });
    if (status === 500) expect(state.dueInMs).toBeLessThanOrEqual(6000);
    expect(await db.database.read(readAttempts, [event.id, endpoint.id])).toHaveLength(1);
    expect(target.received).toHaveLength(1);
  });
});
