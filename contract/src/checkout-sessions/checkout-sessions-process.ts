// Pays a session. Spec: Checkout endpoints, process. Contract §3, Process; §4, vault charge.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { input, instant, nullable, oneOf, text, uuid } from '../rows/schema.ts';
import { AccountData, SessionIdShort } from './checkout-sessions-parts.ts';

const chv = Type.Optional(
  text(4096, { description: 'Result of a challenge, when the call is repeated after it.' }),
);

const saveForLater = Type.Optional(
  Type.Boolean({
    description: 'Saves the card once it has paid; only for a buyer that the merchant attached.',
  }),
);

/** Only the total that the buyer was shown is charged: another tab may have changed the coupons. */
const expectedTotal = Type.Optional(
  Type.Number({
    minimum: 0,
    description:
      'The total that the buyer was shown, `totals.total`. The call is refused when the session’s total differs.',
  }),
);

const savedCard = () => Type.Optional(uuid({ description: 'A saved card, in place of a token.' }));

const TokenizedData = input({
  provider: oneOf(['cardprovider', 'wallet']),
  type: oneOf(['card', 'google_pay', 'apple_pay', 'wallet']),
  token: Type.Optional(
    text(500, {
      description:
        'The single-use token of the hosted card form; for a wallet, the id of its order once there is one.',
    }),
  ),
  paymentMethodId: savedCard(),
  saveForLater,
});

export const ProcessBody = input({
  sessionId: uuid(),
  tokenizedData: Type.Optional(TokenizedData),
  accountData: AccountData,
  chv,
  expectedTotal,
});
export type ProcessBody = Static<typeof ProcessBody>;

export const ProcessAnswer = Type.Object(
  {
    type: oneOf(['success', 'processing', '3ds_required', 'wallet_redirect_required']),
    status: Type.Optional(oneOf(['succeeded', 'authorized', 'processing', 'unknown'])),
    sessionId: uuid(),
    paymentId: nullable(uuid({ description: 'Null for an order that cost nothing.' })),
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
    redirect: Type.Optional(
      Type.Object({
        url: Type.String({
          description: 'Where the buyer approves the payment. Call process again afterwards.',
        }),
        expiresAt: instant(),
      }),
    ),
  },
  { 'x-name': 'ProcessAnswer' },
);
export type ProcessAnswer = Static<typeof ProcessAnswer>;

const emits = [
  'payment.authorized',
  'item.purchased',
  'payment.succeeded',
  'payment.failed',
  'payment_method.activated',
  'checkout.session.completed',
  'subscription.created',
] as const;

const refuses = [
  'checkout_session_not_found',
  'checkout_session_is_setup',
  'checkout_session_expired',
  'checkout_attempt_in_progress',
  'coupon_exhausted',
  'coupon_inactive',
  'subscription_exists',
  'checkout_session_total_changed',
  'amount_not_supported',
  'card_declined',
  'provider_method_not_usable',
  'gateway_outcome_unknown',
  'gateway_not_configured',
  'gateway_refused',
  'gateway_unavailable',
  'invalid_request',
] as const;

export const processCheckoutSession = row({
  spec: 'Checkout sessions, POST /v1/checkouts/sessions/{sessionId}/process',
  summary: 'Pays the session with a card from the hosted form, a saved one, or a wallet.',
  call: 'POST /v1/checkouts/sessions/{sessionId}/process',
  auth: 'session',
  scope: null,
  permission: null,
  limit: 'process',
  browser: true,
  input: {
    path: SessionIdShort,
    headers: Type.Object({
      // 255 characters of up to four bytes, percent-encoded.
      'x-user-id': text(3060, {
        description:
          'The id that the session was made with, accountData.userId; percent-encoded where it is not printable ASCII.',
        'x-code': 'user_id_required',
      }),
    }),
    body: ProcessBody,
  },
  answers: { 200: ProcessAnswer, 202: ProcessAnswer },
  refuses: [
    ...refuses,
    'user_id_required',
    'checkout_session_data_attachment_required',
    'buyer_mismatch',
    'buyer_not_verified',
    'payment_method_not_found',
    'capture_method_not_supported',
  ],
  emits,
});

export const processVaultCharge = row({
  spec: 'Contract §4, vault charge',
  summary: 'Pays the session for its claimed buyer; the call waits while the claim is running.',
  call: 'POST /v1/checkouts/sessions/{sessionId}/vault-charge',
  auth: 'session',
  scope: null,
  permission: null,
  limit: 'process',
  browser: true,
  input: {
    path: SessionIdShort,
    body: input({
      token: Type.Optional(
        text(500, { description: 'The single-use token of the hosted card form.' }),
      ),
      paymentMethodId: savedCard(),
      saveForLater,
      chv,
      expectedTotal,
    }),
  },
  answers: { 200: ProcessAnswer, 202: ProcessAnswer },
  refuses: [
    ...refuses,
    'checkout_session_claim_pending',
    'buyer_not_verified',
    'payment_method_not_found',
  ],
  emits,
});
