// The addresses to which a merchant's events are delivered, and the result of each delivery. Contract §7.

import { type Static, Type } from 'typebox';
import { eventTypes } from '../rows/event-types.ts';
import { row } from '../rows/row.ts';
import {
  component,
  givenInstant,
  input,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';

const testFaults = ['duplicate', 'reorder'] as const;
const deliveryStates = ['pending', 'delivered', 'dead', 'cancelled'] as const;

const shown = {
  id: uuid(),
  url: Type.String(),
  description: nullable(Type.String()),
  eventTypes: nullable(
    Type.Array(oneOf(eventTypes), { description: 'Event types that are delivered; null: all.' }),
  ),
  apiVersion: Type.String({ description: 'The API version of its events.' }),
  isEnabled: Type.Boolean(),
  disabledReason: nullable(
    oneOf(['gone', 'failing', 'merchant'], '`gone`: it answered 410. `failing`: for 120 hours.'),
  ),
  failingSince: nullable(
    instant('First failure since the last success; null while deliveries arrive.'),
  ),
  previousSecretUntil: nullable(
    instant(
      'Until then every delivery is also signed with the previous secret. Another rotation before ' +
        'that time ends the older of the two secrets at once.',
    ),
  ),
  testFault: nullable(
    oneOf(testFaults, 'The fault that a sandbox applies to deliveries; always null in live mode.'),
  ),
  createdAt: instant(),
  updatedAt: instant(),
};

export const WebhookEndpoint = component('WebhookEndpoint', shown);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

const WebhookEndpointWithSecret = component('WebhookEndpointWithSecret', {
  ...shown,
  secret: Type.String({
    description: '`svc_whsec_` and base64 of 32 bytes. Shown in this answer and never again.',
  }),
});

/** One attempt to deliver one event to one endpoint. Kept 90 days. */
export const WebhookAttempt = component('WebhookAttempt', {
  eventId: Type.String(),
  endpointId: uuid(),
  attempt: Type.Integer({ description: 'From 1; a redelivery starts again at 1.' }),
  isRedelivery: Type.Boolean(),
  outcome: oneOf(['delivered', 'failed']),
  request: Type.Object({
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'The headers that the service sets, without the signatures and their timestamp.',
    }),
  }),
  status: nullable(Type.Integer({ description: 'Null: there was no response.' })),
  error: nullable(
    Type.String({ description: 'A short error code of this service, such as `timeout`.' }),
  ),
  response: nullable(
    Type.String({
      description: 'The first 200 characters of the answer, unprintable ones as a space.',
    }),
  ),
  durationMs: Type.Integer(),
  startedAt: instant(),
});
export type WebhookAttempt = Static<typeof WebhookAttempt>;

