// Checkout sessions. Spec: Checkout session, Checkout endpoints. Contract §3, §4.

import { type Static, Type } from 'typebox';
import { intervals } from './catalog.ts';
import {
  AccountData,
  type AttemptResult,
  attemptResults,
  SessionIdShort,
  sessionStatuses,
} from './checkout-sessions-parts.ts';
import { captureMethods } from './payments.ts';
import { row } from './row.ts';
import {
  amount,
  component,
  currency,
  input,
  instant,
  Metadata,
  nullable,
  oneOf,
  text,
  uuid,
} from './schema.ts';

const Attempt = Type.Unsafe<{
  id: string;
  result: AttemptResult;
  declineCode: string | null;
  createdAt: string;
} | null>({
  type: ['object', 'null'],
  properties: {
    id: { type: 'string' },
    result: { type: 'string', enum: [...attemptResults] },
    declineCode: { type: ['string', 'null'] },
    createdAt: { type: 'string' },
  },
  required: ['id', 'result', 'declineCode', 'createdAt'],
});

const Line = Type.Object({
  code: Type.String(),
  name: Type.String(),
  quantity: Type.Integer(),
  totalAmount: amount('Unit price times quantity, before discounts.'),
  overrideAmount: nullable(amount('Set by the merchant in place of totalAmount.')),
  currency: currency(),
  interval: nullable(oneOf(intervals, 'How often a subscription renews; null for items.')),
});

const Totals = Type.Unsafe<{
  subtotal: number;
  discount: number;
  total: number;
  currency: string;
} | null>({
  type: ['object', 'null'],
  properties: {
    subtotal: { type: 'number' },
    discount: { type: 'number' },
    total: { type: 'number' },
    currency: { type: 'string' },
  },
  required: ['subtotal', 'discount', 'total', 'currency'],
});

const Vault = Type.Unsafe<{
  formUrl: string;
  formOrigin: string;
  mountToken: string;
  expiresAt: string;
  fields: string[];
} | null>({
  type: ['object', 'null'],
  description: 'Opens the hosted card form.',
  properties: {
    formUrl: { type: 'string' },
    formOrigin: { type: 'string' },
    mountToken: { type: 'string' },
    expiresAt: { type: 'string' },
    fields: { type: 'array', items: { type: 'string' } },
  },
  required: ['formUrl', 'formOrigin', 'mountToken', 'expiresAt', 'fields'],
});

const Gateways = Type.Object({
  cardprovider: Type.Optional(
    Type.Object({ publishableKey: Type.String(), accountId: Type.String() }),
  ),
  wallet: Type.Optional(
    Type.Object(
      {
        clientId: Type.String({ description: "The merchant's app at the wallet." }),
        orderId: Type.String({
          description: 'The order to have approved; then the token of process.',
        }),
      },
      { description: 'Only where a wallet pays the session, and answers.' },
    ),
  ),
});

const whenRead = (description: string) =>
  nullable(Type.Boolean({ description: `${description}; null in other answers.` }));

const sessionProperties = {
  id: uuid(),
  uuid: uuid({ description: 'The same as id.' }),
  object: oneOf(['checkout.session']),
  status: oneOf(sessionStatuses),
  checkoutMode: oneOf(['payment', 'setup']),
  captureMethod: oneOf(captureMethods),
  currency: nullable(currency()),
  account: Type.Object({ country: nullable(Type.String()) }),
  accountData: Type.Unsafe<{ userId: string; email: string } | null>({
    type: ['object', 'null'],
    properties: { userId: { type: 'string' }, email: { type: 'string' } },
    required: ['userId', 'email'],
  }),
  buyerVerified: Type.Boolean({
    description: 'Whether the merchant vouched for the buyer, who may then use saved cards.',
  }),
  products: Type.Array(Line),
  couponCodes: Type.Array(Type.String()),
  couponsAccepted: whenRead('Whether the merchant has active coupons'),
  cardsAccepted: whenRead('False once too many cards were declined, and no other is taken'),
  totals: Totals,
  gateways: Gateways,
  vault: Vault,
  url: nullable(
    Type.String({
      description: 'Hosted checkout page; in the create answer only.',
    }),
  ),
  successUrl: nullable(Type.String()),
  cancelUrl: nullable(Type.String()),
  paymentId: nullable(uuid()),
  authorizationExpiresAt: nullable(instant()),
  latestTransactionAttempt: Attempt,
  metadata: Metadata,
  expiresAt: instant(),
  createdAt: instant(),
};

