// Checkout sessions. Spec: Checkout session, Checkout endpoints. Contract §3, §4.

import { type Static, Type } from 'typebox';
import { captureMethods } from '../payments/payments.ts';
import { row } from '../rows/row.ts';
import {
  buyerId,
  component,
  currency,
  email,
  externalId,
  givenExternalId,
  givenInstant,
  input,
  instant,
  Metadata,
  nullable,
  oneOf,
  text,
  uuid,
} from '../rows/schema.ts';
import {
  Attempt,
  CheckoutSessionStatus,
  cartVersion,
  guest,
  Merchant,
  NewBuyer,
  SessionIdShort,
  sessionStatuses,
} from './checkout-sessions-parts.ts';
import { couponCodes, Line, sessionLines, Totals } from './session-lines.ts';

const Vault = Type.Unsafe<{
  formUrl: string;
  formOrigin: string;
  mountToken: string;
  expiresAt: string;
  fields: string[];
} | null>({
  type: ['object', 'null'],
  description: 'The values with which a page opens the hosted card form.',
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
          description:
            'The wallet’s order that the buyer approves; afterwards it is the `token` of process.',
        }),
      },
      {
        description:
          'Present only if a wallet can pay the session and the wallet’s service answers.',
      },
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
  accountData: Type.Unsafe<{ userId: string; externalId: string | null; email: string } | null>({
    type: ['object', 'null'],
    properties: {
      userId: uuid(),
      externalId: externalId(),
      email: { type: 'string' },
    },
    required: ['userId', 'externalId', 'email'],
  }),
  buyerVerified: Type.Boolean({
    description: 'Whether the merchant vouched for the buyer, who may then use saved cards.',
  }),
  guest: Type.Boolean({ description: 'Whether the buyer is a guest, without saved cards.' }),
  products: Type.Array(Line),
  couponCodes: Type.Array(Type.String()),
  couponsAccepted: whenRead('Whether the merchant has active coupons that the buyer may use'),
  couponsByMerchantOnly: Type.Boolean({
    description: 'True where only the merchant changes the coupons.',
  }),
  cardsAccepted: whenRead(
    'False once too many cards were declined: the session then accepts no other card',
  ),
  cancelOnPage: whenRead("Whether buyers end their subscriptions on the customer's page"),
  subscriptionExists: whenRead(
    'True where the buyer has a subscription of the cart already: no payment begins',
  ),
  merchant: Type.Unsafe<Merchant | null>({
    type: ['object', 'null'],
    description: 'The merchant as a page shows it; null in the responses of calls other than GET.',
    properties: Merchant.properties,
    required: Object.keys(Merchant.properties),
  }),
  totals: Totals,
  cartVersion: cartVersion(),
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
  reference: nullable(Type.String({ description: "The merchant's own reference of the order." })),
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

const Account = input({
  userId: Type.Optional(buyerId()),
  externalId: givenExternalId(),
  email: Type.Optional(email()),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  guest: guest(),
});

const cart = {
  products: sessionLines(),
  couponCodes: Type.Optional(couponCodes()),
  captureMethod: Type.Optional(oneOf(captureMethods)),
  successUrl: Type.Optional(text(2048)),
  cancelUrl: Type.Optional(text(2048)),
  expiresAt: Type.Optional(givenInstant('30 minutes to 24 hours ahead; absent: 24 hours.')),
  allowSecondSubscription: Type.Optional(
    Type.Boolean({
      description:
        "Lets a buyer who already has a subscription of the cart buy it again; only with the merchant's credential.",
    }),
  ),
};

export const CreateCheckoutSession = input({
  clientId: uuid(),
  currency: Type.Optional(currency()),
  ...cart,
  accountData: Type.Optional(NewBuyer),
  account: Type.Optional(Account),
  deferDataAttachment: Type.Optional(
    Type.Unsafe<false>({
      const: false,
      description: 'false: the one-shot create.',
    }),
  ),
  metadata: Type.Optional(Metadata),
  reference: Type.Optional(
    text(255, {
      description:
        "Your own reference of the order, with the merchant's credential: one session with it is open at a time, and none is created while a payment of it is held, taken or in doubt, or once its order cost nothing and is completed.",
    }),
  ),
  couponsAccepted: Type.Optional(
    Type.Unsafe<false>({
      const: false,
      description:
        "false: only you change the coupons, with the merchant's credential. So it is where a price is your own.",
    }),
  ),
  replaces: Type.Optional(
    Type.Boolean({
      description: 'true: ends the open session with the same reference, in place of 409.',
    }),
  ),
});
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>;

const { deferDataAttachment: _, products, ...oneShot } = CreateCheckoutSession.properties;

/** The bodies of both kinds of create in one schema: a shell names no products, a one-shot create must. */
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
    // Other fields belong to the claim: create neither checks nor stores them. Spec: Checkout sessions,
    // POST.
    'x-light': {
      field: 'deferDataAttachment',
      keeps: { clientId: true, currency: true, account: ['country'], deferDataAttachment: true },
    },
    if: {
      properties: { deferDataAttachment: { const: true } },
      required: ['deferDataAttachment'],
    },
    else: { required: ['products'] },
  },
);
/** The body of create: a whole session, or a shell. */
export type CreateBody = Static<typeof CreateBody>;

export const createCheckoutSession = row({
  spec: 'Checkout sessions, POST /v1/checkouts/sessions',
  summary: 'Creates a checkout session from cart and buyer, or a shell that is claimed later.',
  call: 'POST /v1/checkouts/sessions',
  auth: 'anyone',
  scope: 'checkout:write',
  permission: 'checkout.write',
  limit: 'session-create',
  createsOnce: true,
  browser: true,
  input: { body: CreateBody },
  answers: { 201: CreatedCheckoutSession, 204: null },
  refuses: [
    'client_not_found',
    'checkout_session_reference_taken',
    'checkout_attempt_in_progress',
    'merchant_credential_required',
    'buyer_mismatch',
    'customer_forgotten',
    'buyer_not_verified',
    'subscription_exists',
    'currency_required',
    'invalid_catalog_data',
    'amount_precision',
    'capture_method_not_supported',
    'invalid_request',
    'insufficient_scope',
    'gateway_not_configured',
    'gateway_refused',
    'gateway_unavailable',
  ],
  emits: [
    'checkout.session.completed',
    'checkout.session.expired',
    'item.purchased',
    'subscription.created',
  ],
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
  permission: null,
  limit: 'session-read',
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
  permission: null,
  limit: 'session-read',
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
  accountData: NewBuyer,
});
export type ClaimCheckoutSession = Static<typeof ClaimCheckoutSession>;

export const claimCheckoutSession = row({
  spec: 'Checkout sessions, PATCH /v1/checkouts/sessions/{checkoutSessionId}/claim',
  summary:
    'Attaches cart and buyer to a shell, once; the same body again answers the same session.',
  call: 'PATCH /v1/checkouts/sessions/{checkoutSessionId}/claim',
  auth: 'session',
  vouches: true,
  scope: null,
  permission: null,
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
    'merchant_credential_required',
    'buyer_mismatch',
    'customer_forgotten',
    'buyer_not_verified',
  ],
  emits: [],
});

export { declineCheckoutSession } from './checkout-sessions-decline.ts';
export {
  type Advice,
  type AttemptResult,
  advices,
  CheckoutSessionStatus,
  type SessionStatus,
  sessionStatuses,
} from './checkout-sessions-parts.ts';
export {
  ProcessAnswer,
  ProcessBody,
  processCheckoutSession,
  processVaultCharge,
} from './checkout-sessions-process.ts';
