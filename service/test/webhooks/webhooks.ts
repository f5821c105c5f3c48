// The fixture of the webhook tests: receivers on loopback, endpoints with encrypted secrets,
// events.
import assert from 'node:assert';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { newWebhookSecret } from '../../src/domain/protocol/webhook-secret.ts';
import type { DeliveryPorts } from '../../src/engine/runs/webhook-deliveries/delivery-ports.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { openSealed, type Sealed } from '../../src/storage/database/sealed.ts';
import { sql } from '../../src/storage/database/sql.ts';
import {
  insertWebhookEndpoint,
  webhookSecretPlace,
} from '../../src/storage/webhooks/webhook-endpoints.ts';
import { type WebhookSettings, webhookSender } from '../../src/webhooks/send.ts';
import { newId } from '../harness.ts';

export const loopback = ['127.0.0.0/8', '::1/128'];

export type ReceivedCall = {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds since the process began. */
  readonly atMs: number;
};

export type Receiver = {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedCall[];
  /** Largest number of requests that were open at once. */
  readonly most: () => number;
  /** Waits until exactly this many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
};

type Reply = (request: ReceivedCall, response: http.ServerResponse) => unknown;

/** A receiver that answers 200 unless `reply` does something else. */
export async function aReceiver(
  reply: Reply = (_, response) => response.end('ok'),
  host = '127.0.0.1',
): Promise<Receiver> {
  const received: ReceivedCall[] = [];
  let open = 0;
  let most = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    most = Math.max(most, ++open);
    response.on('close', () => open--);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const one = { path, headers, body: Buffer.concat(chunks), atMs: performance.now() };
      received.push(one);
      reply(one, response);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    port,
    received,
    most: () => most,
    async arrived(count) {
      const until = performance.now() + 10_000;
      while (received.length < count && performance.now() < until) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(received.length, count, 'requests that came');
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const kek = randomBytes(32);

export const sealedFor = (database: Database): Sealed => openSealed({ database, kek, randomBytes });

export function deliveryPorts(
  database: Database,
  settings: Partial<WebhookSettings> = {},
): DeliveryPorts {
  return {
    database,
    sealed: sealedFor(database),
    sendWebhook: webhookSender({ allow: loopback, ...settings }),
    newId,
    randomBytes,
  };
}

export type TestEndpoint = {
  readonly id: string;
  readonly clientId: string;
  readonly secret: string;
};

export async function aWebhookEndpoint(
  db: Database,
  client: { id: string },
  given: { url: string; eventTypes?: readonly string[] },
): Promise<TestEndpoint> {
  const id = newId();
  const secret = newWebhookSecret(randomBytes(32));
  const secretSealed = await sealedFor(db).seal(webhookSecretPlace(client.id, id), secret);
  await db.transaction(client.id, (tx) =>
    insertWebhookEndpoint(tx, {
      id,
      clientId: client.id,
      url: given.url,
      eventTypes: given.eventTypes ?? null,
      secretSealed,
      apiVersion: '2026-01-01',
    }),
  );
  return { id, clientId: client.id, secret };
}

const insertEvent = sql(
  'test_event',
  `with clock as materialized (select svc_clock() as now),
   event as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at)
     select $1, $2, $3, 'payment', $4, $5, $6, clock.now from clock)
   insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
     next_attempt_at, created_at)
   select $1, e.id, $2, $4, $5, clock.now, clock.now
   from webhook_endpoints e cross join clock
   where e.client_id = $2 and e.is_enabled and (e.event_types is null or $3 = any(e.event_types))`,
);

export type TestEvent = { readonly id: string; readonly wireId: string; readonly payload: string };

/**
 * Inserts an event with a delivery per endpoint of its client; the payload contains text beyond
 * ASCII.
 */
export async function anEvent(
  db: Database,
  client: { id: string },
  given: { id?: string; type?: string; resourceId?: string; sequence?: number } = {},
): Promise<TestEvent> {
  const id = given.id ?? newId();
  const type = given.type ?? 'payment.authorized';
  const wireId = `evt_${id.replaceAll('-', '')}`;
  const payload = JSON.stringify({ id: wireId, object: 'event', type, note: 'Zwölf Töpfe ☕' });
  const resourceId = given.resourceId ?? newId();
  const values = [id, client.id, type, resourceId, given.sequence ?? 1, payload];
  await db.write(insertEvent, values);
  return { id, wireId, payload };
}

export type DeliveryState = {
  readonly state: string;
  readonly attempts: number;
  readonly epoch: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** The time from the clock to the next attempt. */
  readonly dueInMs: number;
  readonly isLeased: boolean;
};

const readDelivery = sql<{
  state: string;
  attempts: number;
  epoch: number;
  last_status: number | null;
  last_error: string | null;
  due_in_ms: number;
  is_leased: boolean;
}>(
  'test_delivery',
  `select state, attempts, epoch, last_status, last_error, lease_until is not null as is_leased,
     (extract(epoch from next_attempt_at - svc_clock()) * 1000)::float8 as due_in_ms
   from webhook_deliveries where event_id = $1 and endpoint_id = $2`,
);

export async function deliveryOf(
  db: Database,
  event: { id: string },
  endpoint: { id: string },
): Promise<DeliveryState> {
  const [row] = await db.read(readDelivery, [event.id, endpoint.id]);
  if (!row) throw new Error('no such delivery');
  return {
    state: row.state,
    attempts: row.attempts,
    epoch: row.epoch,
    lastStatus: row.last_status,
    lastError: row.last_error,
    dueInMs: row.due_in_ms,
    isLeased: row.is_leased,
  };
}

/** A vault that only says that it is ready: without one the service is not. */
export const aReadyVault = (): Promise<Receiver> =>
  aReceiver((_, response) => response.end('{"status":"ready","mode":"sandbox"}'));
