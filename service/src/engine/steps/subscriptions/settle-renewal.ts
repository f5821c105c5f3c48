import type { Payment } from '../../../domain/payments/payment.ts';
import { countUnasked, isAttemptOfCard } from '../../../domain/payments/renewal-failures.ts';
import {
  delayTry,
  failTry,
  renew,
  type Subscription,
  type SubscriptionChange,
} from '../../../domain/payments/subscription.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  listFailedRenewals,
  lockSubscription,
} from '../../../storage/subscriptions/subscriptions.ts';
import type { Ports } from '../../ports.ts';
import { applyToSubscription } from './apply-to-subscription.ts';

export type SettledRenewal = {
  /** The payment before the change. */
  readonly payment: Payment;
  readonly next: Payment;
  readonly subscriptionId: string;
  readonly now: Date;
  readonly ports: Pick<Ports, 'newId'>;
};

/**
 * Applies the end of a renewal's payment to its subscription. While the payment is open or in doubt
 * nothing changes, and no other charge for the period begins. A subscription that was cancelled
 * meanwhile stays cancelled. Called under the locks of payment, operation and method.
 */
export async function settleRenewal(tx: Tx, settled: SettledRenewal): Promise<void> {
  const { payment, next, subscriptionId, now, ports } = settled;
  if (next.status !== 'succeeded' && next.status !== 'failed') return;
  const subscription = await lockSubscription(tx, payment.clientId, subscriptionId);
  if (subscription?.renewalPaymentId !== payment.id || subscription.status === 'canceled') return;
  const decided = await decide(tx, subscription, { next, now });
  await applyToSubscription(tx, subscription, { ...decided, request: null, now, ports });
}

async function decide(
  tx: Tx,
  subscription: Subscription,
  { next, now }: Pick<SettledRenewal, 'next' | 'now'>,
): Promise<SubscriptionChange> {
  if (next.status === 'succeeded') return renew(subscription, now);
  if (isAttemptOfCard(next)) return failTry(subscription, now);
  return delayTry(subscription, now, countUnasked(await listFailedRenewals(tx, subscription)));
}
