// Webhook notices to the accounts: signed with the sandbox's certificate, sent after the transaction that
// caused them, retried, and stored until they arrive. Only loopback targets.
import { randomUUID, verify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Actor } from '../core/core.ts';
import type { Clock } from '../state/clock.ts';
import type { Fault, Faults } from '../state/faults.ts';
import type { Identifiers } from '../state/identifiers.ts';
import type { Kinds } from '../state/resources.ts';
import type { Row, Store } from '../state/store.ts';
import { type Arrangement, arrange } from '../webhooks/release-order.ts';
import { openSigner, type Signer } from './certificate.ts';
import { nextId } from './identifiers.ts';
import type { Objects } from './objects.ts';

type Change = {
  resourceType: string;
  resource: object;
  /** The id of the order or the token, which a fault's `object` matches. */
  about: string;
  summary: string;
};

export type TransmissionHeaders = {
  'paypal-transmission-id': string;
  'paypal-transmission-time': string;
  'paypal-transmission-sig': string;
  'paypal-cert-url': string;
  'paypal-auth-algo': string;
};

export type Notices = {
  /** Adds the event and a delivery for every webhook of the account that subscribes to its type. */
  emit: (actor: Actor, type: string, change: Change) => void;
  certificate: () => string;
  /** Returns whether the headers sign this text for this webhook. */
  verify: (headers: TransmissionHeaders, body: string, webhookId: string) => boolean;
  /** Returns the headers of a delivery. */
  sign: (body: string, webhookId: string) => TransmissionHeaders;
  list: () => object[];
  /** Sends what `hold_webhooks` keeps back, one after the other. Returns how many arrived. */
  release: (wanted: Arrangement) => Promise<number>;
  /** Sends an event once more, whatever the result of earlier deliveries. */
  resend: (event: string, account: string) => void;
  /** Sends what `early_webhook` selected in the call that just ran; undefined when there is nothing. */
  deliverEarly: () => Promise<unknown> | undefined;
  pump: () => void;
  close: () => Promise<void>;
};

type Parts = {
  store: Store;
  objects: Objects;
  clock: Clock;
  faults: Faults;
  ids: Identifiers;
  baseUrl: () => string;
};

const answerTimeoutMs = 10_000;
const reorderedMs = 5_000;
const retryPauses = [1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200];

const table = `create table if not exists wallet_deliveries (
  seq integer primary key, event text not null, webhook text not null, attempt integer not null,
  due_at integer not null, state text not null
)`;

/** The text that the RSA signature covers: these four parts, with the body as its checksum. */
const signedText = (parts: { id: string; time: string; webhookId: string; body: string }) =>
  `${parts.id}|${parts.time}|${parts.webhookId}|${crc32(parts.body)}`;

const createSignatures = (store: Store, baseUrl: () => string) => {
  let signer: Signer | undefined;
  const openSignerOnce = (): Signer => {
    signer ??= openSigner(store);
    return signer;
  };
  return {
    certificate: () => openSignerOnce().certificate,
    sign: (body: string, webhookId: string): TransmissionHeaders => {
      // Real time, because the receiver's clock does not move with the sandbox's.
      const time = `${new Date().toISOString().slice(0, 19)}Z`;
      const id = randomUUID();
      return {
        'paypal-transmission-id': id,
        'paypal-transmission-time': time,
        'paypal-transmission-sig': openSignerOnce().sign(signedText({ id, time, webhookId, body })),
        'paypal-cert-url': `${baseUrl()}/v1/notifications/certs/CERT-sandbox`,
        'paypal-auth-algo': 'SHA256withRSA',
      };
    },
    verify: (headers: TransmissionHeaders, body: string, webhookId: string): boolean =>
      verify(
        'sha256',
        Buffer.from(
          signedText({
            id: headers['paypal-transmission-id'],
            time: headers['paypal-transmission-time'],
            webhookId,
            body,
          }),
        ),
        new X509Certificate(openSignerOnce().certificate).publicKey,
        Buffer.from(headers['paypal-transmission-sig'], 'base64'),
      ),
  };
};