export const CheckoutSession = component('CheckoutSession', sessionProperties);
export type CheckoutSession = Static<typeof CheckoutSession>;

export const CreatedCheckoutSession = component('CreatedCheckoutSession', {
  ...sessionProperties,
  nonce: Type.String({
    description: 'Authenticates every later call, as header x-checkout-session-token.',
  }),
});
export type CreatedCheckoutSession = Static<typeof CreatedCheckoutSession>;

export const CheckoutSessionStatus = component('CheckoutSessionStatus', {
  data: Type.Object({
    uuid: uuid(),
    status: oneOf(sessionStatuses),
    paymentId: nullable(uuid()),
    paymentMethodId: nullable(uuid({ description: 'Of a setup session, once verified.' })),
    authorizationExpiresAt: nullable(instant()),
    latestTransactionAttempt: Attempt,
  }),
});
export type CheckoutSessionStatus = Static<typeof CheckoutSessionStatus>;

const Account = input({
  userId: Type.Optional(uuid()),
  email: Type.Optional(text(320, { format: 'email' })),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
});

const SessionLine = input({
  code: text(100),
  quantity: Type.Integer({ minimum: 1, maximum: 10_000 }),
  totalAmount: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1e12,
      description: 'Must equal the catalog price.',
    }),
  ),
  currency: Type.Optional(currency()),
  name: Type.Optional(nullable(Type.String({ maxLength: 250 }))),
  overrideAmount: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1e12 }))),
});

const cart = {
  products: Type.Array(SessionLine, { minItems: 1, maxItems: 100 }),
  couponCodes: Type.Optional(Type.Array(text(100), { maxItems: 20 })),
  captureMethod: Type.Optional(oneOf(captureMethods)),
  successUrl: Type.Optional(text(2048)),
  cancelUrl: Type.Optional(text(2048)),
  expiresAt: Type.Optional(instant('30 minutes to 24 hours ahead; absent: 24 hours.')),
};

export const CreateCheckoutSession = input({
  clientId: uuid(),
  currency: Type.Optional(currency()),
  ...cart,
  accountData: Type.Optional(AccountData),
  account: Type.Optional(Account),
  deferDataAttachment: Type.Optional(
    Type.Unsafe<false>({
      const: false,
      description: 'false: the one-shot create.',
    }),
  ),
  metadata: Type.Optional(Metadata),
});
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>;

/** The only fields that a shell takes. */
export const shellFields = ['clientId', 'currency', 'account', 'deferDataAttachment'] as const;

const { deferDataAttachment: _, products, ...oneShot } = CreateCheckoutSession.properties;

/** Both kinds of create in one object: a shell names no products, a one-shot create must. */
const CreateBody = input(
  {
    ...oneShot,
    products: Type.Optional(products),
    deferDataAttachment: Type.Optional(
      Type.Boolean({
        description:
          'true: a shell of clientId, currency and account.country; the claim brings the rest.',
      }),
    ),
  },
  {
    if: {
      properties: { deferDataAttachment: { const: true } },
      required: ['deferDataAttachment'],
    },
    else: { required: ['products'] },
  },
);
/** What create takes: a whole session, or a shell. */
export type CreateBody = Static<typeof CreateBody>;

export const createCheckoutSession = row({
  spec: 'Checkout sessions, POST /v1/checkouts/sessions',
  summary: 'Creates a checkout session from cart and buyer, or a shell that is claimed later.',
  call: 'POST /v1/checkouts/sessions',
  auth: 'anyone',
  scope: 'checkout:write',
  limit: 'session-create',
  browser: true,
  input: { body: CreateBody },
  answers: { 201: CreatedCheckoutSession, 204: null },
  refuses: [
    'client_not_found',
    'currency_required',
    'invalid_catalog_data',
    'amount_precision',
    'capture_method_not_supported',
    'invalid_request',
    'insufficient_scope',
    'gateway_unavailable',
  ],
  emits: [],
});

