// Payments and operations as values, for tests of the decisions about them.

import type { Operation } from '../../src/domain/payments/operation.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';
import type { ProviderFacts } from '../../src/domain/payments/provider-facts.ts';

const start = new Date('2026-05-01T10:00:00.000Z');

/** A purchase with manual capture of 19.90 EUR, `pending` by default. */
export const aPayment = (given: Partial<Payment> = {}): Payment => ({
  id: '01900000-0000-7000-8000-000000000001',
  clientId: '01900000-0000-7000-8000-000000000002',
  sessionId: '01900000-0000-7000-8000-000000000003',
  userId: '01900000-0000-7000-8000-000000000004',
  externalId: null,
  email: 'buyer@example.test',
  isBuyerVerified: false,
  type: 'purchase',
  parentPaymentId: null,
  provider: 'cardprovider',
  gatewayId: '01900000-0000-7000-8000-000000000005',
  providerIntentId: 'pi_1',
  providerPaymentMethodId: 'pm_1',
  providerRefundId: null,
  refundReason: null,
  gatewayChargeId: null,
  amountMinor: 1990,
  currency: 'EUR',
  captureMethod: 'manual',
  status: 'pending',
  authorizationExpiresAt: null,
  authorizationVoidReason: null,
  capturedMinor: 0,
  refundedMinor: 0,
  refundPendingMinor: 0,
  financialEffectiveAt: null,
  balance: null,
  reversal: null,
  card: null,
  failureCode: null,
  declineCode: null,
  declineAdvice: null,
  failureMessage: null,
  metadata: {},
  reference: null,
  isLive: false,
  eventSeq: 0,
  version: 0,
  createdAt: start,
  updatedAt: start,
  authorizedAt: null,
  capturedAt: null,
  voidedAt: null,
  ...given,
});

/** A running capture, without a lease holder by default. */
export const anOperation = (given: Partial<Operation> = {}): Operation => ({
  id: '01900000-0000-7000-8000-000000000006',
  clientId: '01900000-0000-7000-8000-000000000002',
  paymentId: '01900000-0000-7000-8000-000000000001',
  kind: 'capture',
  state: 'active',
  amountMinor: 1990,
  attempt: 1,
  epoch: 1,
  leaseOwner: null,
  leaseUntil: null,
  checks: 0,
  firstSentAt: start,
  idempotencyKey: 'key',
  rawSha256: Buffer.alloc(32, 1),
  canonSha256: Buffer.alloc(32, 2),
  cardTokenSha256: null,
  requestId: 'req_1',
  responseStatus: null,
  responseBody: null,
  challenge: null,
  lastErrorCode: null,
  ...given,
});

/** The provider's facts about a purchase of 19.90 EUR, an hour before its capture deadline. */
export const providerFacts = (now: Date, given: Partial<ProviderFacts> = {}): ProviderFacts => ({
  state: 'new',
  releasedBecause: null,
  amountMinor: 1990,
  currency: 'EUR',
  chargeId: 'ch_1',
  captureBefore: new Date(now.getTime() + 3_600_000),
  effectiveAt: new Date(now.getTime() - 1000),
  ...given,
});
