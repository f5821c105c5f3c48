// The events of a removal, written in the transaction of the change that they report. Contract §7.
// Decision 0054.

import assert from 'node:assert';
import type { Event } from '@svc/contract/events-api';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import type { Removal } from '../../../domain/payments/removal.ts';
import { findExternalId } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { countMethodEvent } from '../../../storage/payment-methods/method-funding.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';

export type Telling = {
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
export async function tellReplaced(
  tx: Tx,
  method: PaymentMethod,
  { removal, ...telling }: Telling & { readonly removal: Removal },
): Promise<void> {
  const { movedSubscriptions, hasMovedDefault, replacementId } = removal;
  const counted = await countMethodEvent(tx, method, telling.now);
  const event = composeEvent({
    ...about(counted, telling),
    type: 'payment_method.replaced',
    data: {
      object: {
        ...(await owned(tx, counted)),
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

/** `payment_method.deleted`, with the facts that the tombstone keeps. */
export async function tellDeleted(
  tx: Tx,
  tombstone: PaymentMethod,
  telling: Telling,
): Promise<void> {
  const { removedAt } = tombstone;
  assert(removedAt, 'told of once it is gone');
  const event = composeEvent({
    ...about(tombstone, telling),
    type: 'payment_method.deleted',
    data: {
      object: {
        ...(await owned(tx, tombstone)),
        status: 'removed',
        removedAt: removedAt.toISOString(),
      },
      previousAttributes: { status: 'active' },
    },
  });
  await appendEvent(tx, event);
}

const owned = async (tx: Tx, method: PaymentMethod) => ({
  id: method.id,
  type: method.type,
  createdAt: method.createdAt.toISOString(),
  gateway: { id: method.gatewayId, provider: method.provider },
  userId: method.userId,
  externalId: await findExternalId(tx, method),
});

const about = (method: PaymentMethod, { request, now, ports }: Telling) =>
  ({
    id: ports.newId(),
    clientId: method.clientId,
    isLive: method.isLive,
    now,
    resource: { type: 'payment_method', id: method.id, version: method.version },
    sequence: method.eventSeq,
    request,
  }) as const;
