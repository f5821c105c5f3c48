// One whole event of each type, as it is delivered. Used by the reference, the guide and tests.

import { type EventType, eventTypes } from '../rows/event-types.ts';
import { apiVersion } from '../rows/versions.ts';
import { msOf } from '../values/instants.ts';
import { clientId, exampleData, paymentId, told } from './event-example-data.ts';
import { type EventDataByType, type EventResourceType, eventKinds } from './event-schemas.ts';
import type { Event } from './events.ts';

/**
 * Types of events that a call can cause, with the call's idempotency key where it has one. Time or a
 * provider causes the others.
 */
const keys: { readonly [T in EventType]?: string | null } = {
  'payment.authorized': null,
  'payment.capture_failed': 'order-1042-capture',
  'payment.authorization_voided': 'order-1042-cancel',
  'item.purchased': 'order-1042-capture',
  'payment.failed': null,
  'refund.created': 'order-1042-refund-1',
  'refund_request.created': 'order-1042-refund-2',
  'refund_request.approved': null,
  'refund_request.declined': null,
  'refund.succeeded': 'order-1042-refund-1',
  'payment_method.activated': null,
  'payment_method.deleted': null,
  'payment_method.replaced': null,
  'subscription.cancellation_scheduled': null,
  'subscription.resumed': null,
  'subscription.canceled': null,
  'checkout.session.completed': null,
  'customer.updated': null,
  'customer.forgotten': null,
  'webhook_endpoint.test': null,
};

const firsts: readonly EventType[] = [
  ...(['payment.authorized', 'payment.failed', 'payment.succeeded', 'refund.created'] as const),
  ...(['payment.fraud_warning', 'payment.review_opened'] as const),
  ...(['dispute.opened', 'chargeback.withdrawn', 'chargeback.reinstated'] as const),
  ...(['payment_method.activated', 'subscription.created', 'api_token.created'] as const),
  ...(['customer.updated', 'customer.forgotten', 'refund_request.created'] as const),
  ...(['checkout.session.completed', 'checkout.session.expired'] as const),
  ...(['webhook_endpoint.failing', 'webhook_endpoint.test'] as const),
];

export type EventExample<T extends EventType = EventType> = {
  [K in T]: Omit<Event, 'type' | 'resource' | 'data'> & {
    readonly type: K;
    readonly resource: Event['resource'] & { readonly type: EventResourceType<K> };
    readonly data: EventDataByType[K];
  };
}[T];

function exampleOf(type: EventType): EventExample {
  const { object } = exampleData[type];
  const [resourceType] = eventKinds[type].resources;
  const key = keys[type];
  const sequence = firsts.includes(type) ? 1 : 2;
  const example = {
    id: 'evt_018f6e5cb7a27c3e9d41a0b2c4d6e8f0',
    object: 'event',
    type,
    created: msOf(told) / 1000,
    timestamp: told,
    apiVersion,
    clientId,
    livemode: false,
    sequence,
    resource: {
      type: resourceType,
      id: 'id' in object ? object.id : paymentId,
      version: 'version' in object ? object.version : resourceType === 'payment' ? 4 : sequence,
    },
    request:
      key === undefined ? null : { id: 'req_01JA8ZC4T7N3V5X9QG2M6R0BKD', idempotencyKey: key },
    data: exampleData[type],
  };
  return example as EventExample;
}

export const eventExamples = Object.fromEntries(
  eventTypes.map((type) => [type, exampleOf(type)]),
) as { readonly [T in EventType]: EventExample<T> };
