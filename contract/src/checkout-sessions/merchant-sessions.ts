// Checkout sessions for their merchant, without the nonce, the page's address and the card form,
// which belong to the buyer. Additions §3, Sessions of a merchant.

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
  textFilter,
  uuid,
} from '../rows/schema.ts';
import {
  attemptResults,
  cartVersion,
  ownLineFields,
  sessionStatuses,
} from './checkout-sessions-parts.ts';

import { couponCodes, sessionLines, Totals } from './session-lines.ts';

/** How far a buyer came. */
export const sessionSteps = ['cart', 'card', 'bank', 'provider', 'done'] as const;
export type SessionStep = (typeof sessionSteps)[number];

const fields = {
  id: uuid(),
  object: oneOf(['checkout_session']),
  clientId: uuid(),
  status: oneOf(sessionStatuses),
  step: oneOf(
    sessionSteps,
    'How far the buyer came: before the cart, at the card form, the bank, the provider; or done.',
  ),
  checkoutMode: oneOf(['payment', 'setup']),
  captureMethod: oneOf(['automatic', 'manual']),
  userId: nullable(uuid()),
  externalId: externalId(),
  email: nullable(Type.String()),
  buyerVerified: Type.Boolean({ description: 'Whether the merchant vouched for the buyer.' }),
  guest: Type.Boolean({ description: 'Whether the buyer is a guest, without saved cards.' }),
  currency: nullable(currency()),
  products: Type.Array(
    Type.Object({
      ...ownLineFields,
      name: Type.String(),
      quantity: Type.Integer(),
      totalAmount: amount('Before discounts.'),
      overrideAmount: nullable(amount("The merchant's own price of the line.")),
      currency: currency(),
    }),
  ),
  couponCodes: Type.Array(Type.String()),
  couponsByMerchantOnly: Type.Boolean({
    description: 'True where only the merchant changes the coupons.',
  }),
  totals: Totals,
  cartVersion: cartVersion(),
  paymentId: nullable(uuid({ description: 'The payment of the newest attempt.' })),
  latestResult: nullable(oneOf(attemptResults)),
  reference: nullable(Type.String({ description: "The merchant's own reference of the order." })),
  metadata: Metadata,
  expiresAt: instant(),
  createdAt: instant(),
  updatedAt: instant(),
};

export const MerchantSession = component('MerchantSession', fields);
export type MerchantSession = Static<typeof MerchantSession>;

export const MerchantSessionDetails = component('MerchantSessionDetails', {
  ...fields,
  attempts: Type.Array(
    Type.Object({
      paymentId: uuid(),
      status: Type.String(),
      declineCode: nullable(Type.String()),
      failureCode: nullable(Type.String()),
      createdAt: instant(),
    }),
    { description: 'Every attempt to pay it, oldest first.' },
  ),
});
export type MerchantSessionDetails = Static<typeof MerchantSessionDetails>;

export const listMerchantSessions = row({
  spec: 'Additions §3, GET /v1/checkout-sessions',
  summary: 'Lists the checkout sessions of the last 30 days.',
  call: 'GET /v1/checkout-sessions',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: {
    id: uuid(),
    status: oneOf(sessionStatuses),
    email: textFilter('Compared without regard to letter case.'),
    userId: uuid(),
    reference: Type.String(),
    createdAt: givenInstant(),
  },
  answers: { 200: list(MerchantSession) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

export const getMerchantSession = row({
  spec: 'Additions §3, GET /v1/checkout-sessions/{sessionId}',
  summary: 'Reads one checkout session with every attempt to pay it.',
  call: 'GET /v1/checkout-sessions/{sessionId}',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: Type.Object({ sessionId: uuid() }) },
  answers: { 200: MerchantSessionDetails },
  refuses: ['invalid_request', 'checkout_session_not_found', 'insufficient_scope'],
  emits: [],
});

export const expireMerchantSession = row({
  spec: 'Additions §3, POST /v1/checkout-sessions/{sessionId}/expire',
  summary: 'Ends an open checkout session before its time; repeatable.',
  call: 'POST /v1/checkout-sessions/{sessionId}/expire',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'checkout.write',
  limit: 'client',
  input: { path: Type.Object({ sessionId: uuid() }) },
  answers: { 200: MerchantSession },
  refuses: [
    'invalid_request',
    'checkout_session_not_found',
    'checkout_session_completed',
    'checkout_session_data_attachment_required',
    'checkout_attempt_in_progress',
    'gateway_outcome_unknown',
    'insufficient_scope',
  ],
  emits: ['checkout.session.expired', 'payment.failed'],
});

export const updateMerchantSession = row({
  spec: 'Contract §3, PATCH /v1/checkout-sessions/{sessionId}',
  summary: 'Changes the cart, the metadata or the end of an open checkout session.',
  call: 'PATCH /v1/checkout-sessions/{sessionId}',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'checkout.write',
  limit: 'client',
  input: {
    path: Type.Object({ sessionId: uuid() }),
    body: input({
      products: Type.Optional(sessionLines()),
      couponCodes: Type.Optional(couponCodes()),
      metadata: Type.Optional(Metadata),
      expiresAt: Type.Optional(givenInstant('30 minutes to 24 hours ahead.')),
    }),
  },
  answers: { 200: MerchantSession },
  refuses: [
    'invalid_request',
    'checkout_session_not_found',
    'checkout_session_is_setup',
    'checkout_session_completed',
    'checkout_session_expired',
    'checkout_session_data_attachment_required',
    'checkout_attempt_in_progress',
    'gateway_outcome_unknown',
    'invalid_catalog_data',
    'amount_precision',
    'capture_method_not_supported',
    'buyer_not_verified',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [
    'payment.failed',
    'payment.authorized',
    'item.purchased',
    'payment.succeeded',
    'checkout.session.completed',
  ],
});
