// Checkout sessions. Spec: Checkout session, Checkout endpoints. Contract §3, §4.

import { type Static, Type } from 'typebox';
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

export const sessionStatuses = [
  'unclaimed',
  'open',
  'requires_action',
  'processing',
  'authorized',
  'completed',
  'canceled',
  'expired',
] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const attemptResults = [
  'PENDING',
  'REQUIRES_ACTION',
  'PROCESSING',
  'AUTHORIZED',
  'SUCCEEDED',
  'DECLINED',
  'CANCELED',
  'ERROR',
  'UNKNOWN',
] as const;
export type AttemptResult = (typeof attemptResults)[number];

/** What to tell the buyer after a decline. Contract §3. */
export const advices = ['try_again_later', 'confirm_card_data', 'do_not_try_again'] as const;
export type Advice = (typeof advices)[number];

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
  wallet: Type.Optional(Type.Object({ clientId: Type.String(), orderId: Type.String() })),
});

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
  products: Type.Array(Line),
  couponCodes: Type.Array(Type.String()),
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
    authorizationExpiresAt: nullable(instant()),
    latestTransactionAttempt: Attempt,
  }),
});
export type CheckoutSessionStatus = Static<typeof CheckoutSessionStatus>;

/** Buyer identity: proves nothing by itself. Contract §3, Buyer. */
const AccountData = input({
  userId: uuid(),
  email: text(320, { format: 'email' }),
});
const Account = input({
  userId: Type.Optional(uuid()),
  email: Type.Optional(text(320, { format: 'email' })),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
});

export const SessionLine = input({
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

export const CreateCheckoutSession = input({
  clientId: uuid(),
  captureMethod: Type.Optional(oneOf(captureMethods)),
  currency: Type.Optional(currency()),
  products: Type.Array(SessionLine, { minItems: 1, maxItems: 100 }),
  accountData: Type.Optional(AccountData),
  account: Type.Optional(Account),
  couponCodes: Type.Optional(Type.Array(text(100), { maxItems: 20 })),
  successUrl: Type.Optional(text(2048)),
  cancelUrl: Type.Optional(text(2048)),
  deferDataAttachment: Type.Optional(
    Type.Unsafe<false>({
      const: false,
      description: 'false: the one-shot create.',
    }),
  ),
  metadata: Type.Optional(Metadata),
});
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>;

export const createCheckoutSession = row({
  spec: 'Checkout sessions, POST /v1/checkouts/sessions',
  summary: 'Creates a checkout session from cart and buyer.',
  call: 'POST /v1/checkouts/sessions',
  auth: 'anyone',
  scope: 'checkout:write',
  limit: 'session-create',
  browser: true,
  input: { body: CreateCheckoutSession },
  answers: { 201: CreatedCheckoutSession },
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

const SessionIdShort = Type.Object({
  sessionId: uuid({ 'x-code': 'checkout_session_not_found' }),
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

export const ProcessBody = input({
  sessionId: uuid(),
  tokenizedData: input({
    provider: oneOf(['cardprovider']),
    type: oneOf(['card']),
    token: text(500, {
      description: 'The single-use token of the hosted card form.',
    }),
  }),
  accountData: AccountData,
  chv: Type.Optional(text(4096)),
});

export const ProcessAnswer = Type.Object(
  {
    type: oneOf(['success', 'processing', '3ds_required']),
    status: Type.Optional(oneOf(['succeeded', 'authorized', 'processing', 'unknown'])),
    sessionId: uuid(),
    paymentId: uuid(),
    authorizationExpiresAt: Type.Optional(nullable(instant())),
    redirectUrl: Type.Optional(nullable(Type.String())),
    challenge: Type.Optional(
      Type.Object({
        kind: oneOf(['redirect', 'sdk']),
        url: nullable(Type.String()),
        clientSecret: nullable(Type.String()),
        returnUrl: Type.String(),
        expiresAt: instant(),
      }),
    ),
  },
  { 'x-name': 'ProcessAnswer' },
);
export type ProcessAnswer = Static<typeof ProcessAnswer>;

export const processCheckoutSession = row({
  spec: 'Checkout sessions, POST /v1/checkouts/sessions/{sessionId}/process',
  summary: 'Pays the session with a card from the hosted form.',
  call: 'POST /v1/checkouts/sessions/{sessionId}/process',
  auth: 'session',
  scope: null,
  limit: 'process',
  browser: true,
  input: {
    path: SessionIdShort,
    headers: Type.Object({
      'x-user-id': uuid({ 'x-code': 'user_id_required' }),
    }),
    body: ProcessBody,
  },
  answers: { 200: ProcessAnswer, 202: ProcessAnswer },
  refuses: [
    'checkout_session_not_found',
    'user_id_required',
    'checkout_session_data_attachment_required',
    'checkout_session_is_setup',
    'checkout_session_expired',
    'checkout_attempt_in_progress',
    'buyer_mismatch',
    'card_declined',
    'gateway_outcome_unknown',
    'gateway_unavailable',
    'invalid_request',
  ],
  emits: [
    'payment.authorized',
    'item.purchased',
    'payment.succeeded',
    'payment.failed',
    'checkout.session.completed',
  ],
});
