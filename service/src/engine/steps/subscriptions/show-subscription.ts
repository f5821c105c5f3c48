import type { Subscription as WireSubscription } from '@svc/contract/customers/subscriptions';
import { toMajor } from '../../../domain/money/money.ts';
import type { Subscription } from '../../../domain/payments/subscription.ts';

/** The subscription as callers see it. Contract §5. */
export const showSubscription = (subscription: Subscription): WireSubscription => ({
  id: subscription.id,
  object: 'subscription',
  clientId: subscription.clientId,
  userId: subscription.userId,
  externalId: subscription.externalId,
  sessionId: subscription.sessionId,
  status: subscription.status,
  productCode: subscription.productCode,
  quantity: subscription.quantity,
  amount: toMajor(subscription.amountMinor, subscription.currency),
  amountMinor: subscription.amountMinor,
  currency: subscription.currency,
  paymentMethodId: subscription.paymentMethodId,
  provider: subscription.provider,
  interval: subscription.interval,
  currentPeriodEnd: subscription.currentPeriodEnd.toISOString(),
  nextRenewalAt: subscription.endReason
    ? null
    : (subscription.nextRenewalAt?.toISOString() ?? null),
  renewalTries: subscription.tries,
  cancelAt: subscription.endReason && subscription.currentPeriodEnd.toISOString(),
  canceledAt: subscription.canceledAt?.toISOString() ?? null,
  cancelReason: subscription.cancelReason,
  metadata: { ...subscription.metadata },
  livemode: subscription.isLive,
  version: subscription.version,
  createdAt: subscription.createdAt.toISOString(),
  updatedAt: subscription.updatedAt.toISOString(),
});
