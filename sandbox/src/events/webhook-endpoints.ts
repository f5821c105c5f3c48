// Webhook endpoints: the addresses to which an account's events are sent. The signing secret is shown only
// once, when the endpoint is made.
import type { Call, Core, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { invalidParameter } from '../requests/errors.ts';
import {
  flag,
  list,
  mergeMetadata,
  readText,
  requiredText,
  textOrNull,
} from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';
import { isLoopback } from '../webhooks/webhooks.ts';

type Endpoint = StoredObject<'webhook_endpoint'>;

const loopbackOnly =
  'The sandbox only writes to this machine: http or https with 127.0.0.1, [::1] or a name in localhost.';

const readUrl = (url: string): string => {
  if (isLoopback(url)) return url;
  throw invalidParameter('url_invalid', 'url', loopbackOnly);
};

const readEvents = (call: Call): string[] | undefined => {
  const events = list(call.values, 'enabled_events');
  if (events === undefined) return undefined;
  const wrong = events.find((event) => event !== '*' && !/^[a-z_]+(\.[a-z_]+)+$/.test(event));
  if (wrong === undefined && events.length > 0) return [...events];
  throw invalidParameter(undefined, 'enabled_events', `Invalid enabled_events: ${wrong ?? ''}`);
};

type NewEndpoint = { id: string; url: string; events: readonly string[] };

const newEndpoint = (core: Core, { id, url, events }: NewEndpoint): Endpoint['object'] => ({
  id,
  object: 'webhook_endpoint',
  api_version: null,
  application: null,
  created: core.clock.now(),
  description: null,
  enabled_events: [...events],
  livemode: false,
  metadata: {},
  status: 'enabled',
  url,
});

const create = (call: Call) => {
  const { core, values } = call;
  const url = readUrl(requiredText(values, 'url'));
  const events = readEvents(call);
  if (!events) {
    throw invalidParameter(
      'parameter_missing',
      'enabled_events',
      'Missing required param: enabled_events.',
    );
  }
  const secret = core.ids.next('whsec_', 32);
  const kept: Endpoint = {
    account: call.account,
    notes: { secret },
    object: {
      ...newEndpoint(core, { id: core.ids.next('we_'), url, events }),
      api_version: readText(values, 'api_version') ?? null,
      description: readText(values, 'description') || null,
      metadata: mergeMetadata({}, values),
    },
  };
  core.resources.insert('webhook_endpoint', kept);
  core.store.afterCommit(core.webhooks.forgetEndpoints);
  return { ...kept.object, secret };
};

/**
 * Sends the account's events to one more address, or to none, as the provider's command line does. The secret
 * stays that of the account, whatever the address.
 */
export const forwardEvents = (
  core: Core,
  account: string,
  wish: { url: string | undefined; events: readonly string[] },
): { url: string | null; secret: string } => {
  const secret = `whsec_${core.ids.fixed('forwarding', account, 32)}`;
  const id = `we_${core.ids.fixed('forwarding endpoint', account, 24)}`;
  core.store.transaction(() => {
    core.resources.remove(id);
    if (wish.url !== undefined) {
      const object = newEndpoint(core, { id, url: wish.url, events: wish.events });
      core.resources.insert('webhook_endpoint', {
        account,
        notes: { secret, isForwarding: true },
        object,
      });
    }
    core.store.afterCommit(core.webhooks.forgetEndpoints);
  });
  return { url: wish.url ?? null, secret };
};

const getEndpoint = (call: Call): Endpoint =>
  call.core.resources.get('webhook_endpoint', call.id, { account: call.account });

const update = (call: Call) => {
  const kept = getEndpoint(call);
  const { object } = kept;
  const url = readText(call.values, 'url');
  if (url !== undefined) object.url = readUrl(url);
  object.enabled_events = readEvents(call) ?? object.enabled_events;
  const description = textOrNull(call.values, 'description');
  if (description !== undefined) object.description = description;
  object.metadata = mergeMetadata(object.metadata, call.values);
  const isDisabled = flag(call.values, 'disabled');
  if (isDisabled !== undefined) object.status = isDisabled ? 'disabled' : 'enabled';
  call.core.resources.save(kept);
  call.core.store.afterCommit(call.core.webhooks.forgetEndpoints);
  return object;
};

const remove = (call: Call) => {
  const { object } = getEndpoint(call);
  call.core.resources.remove(object.id);
  call.core.store.afterCommit(call.core.webhooks.forgetEndpoints);
  return { id: object.id, object: 'webhook_endpoint', deleted: true };
};

const rules = {
  url: 'text',
  enabled_events: 'list',
  description: 'text',
  metadata: 'map',
  expand: 'list',
} as const;

export const webhookEndpointRoutes: Route[] = [
  {
    method: 'POST',
    path: '/webhook_endpoints',
    accepts: { ...rules, api_version: 'text' },
    run: create,
  },
  {
    method: 'GET',
    path: '/webhook_endpoints',
    accepts: pageRules,
    run: (call) =>
      answerList(call, 'webhook_endpoint', {
        url: '/v1/webhook_endpoints',
        keep: (_, { isForwarding }) => !isForwarding,
      }),
  },
  {
    method: 'GET',
    path: '/webhook_endpoints/:id',
    accepts: { expand: 'list' },
    run: (call) => getEndpoint(call).object,
  },
  {
    method: 'POST',
    path: '/webhook_endpoints/:id',
    accepts: { ...rules, disabled: 'flag' },
    run: update,
  },
  { method: 'DELETE', path: '/webhook_endpoints/:id', accepts: {}, run: remove },
];