const send = async (url: string, body: string, headers: TransmissionHeaders): Promise<boolean> => {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': 'PayPal/AUHD-1.0-1',
        'paypal-auth-version': 'v2',
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
};

const isSubscribed = (types: readonly string[], type: string): boolean =>
  types.includes('*') || types.includes(type);

type NoticeDelay = { state: 'pending' | 'kept' | 'early'; delayMs: number };

/** Returns how a planted fault delays a delivery. */
const delayOf = (fault: Fault | undefined, isCalled: boolean): NoticeDelay => {
  // An event without a call cannot be sent before a response.
  if (fault?.action === 'early_webhook' && isCalled) return { state: 'early', delayMs: 0 };
  if (fault?.action === 'hold_webhooks') return { state: 'kept', delayMs: 0 };
  if (fault?.action === 'delay_webhook') return { state: 'pending', delayMs: fault.delayMs };
  if (fault?.action === 'reorder_webhooks') return { state: 'pending', delayMs: reorderedMs };
  return { state: 'pending', delayMs: 0 };
};

/** Returns the event in the shape that the shared faults match. */
const asSharedEvent = (type: string, about: string): Kinds['event'] =>
  ({ type, data: { object: { id: about } } }) as unknown as Kinds['event'];

const createQueue = (store: Store, clock: Clock) => {
  store.run(table);
  // Sends again what an earlier process was sending when it ended.
  store.run("update wallet_deliveries set state = 'pending' where state in ('sending', 'early')");
  const setState = (row: Row, state: string): void =>
    store.run('update wallet_deliveries set state = ? where seq = ?', state, row.seq ?? null);
  const claim = (find: () => Row[]): Row[] =>
    store.transaction(() => {
      const rows = find();
      for (const row of rows) setState(row, 'sending');
      return rows;
    });
  return {
    insert: (event: string, webhook: string, waiting: NoticeDelay): void =>
      store.run(
        `insert into wallet_deliveries (event, webhook, attempt, due_at, state)
         values (?, ?, 0, ?, ?)`,
        event,
        webhook,
        clock.nowMs() + waiting.delayMs,
        waiting.state,
      ),
    isDue: (): boolean =>
      store.one(
        "select 1 as is_due from wallet_deliveries where state = 'pending' and due_at <= ? limit 1",
        clock.nowMs(),
      ) !== undefined,
    claimDue: (): Row[] =>
      claim(() =>
        store.all(
          `select * from wallet_deliveries where state = 'pending' and due_at <= ?
           order by due_at, seq limit 16`,
          clock.nowMs(),
        ),
      ),
    claimWaiting: (state: 'kept' | 'early'): Row[] =>
      claim(() => store.all('select * from wallet_deliveries where state = ? order by seq', state)),
    list: (): Row[] => store.all('select * from wallet_deliveries order by seq'),
    settle: (row: Row, hasArrived: boolean): void => {
      const pause = retryPauses[Number(row.attempt)];
      if (hasArrived) store.run('delete from wallet_deliveries where seq = ?', row.seq ?? null);
      else if (pause === undefined) setState(row, 'failed');
      else {
        store.run(
          `update wallet_deliveries set attempt = attempt + 1, due_at = ?, state = 'pending'
           where seq = ?`,
          clock.nowMs() + pause * 1000,
          row.seq ?? null,
        );
      }
    },
  };
};

type Queue = ReturnType<typeof createQueue>;
type Signatures = ReturnType<typeof createSignatures>;

/** Sends one claimed row and records the result. Returns false when it did not arrive. */
const createDelivery =
  ({ objects, store }: Parts, queue: Queue, signatures: Signatures) =>
  async (row: Row): Promise<boolean> => {
    const event = objects.find('event', String(row.event));
    const webhook = objects.find('webhook', String(row.webhook));
    if (!event || !webhook) {
      queue.settle(row, true);
      return false;
    }
    const headers = signatures.sign(event.object.body, webhook.object.id);
    const hasArrived = await send(webhook.object.url, event.object.body, headers);
    if (!store.isClosed()) queue.settle(row, hasArrived);
    return hasArrived;
  };

