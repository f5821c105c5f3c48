// The events of a detachment, written in the transaction of the change that they report. Contract §7.
// docs/decisions/saved-cards.md.

import assert from 'node:assert';
import type { Event } from '@svc/contract/events/events';
import type { Detachment } from '../../../domain/payments/detachment.ts';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { findExternalId } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { countMethodEvent } from '../../../storage/payment-methods/method-funding.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';

export type EventContext = {
  readonly request: Event['request'];
  readonly now: Date;
  readonly ports: Ports;
};

/** The most subscriptions that an event names, which keeps it below 20 kB; the count is always exact. */
const mostNamed = 300;

/**
 * `payment_method.replaced`, an event of the method that is removed: it names what the replacement
 * pays for from now on.
 */
export async function appendReplacedEvent(
  tx: Tx,
  method: PaymentMethod,
  { detachment, ...telling }: EventContext & { readonly detachment: Detachment },
): Promise<void> {
  const { movedSubscriptions, hasMovedDefault, replacementId } = detachment;
  const counted = await countMethodEvent(tx, method, telling.now);
  const event = composeEvent({
    ...methodEvent(counted, telling),
    type: 'payment_method.replaced',
    data: {
      object: {
        ...(await methodWithOwner(tx, counted)),
        status: 'active',
        replacedBy: replacementId,
        subscriptionIds: movedSubscriptions.slice(0, mostNamed),
        subscriptionCount: movedSubscriptions.length,
        isDefaultMoved: hasMovedDefault,
      },
    },
  });
  await appendEvent(tx, event);
}

/**
 * `payment_method.deleted`, with the facts that the tombstone keeps. `left`: the subscriptions that no
 * method pays any more.
 */
export async function appendDeletedEvent(
  tx: Tx,
  tombstone: PaymentMethod,
  { left, ...telling }: EventContext & { readonly left: readonly string[] },
): Promise<void> {
  const { removedAt, removedBy } = tombstone;
  assert(removedAt && removedBy, 'told of once it is gone');
  const event = composeEvent({
    ...methodEvent(tombstone, telling),
    type: 'payment_method.deleted',
    data: {
      object: {
        ...(await methodWithOwner(tx, tombstone)),
        status: 'removed',
        removedAt: removedAt.toISOString(),
        removedBy,
        subscriptionIds: left.slice(0, mostNamed),
        subscriptionCount: left.length,
      },
      previousAttributes: { status: 'active' },
    },
  });
  await appendEvent(tx, event);
}

const methodWithOwner = async (tx: Tx, method: PaymentMethod) => ({
  id: method.id,
  type: method.type,
  createdAt: method.createdAt.toISOString(),
  gateway: { id: method.gatewayId, provider: method.provider },
  userId: method.userId,
  externalId: await findExternalId(tx, method),
});

const methodEvent = (method: PaymentMethod, { request, now, ports }: EventContext) =>
  ({
    id: ports.newId(),
    clientId: method.clientId,
    isLive: method.isLive,
    now,
    resource: { type: 'payment_method', id: method.id, version: method.version },
    sequence: method.eventSeq,
    request,
  }) as const;
