// The objects of the example events: one merchant, one buyer and what they own.

import type { Subscription } from '../customers/subscriptions.ts';
import type { Payment } from '../payments/payments.ts';
import type { RefundRequest } from '../payments/refund-requests.ts';
import type { CompletedCheckout, WebhookEndpointEventObject } from './event-objects.ts';
import type { EventDataByType } from './event-schemas.ts';

const idOf = (end: string): string => `018f6e5c-b7a2-7c3e-9d41-${end.padStart(12, '0')}`;
export const clientId = '018f6e5c-0000-7000-8000-00000000c11e';
export const paymentId = idOf('a1');
const [refundId, chargebackId] = [idOf('a2'), idOf('a3')];
const [sessionId, userId, gatewayId] = [idOf('b1'), idOf('b2'), idOf('b3')];
const [methodId, otherMethodId, subscriptionId] = [idOf('c1'), idOf('c2'), idOf('c3')];
const [disputeId, tokenId, endpointId] = [idOf('d1'), idOf('d2'), idOf('d3')];

const begun = '2026-01-30T09:14:00.000Z';
const held = '2026-01-30T09:15:00.000Z';
export const told = '2026-01-31T12:00:00.000Z';
const runsOut = '2026-02-06T09:14:00.000Z';

const hold: Payment = {
  id: paymentId,
  object: 'payment',
  clientId,
  sessionId,
  userId,
  externalId: null,
  email: 'buyer@example.com',
  buyerVerified: true,
  type: 'purchase',
  status: 'authorized',
  amount: 19.9,
  amountMinor: 1990,
  currency: 'EUR',
  amountCaptured: 0,
  amountRefunded: 0,
  amountRefundable: 0,
  captureMethod: 'manual',
  provider: 'cardprovider',
  gatewayId,
  gatewayChargeId: 'ch_3Q8mJw2eZvKYlo2C',
  paymentMethod: {
    id: null,
    type: 'card',
    brand: 'visa',
    lastFour: '4242',
    expiryMonth: 4,
    expiryYear: 2030,
  },
  parentPaymentId: null,
  financialEffectiveAt: null,
  authorizationExpiresAt: runsOut,
  authorizationVoidReason: null,
  failureCode: null,
  declineCode: null,
  failureMessage: null,
  reference: '1042',
  metadata: { order: '1042' },
  livemode: false,
  version: 3,
  createdAt: begun,
  updatedAt: held,
  authorizedAt: held,
  capturedAt: null,
  voidedAt: null,
};
const later = { version: 4, updatedAt: told };
const paid: Payment = {
  ...hold,
  ...later,
  status: 'succeeded',
  amountCaptured: 19.9,
  amountRefundable: 19.9,
  financialEffectiveAt: told,
  capturedAt: told,
};
/** The fields of a payment without a hold: a refund or a chargeback. */
const unheld = {
  ...{ parentPaymentId: paymentId, authorizationExpiresAt: null, authorizedAt: null },
  ...{ version: 0, createdAt: told, updatedAt: told },
};
const refund: Payment = {
  ...{ ...hold, ...unheld, id: refundId },
  ...{ type: 'refund', status: 'pending', amount: 5, amountMinor: 500, metadata: {} },
};
const waiting: RefundRequest = {
  ...{ id: idOf('e1'), object: 'refund_request', clientId, paymentId },
  ...{ amount: 5, amountMinor: 500, currency: 'EUR', reason: 'other', note: 'Broken mug' },
  ...{
    status: 'waiting',
    requestedBy: { userId: idOf('e2'), email: 'sam@shop.example', name: 'Sam' },
  },
  ...{ decidedBy: null, refundId: null, refundStatus: null, version: 0 },
  ...{ createdAt: held, expiresAt: runsOut, decidedAt: null },
};
const decided = {
  ...{ decidedBy: { userId: idOf('e3'), email: 'kim@shop.example', name: 'Kim' } },
  ...{ decidedAt: told, version: 1 },
};
const chargeback: Payment = {
  ...{ ...hold, ...unheld, id: chargebackId, type: 'chargeback', status: 'succeeded' },
  ...{ financialEffectiveAt: told, metadata: { providerDisputeId: 'dp_1Q8mJx2eZvKYlo2C' } },
};

const dispute: EventDataByType['dispute.opened']['object'] = {
  id: disputeId,
  object: 'dispute',
  clientId,
  paymentId,
  providerDisputeId: 'dp_1Q8mJx2eZvKYlo2C',
  status: 'needs_response',
  reason: 'fraudulent',
  amount: 19.9,
  amountMinor: 1990,
  currency: 'EUR',
  withdrawnAmount: 19.9,
  evidenceDueBy: '2026-02-09T12:00:00.000Z',
  ...{ awaits: 'merchant', answeredBy: null, intendedSubmission: 'prefer_manual' },
  ...{ hasEvidence: false, submissionCount: 0, isPastDue: false },
  enhancedEligibility: [
    { type: 'visa_compelling_evidence_3', status: 'qualified', requiredActions: [] },
  ],
  reference: '1042',
  metadata: { order: '1042' },
  livemode: false,
  version: 0,
  ...{ openedAt: told, closedAt: null, createdAt: told, updatedAt: told },
};

