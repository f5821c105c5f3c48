// Deliveries of events to the accounts' endpoints: signed, sent after the transaction that caused them,
// retried with growing pauses, and stored until they arrive. Only loopback targets.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../state/clock.ts';
import type { Fault, Faults } from '../state/faults.ts';
import type { Kinds, Resources } from '../state/resources.ts';
import type { Row, Store } from '../state/store.ts';
import { createDeliveryQueue, type DeliveryState } from './deliveries.ts';
import { arrange, type Release } from './release-order.ts';

export type Endpoint = { id: string; url: string; events: readonly string[]; secret: string };

export type SentEvent = { event: string; type: string; endpoint: string; arrived: boolean };

export type Webhooks = {
  findEndpoints: (account: string, type: string) => Endpoint[];
  forgetEndpoints: () => void;
  schedule: (event: Kinds['event'], account: string, endpoints: readonly Endpoint[]) => void;
  countPending: (event: string) => number;
  listDeliveries: () => object[];
  /** Sends one after the other, each after the response to the one before. Returns what arrived. */
  release: (wanted: Release) => Promise<SentEvent[]>;
  /**
   * Sends what `early_webhook` selected in the transaction that just ran; undefined when there is nothing.
   */
  deliverEarly: () => Promise<unknown> | undefined;
  /** Starts sending the due webhooks and returns at once. */
  pump: () => void;
  close: () => Promise<void>;
};

export type Delivery = { event: string; type: string; url: string; status: number };

type Parts = {
  store: Store;
  resources: Resources;
  clock: Clock;
  faults: Faults;
  onDelivery: ((delivery: Delivery) => void) | undefined;
};

const answerTimeoutMs = 10_000;
const maxUnderWay = 16;
const heldBackMs = 5_000;

/** Returns `t=…,v1=…`, which the SDK's `webhooks.constructEvent` verifies. */
const signPayload = (payload: string, secret: string, seconds: number): string => {
  const digest = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
};

