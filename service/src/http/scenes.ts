// What the examples of the reference tell: values that fit each other, by object and by call. A value
// made from its type alone would show a pending payment that was captured.

const held = '2026-01-30T09:15:00.000Z';
const taken = '2026-01-31T12:00:00.000Z';
const runsOut = '2026-02-06T09:14:00.000Z';
const purchaseId = '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';

type Scene = Readonly<Record<string, unknown>>;

const endpoint: Scene = {
  url: 'https://shop.example/webhooks',
  description: 'Orders',
  eventTypes: ['item.purchased', 'refund.succeeded'],
  isEnabled: true,
  disabledReason: null,
  failingSince: null,
  previousSecretUntil: null,
  testFault: null,
};
const delivered: Scene = {
  eventId: 'evt_018f6e5cb7a27c3e9d41a0b2c4d6e8f0',
  endpointId: '018f6e5c-1111-7000-8000-0000000e4d90',
};

/** By the object's name: what its example is about. */
export const sceneOf: Readonly<Record<string, Scene>> = {
  Payment: {
    status: 'succeeded',
    captureMethod: 'manual',
    gatewayChargeId: 'ch_3Q8mJw2eZvKYlo2C',
    paymentMethod: {
      id: 'pm_1Q8mJv2eZvKYlo2C',
      type: 'card',
      brand: 'visa',
      lastFour: '4242',
      expiryMonth: 4,
      expiryYear: 2030,
    },
    financialEffectiveAt: taken,
    authorizationExpiresAt: runsOut,
    authorizationVoidReason: null,
    version: 4,
    createdAt: held,
    authorizedAt: held,
    capturedAt: taken,
    updatedAt: taken,
  },
  CheckoutSession: {
    status: 'open',
    url: null,
    paymentId: null,
    authorizationExpiresAt: null,
    latestTransactionAttempt: null,
  },
  CreatedCheckoutSession: {
    status: 'open',
    paymentId: null,
    authorizationExpiresAt: null,
    latestTransactionAttempt: null,
  },
  Coupon: {
    code: 'SUMMER10',
    percentOff: 10,
    amountOff: null,
    currency: null,
    productCodes: null,
    startsAt: null,
    endsAt: '2026-09-01T00:00:00.000Z',
    maxRedemptions: 100,
    redemptions: 3,
    active: true,
  },
  Product: { active: true },
  WebhookEndpoint: endpoint,
  WebhookEndpointWithSecret: {
    ...endpoint,
    secret: 'svc_whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCwgMzIgYnl0ZXMuLi4=',
  },
  WebhookAttempt: {
    ...delivered,
    isRedelivery: false,
    request: {
      url: 'https://shop.example/webhooks',
      headers: { 'webhook-id': delivered.eventId, 'user-agent': 'Svc-Webhooks/1' },
    },
    status: 200,
    error: null,
    response: 'ok',
    durationMs: 41,
  },
  WebhookDelivery: {
    ...delivered,
    eventType: 'item.purchased',
    state: 'delivered',
    redeliveries: 0,
    lastStatus: 200,
    lastError: null,
    nextAttemptAt: null,
  },
  Dispute: {
    paymentId: purchaseId,
    providerDisputeId: 'dp_1Q8mJx2eZvKYlo2C',
    status: 'needs_response',
    reason: 'fraudulent',
    closedAt: null,
  },
};

/** By call: what its answer differs in from the object's own example. */
export const answerOf: Readonly<Record<string, Scene>> = {
  'PUT /v1/payments/{paymentId}/cancel': {
    status: 'voided',
    amountCaptured: 0,
    amountRefundable: 0,
    financialEffectiveAt: null,
    authorizationVoidReason: 'merchant_requested',
    capturedAt: null,
    voidedAt: taken,
  },
  'POST /v1/payments/{paymentId}/refunds': {
    id: '018f7a10-52c4-7d18-8a3b-6f1e2d3c4b5a',
    type: 'refund',
    amount: 5,
    amountMinor: 500,
    amountCaptured: 0,
    amountRefundable: 0,
    parentPaymentId: purchaseId,
    authorizationExpiresAt: null,
    authorizedAt: null,
    capturedAt: null,
    version: 2,
    createdAt: taken,
  },
};

/** By call: the body of its example, where the required fields alone would not do. */
export const bodyOf: Readonly<Record<string, Scene>> = {
  'POST /v1/payments/{paymentId}/refunds': { amount: 5, reason: 'requested_by_customer' },
  'POST /v1/webhook-endpoints': {
    url: 'https://shop.example/webhooks',
    eventTypes: ['item.purchased', 'refund.succeeded'],
  },
  'PATCH /v1/webhook-endpoints/{id}': { isEnabled: true },
  'POST /v1/webhook-endpoints/{id}/rotate-secret': { overlapSeconds: 3600 },
  'POST /v1/coupons': { code: 'SUMMER10', percentOff: 10, maxRedemptions: 100 },
};
