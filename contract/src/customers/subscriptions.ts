// Subscriptions. Contract §5; Additions §2, The end of a subscription.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  externalId,
  givenInstant,
  input,
  instant,
  list,
  Metadata,
  nullable,
  oneOf,
  paging,
  uuid,
} from '../rows/schema.ts';

export const subscriptionStatuses = [
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const cancelReasons = [
  'merchant_requested',
  'customer_requested',
  'payment_failed',
] as const;
export type CancelReason = (typeof cancelReasons)[number];

export const Subscription = component('Subscription', {
  id: uuid(),
  object: oneOf(['subscription']),
  clientId: uuid(),
  userId: uuid(),
  externalId: externalId(),
  sessionId: uuid({ description: 'The checkout that bought it.' }),
  status: oneOf(subscriptionStatuses),
  productCode: Type.String(),
  quantity: Type.Integer(),
  amount: amount('Major units of one period.'),
  amountMinor: Type.Integer({ description: 'The same in minor units.' }),
  currency: currency(),
  paymentMethodId: nullable(
    uuid({ description: 'Null when no method is saved, and when the subscription costs nothing.' }),
  ),
  provider: oneOf(['cardprovider', 'wallet']),
  interval: oneOf(['day', 'week', 'month', 'year']),
  currentPeriodEnd: instant('End of the paid period, when it renews.'),
  nextRenewalAt: nullable(
    instant('When it is charged next, also after a decline. Null if it ends instead.'),
  ),
  renewalTries: Type.Integer({ description: 'Failed attempts to charge the due period.' }),
  cancelAt: nullable(instant('When it is going to end; null if it renews, and once it has ended.')),
  canceledAt: nullable(instant()),
  cancelReason: nullable(oneOf(cancelReasons)),
  metadata: Metadata,
  livemode: Type.Boolean(),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Subscription = Static<typeof Subscription>;

/** A subscription as lists show it: with its customer. */
export const ListedSubscription = component('ListedSubscription', {
  ...Subscription.properties,
  customerEmail: Type.String({ description: 'Empty after the customer was forgotten.' }),
  customerName: nullable(Type.String()),
});
export type ListedSubscription = Static<typeof ListedSubscription>;

export const listSubscriptions = row({
  spec: 'Contract §5, GET /v1/subscriptions',
  summary: 'Lists subscriptions.',
  call: 'GET /v1/subscriptions',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt', 'updatedAt', 'nextRenewalAt'], {}) },
  filters: {
    id: uuid(),
    userId: uuid(),
    externalId: Type.String(),
    status: oneOf(subscriptionStatuses),
    productCode: Type.String(),
    paymentMethodId: uuid(),
    nextRenewalAt: givenInstant(),
    createdAt: givenInstant(),
  },
  answers: { 200: list(ListedSubscription) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

const SubscriptionId = Type.Object({ subscriptionId: uuid() });

export const getSubscription = row({
  spec: 'Contract §5, GET /v1/subscriptions/{id}',
  summary: 'Reads one subscription.',
  call: 'GET /v1/subscriptions/{subscriptionId}',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: SubscriptionId },
  answers: { 200: Subscription },
  refuses: ['invalid_request', 'subscription_not_found', 'insufficient_scope'],
  emits: [],
});

const cancelTimes = ['now', 'period_end'] as const;

export const cancelSubscription = row({
  spec: 'Contract §5, POST /v1/subscriptions/{id}/cancel',
  summary:
    'Ends a subscription, at once or with the period that was paid; nothing is charged or given back. Repeatable.',
  call: 'POST /v1/subscriptions/{subscriptionId}/cancel',
  auth: 'server',
  scope: 'payments:write',
  permission: 'subscriptions.cancel',
  limit: 'client',
  asksRecentSignIn: true,
  // An agent ends nothing at once: only the end of the period can be taken back.
  tool: { kind: 'write', body: input({ at: oneOf(['period_end']) }) },
  input: {
    path: SubscriptionId,
    body: input({
      at: Type.Optional(
        oneOf(
          cancelTimes,
          '`now`, also where nothing is named; or `period_end`: it runs on until `currentPeriodEnd`, and ends at once where that has passed.',
        ),
      ),
    }),
  },
  answers: { 200: Subscription },
  refuses: [
    'invalid_request',
    'invalid_body',
    'subscription_not_found',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: ['subscription.canceled', 'subscription.cancellation_scheduled'],
});

export const resumeSubscription = row({
  spec: 'Additions §2, POST /v1/subscriptions/{subscriptionId}/resume',
  summary:
    'Withdraws a cancellation at the end of the period before that end; the subscription renews again. Repeatable.',
  call: 'POST /v1/subscriptions/{subscriptionId}/resume',
  auth: 'server',
  scope: 'payments:write',
  permission: 'subscriptions.cancel',
  limit: 'client',
  asksRecentSignIn: true,
  tool: { kind: 'write' },
  input: { path: SubscriptionId },
  answers: { 200: Subscription },
  refuses: [
    'invalid_request',
    'invalid_body',
    'subscription_not_found',
    'subscription_ended',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: ['subscription.resumed'],
});
