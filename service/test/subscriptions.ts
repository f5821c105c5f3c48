// Subscriptions for tests. Each builder takes what matters and fills in the rest.

import type { Line } from '../src/domain/checkout-session.ts';
import type { Subscription } from '../src/domain/subscription.ts';
import { newId } from './harness.ts';

const startedAt = new Date('2026-01-01T10:30:00.000Z');
const dueAt = new Date('2026-02-01T10:30:00.000Z');

export const aSubscription = (given: Partial<Subscription> = {}): Subscription => ({
  id: newId(),
  clientId: newId(),
  userId: newId(),
  sessionId: newId(),
  productCode: 'club',
  productName: 'Club',
  quantity: 1,
  amountMinor: 2400,
  currency: 'EUR',
  interval: 'month',
  provider: 'cardprovider',
  gatewayId: newId(),
  paymentMethodId: newId(),
  isLive: false,
  metadata: {},
  status: 'active',
  anchoredAt: startedAt,
  periods: 1,
  currentPeriodEnd: dueAt,
  tries: 0,
  nextRenewalAt: dueAt,
  renewalPaymentId: null,
  canceledAt: null,
  cancelReason: null,
  eventSeq: 1,
  version: 0,
  createdAt: startedAt,
  updatedAt: startedAt,
  ...given,
});

/** A line of a cart that starts a subscription. */
export const aLine = (given: Partial<Line> = {}): Line => ({
  code: 'club',
  name: 'Club',
  kind: 'subscription',
  interval: 'month',
  quantity: 1,
  unitMinor: 2400,
  overrideMinor: null,
  discountMinor: 0,
  ...given,
});
