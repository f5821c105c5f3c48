import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { scaled } from '@svc/tools/machine';
import { passTime } from '@svc/tools/pass-time';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  aClient,
  freshDatabase,
  newId,
  type TestClient,
  type TestDatabase,
} from '../../test/harness.ts';
import {
  anEvent,
  aReceiver,
  aWebhookEndpoint,
  deliveryOf,
  deliveryPorts,
  type Receiver,
} from '../../test/webhooks/webhooks.ts';
import type { DeliveryPorts } from '../engine/runs/webhook-deliveries/delivery-ports.ts';
import { sql } from '../storage/database/sql.ts';
import { type DeliverWebhooksSettings, startDeliverWebhooks } from './deliver-webhooks.ts';

const cleared = sql(
  'test_worker_clear',
  "update webhook_deliveries set state = 'cancelled' where state = 'pending'",
);

const nowFailing = sql(
  'test_worker_failing',
  'update webhook_endpoints set failing_since = svc_clock() where id = any($1::uuid[])',
);

const readLeased = sql<{ leased: number }>(
  'test_worker_leased',
  "select count(*)::int as leased from webhook_deliveries where state = 'pending' and lease_until > svc_clock()",
);

let db: TestDatabase;
let ports: DeliveryPorts;
let client: TestClient;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  db = await freshDatabase();
  ports = deliveryPorts(db.database);
});
afterAll(() => db.close());
beforeEach(async () => {
  client = await aClient(db.database);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await db.database.write(cleared, []);
});

/** An endpoint that answers after this time. */
const answersIn = (ms: number) => (_: unknown, response: ServerResponse) =>
  passTime(ms, 'an endpoint that takes its time').then(() => response.end());

async function receiver(...given: Parameters<typeof aReceiver>): Promise<Receiver> {
  const made = await aReceiver(...given);
  closers.push(made.close);
  return made;
}

function worker(given: Partial<DeliverWebhooksSettings> & { ports?: DeliveryPorts } = {}) {
  const nudges = new EventEmitter();
  const logged: string[] = [];
  const log = {
    warn: (facts: Readonly<Record<string, unknown>>, text: string) =>
      logged.push(`${text} ${JSON.stringify(facts)}`),
    error: (_: unknown, text: string) => logged.push(text),
  };
  const started = startDeliverWebhooks(given.ports ?? ports, {
    log,
    onNudge: (listener) => {
      nudges.on('nudge', listener);
      return () => nudges.off('nudge', listener);
    },
    ...given,
  });
  closers.push(() => started.stop());
  return { ...started, nudge: () => nudges.emit('nudge'), logged, nudges };
}

const createEndpointAt = (url: string) => aWebhookEndpoint(db.database, client, { url });

