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
    Type.Array(oneOf(eventTypes), { description: 'Types that are delivered; null: all.' }),
  ),
  apiVersion: Type.String({ description: 'The version that its events are written in.' }),
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
    oneOf(testFaults, 'What a sandbox does to deliveries on purpose; always null for live ones.'),
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
  attempt: Type.Integer({ description: 'From 1; a redelivery counts anew.' }),
  isRedelivery: Type.Boolean(),
  outcome: oneOf(['delivered', 'failed']),
  request: Type.Object({
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'Those of ours, as sent; without the signatures and their time.',
    }),
  }),
  status: nullable(Type.Integer({ description: 'Null: no answer came.' })),
  error: nullable(Type.String({ description: 'Our own short word, such as `timeout`.' })),
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
  redeliveries: Type.Integer({ description: 'How often it was asked for again.' }),
  lastStatus: nullable(Type.Integer()),
  lastError: nullable(Type.String()),
  nextAttemptAt: nullable(instant('Null once it is over.')),
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
      description: 'Null or absent: all, those of later versions too.',
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
    'Changes a webhook endpoint. Disabling cancels what waits; enabling does not bring it back: redeliver does.',
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
  summary: 'Deletes a webhook endpoint; what waits for it is cancelled. Repeatable.',
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
    'Gives the endpoint a new secret; until the overlap is over deliveries carry both signatures. ' +
    'Another rotation before that ends the older secret at once: only two sign.',
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
  summary: 'Sends an event of type `webhook_endpoint.test` at once and answers what came back.',
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
    'Delivers again what happened in a span of time: what was not delivered, or all. Labelled as redelivery.',
  call: 'POST /v1/webhook-endpoints/{id}/redeliver',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.use',
  limit: 'client',
  input: {
    path: EndpointId,
    body: input({
      since: givenInstant('Events created from here on.'),
      until: Type.Optional(givenInstant('Before this instant; absent: now.')),
      status: Type.Optional(
        oneOf(
          ['failed', 'all'],
          'Default `failed`: given up, cancelled, or never begun while it was disabled. `all`: what arrived too, and what happened before a type was added to `eventTypes`.',
        ),
      ),
    }),
  },
  answers: {
    202: Type.Object({
      deliveries: Type.Integer({ description: 'So many were put in the queue.' }),
      continueFrom: nullable(
        instant('Set when the span held more than one call takes: call again with it as `since`.'),
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
  summary: 'Lists where the deliveries to one endpoint stand, newest event first.',
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
