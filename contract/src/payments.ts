// Payments: the resource and its calls. Spec: Payment, Payments endpoints. Contract §2.

import { type Static, Type } from 'typebox';
import { Balance } from './balance.ts';
import { metadataFilter, row } from './row.ts';
import {
  amount,
  component,
  currency,
  emailFilter,
  exactFilter,
  externalId,
  givenEmail,
  givenInstant,
  instant,
  list,
  Metadata,
  nullable,
  oneOf,
  paging,
  textFilter,
  uuid,
} from './schema.ts';

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
const providers = ['cardprovider', 'wallet'] as const;

const CardSummary = Type.Unsafe<{
  id: string | null;
  type: string;
  brand: string | null;
  lastFour: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
} | null>({
  type: ['object', 'null'],
  description: 'What may be shown of the card that pays; `id` once it is a saved card.',
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
  buyerVerified: Type.Boolean({
    description: 'Whether the merchant vouched for the buyer: else anybody may have named it.',
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
  authorizationExpiresAt: nullable(instant('Until then the hold can be captured.')),
  authorizationVoidReason: nullable(oneOf(voidReasons)),
  failureCode: nullable(Type.String()),
  declineCode: nullable(Type.String()),
  failureMessage: nullable(Type.String()),
  metadata: Metadata,
  livemode: Type.Boolean(),
  version: Type.Integer({ description: 'Up by one at each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
  authorizedAt: nullable(instant()),
  capturedAt: nullable(instant()),
  voidedAt: nullable(instant()),
});
export type Payment = Static<typeof Payment>;

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

const paymentSorts = [
  'createdAt',
  'updatedAt',
  'amount',
  'status',
  'authorizationExpiresAt',
  'financialEffectiveAt',
] as const;

/** `email=` and `sessionId=` are short for `email[eq]=` and `sessionId[eq]=`. */
const shortFilters = {
  email: Type.Optional(givenEmail({ maxLength: 320, 'x-code': 'invalid_query' })),
  sessionId: Type.Optional(uuid({ 'x-code': 'invalid_query' })),
};

/** The filters of payment lists and of their totals. Contract §2, Lists; additions §2. */
const paymentFilters = {
  id: uuid(),
  email: emailFilter(),
  userId: uuid(),
  externalId: Type.String(),
  sessionId: uuid(),
  status: oneOf(paymentStatuses),
  type: oneOf(paymentTypes),
  currency: currency(),
  captureMethod: oneOf(captureMethods),
  provider: oneOf(providers),
  gatewayChargeId: Type.String(),
  parentPaymentId: uuid(),
  amount: Type.Number(),
  createdAt: givenInstant(),
  updatedAt: givenInstant(),
  capturedAt: givenInstant(),
  financialEffectiveAt: givenInstant(),
  authorizationExpiresAt: givenInstant(),
  lastFour: Type.String({ pattern: '^[0-9]{4}$', description: 'Last four digits of the card.' }),
  brand: Type.String(),
  paymentMethodType: Type.String({ description: '`type` of paymentMethod.' }),
  failureCode: Type.String(),
  declineCode: Type.String(),
  reason: Type.String({ description: 'Why the refund was asked for.' }),
  isDisputed: exactFilter(Type.Boolean({ description: 'Whether the purchase has a dispute.' })),
  subscriptionId: exactFilter(
    uuid({ description: 'What the checkout of the subscription and its renewals paid.' }),
  ),
  productCode: exactFilter(
    Type.String({ description: 'A line of the cart, or what a renewal paid for.' }),
  ),
  requestedBy: exactFilter(
    uuid({ description: 'Person who asked for the capture, the cancel or the refund.' }),
  ),
  name: textFilter("The customer's name, in any letter case."),
  providerId: exactFilter(
    Type.String({ description: "The provider's id of the intent, charge or refund." }),
  ),
  reference: exactFilter(
    Type.String({
      pattern: '^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$',
      description: 'The short name that `GET /v1/payments/{paymentId}/details` tells.',
    }),
  ),
  metadata: exactFilter(
    Type.String({ maxLength: 500, description: 'Value of any field of the metadata.' }),
  ),
  [metadataFilter]: exactFilter(Type.String({ maxLength: 500 })),
};

export const listPayments = row({
  spec: 'Payments, GET /v1/payments',
  summary: "Lists payments; with a session's nonce only the ids of that session's payments.",
  call: 'GET /v1/payments',
  auth: 'server-or-session',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  browser: true,
  input: {
    query: paging(paymentSorts, shortFilters),
  },
  filters: paymentFilters,
  answers: {
    200: list(
      // Browsers receive rows with nothing but the id, so no other field is required.
      Type.Unsafe<Payment | { id: string }>({
        type: 'object',
        properties: Payment.properties,
        required: ['id'],
        'x-name': 'PaymentListEntry',
      }),
    ),
  },
  refuses: ['invalid_query', 'insufficient_scope', 'checkout_session_not_found'],
  emits: [],
});

export const PaymentTotals = component('PaymentTotals', {
  currency: currency(),
  count: Type.Integer({ description: 'Rows that match, of every type.' }),
  amount: amount('Of the purchases that match.'),
  captured: amount('Collected by the purchases that match.'),
  refunded: amount('Given back: by refunds that match, or whose purchase does. Each counts once.'),
  chargedBack: amount(
    'Withdrawn less reinstated: chargebacks that match, or whose purchase does. Each counts once.',
  ),
  fee: amount('Fees of the provider for all of it, as far as its balance records tell.'),
  withoutFee: Type.Integer({
    description: 'Movements whose fee is not known, or is of another currency: `fee` lacks theirs.',
  }),
  net: amount('`captured` less `refunded`, `chargedBack` and `fee`.'),
});
export type PaymentTotals = Static<typeof PaymentTotals>;

export const getPaymentTotals = row({
  spec: 'Additions §2, GET /v1/payments/totals',
  summary: 'Adds up the payments that the filters of the list leave, by currency.',
  call: 'GET /v1/payments/totals',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    query: Type.Object(shortFilters, { additionalProperties: false, 'x-code': 'invalid_query' }),
  },
  filters: paymentFilters,
  answers: { 200: Type.Object({ data: Type.Array(PaymentTotals) }) },
  refuses: ['invalid_query', 'insufficient_scope'],
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
  description: 'Null where the service acted by itself, or who asked was not kept.',
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
  code: Type.String(),
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
    description: 'Short name to say on the phone, as `7F3K-2Q9M`. Made of the id.',
  }),
  declineAdvice: nullable(Type.String({ description: 'What the bank advises after a decline.' })),
  items: Type.Array(PaymentLine, { description: 'Lines of the cart, or what a renewal is for.' }),
  couponCodes: Type.Array(Type.String()),
  subscriptionId: nullable(uuid({ description: 'Started or renewed by this payment.' })),
  disputeIds: Type.Array(uuid(), { description: 'Of the purchase, oldest first.' }),
  buyerLocale: Type.String({ description: 'Of mails to the buyer, as `de-AT`.' }),
  requestedBy: RequestInitiator,
  balance: Balance,
  approvedBy: RequestInitiator,
  refunds: Type.Array(RefundDetails, { description: 'Of a purchase, oldest first.' }),
});
export type PaymentDetails = Static<typeof PaymentDetails>;

export const getPaymentDetails = row({
  spec: 'Additions §2, GET /v1/payments/{paymentId}/details',
  summary: 'Reads what stands around one payment: lines, refunds, who asked, reference.',
  call: 'GET /v1/payments/{paymentId}/details',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: PaymentId },
  answers: { 200: PaymentDetails },
  refuses: ['invalid_payment_id', 'payment_not_found', 'insufficient_scope'],
  emits: [],
});
