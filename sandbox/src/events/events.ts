// Events: a snapshot of the object for each change, written in the transaction of the change, with a
// delivery for every endpoint of the account that subscribes to the type.
import type { Actor, Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { invalidParameter } from '../requests/errors.ts';
import { readText } from '../requests/parameters.ts';
import { pinnedVersion } from '../requests/versions.ts';
import type { Kinds } from '../state/resources.ts';

/** Adds the event and its deliveries. `previous` holds the old values of an `…updated` event. */
export const emitEvent = (
  actor: Actor,
  type: string,
  change: { object: object; previous?: Record<string, unknown> },
): void => {
  const { core } = actor;
  const endpoints = core.webhooks.findEndpoints(actor.account, type);
  const event: Kinds['event'] = {
    id: core.ids.next('evt_'),
    object: 'event',
    api_version: pinnedVersion,
    created: core.clock.now(),
    data: {
      object: change.object as never,
      ...(change.previous ? { previous_attributes: change.previous as never } : {}),
    },
    livemode: false,
    pending_webhooks: endpoints.length,
    request: { id: actor.request, idempotency_key: actor.idempotencyKey },
    type: type as Kinds['event']['type'],
  };
  core.resources.insert('event', { account: actor.account, object: event, notes: {} });
  core.webhooks.schedule(event, actor.account, endpoints);
};

const mostTypes = 20;

const wantedTypes = (call: Call): readonly string[] | undefined => {
  const type = readText(call.values, 'type');
  const types = call.values.types as readonly string[] | undefined;
  if (type === undefined) {
    if (types === undefined || types.length <= mostTypes) return types;
    throw invalidParameter(undefined, 'types', `At most ${mostTypes} types can be named.`);
  }
  if (types === undefined) return [type];
  throw invalidParameter(
    'parameters_exclusive',
    'types',
    'You may only specify one of these parameters: type, types.',
  );
};

export const eventRoutes: Route[] = [
  {
    method: 'GET',
    path: '/events',
    accepts: { ...pageRules, type: 'text', types: 'list' },
    run: (call) => {
      const types = wantedTypes(call);
      return answerList(call, 'event', {
        url: '/v1/events',
        ...(types ? { keep: (event) => types.includes(event.type) } : {}),
      });
    },
  },
  {
    method: 'GET',
    path: '/events/:id',
    accepts: { expand: 'list' },
    run: (call) => {
      const { object } = call.core.resources.get('event', call.id, { account: call.account });
      return { ...object, pending_webhooks: call.core.webhooks.countPending(call.id) };
    },
  },
];