const localNames = /^(127(\.\d{1,3}){3}|\[::1\]|localhost|[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost)$/;

/** Returns whether the address is on this machine, the only one to which the sandbox sends. */
export const isLoopback = (url: string): boolean => {
  const parsed = URL.parse(url);
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  return isHttp && localNames.test(parsed.hostname);
};

// Every name that ends in .localhost is this machine (RFC 6761 §6.3), but not every resolver knows that.
const lookupLocal: LookupFunction = (_name, options, answer) => {
  if (options.all) answer(null, [{ address: '127.0.0.1', family: 4 }]);
  else answer(null, '127.0.0.1', 4);
};

type Agents = { plain: Agent; tls: TlsAgent };

/** Resolves with the status of the answer, 0 when none came. */
const postDelivery = (
  agents: Agents,
  endpoint: Endpoint,
  message: { body: string; signature: string },
) =>
  new Promise<number>((resolve) => {
    const isNamed = endpoint.url.includes('.localhost');
    const isTls = endpoint.url.startsWith('https:');
    const sent = (isTls ? requestTls : request)(
      endpoint.url,
      {
        agent: isTls ? agents.tls : agents.plain,
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
        answer.on('close', () => resolve(answer.complete ? status : 0));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', () => resolve(0));
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

// Returns how a planted fault delays an event. An event without a call cannot be sent before a response.
const delayOf = (
  fault: Fault | undefined,
  event: Kinds['event'],
): { state: DeliveryState; delayMs: number } => {
  switch (fault?.action) {
    case 'reorder_webhooks':
      return { state: 'held', delayMs: heldBackMs };
    case 'delay_webhook':
      return { state: 'pending', delayMs: fault.delayMs };
    case 'hold_webhooks':
      return { state: 'kept', delayMs: 0 };
    case 'early_webhook':
      return { state: event.request?.id ? 'early' : 'pending', delayMs: 0 };
    default:
      return { state: 'pending', delayMs: 0 };
  }
};

type Queue = ReturnType<typeof createDeliveryQueue>;
type EndpointList = ReturnType<typeof createEndpointList>;
type DeliveryContext = {
  queue: Queue;
  endpoints: EndpointList;
  agents: Agents;
  isClosed: () => boolean;
};

/** Sends one claimed row and records the result. Returns false when it did not arrive. */
const createDelivery = ({ store, resources, onDelivery }: Parts, delivering: DeliveryContext) => {
  const { queue, endpoints, agents, isClosed } = delivering;
  return async (row: Row): Promise<boolean> => {
    const kept = resources.find('event', String(row.event));
    const endpoint = kept && endpoints.get(kept.account, String(row.endpoint));
    if (!kept || !endpoint) {
      queue.drop(row);
      return false;
    }
    const body = JSON.stringify(kept.object, null, 2);
    // Real time, because the receiver's clock does not move with the sandbox's.
    const signature = signPayload(body, endpoint.secret, Math.floor(Date.now() / 1000));
    const status = await postDelivery(agents, endpoint, { body, signature });
    const hasArrived = status >= 200 && status < 300;
    if (isClosed()) return hasArrived;
    const { id, type } = kept.object;
    onDelivery?.({ event: id, type, url: endpoint.url, status });
    store.transaction(() => {
      queue.settle(row, hasArrived);
      queue.releaseHeld(endpoint.id, row);
    });
    return hasArrived;
  };
};

/** Returns the rows in the requested order, all claimed before the first one is sent. */
const planRelease = (
  { resources }: Parts,
  { queue, endpoints }: DeliveryContext,
  wanted: Release,
): Row[] => {
  if (!('events' in wanted)) {
    const seen = new Set<Row>();
    return arrange(queue.claimWaiting('kept'), wanted).map((row) => {
      if (seen.has(row)) return queue.insertSending(String(row.event), String(row.endpoint));
      seen.add(row);
      return row;
    });
  }
  return wanted.events.flatMap((id) => {
    const kept = queue.claimWaiting('kept', id);
    const event = resources.find('event', id);
    if (kept.length > 0 || !event) return kept;
    const listening = endpoints.find(event.account, event.object.type);
    return listening.map((endpoint) => queue.insertSending(id, endpoint.id));
  });
};

type DeliverRow = ReturnType<typeof createDelivery>;

/** Sends one after the other, each after the response to the one before. */
const createRelease =
  (parts: Parts, delivering: DeliveryContext, deliver: DeliverRow) =>
  async (wanted: Release): Promise<SentEvent[]> => {
    const sent: SentEvent[] = [];
    for (const row of planRelease(parts, delivering, wanted)) {
      if (delivering.isClosed()) break;
      const event = String(row.event);
      const type = typeOf(parts.resources, event);
      const arrived = await deliver(row);
      sent.push({ event, type, endpoint: String(row.endpoint), arrived });
    }
    return sent;
  };

const typeOf = (resources: Resources, event: string): string =>
  resources.find('event', event)?.object.type ?? '';

const describeRow = (resources: Resources, row: Row) => ({
  event: row.event,
  type: typeOf(resources, String(row.event)),
  endpoint: row.endpoint,
  state: row.state,
  attempt: row.attempt,
  dueAt: new Date(Number(row.due_at)).toISOString(),
});

export const createWebhooks = (parts: Parts): Webhooks => {
  const { store, resources, clock, faults } = parts;
  const endpoints = createEndpointList(store);
  const queue = createDeliveryQueue(store, clock);
  queue.reclaim();
  const agentOptions = { keepAlive: true, maxSockets: maxUnderWay };
  const agents = { plain: new Agent(agentOptions), tls: new TlsAgent(agentOptions) };
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  let early: string[] = [];
  const delivering: DeliveryContext = { queue, endpoints, agents, isClosed: () => isClosed };
  const deliver = createDelivery(parts, delivering);

  const release = createRelease(parts, delivering, deliver);

  const track = <T>(sending: Promise<T>): Promise<T> => {
    const tracked = sending.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  };

  const sendDue = (): void => {
    if (isClosed || underWay.size >= maxUnderWay) return;
    for (const row of queue.claim(maxUnderWay - underWay.size)) {
      void track(deliver(row)).then(sendDue);
    }
  };

  return {
    findEndpoints: endpoints.find,
    forgetEndpoints: endpoints.forget,
    schedule: (event, account, wanted) => {
      if (wanted.length === 0) return;
      const fault = faults.takeForEvent(event, account);
      if (fault?.action === 'drop_webhook') return;
      const waiting = delayOf(fault, event);
      for (const endpoint of wanted) {
        const row = { event: event.id, endpoint: endpoint.id, ...waiting };
        queue.insert(row);
        if (fault?.action === 'duplicate_webhook') queue.insert(row);
      }
      store.afterCommit(() => {
        if (waiting.state === 'early') early.push(event.id);
        else setImmediate(sendDue);
      });
    },
    countPending: queue.countPending,
    listDeliveries: () => queue.list().map((row) => describeRow(resources, row)),
    release: (wanted) => track(release(wanted)),
    deliverEarly: () => {
      if (early.length === 0) return undefined;
      const rows = early.flatMap((event) => queue.claimWaiting('early', event));
      early = [];
      return Promise.all(rows.map((row) => track(deliver(row))));
    },
    pump: sendDue,
    close: async () => {
      isClosed = true;
      agents.plain.destroy();
      agents.tls.destroy();
      await Promise.allSettled([...underWay]);
    },
  };
};
