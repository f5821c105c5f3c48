// Deliveries of events to the accounts' endpoints: signed, sent after the transaction that caused
// them, retried with growing pauses, kept on disk until they arrive. Loopback targets only.
import { createHmac } from 'node:crypto';
import { Agent, request as sendRequest } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Kinds, Resources } from './resources.ts';
import type { Row, Store } from './store.ts';

export type Endpoint = { id: string; url: string; events: readonly string[]; secret: string };

export type Webhooks = {
  findEndpoints: (account: string, type: string) => Endpoint[];
  forgetEndpoints: () => void;
  schedule: (event: Kinds['event'], endpoints: readonly Endpoint[]) => void;
  countPending: (event: string) => number;
  /** Sends what is due; answers at once, the sending goes on. */
  pump: () => void;
  close: () => Promise<void>;
};

type Parts = { store: Store; resources: Resources; clock: Clock; faults: Faults };

const retryPauses = [1, 5, 30, 120, 600, 1800, 3600, 3600, 7200, 14_400, 28_800, 43_200];
const answerTimeoutMs = 10_000;
const maxUnderWay = 16;
const heldBackMs = 5_000;

/** `t=…,v1=…` as the SDK's `webhooks.constructEvent` checks it. */
export const signPayload = (payload: string, secret: string, seconds: number): string => {
  const digest = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
};

const localNames = /^(127(\.\d{1,3}){3}|\[::1\]|localhost|[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost)$/;

/** Only this machine is ever written to. */
export const isLoopback = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && localNames.test(parsed.hostname);
};

// Every name ending in .localhost is this machine (RFC 6761 §6.3); not every resolver knows.
const lookupLocal: LookupFunction = (_name, options, answer) => {
  if (options.all) answer(null, [{ address: '127.0.0.1', family: 4 }]);
  else answer(null, '127.0.0.1', 4);
};

