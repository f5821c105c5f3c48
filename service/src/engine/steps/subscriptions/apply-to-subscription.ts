import type { Event } from '@svc/contract/events/events';
import type { Subscription, SubscriptionChange } from '../../../domain/payments/subscription.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { updateSubscription } from '../../../storage/subscriptions/subscriptions.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { showSubscription } from './show-subscription.ts';

type EventDetails = {
  readonly event: NonNullable<SubscriptionChange['event']>;
  /** Null where no request led to it. */
  readonly request: Event['request'];
  readonly now: Date;
  readonly ports: Pick<Ports, 'newId'>;
};

/** Writes a change, and its event where it has one, to a locked subscription. */
export async function applyToSubscription(
  tx: Tx,
  subscription: Subscription,
  applied: SubscriptionChange & Omit<EventDetails, 'event'>,
): Promise<Subscription> {
  const { change, event, now } = applied;
  const eventSeq = subscription.eventSeq + (event ? 1 : 0);
  const next = await updateSubscription(tx, subscription, { ...change, eventSeq, updatedAt: now });
  if (!event) return next;
  const isMoved = next.status !== subscription.status;
  const previous = isMoved ? { status: subscription.status } : {};
  await appendSubscriptionEvent(tx, next, { ...applied, event, previous });
  return next;
}

/** Appends an event with the subscription's present state. Contract §7. */
export async function appendSubscriptionEvent(
  tx: Tx,
  subscription: Subscription,
  {
    event,
    request,
    previous,
    now,
    ports,
  }: EventDetails & { readonly previous?: Event['data']['previousAttributes'] },
): Promise<void> {
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: event,
      clientId: subscription.clientId,
      isLive: subscription.isLive,
      now,
      resource: { type: 'subscription', id: subscription.id, version: subscription.version },
      sequence: subscription.eventSeq,
      request,
      data: {
        object: showSubscription(subscription),
        ...(previous ? { previousAttributes: previous } : {}),
      },
    }),
  );
}
