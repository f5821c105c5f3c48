// The fixture of the delivery measures: a receiver, endpoints of the bench's merchant with
// encrypted secrets, and events whose deliveries are all queued at once.

import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { idSource } from '@svc/service/domain/protocol/uuid-v7';
import type { Closers } from './load/closers.ts';
import type { Product } from './product.ts';
import type { SenderPlan, SenderResult } from './webhook-sender.ts';

const newId = idSource(Date.now, randomBytes);

/** The body of every delivery: a real `item.purchased`. */
export const sampleBody = JSON.stringify({
  id: 'evt_01a1fdaafd5170008b5253845379935e',
  object: 'event',
  type: 'item.purchased',
  created: 1795257204,
  timestamp: '2026-11-21T10:33:24.041Z',
  apiVersion: '2026-11-21',
  clientId: '01a1fdaa-0000-7000-8000-000000000001',
  livemode: false,
  sequence: 2,
  resource: { type: 'payment', id: '01a1fdaa-0000-7000-8000-000000000002', version: 4 },
  request: { id: 'req_01a1fdaa00007000', idempotencyKey: 'order-7-capture' },
  data: {
    object: {
      paymentId: '01a1fdaa-0000-7000-8000-000000000002',
      sessionId: '01a1fdaa-0000-7000-8000-000000000003',
      clientId: '01a1fdaa-0000-7000-8000-000000000001',
      customer: { userId: 'buyer-7', email: 'buyer7@example.test' },
      items: [{ code: 'mug', name: 'Mug', quantity: 1, totalAmount: 19.9, currency: 'EUR' }],
      amount: 19.9,
      currency: 'EUR',
      purchasedAt: '2026-11-21T10:33:24.041Z',
    },
    previousAttributes: { status: 'authorized' },
  },
});

const startChild = (entry: URL): ChildProcess => fork(fileURLToPath(entry), { detached: true });

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('a process of the bench ended');
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message as T;
  } finally {
    heard.abort();
    // A wait that is given up rejects.
    ended.catch(() => undefined);
  }
}

export type ArrivalSummary = {
  readonly count: number;
  /** The time from the first arrival to the last. */
  readonly ms: number;
  readonly arrivals: readonly (readonly [id: string, atMs: number])[];
};

export type Receiver = {
  readonly pid: number;
  readonly port: number;
  /**
   * Resolves once the receiver counts; the inner promise resolves when `count` deliveries have
   * arrived.
   */
  expect(count: number): Promise<{ readonly all: Promise<ArrivalSummary> }>;
};

export async function startReceiver(closers: Closers): Promise<Receiver> {
  const child = startChild(new URL('./webhook-receiver.ts', import.meta.url));
  await closers.add(() => void child.disconnect());
  const { port } = await nextMessage<{ port: number }>(child);
  return {
    pid: child.pid ?? 0,
    port,
    async expect(count) {
      const ready = nextMessage(child);
      child.send({ expect: count });
      await ready;
      return { all: nextMessage<ArrivalSummary>(child) };
    },
  };
}

/** Runs one of the other senders in a process of its own and waits for its end. */
export async function runSender(
  plan: SenderPlan,
  onStart: (pid: number) => void = () => undefined,
): Promise<SenderResult> {
  const child = startChild(new URL('./webhook-sender.ts', import.meta.url));
  try {
    await nextMessage(child);
    onStart(child.pid ?? 0);
    child.send(plan);
    return await nextMessage<SenderResult>(child);
  } finally {
    child.disconnect();
  }
}

export type BenchEndpoint = { readonly id: string; readonly secret: string };

/** Adds enabled endpoints of the bench's merchant and disables the earlier ones. */
export async function replaceEndpoints(
  product: Product,
  urls: readonly string[],
  eventType = 'item.purchased',
): Promise<BenchEndpoint[]> {
  return product.database.withAdmin(async (admin) => {
    await admin.query(
      `update webhook_endpoints set is_enabled = false where client_id = '${product.clientId}'`,
    );
    const made: BenchEndpoint[] = [];
    for (const url of urls) {
      const id = newId();
      const { secret, sealed } = await product.sealWebhookSecret(id);
      await admin.query(
        `insert into webhook_endpoints
           (id, client_id, url, event_types, secret_sealed, api_version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, '2026-11-21', svc_clock(), svc_clock())`,
        [id, product.clientId, url, [eventType], sealed],
      );
      made.push({ id, secret });
    }
    return made;
  });
}

/** Writes events of different resources and returns their ids, for `queueDeliveries`. */
export async function writeEvents(product: Product, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await product.database.withAdmin((admin) =>
    admin.query(
      `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
         created_at)
       select id, $2, 'item.purchased', 'bench', gen_random_uuid(), 1, $3, svc_clock()
       from unnest($1::uuid[]) as id`,
      [ids, product.clientId, sampleBody],
    ),
  );
  return ids;
}

/** Queues each event for each endpoint; all deliveries become visible at once. */
export const queueDeliveries = (
  product: Product,
  ids: readonly string[],
  endpoints: readonly BenchEndpoint[],
): Promise<unknown> =>
  product.database.withAdmin((admin) =>
    admin.query(
      `insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
         next_attempt_at, created_at)
       select v.id, e.id, v.client_id, v.resource_id, v.sequence, svc_clock(), svc_clock()
       from events v cross join unnest($2::uuid[]) as e(id) where v.id = any($1::uuid[])`,
      [ids, endpoints.map(({ id }) => id)],
    ),
  );

/** Waits until no delivery to these endpoints is pending; polling is cheap. */
export const waitForDrain = (
  product: Product,
  endpoints: readonly BenchEndpoint[],
): Promise<void> =>
  product.database.withAdmin(async (admin) => {
    const until = performance.now() + 10_000;
    while (performance.now() < until) {
      const { rows } = await admin.query(
        `select from unnest($1::uuid[]) as e(id) cross join lateral (select from webhook_deliveries d
           where d.endpoint_id = e.id and d.state = 'pending' order by d.next_attempt_at limit 1) d`,
        [endpoints.map(({ id }) => id)],
      );
      if (rows.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

/** Returns how many deliveries to these endpoints succeeded, each with exactly one attempt. */
export const countDelivered = (
  product: Product,
  endpoints: readonly BenchEndpoint[],
): Promise<number> =>
  product.database.withAdmin(async (admin) => {
    const { rows } = await admin.query<{ count: string }>(
      `select count(*) from webhook_deliveries d
       join webhook_attempts a using (event_id, endpoint_id)
       where d.endpoint_id = any($1::uuid[]) and d.state = 'delivered' and d.attempts = 1
         and a.outcome = 'delivered'`,
      [endpoints.map(({ id }) => id)],
    );
    return Number(rows[0]?.count);
  });

/** Returns the results of all attempts, for an error message. */
export const describeAttempts = (
  product: Product,
  endpoints: readonly BenchEndpoint[],
): Promise<string> =>
  product.database.withAdmin(async (admin) => {
    const { rows } = await admin.query<{ line: string }>(
      `select format('%s attempts %s %s epoch %s', count(*), outcome, coalesce(error, 'good'), epoch)
         as line
       from webhook_attempts where endpoint_id = any($1::uuid[]) group by outcome, error, epoch`,
      [endpoints.map(({ id }) => id)],
    );
    return rows.map(({ line }) => line).join('; ');
  });