type AnnounceHooks = { pump: () => void; onEarly: () => void };

const createEmit =
  ({ store, objects, clock, faults, ids, baseUrl }: Parts, queue: Queue, on: AnnounceHooks) =>
  (actor: Actor, type: string, change: Change): void => {
    const { pump, onEarly } = on;
    const id = `WH-${nextId(ids)}-${nextId(ids)}`;
    const self = `${baseUrl()}/v1/notifications/webhooks-events/${id}`;
    const body = JSON.stringify({
      id,
      event_version: '1.0',
      create_time: new Date(clock.nowMs()).toISOString(),
      resource_type: change.resourceType,
      resource_version: '2.0',
      event_type: type,
      summary: change.summary,
      resource: change.resource,
      links: [{ href: self, rel: 'self', method: 'GET' }],
    });
    const event = { account: actor.account, object: { id, type, about: change.about, body } };
    objects.insert('event', event);
    const webhooks = objects
      .listAll('webhook', actor.account)
      .filter(({ object }) => isSubscribed(object.eventTypes, type));
    if (webhooks.length === 0) return;
    const fault = faults.takeForEvent(asSharedEvent(type, change.about), actor.account);
    if (fault?.action === 'drop_webhook') return;
    const waiting = delayOf(fault, actor.request !== null);
    for (const { object } of webhooks) {
      queue.insert(id, object.id, waiting);
      if (fault?.action === 'duplicate_webhook') queue.insert(id, object.id, waiting);
    }
    store.afterCommit(() => {
      if (waiting.state === 'early') onEarly();
      else setImmediate(pump);
    });
  };

export const createNotices = (parts: Parts): Notices => {
  const { store, objects, clock, baseUrl } = parts;
  const signatures = createSignatures(store, baseUrl);
  const queue = createQueue(store, clock);
  const deliver = createDelivery(parts, queue, signatures);
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  let hasEarly = false;
  const noteEarlyEvent = (): void => {
    hasEarly = true;
  };
  const track = <T>(sending: Promise<T>): Promise<T> => {
    const tracked = sending.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  };
  const sendDue = (): void => {
    if (isClosed || underWay.size > 0 || !queue.isDue()) return;
    for (const row of queue.claimDue()) void track(deliver(row)).then(sendDue);
  };
  const releaseKept = async (wanted: Arrangement): Promise<number> => {
    let arrived = 0;
    for (const row of arrange(queue.claimWaiting('kept'), wanted)) {
      if (!isClosed && (await deliver(row))) arrived += 1;
    }
    return arrived;
  };
  return {
    ...signatures,
    emit: createEmit(parts, queue, { pump: sendDue, onEarly: noteEarlyEvent }),
    list: () =>
      queue.list().map((row) => ({
        event: row.event,
        type: objects.find('event', String(row.event))?.object.type ?? '',
        webhook: row.webhook,
        state: row.state,
        attempt: row.attempt,
        dueAt: new Date(Number(row.due_at)).toISOString(),
      })),
    release: (wanted) => track(releaseKept(wanted)),
    resend: (event, account) => {
      for (const { object } of objects.listAll('webhook', account)) {
        queue.insert(event, object.id, { state: 'pending', delayMs: 0 });
      }
      store.afterCommit(() => setImmediate(sendDue));
    },
    deliverEarly: () => {
      if (!hasEarly) return undefined;
      hasEarly = false;
      return Promise.all(queue.claimWaiting('early').map((row) => track(deliver(row))));
    },
    pump: sendDue,
    close: async () => {
      isClosed = true;
      await Promise.allSettled([...underWay]);
    },
  };
};
