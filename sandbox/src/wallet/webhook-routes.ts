// An account's webhooks: creates, lists and deletes them, and verifies a received notice.
import { isLoopback } from '../webhooks/webhooks.ts';
import { malformedField, missingResource, required, WalletError } from './errors.ts';
import { nextId } from './identifiers.ts';
import type { TransmissionHeaders } from './notices.ts';
import { readRequired } from './read.ts';
import { showWebhook } from './shapes.ts';
import { fieldsOf, type WalletCall, type WalletRoute } from './wallet.ts';

const base = '/v1/notifications';

const readTypes = (body: unknown): string[] => {
  const { event_types: types } = fieldsOf(body);
  if (types === undefined) throw required('/event_types');
  if (!Array.isArray(types) || types.length === 0) throw malformedField('/event_types');
  return types.map((type) => readRequired(type, '/name', { max: 50 }));
};

const create = (call: WalletCall) => {
  const url = readRequired(call.body, '/url', { max: 2048 });
  // The real wallet accepts only https. The sandbox sends only to this machine.
  if (!isLoopback(url)) throw new WalletError(400, 'INVALID_PARAMETER_VALUE', { field: '/url' });
  const eventTypes = readTypes(call.body);
  const webhook = {
    account: call.account,
    object: { id: nextId(call.core.ids), url, eventTypes },
  };
  call.wallet.objects.insert('webhook', webhook);
  return { status: 201, body: showWebhook(call, webhook) };
};

const list = (call: WalletCall) => ({
  status: 200,
  body: {
    webhooks: call.wallet.objects
      .listAll('webhook', call.account)
      .map((kept) => showWebhook(call, kept)),
  },
});

const readWebhook = (call: WalletCall) => ({
  status: 200,
  body: showWebhook(call, call.wallet.objects.get('webhook', call.id, call.account)),
});

const remove = (call: WalletCall) => {
  call.wallet.objects.get('webhook', call.id, call.account);
  call.wallet.objects.remove(call.id);
  return { status: 204 };
};

type EventSummary = { id: string; create_time: string; event_type: string };

const readInstant = (call: WalletCall, name: string, otherwise: number): number => {
  const text = call.query.get(name);
  const ms = text === null ? otherwise : Date.parse(text);
  if (Number.isNaN(ms)) throw malformedField(`/${name}`);
  return ms;
};

/** Lists events, newest first. The next page begins after the event that its link names. */
const listEvents = (call: WalletCall) => {
  const { query, core } = call;
  const size = Number(query.get('page_size') ?? 10);
  if (!Number.isInteger(size) || size < 1 || size > 100) throw malformedField('/page_size');
  const from = readInstant(call, 'start_time', 0);
  const until = readInstant(call, 'end_time', core.clock.nowMs());
  const type = query.get('event_type');
  const told = call.wallet.objects
    .listAll('event', call.account)
    .map(({ object }) => JSON.parse(object.body) as EventSummary)
    .filter(({ create_time: at }) => Date.parse(at) >= from && Date.parse(at) <= until)
    .filter(({ event_type: one }) => type === null || one === type)
    .reverse();
  const after = query.get('index_id');
  const start = after === null ? 0 : told.findIndex(({ id }) => id === after) + 1;
  const events = told.slice(start, start + size);
  const asked = new URLSearchParams(query);
  const self = `${core.baseUrl()}${base}/webhooks-events`;
  const links = [{ href: `${self}?${asked}`, rel: 'self', method: 'GET' }];
  if (told.length > start + size) {
    asked.set('move_to', 'next');
    asked.set('index_id', events.at(-1)?.id ?? '');
    links.push({ href: `${self}?${asked}`, rel: 'next', method: 'GET' });
  }
  return { status: 200, body: { events, count: events.length, links } };
};

const readEvent = (call: WalletCall) => {
  const { object } = call.wallet.objects.get('event', call.id, call.account);
  return { status: 200, body: JSON.parse(object.body) as object };
};

const resend = (call: WalletCall) => {
  const { object } = call.wallet.objects.get('event', call.id, call.account);
  call.wallet.notices.resend(call.id, call.account);
  return { status: 202, body: JSON.parse(object.body) as object };
};

/** Verifies headers and event. The event must equal the text that was sent exactly. */
const verify = (call: WalletCall) => {
  const field = (name: string): string => readRequired(call.body, `/${name}`, { max: 500 });
  const headers: TransmissionHeaders = {
    'paypal-transmission-id': field('transmission_id'),
    'paypal-transmission-time': field('transmission_time'),
    'paypal-transmission-sig': field('transmission_sig'),
    'paypal-cert-url': field('cert_url'),
    'paypal-auth-algo': field('auth_algo'),
  };
  const webhookId = field('webhook_id');
  const { webhook_event: event } = fieldsOf(call.body);
  if (event === undefined) throw required('/webhook_event');
  const webhook = call.wallet.objects.find('webhook', webhookId);
  if (webhook?.account !== call.account) throw missingResource();
  const kept = call.wallet.objects.find('event', String(fieldsOf(event).id));
  const isOurs = kept?.account === call.account && kept.object.body === JSON.stringify(event);
  const isGenuine = isOurs && call.wallet.notices.verify(headers, kept.object.body, webhookId);
  return { status: 200, body: { verification_status: isGenuine ? 'SUCCESS' : 'FAILURE' } };
};

export const webhookRoutes: WalletRoute[] = [
  { method: 'POST', path: `${base}/webhooks`, run: create },
  { method: 'GET', path: `${base}/webhooks`, run: list },
  { method: 'GET', path: `${base}/webhooks/:id`, run: readWebhook },
  { method: 'DELETE', path: `${base}/webhooks/:id`, run: remove },
  { method: 'GET', path: `${base}/webhooks-events`, run: listEvents },
  { method: 'GET', path: `${base}/webhooks-events/:id`, run: readEvent },
  { method: 'POST', path: `${base}/webhooks-events/:id/resend`, run: resend },
  { method: 'POST', path: `${base}/verify-webhook-signature`, run: verify },
];
