// Subscriptions: when a period ends, and how a renewal that succeeded, failed or could not be asked
// for changes one. Contract §5, Subscription. docs/decisions/subscriptions.md.

import type { CancelReason, SubscriptionStatus } from '@svc/contract/customers/subscriptions';
import type { EventType } from '@svc/contract/rows/event-types';
import { type Line, lineDue } from './line.ts';

export type Interval = 'day' | 'week' | 'month' | 'year';

/** Who had the subscription end with its period. */
export type EndReason = Exclude<CancelReason, 'payment_failed'>;

/** A row of `subscriptions`. */
export type Subscription = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  /** The merchant's own id of the customer, where that is no UUID. */
  readonly externalId: string | null;
  /** The session that bought the subscription. */
  readonly sessionId: string;
  readonly productCode: string;
  readonly productName: string;
  readonly quantity: number;
  /** The amount of one period, in minor units. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly interval: Interval;
  readonly provider: 'cardprovider' | 'wallet';
  readonly gatewayId: string;
  /** Null where the subscription costs nothing, or no method was saved when its free first period began. */
  readonly paymentMethodId: string | null;
  readonly isLive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: SubscriptionStatus;
  /** The start from which periods are counted. */
  readonly anchoredAt: Date;
  /** The number of periods before `currentPeriodEnd`. */
  readonly periods: number;
  readonly currentPeriodEnd: Date;
  /** Failed tries of the renewal that is due. */
  readonly tries: number;
  readonly nextRenewalAt: Date | null;
  /** The payment of the renewal that has not ended. */
  readonly renewalPaymentId: string | null;
  /** Set while it ends with the present period instead of being renewed. */
  readonly endReason: EndReason | null;
  readonly canceledAt: Date | null;
  readonly cancelReason: CancelReason | null;
  readonly eventSeq: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

const hour = 3_600_000;
const day = 24 * hour;

const months = { month: 1, year: 12 } as const;
const days = { day: 1, week: 7 } as const;

/**
 * The end of the `count`th period, in UTC. It is counted from the anchor each time, so that the end
 * of a month does not shift: 31 January, 28 February, 31 March.
 */
export function periodEnd(anchoredAt: Date, interval: Interval, count: number): Date {
  if (interval === 'day' || interval === 'week') {
    return new Date(anchoredAt.getTime() + count * days[interval] * day);
  }
  const end = new Date(anchoredAt.getTime());
  end.setUTCDate(1);
  end.setUTCMonth(anchoredAt.getUTCMonth() + count * months[interval]);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(anchoredAt.getUTCDate(), lastDay));
  return end;
}

/** Days until the next try after each failed one: 1, 3, 5 and 7 days after the first. */
const gapDays = [1, 2, 2, 2] as const;

/** A change of a subscription, with its event or null. */
export type SubscriptionChange = {
  readonly change: Partial<Subscription>;
  readonly event: Extract<EventType, `subscription.${string}`> | null;
};

/**
 * Renews after a payment: the period continues to the first end after now. Periods that passed
 * meanwhile are not charged, because the card or the service was late.
 */
export function renew(subscription: Subscription, now: Date): SubscriptionChange {
  const { anchoredAt, interval } = subscription;
  let periods = subscription.periods + 1;
  while (periodEnd(anchoredAt, interval, periods) <= now) periods += 1;
  const currentPeriodEnd = periodEnd(anchoredAt, interval, periods);
  return {
    change: {
      status: 'active',
      periods,
      currentPeriodEnd,
      tries: 0,
      nextRenewalAt: currentPeriodEnd,
      renewalPaymentId: null,
    },
    event: 'subscription.renewed',
  };
}

/**
 * The card was declined: the subscription is `past_due` from the first time, and cancelled after
 * the fourth retry. One that was to end with its period ends.
 */
export function failTry(subscription: Subscription, now: Date): SubscriptionChange {
  const tries = subscription.tries + 1;
  if (subscription.endReason) return endUnpaid(subscription.endReason, now);
  const gap = gapDays[tries - 1];
  if (gap === undefined) {
    const { change, event } = cancel('payment_failed', now);
    return { change: { ...change, tries, renewalPaymentId: null }, event };
  }
  const nextRenewalAt = new Date(plannedAt(subscription, now).getTime() + gap * day);
  const change = { tries, nextRenewalAt, renewalPaymentId: null };
  return subscription.status === 'past_due'
    ? { change, event: null }
    : { change: { ...change, status: 'past_due' }, event: 'subscription.past_due' };
}