const signal = { livemode: false, version: 0, createdAt: told, updatedAt: told };
const review: EventDataByType['payment.review_opened']['object'] = {
  ...{ id: idOf('f2'), object: 'review', clientId, paymentId },
  ...{ providerReviewId: 'prv_1Q8mJx2eZvKYlo2C', isOpen: true },
  ...{ openedReason: 'rule', closedReason: null, openedAt: told, ...signal },
};

const answered = {
  awaits: null,
  answeredBy: 'merchant',
  hasEvidence: true,
  submissionCount: 1,
} as const;

const subscription: Subscription = {
  id: subscriptionId,
  object: 'subscription',
  clientId,
  userId,
  externalId: null,
  sessionId,
  status: 'active',
  productCode: 'coffee-club',
  quantity: 1,
  amount: 19.9,
  amountMinor: 1990,
  currency: 'EUR',
  paymentMethodId: methodId,
  provider: 'cardprovider',
  interval: 'month',
  currentPeriodEnd: '2026-02-28T12:00:00.000Z',
  nextRenewalAt: '2026-02-28T12:00:00.000Z',
  renewalTries: 0,
  cancelAt: null,
  canceledAt: null,
  cancelReason: null,
  metadata: {},
  ...{ livemode: false, version: 1, createdAt: told, updatedAt: told },
};

const owned = {
  id: methodId,
  type: 'card',
  createdAt: held,
  gateway: { id: gatewayId, provider: 'cardprovider' },
  userId,
  externalId: null,
} as const;

const completed: CompletedCheckout = {
  id: sessionId,
  object: 'checkout.session',
  status: 'completed',
  captureMethod: 'automatic',
  paymentId,
  buyerVerified: true,
  couponCodes: ['WELCOME'],
  totals: { subtotal: 24.9, discount: 5, total: 19.9, currency: 'EUR' },
  reference: '1042',
  metadata: { order: '1042' },
};

const token = {
  id: tokenId,
  name: 'Order desk',
  description: null,
  createdAt: told,
  lastUsedAt: null,
  expiresAt: null,
  scopes: ['payments:read'],
  userId,
} satisfies EventDataByType['api_token.created']['object'];

const endpoint: WebhookEndpointEventObject = {
  id: endpointId,
  url: 'https://shop.example/webhooks',
  isEnabled: true,
  disabledReason: null,
  failingSince: null,
};
const failing = { ...endpoint, failingSince: '2026-01-29T00:00:00.000Z' };

const previousStatus = <S extends string>(status: S) => ({ status });

