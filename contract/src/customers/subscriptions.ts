// Subscriptions, as far as saved cards need them. Contract §5.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  externalId,
  givenInstant,
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
    uuid({ description: 'Null while nothing is on file, and where it costs nothing.' }),
  ),
  provider: oneOf(['cardprovider', 'wallet']),
  interval: oneOf(['day', 'week', 'month', 'year']),
  currentPeriodEnd: instant('Paid until then; renewed at that time.'),
  nextRenewalAt: nullable(instant('When it is charged next; after a decline, tried again.')),
  renewalTries: Type.Integer({ description: 'Failed tries of the period that is due.' }),
  canceledAt: nullable(instant()),
  cancelReason: nullable(oneOf(['merchant_requested', 'payment_failed'])),
  metadata: Metadata,
  livemode: Type.Boolean(),
  version: Type.Integer({ description: 'Up by one at each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Subscription = Static<typeof Subscription>;

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
  answers: { 200: list(Subscription) },
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

export const cancelSubscription = row({
  spec: 'Contract §5, POST /v1/subscriptions/{id}/cancel',
  summary: 'Ends a subscription at once; nothing is charged or given back. Repeatable.',
  call: 'POST /v1/subscriptions/{subscriptionId}/cancel',
  auth: 'server',
  scope: 'payments:write',
  permission: 'subscriptions.cancel',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: SubscriptionId },
  answers: { 200: Subscription },
  refuses: [
    'invalid_request',
    'invalid_body',
    'subscription_not_found',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: ['subscription.canceled'],
});
