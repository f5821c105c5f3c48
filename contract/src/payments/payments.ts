// Payments: the resource and its calls. Spec: Payment, Payments endpoints. Contract §2.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  externalId,
  instant,
  list,
  Metadata,
  nullable,
  oneOf,
  paging,
  uuid,
} from '../rows/schema.ts';
import { Balance } from './balance.ts';
import { FraudWarning, PaymentReview } from './fraud-signals.ts';

/** Spec: Payment.status. */
export const paymentStatuses = [
  'pending',
  'authorized',
  'processing',
  'succeeded',
  'failed',
  'refunded',
  'partially_refunded',
  'refund_failed',
  'voided',
  'unknown',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const voidReasons = ['merchant_requested', 'expired', 'provider_canceled'] as const;
export type VoidReason = (typeof voidReasons)[number];

export const paymentTypes = ['purchase', 'refund', 'chargeback'] as const;
export const captureMethods = ['automatic', 'manual'] as const;
export const providers = ['cardprovider', 'wallet'] as const;

const CardSummary = Type.Unsafe<{
  id: string | null;
  type: string;
  brand: string | null;
  lastFour: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
} | null>({
  type: ['object', 'null'],
  description: 'The displayable data of the card that pays; `id` once it is a saved card.',
  properties: {
    id: { type: ['string', 'null'] },
    type: { type: 'string' },
    brand: { type: ['string', 'null'] },
    lastFour: { type: ['string', 'null'] },
    expiryMonth: { type: ['integer', 'null'] },
    expiryYear: { type: ['integer', 'null'] },
  },
  required: ['id', 'type', 'brand', 'lastFour', 'expiryMonth', 'expiryYear'],
});

export const Payment = component('Payment', {
  id: uuid({
    description: 'Capture and cancel take this, never a provider intent id.',
  }),
  object: oneOf(['payment']),
  clientId: uuid(),
  sessionId: nullable(uuid()),
  userId: nullable(uuid()),
  externalId: externalId(),
  email: nullable(Type.String()),
  reference: nullable(
    Type.String({ description: "The merchant's own reference of the order, also on its refunds." }),
  ),
  buyerVerified: Type.Boolean({
    description:
      'Whether the merchant vouched for the buyer. If not, anybody may have typed these values.',
  }),
  type: oneOf(paymentTypes),
  status: oneOf(paymentStatuses),
  amount: amount('Major units; signed for chargebacks.'),
  amountMinor: Type.Integer({ description: 'The same in minor units.' }),
  currency: currency(),
  amountCaptured: amount('Major units captured so far.'),
  amountRefunded: amount('Major units refunded.'),
  amountRefundable: amount('Major units that can still be refunded.'),
  captureMethod: oneOf(captureMethods),
  provider: oneOf(providers),
  gatewayId: uuid(),
  gatewayChargeId: nullable(Type.String()),
  paymentMethod: CardSummary,
  parentPaymentId: nullable(uuid()),
  financialEffectiveAt: nullable(instant("The provider's time of the money movement.")),
  authorizationExpiresAt: nullable(instant('When the hold expires and can no longer be captured.')),
  authorizationVoidReason: nullable(oneOf(voidReasons)),
  failureCode: nullable(Type.String()),
  declineCode: nullable(Type.String()),
  failureMessage: nullable(Type.String()),
  metadata: Metadata,
  livemode: Type.Boolean(),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
  authorizedAt: nullable(instant()),
  capturedAt: nullable(instant()),
  voidedAt: nullable(instant()),
});
export type Payment = Static<typeof Payment>;

/** The name of a buyer for whom the merchant vouched. Events do not tell it: it is read with each answer. */
export const customerName = () =>
  nullable(
    Type.String({
      description:
        "The customer's present name. Null without one, after the customer was forgotten, where the merchant did not vouch for the buyer, and for a token without `customers:read`.",
    }),
  );

/** A payment as lists show it: with its buyer. */
export const ListedPayment = component('ListedPayment', {
  ...Payment.properties,
  customerName: customerName(),
  shortReference: Type.String({
    description: 'Short name of the payment, for the phone: `reference` of its details.',
  }),
  balance: Balance,
});
export type ListedPayment = Static<typeof ListedPayment>;

export const PaymentId = Type.Object({
  paymentId: uuid({ 'x-code': 'invalid_payment_id' }),
});

/**
 * Any JSON object. It is part of the request's identity; an amount in it is refused. Contract, wire rules.
 */
const AnyObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  'x-code': 'invalid_body',
  properties: {
    amount: { not: {}, 'x-code': 'partial_capture_not_supported' },
    amountToCapture: { not: {}, 'x-code': 'partial_capture_not_supported' },
  },
});

const operationRefusals = [
  'invalid_payment_id',
  'idempotency_key_required',
  'idempotency_key_invalid',
  'invalid_body',
  'partial_capture_not_supported',
  'insufficient_scope',
  'merchant_role_required',
  'payment_not_found',
  'payment_not_authorized',
  'authorization_expired',
  'payment_operation_in_progress',
  'idempotency_key_reused',
  'gateway_outcome_unknown',
] as const;

