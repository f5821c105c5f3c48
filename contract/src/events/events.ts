// Calls that read events. Contract §7.

import { type Static, Type } from 'typebox';
import { WebhookAttempt } from '../developers/webhook-endpoints.ts';
import { eventTypes } from '../rows/event-types.ts';
import { row } from '../rows/row.ts';
import {
  component,
  givenInstant,
  input,
  instant,
  list,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';

export const Event = component('Event', {
  id: Type.String({ description: '`evt_` and a UUID v7 in hex.' }),
  object: oneOf(['event']),
  type: oneOf(eventTypes),
  created: Type.Integer({ description: 'Unix seconds.' }),
  timestamp: instant(),
  apiVersion: Type.String(),
  clientId: uuid(),
  livemode: Type.Boolean(),
  sequence: Type.Integer({ description: 'Counts per resource without gaps.' }),
  resource: Type.Object({
    type: Type.String(),
    id: Type.String(),
    version: Type.Integer(),
  }),
  request: Type.Unsafe<{
    id: string | null;
    idempotencyKey: string | null;
  } | null>({
    type: ['object', 'null'],
    properties: {
      id: { type: ['string', 'null'] },
      idempotencyKey: { type: ['string', 'null'] },
    },
    required: ['id', 'idempotencyKey'],
  }),
  data: Type.Unsafe<{
    object: Record<string, unknown>;
    /**
     * Only in a sandbox: the payment that `npm start` makes as a test. It is delivered only to the demo
     * shop.
     */
    isStartProof?: true;
    [more: string]: unknown;
  }>({
    type: 'object',
    additionalProperties: true,
  }),
});
export type Event = Static<typeof Event>;

const afterEvent = () =>
  text(60, {
    description: 'Id of the last event that you read; lists the events after it, oldest first.',
  });

/** A list `after` an event is always ascending: any other direction is refused. */
const onlyUpwards = {
  if: { required: ['after'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { properties: { sortDirection: { enum: ['ASC'], 'x-code': 'invalid_query' } } },
};

const waitSeconds = () =>
  Type.Integer({
    minimum: 0,
    maximum: 25,
    'x-code': 'invalid_query',
    description:
      'With `after`: seconds to wait when no event follows yet. A person can have five waiting calls; a sixth is answered at once.',
  });

export const listEvents = row({
  spec: 'Contract §7, GET /v1/events',
  summary: 'Lists events, newest first; `after` continues from an event in order of creation.',
  call: 'GET /v1/events',
  auth: 'server',
  scope: 'events:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    query: paging(
      ['createdAt'],
      { after: Type.Optional(afterEvent()), wait: Type.Optional(waitSeconds()) },
      onlyUpwards,
    ),
  },
  filters: {
    type: oneOf(eventTypes),
    resourceId: Type.String(),
    createdAt: givenInstant(),
  },
  answers: { 200: list(Event) },
  refuses: ['invalid_query', 'event_not_found', 'insufficient_scope'],
  emits: [],
});

export const getEvent = row({
  spec: 'Contract §7, GET /v1/events/{id}',
  summary: 'Reads one event.',
  call: 'GET /v1/events/{eventId}',
  auth: 'server',
  scope: 'events:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: Type.Object({ eventId: text(60) }) },
  answers: { 200: Event },
  refuses: ['event_not_found', 'insufficient_scope'],
  emits: [],
});

const EventId = Type.Object({ eventId: text(60) });

export const listEventAttempts = row({
  spec: 'Contract §7, GET /v1/events/{id}/attempts',
  summary: 'Lists the attempts to deliver an event, newest first; kept 90 days.',
  call: 'GET /v1/events/{eventId}/attempts',
  auth: 'server',
  scope: 'events:read',
  permission: 'developers.use',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: EventId, query: paging(['startedAt'], {}) },
  filters: { endpointId: uuid(), outcome: oneOf(['delivered', 'failed']) },
  answers: { 200: list(WebhookAttempt) },
  refuses: ['invalid_query', 'event_not_found', 'insufficient_scope'],
  emits: [],
});

export const redeliverEvent = row({
  spec: 'Contract §7, POST /v1/events/{id}/redeliver',
  summary:
    'Delivers an event again, to every enabled endpoint or to the named ones, labelled as a redelivery.',
  call: 'POST /v1/events/{eventId}/redeliver',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.use',
  limit: 'client',
  input: {
    path: EventId,
    body: input({
      endpointIds: Type.Optional(
        Type.Array(uuid(), {
          minItems: 1,
          maxItems: 10,
          description: 'Absent: every enabled endpoint that subscribes to its type.',
        }),
      ),
    }),
  },
  answers: { 202: Type.Object({ deliveries: Type.Integer() }) },
  refuses: [
    'invalid_request',
    'event_not_found',
    'webhook_endpoint_not_found',
    'webhook_endpoint_is_disabled',
    'insufficient_scope',
  ],
  emits: [],
});
