import type { Event } from '@svc/contract/events/events';
import type { Subscription, SubscriptionChange } from '../../../domain/payments/subscription.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { lockSubscription } from '../../../storage/subscriptions/subscriptions.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { applyToSubscription } from './apply-to-subscription.ts';

export type EndChange = {
  readonly clientId: string;
  readonly subscriptionId: string;
  /** The customer on whose page it is asked for: a subscription of another customer counts as unknown. */
  readonly userId?: string;
  readonly caller: Caller;
  readonly request: Event['request'];
  /** Null: nothing is to change. `ended`: it has ended, and its end stays. */
  readonly decide: (subscription: Subscription, now: Date) => SubscriptionChange | 'ended' | null;
  /** Follows in the transaction of a change. */
  readonly then?: (
    tx: Tx,
    changed: Subscription,
    event: NonNullable<SubscriptionChange['event']>,
  ) => Promise<void>;
};

/**
 * Plans, takes back or makes the end of a subscription, with its event and the entry of the audit log. A
 * renewal that is under way settles by itself. Returns undefined where there is no such subscription.
 */
export async function changeEnd(
  { clientId, subscriptionId, userId, caller, request, decide, then }: EndChange,
  ports: Ports,
): Promise<Subscription | 'ended' | undefined> {
  const changed = await repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      const found = await lockSubscription(tx, clientId, subscriptionId);
      if (!found || (userId !== undefined && found.userId !== userId)) return undefined;
      const now = await readClock(tx);
      const decided = decide(found, now);
      if (decided === null) return found;
      if (decided === 'ended') return decided;
      const { event } = decided;
      if (!event) throw new Error('the end of a subscription has an event');
      const next = await applyToSubscription(tx, found, { ...decided, request, now, ports });
      const named = { resourceType: 'subscription', resourceId: found.id, clientId };
      const [before, after] = [statesOf(found), statesOf(next)];
      await recordChange(tx, caller, { action: event, ...named, before, after }, ports);
      await then?.(tx, next, event);
      return next;
    }),
  );
  ports.nudge('deliver-webhooks');
  return changed;
}

const statesOf = ({ status, endReason, currentPeriodEnd }: Subscription) => ({
  status,
  ...(endReason ? { cancelAt: currentPeriodEnd.toISOString() } : {}),
});