export const capturePayment = row({
  spec: 'Payments, PUT /v1/payments/{paymentId}/capture',
  summary: 'Captures the whole authorised amount, once.',
  call: 'PUT /v1/payments/{paymentId}/capture',
  auth: 'server',
  scope: null,
  permission: 'holds.end',
  tokenScope: 'payments:write',
  limit: 'money',
  idempotent: true,
  asksRecentSignIn: true,
  tool: { kind: 'money', move: 'capture', scope: 'payments:write' },
  input: { path: PaymentId, body: AnyObject },
  answers: { 200: Payment },
  refuses: [...operationRefusals, 'gateway_capture_failed'],
  emits: ['item.purchased', 'payment.succeeded', 'payment.capture_failed'],
});

export const cancelPayment = row({
  spec: 'Payments, PUT /v1/payments/{paymentId}/cancel',
  summary: 'Releases an uncaptured hold.',
  call: 'PUT /v1/payments/{paymentId}/cancel',
  auth: 'server',
  scope: null,
  permission: 'holds.end',
  tokenScope: 'payments:write',
  limit: 'money',
  idempotent: true,
  asksRecentSignIn: true,
  tool: { kind: 'money', move: 'cancel', scope: 'payments:write' },
  input: { path: PaymentId, body: AnyObject },
  answers: { 200: Payment },
  refuses: [...operationRefusals, 'gateway_cancel_failed'],
  emits: ['payment.authorization_voided'],
});

export const getPayment = row({
  spec: 'Contract §2, GET /v1/payments/{id}',
  summary: 'Reads one payment again.',
  call: 'GET /v1/payments/{paymentId}',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: PaymentId },
  answers: { 200: Payment },
  refuses: ['invalid_payment_id', 'payment_not_found', 'insufficient_scope'],
  emits: [],
});

/** Who requested a capture, cancellation or refund. */
export const RequestInitiator = Type.Unsafe<null | {
  kind: 'api_token' | 'oauth' | 'person' | 'system';
  userId: string | null;
  email: string | null;
  name: string | null;
  tokenName: string | null;
  applicationName: string | null;
}>({
  type: ['object', 'null'],
  description: 'Null if the service acted by itself, or if the caller was not recorded.',
  properties: {
    kind: { type: 'string', enum: ['api_token', 'oauth', 'person', 'system'] },
    userId: { type: ['string', 'null'] },
    email: { type: ['string', 'null'] },
    name: { type: ['string', 'null'] },
    tokenName: { type: ['string', 'null'] },
    applicationName: { type: ['string', 'null'] },
  },
  required: ['kind', 'userId', 'email', 'name', 'tokenName', 'applicationName'],
});
export type RequestInitiator = Static<typeof RequestInitiator>;

const PaymentLine = Type.Object({
  code: nullable(Type.String({ description: "Null for a line of the merchant's own." })),
  name: Type.String(),
  quantity: Type.Integer(),
  totalAmount: amount('Major units of the line, before coupons.'),
  currency: currency(),
});

const RefundDetails = component('RefundDetails', {
  id: uuid(),
  status: oneOf(paymentStatuses),
  amount: amount('Major units.'),
  reason: nullable(Type.String()),
  failureCode: nullable(Type.String()),
  balance: Balance,
  requestedBy: RequestInitiator,
  approvedBy: RequestInitiator,
  createdAt: instant(),
});

export const PaymentDetails = component('PaymentDetails', {
  paymentId: uuid(),
  reference: Type.String({
    description: 'Short name for the phone, such as `7F3K-2Q9M`, derived from the id.',
  }),
  declineAdvice: nullable(Type.String({ description: 'What the bank advises after a decline.' })),
  items: Type.Array(PaymentLine, {
    description: 'Lines of the cart, or of the renewed subscription.',
  }),
  couponCodes: Type.Array(Type.String()),
  subscriptionId: nullable(
    uuid({ description: 'The subscription that this payment started or renewed.' }),
  ),
  disputeIds: Type.Array(uuid(), { description: 'Disputes of the purchase, oldest first.' }),
  fraudWarnings: Type.Array(FraudWarning, {
    description: "Fraud warnings of the card's bank about the purchase, oldest first.",
  }),
  reviews: Type.Array(PaymentReview, { description: "The provider's reviews, oldest first." }),
  customerName: customerName(),
  buyerLocale: Type.String({ description: 'Language of mails to the buyer, such as `de-AT`.' }),
  requestedBy: RequestInitiator,
  balance: Balance,
  approvedBy: RequestInitiator,
  /** The query chooses the page. */
  refunds: list(RefundDetails),
});
export type PaymentDetails = Static<typeof PaymentDetails>;

export const getPaymentDetails = row({
  spec: 'Additions §2, GET /v1/payments/{paymentId}/details',
  summary:
    'Reads the data around one payment: lines, subscriptions, disputes, who asked for it, reference.',
  call: 'GET /v1/payments/{paymentId}/details',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: PaymentId, query: paging(['createdAt'], {}) },
  answers: { 200: PaymentDetails },
  refuses: ['invalid_query', 'invalid_payment_id', 'payment_not_found', 'insufficient_scope'],
  emits: [],
});