const send = (agent: Agent, endpoint: Endpoint, message: { body: string; signature: string }) =>
  new Promise<boolean>((resolve) => {
    const isNamed = endpoint.url.includes('.localhost');
    const sent = sendRequest(
      endpoint.url,
      {
        agent,
        method: 'POST',
        timeout: answerTimeoutMs,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(message.body),
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          'stripe-signature': message.signature,
        },
        ...(isNamed ? { lookup: lookupLocal } : {}),
      },
      (answer) => {
        answer.resume();
        const status = answer.statusCode ?? 0;
        answer.on('close', () => resolve(answer.complete && status >= 200 && status < 300));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', () => resolve(false));
    sent.end(message.body);
  });

const pattern = (wanted: string, type: string): boolean => wanted === '*' || wanted === type;

const createEndpointList = (store: Store) => {
  const known = new Map<string, Endpoint[]>();
  const load = (account: string): Endpoint[] => {
    const cached = known.get(account);
    if (cached) return cached;
    const rows = store.all(
      "select body, notes from resources where account = ? and kind = 'webhook_endpoint'",
      account,
    );
    const made = rows
      .map((row) => ({
        endpoint: JSON.parse(String(row.body)) as Kinds['webhook_endpoint'],
        secret: (JSON.parse(String(row.notes)) as { secret: string }).secret,
      }))
      .filter(({ endpoint }) => endpoint.status === 'enabled')
      .map(({ endpoint, secret }) => ({
        id: endpoint.id,
        url: endpoint.url,
        events: endpoint.enabled_events,
        secret,
      }));
    known.set(account, made);
    return made;
  };
  return {
    forget: () => known.clear(),
    find: (account: string, type: string) =>
      load(account).filter((endpoint) => endpoint.events.some((wanted) => pattern(wanted, type))),
    get: (account: string, id: string) => load(account).find((endpoint) => endpoint.id === id),
  };
};

const createDeliveryQueue = (store: Store, clock: Clock) => {
  const setState = (row: Row, state: string): void =>
    store.run('update deliveries set state = ? where seq = ?', state, row.seq ?? null);
  return {
    insert: (event: string, endpoint: string, held: boolean) => {
      const dueAt = clock.nowMs() + (held ? heldBackMs : 0);
      store.run(
        'insert into deliveries (event, endpoint, attempt, due_at, state) values (?, ?, 0, ?, ?)',
        event,
        endpoint,
        dueAt,
        held ? 'held' : 'pending',
      );
    },
    claim: (limit: number): Row[] =>
      store.transaction(() => {
        const rows = store.all(
          `select * from deliveries where state in ('pending', 'held') and due_at <= ?
         order by due_at, seq limit ?`,
          clock.nowMs(),
          limit,
        );
        for (const row of rows) setState(row, 'sending');
        return rows;
      }),
    /** What an earlier process had under way when it ended goes out again. */
    reclaim: () => store.run("update deliveries set state = 'pending' where state = 'sending'"),
    settle: (row: Row, hasArrived: boolean) => {
      const pause = retryPauses[Number(row.attempt)];
      if (hasArrived) store.run('delete from deliveries where seq = ?', row.seq ?? null);
      else if (pause === undefined) {
        setState(row, 'failed');
      } else {
        store.run(
          `update deliveries set attempt = attempt + 1, due_at = ?, state = 'pending' where seq = ?`,
          clock.nowMs() + pause * 1000,
          row.seq ?? null,
        );
      }
    },
    /** A delivery held back for `reorder_webhooks` follows the next one that went out before it. */
    releaseHeld: (endpoint: string, sent: Row) => {
      store.run(
        "update deliveries set due_at = ? where endpoint = ? and state = 'held' and seq < ?",
        clock.nowMs(),
        endpoint,
        sent.seq ?? null,
      );
    },
    drop: (row: Row) => store.run('delete from deliveries where seq = ?', row.seq ?? null),
  };
};

export const createWebhooks = ({ store, resources, clock, faults }: Parts): Webhooks => {
  const endpoints = createEndpointList(store);
  const queue = createDeliveryQueue(store, clock);
  queue.reclaim();
  const agent = new Agent({ keepAlive: true, maxSockets: maxUnderWay });
  const underWay = new Set<Promise<void>>();
  let isClosed = false;

  const deliver = async (row: Row): Promise<void> => {
    const kept = resources.find('event', String(row.event));
    const endpoint = kept && endpoints.get(kept.account, String(row.endpoint));
    if (!kept || !endpoint) {
      queue.drop(row);
      return;
    }
    const body = JSON.stringify(kept.object, null, 2);
    const signature = signPayload(body, endpoint.secret, clock.now());
    const hasArrived = await send(agent, endpoint, { body, signature });
    if (isClosed) return;
    store.transaction(() => {
      queue.settle(row, hasArrived);
      queue.releaseHeld(endpoint.id, row);
    });
  };

  const pump = (): void => {
    if (isClosed || underWay.size >= maxUnderWay) return;
    for (const row of queue.claim(maxUnderWay - underWay.size)) {
      const sending = deliver(row).finally(() => {
        underWay.delete(sending);
        pump();
      });
      underWay.add(sending);
    }
  };

  return {
    findEndpoints: endpoints.find,
    forgetEndpoints: endpoints.forget,
    schedule: (event, wanted) => {
      const fault = wanted.length > 0 ? faults.takeForEvent(event) : undefined;
      if (fault === 'drop_webhook' || wanted.length === 0) return;
      for (const endpoint of wanted) {
        queue.insert(event.id, endpoint.id, fault === 'reorder_webhooks');
        if (fault === 'duplicate_webhook') queue.insert(event.id, endpoint.id, false);
      }
      store.afterCommit(() => setImmediate(pump));
    },
    countPending: (event) =>
      Number(
        store.one(
          "select count(*) as pending from deliveries where event = ? and state <> 'failed'",
          event,
        )?.pending ?? 0,
      ),
    pump,
    close: async () => {
      isClosed = true;
      agent.destroy();
      await Promise.allSettled([...underWay]);
    },
  };
};
