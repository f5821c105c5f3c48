// Composes events as merchants receive them. Contract §7.

import assert from 'node:assert';
import type { ItemPurchased } from '@svc/contract/events/event-objects';
import type { EventDataByType, EventResourceType } from '@svc/contract/events/event-schemas';
import type { Event } from '@svc/contract/events/events';
import type { EventType } from '@svc/contract/rows/event-types';
import { apiVersion } from '@svc/contract/rows/versions';
import { toMajor } from '../../../domain/money/money.ts';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import { type Line, lineDue } from '../../../domain/payments/line.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { NewEvent } from '../../../storage/webhooks/events.ts';

/** The facts of an event. Data and resource fit the type: each type has a schema in the contract. */
export type EventFacts<T extends EventType = EventType> = {
  [K in T]: {
    readonly id: string;
    readonly type: K;
    readonly clientId: string;
    readonly isLive: boolean;
    readonly now: Date;
    readonly resource: {
      readonly type: EventResourceType<K>;
      readonly id: string;
      readonly version: number;
    };
    readonly sequence: number;
    readonly request: Event['request'];
    readonly data: EventDataByType[K];
    /** The event is about the payment that `npm start` makes as proof. */
    readonly isStartProof?: boolean;
  };
}[T];

/** Loaded in tests only: an event that does not fit its schema is an error in the code that composed it. */
const violationsOf =
  process.env.NODE_ENV === 'test'
    ? (await import('@svc/contract/events/check-event')).violationsOf
    : undefined;

/** The event's id in the API: `evt_` and the UUID in hex. */
export const eventId = (id: string): string => `evt_${id.replaceAll('-', '')}`;

/** Composes the event and its bytes; every delivery sends exactly these bytes. */
export function composeEvent(facts: EventFacts): NewEvent {
  const event: Event = {
    id: eventId(facts.id),
    object: 'event',
    type: facts.type,
    created: Math.floor(facts.now.getTime() / 1000),
    timestamp: facts.now.toISOString(),
    apiVersion,
    clientId: facts.clientId,
    livemode: facts.isLive,
    sequence: facts.sequence,
    resource: { ...facts.resource },
    request: facts.request,
    data: facts.isStartProof ? { ...facts.data, isStartProof: true } : facts.data,
  };
  const payload = JSON.stringify(event);
  if (violationsOf) assert.deepEqual(violationsOf(JSON.parse(payload)), []);
  return {
    id: facts.id,
    clientId: facts.clientId,
    type: facts.type,
    resourceType: facts.resource.type,
    resourceId: facts.resource.id,
    sequence: facts.sequence,
    payload,
    createdAt: facts.now,
    isStartProof: facts.isStartProof ?? false,
  };
}

/** The object of the fulfilment event: item lines only. Spec: Events. Contract §7. */
export const showPurchase = (
  payment: Payment,
  lines: readonly Line[],
  now: Date,
): ItemPurchased => ({
  paymentId: payment.id,
  sessionId: payment.sessionId,
  clientId: payment.clientId,
  customer: { userId: payment.userId, externalId: payment.externalId, email: payment.email },
  buyerVerified: payment.isBuyerVerified,
  items: itemsOf(lines, payment.currency),
  amount: toMajor(payment.amountMinor, payment.currency),
  currency: payment.currency,
  reference: payment.reference,
  metadata: payment.metadata,
  purchasedAt: now.toISOString(),
});

/** The same for a session that cost nothing and has no payment. Additions §3, Free orders. */
export function showFreePurchase(session: CheckoutSession, now: Date): ItemPurchased {
  const currency = session.currency ?? '';
  return {
    paymentId: null,
    sessionId: session.id,
    clientId: session.clientId,
    customer: { userId: session.userId, externalId: session.externalId, email: session.email },
    buyerVerified: session.isBuyerVerified,
    items: itemsOf(session.lines, currency),
    amount: 0,
    currency,
    reference: session.reference,
    metadata: session.metadata,
    purchasedAt: now.toISOString(),
  };
}

const itemsOf = (lines: readonly Line[], currency: string): ItemPurchased['items'] =>
  lines
    .filter((line) => line.kind === 'item')
    .map((line) => ({
      code: line.code,
      reference: line.reference ?? null,
      name: line.name,
      quantity: line.quantity,
      totalAmount: toMajor(lineDue(line), currency),
      currency,
    }));
