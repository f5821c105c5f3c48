// Subscriptions: when a period ends, and what a renewal that succeeded, failed or could not be asked
// for makes of one. Contract §5, Subscription. Decision 0053.

import type { EventType } from '@svc/contract/events';
import type { SubscriptionStatus } from '@svc/contract/subscriptions';
import { type Line, lineDue } from './checkout-session.ts';
import { adviceFor } from './decline-advice.ts';
import type { Payment } from './payment.ts';
import { attemptRefusal } from './settlement.ts';

export type Interval = 'day' | 'week' | 'month' | 'year';

export type CancelReason = 'merchant_requested' | 'payment_failed';

/** A row of `subscriptions`. */
export type Subscription = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  /** Of the customer: the merchant's own id, where that is no UUID. */
  readonly externalId: string | null;
  /** The checkout that bought it. */
  readonly sessionId: string;
  readonly productCode: string;
  readonly productName: string;
  readonly quantity: number;
  /** Of one period, in minor units. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly interval: Interval;
  readonly provider: 'cardprovider' | 'wallet';
  readonly gatewayId: string;
  /** Null where it costs nothing, or nothing was on file when its free first period began. */
  readonly paymentMethodId: string | null;
  readonly isLive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: SubscriptionStatus;
  /** Periods are counted from here. */
  readonly anchoredAt: Date;
  /** How many of them lie before `currentPeriodEnd`. */
  readonly periods: number;
  readonly currentPeriodEnd: Date;
  /** Failed tries of the period that is due. */
  readonly tries: number;
  readonly nextRenewalAt: Date | null;
  /** The renewal that is not over. */
  readonly renewalPaymentId: string | null;
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
 * The end of the `count`th period, in UTC. Counted from the anchor each time, so that a month's end
 * does not creep: 31 January, 28 February, 31 March.
 */
export function periodEnd(anchoredAt: Date, interval: Interval, count: number): Date {
  if (interval === 'day' || interval === 'week') {
    return new Date(anchoredAt.getTime() + count * days[interval] * day);
  }
  const end = new Date(anchoredAt);
  end.setUTCDate(1);
  end.setUTCMonth(anchoredAt.getUTCMonth() + count * months[interval]);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(anchoredAt.getUTCDate(), lastDay));
  return end;
}

/** After a failed try: days until the next one; 1, 3, 5 and 7 days after the first. */
const gapDays = [1, 2, 2, 2] as const;

/** What changes with an event, or without one. */
export type SubscriptionChange = {
  readonly change: Partial<Subscription>;
  readonly event: Extract<EventType, `subscription.${string}`> | null;
};

/**
 * Paid: the period goes on to the first end after now. Periods that passed meanwhile are not charged
 * for: who was late was the card or the service.
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

/** The card said no: `past_due` from the first time, cancelled after the fourth retry. */
export function failTry(subscription: Subscription, now: Date): SubscriptionChange {
  const tries = subscription.tries + 1;
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

// A try that came late must not be followed at once by the next one.
const plannedAt = ({ nextRenewalAt }: Subscription, now: Date): Date =>
  nextRenewalAt && now.getTime() - nextRenewalAt.getTime() <= hour ? nextRenewalAt : now;

/**
 * Nobody asked the card, for the provider was out of reach or refused the merchant: no try of the
 * card's. Asked again after an hour, then ever more rarely, at most once a day; unpaid for a day, it
 * is `past_due`, and never cancelled for it. `inARow` counts how often it went so since the period
 * ended or the card was last heard of, this time included: how late it is says nothing of that.
 */
export function delayTry(
  subscription: Subscription,
  now: Date,
  inARow: number,
): SubscriptionChange {
  const lateMs = now.getTime() - subscription.currentPeriodEnd.getTime();
  const waitMs = Math.min(hour * 2 ** Math.max(inARow - 2, 0), day);
  const change = { nextRenewalAt: new Date(now.getTime() + waitMs), renewalPaymentId: null };
  return lateMs < day || subscription.status === 'past_due'
    ? { change, event: null }
    : { change: { ...change, status: 'past_due' }, event: 'subscription.past_due' };
}

/** Ends it at once. A renewal that is under way is left to itself. */
export const cancel = (cancelReason: CancelReason, now: Date): SubscriptionChange => ({
  change: { status: 'canceled', canceledAt: now, cancelReason, nextRenewalAt: null },
  event: 'subscription.canceled',
});

/** How many of the newest failures, newest first, said nothing about the card. */
export function countUnasked(failures: readonly Pick<Payment, 'failureCode'>[]): number {
  const heard = failures.findIndex(isTry);
  return heard < 0 ? failures.length : heard;
}

/** Whether a failed payment says something about its card, or of its amount, which never changes. */
export const isTry = ({ failureCode }: Pick<Payment, 'failureCode'>): boolean =>
  failureCode === 'amount_not_supported' || attemptRefusal(failureCode) === 'card_declined';

/** A card whose bank says: never again. It is not charged for the subscription any more. */
export const isRefusedForGood = (
  declineCode: string | null,
  advice: string | null = null,
): boolean => advice === 'do_not_try_again' || adviceFor(declineCode) === 'do_not_try_again';

/** Keys that a resource has at most. */
const mostKeys = 50;

/** The merchant's, as much of it as there is room for, and which subscription it renews. */
export function renewalMetadata({ id, metadata }: Pick<Subscription, 'id' | 'metadata'>) {
  const own = Object.entries(metadata).filter(([key]) => key !== 'subscriptionId');
  return { ...Object.fromEntries(own.slice(0, mostKeys - 1)), subscriptionId: id };
}

/** What a checkout starts. */
export type Start = Pick<
  Subscription,
  'productCode' | 'productName' | 'quantity' | 'amountMinor'
> & { readonly interval: Interval | null };

/**
 * The subscriptions of a cart, one per product. A period costs what the line costs before coupons,
 * which are for the first period only.
 */
export function startsOf(lines: readonly Line[]): Start[] {
  const starts = new Map<string, Start>();
  for (const line of lines) {
    const amountMinor = lineDue(line);
    if (line.kind !== 'subscription') continue;
    const same = starts.get(line.code);
    starts.set(line.code, {
      productCode: line.code,
      productName: line.name,
      quantity: line.quantity + (same?.quantity ?? 0),
      amountMinor: amountMinor + (same?.amountMinor ?? 0),
      interval: line.interval ?? null,
    });
  }
  return [...starts.values()];
}