/** The state of the delivery of one event to one endpoint. */
export const WebhookDelivery = component('WebhookDelivery', {
  eventId: Type.String(),
  eventType: oneOf(eventTypes),
  endpointId: uuid(),
  state: oneOf(deliveryStates),
  attempts: Type.Integer(),
  redeliveries: Type.Integer({ description: 'Number of redeliveries.' }),
  lastStatus: nullable(Type.Integer()),
  lastError: nullable(Type.String()),
  nextAttemptAt: nullable(instant('Null once the delivery has ended.')),
  createdAt: instant(),
  finishedAt: nullable(instant()),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const EndpointId = Type.Object({ id: uuid({ 'x-code': 'webhook_endpoint_not_found' }) });

const url = () =>
  text(2048, { description: 'https and public; http and private only where the operator allows.' });
const description = () => nullable(text(255));
const types = () =>
  nullable(
    Type.Array(oneOf(eventTypes), {
      minItems: 1,
      maxItems: eventTypes.length,
      description: 'Null or absent: all types, including those of later versions.',
    }),
  );

export const createWebhookEndpoint = row({
  spec: 'Contract §7, POST /v1/webhook-endpoints',
  summary: 'Adds a webhook endpoint, with a secret of its own. At most ten per merchant.',
  call: 'POST /v1/webhook-endpoints',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    body: input({
      url: url(),
      description: Type.Optional(description()),
      eventTypes: Type.Optional(types()),
      apiVersion: Type.Optional(text(10, { description: 'Absent: the merchant’s own.' })),
    }),
  },
  answers: { 201: WebhookEndpointWithSecret },
  refuses: [
    'invalid_request',
    'webhook_url_refused',
    'webhook_endpoint_limit_reached',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const listWebhookEndpoints = row({
  spec: 'Contract §7, GET /v1/webhook-endpoints',
  summary: "Lists the merchant's webhook endpoints.",
  call: 'GET /v1/webhook-endpoints',
  auth: 'server',
  scope: 'webhooks:read',
  permission: 'developers.use',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: { isEnabled: Type.Boolean(), url: Type.String(), createdAt: givenInstant() },
  answers: { 200: list(WebhookEndpoint) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

export const getWebhookEndpoint = row({
  spec: 'Contract §7, GET /v1/webhook-endpoints/{id}',
  summary: 'Reads one webhook endpoint; never its secret.',
  call: 'GET /v1/webhook-endpoints/{id}',
  auth: 'server',
  scope: 'webhooks:read',
  permission: 'developers.use',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: EndpointId },
  answers: { 200: WebhookEndpoint },
  refuses: ['webhook_endpoint_not_found', 'insufficient_scope'],
  emits: [],
});

export const updateWebhookEndpoint = row({
  spec: 'Contract §7, PATCH /v1/webhook-endpoints/{id}',
  summary:
    'Changes a webhook endpoint. Disabling cancels waiting deliveries; after enabling, redeliver sends them.',
  call: 'PATCH /v1/webhook-endpoints/{id}',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    path: EndpointId,
    body: input({
      url: Type.Optional(url()),
      description: Type.Optional(description()),
      eventTypes: Type.Optional(types()),
      apiVersion: Type.Optional(text(10)),
      isEnabled: Type.Optional(Type.Boolean()),
      testFault: Type.Optional(
        nullable(oneOf(testFaults, 'Sandbox only: deliver twice, or in another order.')),
      ),
    }),
  },
  answers: { 200: WebhookEndpoint },
  refuses: [
    'invalid_request',
    'webhook_endpoint_not_found',
    'webhook_url_refused',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: ['webhook_endpoint.disabled'],
});

export const deleteWebhookEndpoint = row({
  spec: 'Contract §7, DELETE /v1/webhook-endpoints/{id}',
  summary: 'Deletes a webhook endpoint and cancels its waiting deliveries. Repeatable.',
  call: 'DELETE /v1/webhook-endpoints/{id}',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: EndpointId },
  answers: { 204: null },
  refuses: ['webhook_endpoint_not_found', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const rotateWebhookSecret = row({
  spec: 'Contract §7, POST /v1/webhook-endpoints/{id}/rotate-secret',
  summary:
    'Gives the endpoint a new secret. During the overlap deliveries carry both signatures. ' +
    'Another rotation before it has passed ends the older secret at once.',
  call: 'POST /v1/webhook-endpoints/{id}/rotate-secret',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    path: EndpointId,
    body: input({
      overlapSeconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 604_800, description: 'Default: 86400, a day.' }),
      ),
    }),
  },
  answers: { 200: WebhookEndpointWithSecret },
  refuses: [
    'invalid_request',
    'webhook_endpoint_not_found',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const testWebhookEndpoint = row({
  spec: 'Contract §7, POST /v1/webhook-endpoints/{id}/test',
  summary:
    'Sends an event of type `webhook_endpoint.test` at once and returns the endpoint’s response.',
  call: 'POST /v1/webhook-endpoints/{id}/test',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.use',
  limit: 'client',
  input: { path: EndpointId },
  answers: { 200: WebhookAttempt },
  refuses: [
    'webhook_endpoint_not_found',
    'webhook_endpoint_is_disabled',
    'rate_limited',
    'insufficient_scope',
  ],
  emits: ['webhook_endpoint.test'],
});

export const redeliverToEndpoint = row({
  spec: 'Contract §7, POST /v1/webhook-endpoints/{id}/redeliver',
  summary:
    'Delivers the events of a span of time again: those that were not delivered, or all. Labelled as redeliveries.',
  call: 'POST /v1/webhook-endpoints/{id}/redeliver',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.use',
  limit: 'client',
  input: {
    path: EndpointId,
    body: input({
      since: givenInstant('Events created at or after this instant.'),
      until: Type.Optional(givenInstant('Events created before this instant; absent: now.')),
      status: Type.Optional(
        oneOf(
          ['failed', 'all'],
          'Default `failed`: deliveries that were given up, cancelled, or never begun because the endpoint was disabled. `all`: also delivered events, and those from before their type was added to `eventTypes`.',
        ),
      ),
    }),
  },
  answers: {
    202: Type.Object({
      deliveries: Type.Integer({ description: 'Number of deliveries that were queued.' }),
      continueFrom: nullable(
        instant(
          'Set when the span has more events than one call queues: call again with it as `since`.',
        ),
      ),
    }),
  },
  refuses: [
    'invalid_request',
    'webhook_endpoint_not_found',
    'webhook_endpoint_is_disabled',
    'insufficient_scope',
  ],
  emits: [],
});

export const listWebhookDeliveries = row({
  spec: 'Contract §7, GET /v1/webhook-endpoints/{id}/deliveries',
  summary: 'Lists the deliveries to one endpoint with their state, newest event first.',
  call: 'GET /v1/webhook-endpoints/{id}/deliveries',
  auth: 'server',
  scope: 'webhooks:read',
  permission: 'developers.use',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: EndpointId, query: paging(['createdAt'], {}) },
  filters: {
    state: oneOf(deliveryStates),
    eventType: oneOf(eventTypes),
    createdAt: givenInstant(),
  },
  answers: { 200: list(WebhookDelivery) },
  refuses: ['invalid_query', 'webhook_endpoint_not_found', 'insufficient_scope'],
  emits: [],
});
