// The controls over deliveries: lists those that wait, and releases those that `hold_webhooks` keeps back,
// in the order that a test asks for.
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core/core.ts';
import { forwardEvents } from '../events/webhook-endpoints.ts';
import {
  BadControl,
  optional,
  readBody,
  readChoice,
  readText,
  readWhole,
} from '../requests/control-body.ts';
import { type Release, releaseOrders } from '../webhooks/release-order.ts';
import { isLoopback } from '../webhooks/webhooks.ts';
import { accountOf } from './control-money.ts';

const maxDuplicates = 10_000;

const readEvents = (value: unknown): string[] => {
  if (!Array.isArray(value) || value.length === 0) {
    throw new BadControl('events must be a list of texts');
  }
  return value.map((id) => readText(id, 'events'));
};

const readRelease = (value: unknown): Release => {
  const body = readBody(value, ['order', 'duplicates', 'seed', 'events']);
  const events = optional(body.events, readEvents);
  if (events !== undefined) {
    const odd = ['order', 'duplicates', 'seed'].find((name) => body[name] !== undefined);
    if (odd !== undefined) throw new BadControl(`events is an order of its own: leave out ${odd}`);
    return { events };
  }
  return {
    order: readChoice(body.order ?? 'fifo', 'order', releaseOrders),
    duplicates: readWhole(body.duplicates ?? 0, 'duplicates', [0, maxDuplicates]),
    seed: readText(body.seed ?? 'sandbox', 'seed'),
  };
};

export const registerWebhookControls = (app: FastifyInstance, core: Core): void => {
  app.get('/webhooks', () => ({ deliveries: core.webhooks.listDeliveries() }));
  app.post('/webhooks/forward', ({ body }) => {
    const given = readBody(body, ['account', 'url', 'events']);
    const account = accountOf(core, given.account);
    const url = optional(given.url, (value) => readText(value, 'url'));
    if (url !== undefined && !isLoopback(url))
      throw new BadControl(`${url} is not on this machine`);
    return forwardEvents(core, account, {
      url,
      events: optional(given.events, readEvents) ?? ['*'],
    });
  });
  app.post('/webhooks/release', async ({ body }) => {
    const wanted = readRelease(body);
    for (const id of 'events' in wanted ? wanted.events : []) {
      if (!core.resources.find('event', id)) throw new BadControl(`no such event: ${id}`);
    }
    return { sent: await core.webhooks.release(wanted) };
  });
};
