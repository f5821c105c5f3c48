// What a customer bought, on the customer's own page: subscriptions, which can be ended there, and payments with
// their receipts. Additions §2, The customer's page.

import { type Static, Type } from 'typebox';
import { Receipt } from '../payments/receipts.ts';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  input,
  instant,
  nullable,
  oneOf,
  uuid,
} from '../rows/schema.ts';
import { subscriptionStatuses } from './subscriptions.ts';

const PageSubscription = component('CustomerPageSubscription', {
  id: uuid(),
  object: oneOf(['subscription']),
  productName: Type.String(),
  quantity: Type.Integer(),
  amount: amount('Major units of one period.'),
  currency: currency(),
  interval: oneOf(['day', 'week', 'month', 'year']),
  status: oneOf(subscriptionStatuses),
  paymentMethodId: nullable(uuid({ description: 'The id of the payment method that pays it.' })),
  currentPeriodEnd: instant('Paid until then.'),
  nextRenewalAt: nullable(instant('When it is charged next; null if it ends instead.')),
  cancelAt: nullable(instant('When it ends; null if it renews.')),
  canceledAt: nullable(instant()),
  may: Type.Object(
    { cancel: Type.Boolean(), resume: Type.Boolean() },
    { description: 'What the customer can do with it on this page now.' },
  ),
});
export type PageSubscription = Static<typeof PageSubscription>;

const reading = { permission: 'records.read', scope: 'payments:read' } as const;
const ending = { permission: 'subscriptions.cancel', scope: 'payments:write' } as const;

export const getCustomerPageSubscriptions = row({
  spec: "Additions §2, The customer's page",
  summary: 'Lists up to a hundred subscriptions of the customer, ended ones at the end.',
  call: 'GET /v1/customer-page/subscriptions',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: reading,
  limit: 'session',
  input: {},
  answers: { 200: Type.Object({ data: Type.Array(PageSubscription) }) },
  refuses: [],
  emits: [],
});

const SubscriptionId = Type.Object({ subscriptionId: uuid() });

export const cancelCustomerPageSubscription = row({
  spec: "Additions §2, The customer's page",
  summary:
    'Ends one of the customer’s subscriptions with its paid period, or at once if that has passed. Repeatable.',
  call: 'POST /v1/customer-page/subscriptions/{subscriptionId}/cancel',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: ending,
  limit: 'session',
  input: { path: SubscriptionId, body: input({}) },
  answers: { 200: PageSubscription },
  refuses: ['invalid_request', 'subscription_not_found', 'customer_page_cancel_off'],
  emits: ['subscription.canceled', 'subscription.cancellation_scheduled'],
});

export const resumeCustomerPageSubscription = row({
  spec: "Additions §2, The customer's page",
  summary: 'Cancels an end that the customer has scheduled and that has not come yet. Repeatable.',
  call: 'POST /v1/customer-page/subscriptions/{subscriptionId}/resume',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: ending,
  limit: 'session',
  input: { path: SubscriptionId, body: input({}) },
  answers: { 200: PageSubscription },
  refuses: [
    'invalid_request',
    'subscription_not_found',
    'subscription_ended',
    'subscription_end_by_merchant',
  ],
  emits: ['subscription.resumed'],
});

const PagePayment = component('CustomerPagePayment', {
  id: uuid(),
  object: oneOf(['payment']),
  type: oneOf(['purchase', 'refund']),
  status: oneOf(['held', 'processing', 'paid', 'partly_refunded', 'refunded']),
  productNames: Type.Array(Type.String()),
  amount: amount('The amount paid or, for a refund, given back.'),
  currency: currency(),
  paymentMethod: Receipt.properties.paymentMethod,
  createdAt: instant(),
  hasReceipt: Type.Boolean(),
});
export type PagePayment = Static<typeof PagePayment>;

const PagePayments = component('CustomerPagePayments', {
  data: Type.Array(PagePayment),
  hasMore: Type.Boolean({
    description: 'Whether there are older ones: read them with `before` set to the last one’s id.',
  }),
});
export type PagePayments = Static<typeof PagePayments>;

export const getCustomerPagePayments = row({
  spec: "Additions §2, The customer's page",
  summary:
    'Lists payments and refunds, newest first, of purchases for which the merchant named the customer.',
  call: 'GET /v1/customer-page/payments',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: reading,
  limit: 'session',
  input: {
    query: Type.Object(
      {
        before: Type.Optional(uuid({ 'x-code': 'invalid_query' })),
        limit: Type.Integer({ minimum: 1, maximum: 100, default: 10, 'x-code': 'invalid_query' }),
      },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  answers: { 200: PagePayments },
  refuses: ['invalid_query'],
  emits: [],
});

export const getCustomerPageReceipt = row({
  spec: "Additions §2, The customer's page",
  summary: 'Returns the address of the receipt of one of these payments.',
  call: 'GET /v1/customer-page/payments/{paymentId}/receipt',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: reading,
  limit: 'session',
  input: { path: Type.Object({ paymentId: uuid({ 'x-code': 'invalid_payment_id' }) }) },
  answers: { 200: component('CustomerPageReceipt', { url: Receipt.properties.url }) },
  refuses: ['invalid_payment_id', 'payment_not_found', 'receipt_not_available'],
  emits: [],
});