const SessionId = Type.Object({
  checkoutSessionId: uuid({ 'x-code': 'checkout_session_not_found' }),
});

export const getCheckoutSession = row({
  spec: 'Checkout sessions, GET /v1/checkouts/sessions/{checkoutSessionId}',
  summary: 'Reads the session, with a fresh mount token for the card form.',
  call: 'GET /v1/checkouts/sessions/{checkoutSessionId}',
  auth: 'session',
  scope: null,
  limit: 'session',
  browser: true,
  input: { path: SessionId },
  answers: { 200: CheckoutSession },
  refuses: ['checkout_session_not_found'],
  emits: [],
});

export const getCheckoutSessionStatus = row({
  spec: 'Checkout sessions, GET /v1/checkouts/sessions/{sessionId}/status',
  summary: 'Reads where the session stands; waits for a change when asked to.',
  call: 'GET /v1/checkouts/sessions/{sessionId}/status',
  auth: 'session',
  scope: null,
  limit: 'session',
  browser: true,
  input: {
    path: SessionIdShort,
    query: Type.Object(
      {
        wait: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 25,
            description: 'Seconds to wait for a change of status.',
            'x-code': 'invalid_query',
          }),
        ),
      },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  answers: { 200: CheckoutSessionStatus },
  refuses: ['checkout_session_not_found', 'invalid_query'],
  emits: [],
});

export const ClaimCheckoutSession = input({
  currency: currency({ description: 'The currency of the shell.' }),
  ...cart,
  accountData: AccountData,
});
export type ClaimCheckoutSession = Static<typeof ClaimCheckoutSession>;

export const claimCheckoutSession = row({
  spec: 'Checkout sessions, PATCH /v1/checkouts/sessions/{checkoutSessionId}/claim',
  summary:
    'Attaches cart and buyer to a shell, once; the same body again answers the same session.',
  call: 'PATCH /v1/checkouts/sessions/{checkoutSessionId}/claim',
  auth: 'session',
  scope: null,
  limit: 'session',
  browser: true,
  input: { path: SessionId, body: ClaimCheckoutSession },
  answers: { 200: CheckoutSession },
  refuses: [
    'checkout_session_not_found',
    'checkout_session_already_claimed',
    'checkout_session_expired',
    'currency_mismatch',
    'invalid_catalog_data',
    'amount_precision',
    'capture_method_not_supported',
    'invalid_request',
  ],
  emits: [],
});

const declineReasons = [
  'buyer_canceled',
  'wallet_canceled',
  'authentication_abandoned',
  'other',
] as const;

export const declineCheckoutSession = row({
  spec: 'Contract §3, Decline',
  summary: 'Ends an open attempt, or with buyer_canceled and other the whole session.',
  call: 'POST /v1/checkouts/sessions/{sessionId}/decline',
  auth: 'session',
  scope: null,
  limit: 'session',
  browser: true,
  input: {
    path: SessionIdShort,
    body: input({
      reason: oneOf(declineReasons),
      attemptId: Type.Optional(
        uuid({ description: 'Ends this attempt alone; the session stays open.' }),
      ),
    }),
  },
  answers: { 200: CheckoutSessionStatus },
  refuses: [
    'checkout_session_not_found',
    'checkout_session_data_attachment_required',
    'checkout_session_completed',
    'checkout_session_expired',
    'checkout_attempt_in_progress',
    'gateway_outcome_unknown',
  ],
  emits: [
    'payment.failed',
    'payment.authorized',
    'item.purchased',
    'payment.succeeded',
    'checkout.session.completed',
    'payment_method.activated',
  ],
});

export {
  type Advice,
  type AttemptResult,
  advices,
  type SessionStatus,
  sessionStatuses,
} from './checkout-sessions-parts.ts';
export {
  ProcessAnswer,
  ProcessBody,
  processCheckoutSession,
  processVaultCharge,
} from './checkout-sessions-process.ts';