/** The `data` of one event of each type. */
export const exampleData: EventDataByType = {
  'payment.authorized': { object: hold, previousAttributes: previousStatus('pending') },
  'payment.capture_failed': {
    object: { ...hold, ...later },
    previousAttributes: {},
    failure: { code: 'card_declined', message: 'Your card was declined.', attempt: 1 },
  },
  'payment.authorization_voided': {
    object: {
      ...{ ...hold, ...later, status: 'voided' },
      ...{ authorizationVoidReason: 'merchant_requested', voidedAt: told },
    },
    previousAttributes: previousStatus('authorized'),
  },
  'payment.authorization_expired': {
    object: {
      ...{ ...hold, ...later, status: 'voided' },
      ...{ authorizationVoidReason: 'expired', voidedAt: told },
    },
    previousAttributes: previousStatus('authorized'),
  },
  'item.purchased': {
    object: {
      paymentId,
      sessionId,
      clientId,
      customer: { userId, externalId: null, email: 'buyer@example.com' },
      buyerVerified: true,
      items: [
        {
          ...{ code: 'mug', reference: null, name: 'Mug', quantity: 1 },
          ...{ totalAmount: 19.9, currency: 'EUR' },
        },
      ],
      amount: 19.9,
      currency: 'EUR',
      reference: '1042',
      metadata: { order: '1042' },
      purchasedAt: told,
    },
    previousAttributes: previousStatus('authorized'),
  },
  'payment.authorization_expiring': { object: { ...hold, ...later }, previousAttributes: {} },
  'payment.failed': {
    object: {
      ...{ ...hold, ...later, status: 'failed', captureMethod: 'automatic' },
      ...{ gatewayChargeId: null, authorizationExpiresAt: null, authorizedAt: null },
      ...{ failureCode: 'declined', declineCode: 'insufficient_funds' },
      failureMessage: 'Your card has insufficient funds.',
    },
    previousAttributes: previousStatus('pending'),
  },
  'payment.succeeded': {
    object: {
      ...{ ...paid, captureMethod: 'automatic', authorizationExpiresAt: null },
      ...{ authorizedAt: null, reference: null, metadata: { subscriptionId } },
    },
    previousAttributes: previousStatus('pending'),
  },
  'refund.created': { object: refund },
  'refund_request.created': { object: waiting },
  'refund_request.approved': {
    object: { ...waiting, ...decided, status: 'approved', refundId, refundStatus: 'pending' },
    previousAttributes: previousStatus('waiting'),
  },
  'refund_request.declined': {
    object: { ...waiting, ...decided, status: 'declined' },
    previousAttributes: previousStatus('waiting'),
  },
  'refund_request.expired': {
    object: { ...waiting, status: 'expired', version: 1 },
    previousAttributes: previousStatus('waiting'),
  },
  'refund.succeeded': {
    object: { ...refund, status: 'succeeded', financialEffectiveAt: told, version: 1 },
    previousAttributes: previousStatus('pending'),
  },
  'refund.failed': {
    object: { ...refund, status: 'refund_failed', failureCode: 'expired_or_canceled_card' },
    previousAttributes: previousStatus('pending'),
  },
  'payment.fraud_warning': {
    object: {
      ...{ id: idOf('f1'), object: 'fraud_warning', clientId, paymentId },
      ...{ providerWarningId: 'issfr_1Q8mJx2eZvKYlo2C', fraudType: 'made_with_stolen_card' },
      ...{ isActionable: true, warnedAt: told, ...signal },
    },
  },
  'payment.review_opened': { object: review },
  'payment.review_closed': {
    object: { ...review, isOpen: false, closedReason: 'approved', version: 1 },
  },
  'dispute.opened': { object: dispute, previousAttributes: {} },
  'dispute.updated': {
    object: { ...dispute, ...answered, status: 'under_review', version: 1 },
    previousAttributes: previousStatus('needs_response'),
  },
  'dispute.closed': {
    object: { ...dispute, ...answered, status: 'lost', closedAt: told, version: 2 },
    previousAttributes: previousStatus('under_review'),
  },
  'chargeback.withdrawn': { object: chargeback, previousAttributes: {} },
  'chargeback.reinstated': {
    object: { ...chargeback, amount: -19.9, amountMinor: -1990 },
    previousAttributes: {},
  },
  'payment_method.activated': {
    object: {
      ...{ id: methodId, type: 'card', brand: 'visa', lastFour: '4242' },
      ...{ expiryMonth: 4, expiryYear: 2030, payerEmail: null, status: 'active' },
      ...{ createdAt: held, gateway: owned.gateway, userId, externalId: null },
    },
    previousAttributes: previousStatus('pending'),
  },
  'payment_method.updated': {
    object: {
      ...{ id: methodId, type: 'card', brand: 'visa', lastFour: '4242' },
      ...{ expiryMonth: 4, expiryYear: 2035, payerEmail: null, status: 'active' },
      ...{ createdAt: held, gateway: owned.gateway, userId, externalId: null },
    },
    previousAttributes: { expiryYear: 2030 },
  },
  'payment_method.deleted': {
    object: {
      ...{ ...owned, status: 'removed', removedAt: told, removedBy: 'provider' },
      ...{ subscriptionIds: [subscriptionId], subscriptionCount: 1 },
    },
    previousAttributes: previousStatus('active'),
  },
  'payment_method.replaced': {
    object: {
      ...{ ...owned, status: 'active', replacedBy: otherMethodId },
      ...{ subscriptionIds: [subscriptionId], subscriptionCount: 1, isDefaultMoved: true },
    },
  },
  'subscription.created': { object: subscription },
  'subscription.renewed': {
    object: { ...subscription, currentPeriodEnd: '2026-03-28T12:00:00.000Z', version: 3 },
    previousAttributes: {},
  },
  'subscription.past_due': {
    object: { ...subscription, status: 'past_due', renewalTries: 1, version: 3 },
    previousAttributes: previousStatus('active'),
  },
  'subscription.cancellation_scheduled': {
    object: {
      ...{ ...subscription, nextRenewalAt: null, version: 2 },
      cancelAt: subscription.currentPeriodEnd,
    },
    previousAttributes: {},
  },
  'subscription.resumed': { object: { ...subscription, version: 3 }, previousAttributes: {} },
  'subscription.canceled': {
    object: {
      ...{ ...subscription, status: 'canceled', nextRenewalAt: null, version: 2 },
      ...{ canceledAt: told, cancelReason: 'merchant_requested' },
    },
    previousAttributes: previousStatus('active'),
  },
  'checkout.session.completed': { object: completed, previousAttributes: previousStatus('open') },
  'checkout.session.expired': {
    object: {
      ...{ id: sessionId, object: 'checkout.session', status: 'expired' },
      ...{
        captureMethod: 'automatic',
        paymentId: null,
        reference: '1042',
        metadata: { order: '1042' },
      },
    },
    previousAttributes: previousStatus('open'),
  },
  'customer.updated': {
    object: { id: userId, object: 'customer', fields: ['email'], updatedAt: told },
  },
  'customer.forgotten': { object: { id: userId, object: 'customer', forgottenAt: told } },
  'api_token.created': { object: token },
  'api_token.revoked': { object: token },
  'webhook_endpoint.failing': { object: failing },
  'webhook_endpoint.disabled': {
    object: { ...failing, isEnabled: false, disabledReason: 'failing' },
  },
  'webhook_endpoint.test': { object: endpoint },
};