// After a try that came late, the gap is counted from now, so that the next try does not follow at once.
const plannedAt = ({ nextRenewalAt }: Subscription, now: Date): Date =>
  nextRenewalAt && now.getTime() - nextRenewalAt.getTime() <= hour ? nextRenewalAt : now;

/**
 * The card was not asked, because the provider could not be reached or refused the merchant: this
 * is no try of the card. The renewal is tried again after an hour, then at intervals that double up
 * to one day. After a day without payment the subscription is `past_due`, and it is never cancelled
 * for this reason. `inARow` counts these failures, including this one, since the period ended or
 * the card last answered; how late the renewal is does not show that.
 */
export function delayTry(
  subscription: Subscription,
  now: Date,
  inARow: number,
): SubscriptionChange {
  if (subscription.endReason) return endUnpaid(subscription.endReason, now);
  const lateMs = now.getTime() - subscription.currentPeriodEnd.getTime();
  const waitMs = Math.min(hour * 2 ** Math.max(inARow - 2, 0), day);
  const change = { nextRenewalAt: new Date(now.getTime() + waitMs), renewalPaymentId: null };
  return lateMs < day || subscription.status === 'past_due'
    ? { change, event: null }
    : { change: { ...change, status: 'past_due' }, event: 'subscription.past_due' };
}

/** Cancels at once. A renewal that is under way is not stopped. */
export const cancel = (cancelReason: CancelReason, now: Date): SubscriptionChange => ({
  change: {
    status: 'canceled',
    canceledAt: now,
    cancelReason,
    nextRenewalAt: null,
    endReason: null,
  },
  event: 'subscription.canceled',
});

/** Its last renewal was not paid. */
const endUnpaid = (reason: EndReason, now: Date): SubscriptionChange => {
  const { change, event } = cancel(reason, now);
  return { change: { ...change, renewalPaymentId: null }, event };
};

/**
 * Whether the period that was paid is over, and no charge for another one under way. While a charge is
 * under way, its outcome says which period is the last: it is charged for nothing that the buyer does not get.
 */
const isPeriodOver = ({ currentPeriodEnd, renewalPaymentId }: Subscription, now: Date): boolean =>
  renewalPaymentId === null && currentPeriodEnd <= now;

/** Has the subscription end with the period that was paid: at once where that is over. Null: nothing changes. */
export function cancelAtPeriodEnd(
  subscription: Subscription,
  reason: EndReason,
  now: Date,
): SubscriptionChange | null {
  if (subscription.status === 'canceled') return null;
  if (isPeriodOver(subscription, now)) return cancel(subscription.endReason ?? reason, now);
  if (subscription.endReason) return null;
  return { change: { endReason: reason }, event: 'subscription.cancellation_scheduled' };
}

/** Takes a planned end back, until it has come. Null: nothing changes. */
export function resume(subscription: Subscription, now: Date): SubscriptionChange | 'ended' | null {
  if (subscription.status === 'canceled') return 'ended';
  if (!subscription.endReason) return null;
  if (isPeriodOver(subscription, now)) return 'ended';
  return { change: { endReason: null }, event: 'subscription.resumed' };
}

/** The most metadata keys of a resource. */
const mostKeys = 50;

/** The metadata of a renewal: the merchant's own, as far as there is room, and the id of the subscription. */
export function renewalMetadata({ id, metadata }: Pick<Subscription, 'id' | 'metadata'>) {
  const own = Object.entries(metadata).filter(([key]) => key !== 'subscriptionId');
  return { ...Object.fromEntries(own.slice(0, mostKeys - 1)), subscriptionId: id };
}

/** A subscription that a checkout starts. */
export type Start = Pick<
  Subscription,
  'productCode' | 'productName' | 'quantity' | 'amountMinor'
> & { readonly interval: Interval | null };

/**
 * The subscriptions of a cart, one per product. A period costs what the line costs before coupons,
 * which apply to the first period only.
 */
export function startsOf(lines: readonly Line[]): Start[] {
  const starts = new Map<string, Start>();
  for (const line of lines) {
    const amountMinor = lineDue(line);
    if (line.kind !== 'subscription' || line.code === null) continue;
    const same = starts.get(line.code);
    starts.set(line.code, {
      productCode: line.code,
      productName: line.name,
      quantity: line.quantity + (same?.quantity ?? 0),
      amountMinor: amountMinor + (same?.amountMinor ?? 0),
      interval: line.interval,
    });
  }
  return [...starts.values()];
}