describe('the worker', () => {
  it('a nudge delivers at once, long before the poll', async () => {
    const target = await receiver();
    await createEndpointAt(target.url);
    const { nudge } = worker({ pollMs: 60_000 });
    for (let n = 1; n <= 5; n++) {
      await anEvent(db.database, client);
      const sentMs = performance.now();
      nudge();
      await target.arrived(n);
      expect(performance.now() - sentMs).toBeLessThan(scaled(10_000));
    }
  });

  it('a nudge that was lost: the poll finds the event', async () => {
    const target = await receiver();
    await createEndpointAt(target.url);
    worker({ pollMs: 50 });
    await anEvent(db.database, client);
    await target.arrived(1);
  });

  it('events of one resource follow each other without waiting for the poll', async () => {
    const target = await receiver();
    await createEndpointAt(target.url);
    const resourceId = newId();
    const events = [];
    for (const sequence of [1, 2, 3, 4, 5]) {
      events.push(await anEvent(db.database, client, { resourceId, sequence }));
    }
    const { nudge } = worker({ pollMs: 60_000 });
    nudge();
    await target.arrived(5);
    expect(target.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      events.map(({ wireId }) => wireId),
    );
  });

  it('more events than fit at once are all delivered, within the concurrency', async () => {
    const target = await receiver(answersIn(5));
    await Promise.all([1, 2, 3].map(() => createEndpointAt(target.url)));
    for (let n = 0; n < 20; n++) await anEvent(db.database, client);
    const { nudge } = worker({ pollMs: 60_000, concurrency: 6 });
    nudge();
    await target.arrived(60);
    expect(target.most()).toBeLessThanOrEqual(6);
    const ids = target.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(20);
  });

  it('claims no more than can begin in time, where each answer takes just under a second', async () => {
    const target = await receiver(answersIn(900));
    await Promise.all(Array.from({ length: 8 }, () => createEndpointAt(target.url)));
    for (let n = 0; n < 4; n++) await anEvent(db.database, client);
    const { nudge } = worker({ pollMs: 60_000, concurrency: 2 });
    nudge();
    await target.arrived(2);
    const [row] = await db.database.read(readLeased, []);
    // Two at a time, for eleven of the twelve seconds after which none is begun.
    expect(row?.leased).toBe(22);
  });

  it('E8: one of twenty endpoints is a black hole, and it delays the others by less than 2 s', async () => {
    const { nudge } = worker({ concurrency: 16 });
    const target = await receiver();
    for (let n = 0; n < 19; n++) await createEndpointAt(target.url);

    /** The 99th percentile, from event to arrival, of five events at the nineteen endpoints. */
    async function lateMs(): Promise<number> {
      const before = target.received.length;
      const sentAtMs = new Map<string, number>();
      for (let n = 0; n < 5; n++) {
        const event = await anEvent(db.database, client);
        sentAtMs.set(event.wireId, performance.now());
        nudge();
      }
      await target.arrived(before + 95);
      const late = target.received
        .slice(before)
        .map(({ headers, atMs }) => atMs - (sentAtMs.get(String(headers['webhook-id'])) ?? 0));
      return late.sort((x, y) => x - y)[Math.floor(late.length * 0.99)] ?? Infinity;
    }

    const alone = await lateMs();
    // Created after the worker, so that it closes first and the worker need not wait for it.
    const hole = await receiver(() => undefined);
    await createEndpointAt(hole.url);
    expect(await lateMs()).toBeLessThan(alone + scaled(2000));
    expect(hole.received).toHaveLength(4);
  });

  it("one merchant's many endpoints that answer just not slowly delay another merchant by less than 3 s", async () => {
    const { nudge } = worker({ concurrency: 2 });
    const slowish = await receiver(answersIn(900));
    await Promise.all(Array.from({ length: 6 }, () => createEndpointAt(slowish.url)));
    for (let n = 0; n < 60; n++) await anEvent(db.database, client);
    nudge();
    while (slowish.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const other = await aClient(db.database);
    const target = await receiver();
    await aWebhookEndpoint(db.database, other, { url: target.url });
    const sentMs = performance.now();
    await anEvent(db.database, other);
    nudge();
    await target.arrived(1);
    expect(performance.now() - sentMs).toBeLessThan(scaled(3000));
    // Cancels waiting deliveries, which would still arrive while the worker stops.
    await db.database.write(cleared, []);
  });

  it('holes that fail already hold up a merchant with one failure behind it for less than 3 s', async () => {
    const { nudge } = worker({ concurrency: 8 });
    const hole = await receiver(() => undefined);
    const holes = await Promise.all(Array.from({ length: 8 }, () => createEndpointAt(hole.url)));
    const other = await aClient(db.database);
    const target = await receiver();
    const back = await aWebhookEndpoint(db.database, other, { url: target.url });
    await db.database.write(nowFailing, [[...holes, back].map(({ id }) => id)]);
    for (let n = 0; n < 3; n++) await anEvent(db.database, client);
    nudge();
    while (hole.received.length < 4) await new Promise((resolve) => setImmediate(resolve));
    const sentMs = performance.now();
    await anEvent(db.database, other);
    nudge();
    await target.arrived(1);
    expect(performance.now() - sentMs).toBeLessThan(scaled(3000));
    await db.database.write(cleared, []);
  });

  it('E9: three workers at once send each event once', async () => {
    const target = await receiver();
    await createEndpointAt(target.url);
    await createEndpointAt(target.url);
    const workers = [1, 2, 3].map(() => worker({ pollMs: 20, ports: deliveryPorts(db.database) }));
    for (let n = 0; n < 30; n++) {
      await anEvent(db.database, client);
      for (const { nudge } of workers) nudge();
    }
    await target.arrived(60);
    await Promise.all(workers.map(({ stop }) => stop()));
    await target.arrived(60);
  });

  it('a database that fails is said in the log, and does not end the worker', async () => {
    const target = await receiver();
    await createEndpointAt(target.url);
    let isDown = true;
    const { logged } = worker({
      pollMs: 20,
      ports: {
        ...ports,
        database: {
          ...db.database,
          read: (...call) =>
            isDown ? Promise.reject(new Error('away')) : db.database.read(...call),
        },
      },
    });
    await anEvent(db.database, client);
    while (logged.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(new Set(logged)).toEqual(new Set(['webhook deliveries not claimed']));
    expect(target.received).toHaveLength(0);
    isDown = false;
    await target.arrived(1);
  });

  it('a failed delivery is logged without URL, body or secret', async () => {
    const target = await receiver((_, response) => response.writeHead(500).end('excerpt-canary'));
    const endpoint = await createEndpointAt(`${target.url}?key=url-canary`);
    const event = await anEvent(db.database, client);
    const { logged, nudge } = worker();
    nudge();
    while (logged.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(`"eventId":"${event.id}"`);
    expect(logged[0]).toContain('"status":500');
    for (const canary of ['url-canary', 'excerpt-canary', endpoint.secret, 'Töpfe']) {
      expect(logged[0]).not.toContain(canary);
    }
  });

  it('stop: takes nothing new, waits for what is in flight, listens no more', async () => {
    const held: (() => void)[] = [];
    const target = await receiver((_, response) => held.push(() => response.end()));
    const endpoint = await createEndpointAt(target.url);
    const event = await anEvent(db.database, client);
    const { stop, nudge, nudges } = worker({ pollMs: 20 });
    await target.arrived(1);
    let isStopped = false;
    const stopping = stop().then(() => {
      isStopped = true;
    });
    const later = await anEvent(db.database, client);
    nudge();
    expect((await deliveryOf(db.database, event, endpoint)).state).toBe('pending');
    expect(isStopped).toBe(false);
    held[0]?.();
    await stopping;
    expect((await deliveryOf(db.database, event, endpoint)).state).toBe('delivered');
    expect((await deliveryOf(db.database, later, endpoint)).epoch).toBe(0);
    expect(nudges.listenerCount('nudge')).toBe(0);
  });
});
