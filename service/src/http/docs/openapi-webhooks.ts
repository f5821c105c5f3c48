// The webhooks of the OpenAPI document: what a merchant's endpoint receives for each type of event,
// and how it may answer. Contract §7.

import { eventExamples } from '@svc/contract/events/event-examples';
import { eventKinds, eventSchemas, toldTypes } from '@svc/contract/events/event-schemas';
import type { EventType } from '@svc/contract/rows/event-types';
import { longestSendMs, maxAttempts } from '../../domain/protocol/webhook-schedule.ts';
import type { Components, Json } from './openapi-json.ts';

const header = (name: string, description: string, more: Json = {}): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  ...more,
});

const id = 'evt_018f6e5cb7a27c3e9d41a0b2c4d6e8f0';

/** By name, for `components.parameters`: every delivery has these headers. */
export const webhookParameters: Readonly<Record<string, Json>> = {
  SvcSignature: header(
    'Svc-Signature',
    '`t=<unix>,v1=<hex>[,v1=<hex>]`: HMAC-SHA256 of `<t>.<raw body>` with the whole secret, `svc_whsec_…`, as key. Two while a secret is being replaced. Refuse what is more than 300 seconds off.',
    { example: `t=1769860800,v1=${'5257a869e7'.repeat(6)}bfc1` },
  ),
  WebhookId: header('webhook-id', 'The id of the event, the same on every attempt.', {
    example: id,
  }),
  WebhookTimestamp: header('webhook-timestamp', 'Unix seconds of the attempt.', {
    example: '1769860800',
  }),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,<base64>[ v1,<base64>]`, as Standard Webhooks: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>` with the base64-decoded part of the secret after `svc_whsec_` as key.',
    { example: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' },
  ),
  SvcRedelivery: header(
    'Svc-Redelivery',
    'How often the delivery was asked for again; absent: not at all.',
    { required: false, schema: { type: 'integer', minimum: 1 } },
  ),
};

/** The responses that an endpoint may give, for `components.responses`. */
export const webhookResponses: Readonly<Record<string, Json>> = {
  WebhookTaken: {
    description: `The event is stored. Answer within ${longestSendMs / 1000} seconds; the body is not read.`,
  },
  WebhookGone: {
    description: 'The endpoint is disabled at once, and nothing is sent to it again.',
  },
  WebhookFailed: {
    description: `Not accepted, like a redirect: the same body and id are sent again, ${maxAttempts} attempts over three days, later where \`Retry-After\` asks for it.`,
    headers: {
      'Retry-After': {
        description: 'Seconds, or a date, up to 24 hours ahead.',
        schema: { type: 'string' },
      },
    },
  },
};

/**
 * Turns the contract's clause, such as `when paid …`, into a plain sentence that starts with a
 * capital letter.
 */
const sentenceOf = (type: EventType): string => {
  const { when } = eventKinds[type];
  const plain = when.replaceAll('**', '').replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
};

const operationOf = (type: EventType, components: Components): Json => ({
  operationId: `on${type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}`,
  summary: sentenceOf(type),
  description: `\`data.object\` is ${eventKinds[type].what}. Sent at least once: remember the id.`,
  tags: ['Events'],
  security: [],
  parameters: Object.keys(webhookParameters).map((name) => ({
    $ref: `#/components/parameters/${name}`,
  })),
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: components.reference(eventSchemas[type]),
        example: eventExamples[type],
      },
    },
  },
  responses: {
    '2XX': { $ref: '#/components/responses/WebhookTaken' },
    '410': { $ref: '#/components/responses/WebhookGone' },
    default: { $ref: '#/components/responses/WebhookFailed' },
  },
});

/** Returns one webhook per event type, by name. */
export const webhooksOf = (components: Components): Json =>
  Object.fromEntries(toldTypes.map((type) => [type, { post: operationOf(type, components) }]));
