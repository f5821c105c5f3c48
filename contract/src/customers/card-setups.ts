// Saving a card without a charge. Spec: POST /v1/checkouts/sessions/setup, setup-intents. Contract §3.

import { type Static, Type } from 'typebox';
import { CreatedCheckoutSession } from '../checkout-sessions/checkout-sessions.ts';
import { SessionIdShort } from '../checkout-sessions/checkout-sessions-parts.ts';
import { row } from '../rows/row.ts';
import { component, email, input, instant, nullable, oneOf, text, uuid } from '../rows/schema.ts';

export const createSetupSession = row({
  spec: 'Checkout sessions, POST /v1/checkouts/sessions/setup',
  summary: "Opens a session that saves a customer's card without charging it.",
  call: 'POST /v1/checkouts/sessions/setup',
  auth: 'server',
  scope: 'payment_methods:write',
  permission: 'cards.add',
  limit: 'client',
  createsOnce: true,
  input: {
    body: input({
      userId: uuid({ description: 'A customer of yours.' }),
      successUrl: Type.Optional(text(2048)),
      cancelUrl: Type.Optional(text(2048)),
    }),
  },
  answers: { 201: CreatedCheckoutSession },
  refuses: [
    'customer_not_found',
    'customer_forgotten',
    'invalid_request',
    'gateway_not_configured',
    'gateway_refused',
    'gateway_unavailable',
    'insufficient_scope',
  ],
  emits: [],
});

/**
 * The result for a card that was sent. `paymentMethodId` is set only once the provider has verified the
 * card.
 */
export const SetupAnswer = Type.Object(
  {
    type: oneOf(['success', 'processing', '3ds_required']),
    sessionId: uuid(),
    paymentMethodId: nullable(uuid()),
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
  { 'x-name': 'SetupAnswer' },
);
export type SetupAnswer = Static<typeof SetupAnswer>;

export const submitCardSetup = row({
  spec: 'Contract §4, card setup',
  summary: 'Submits the card of the hosted form to a setup session; repeat the call after 3DS.',
  call: 'POST /v1/checkouts/sessions/{sessionId}/card-setup',
  auth: 'session',
  scope: null,
  permission: null,
  limit: 'process',
  browser: true,
  input: {
    path: SessionIdShort,
    body: input({
      token: text(500, { description: 'The single-use token of the hosted card form.' }),
      chv: Type.Optional(
        text(4096, { description: 'Result of a challenge, when the call is repeated after it.' }),
      ),
    }),
  },
  answers: { 200: SetupAnswer, 202: SetupAnswer },
  refuses: [
    'checkout_session_not_found',
    'checkout_session_not_setup',
    'checkout_session_expired',
    'checkout_session_completed',
    'checkout_attempt_in_progress',
    'card_declined',
    'provider_method_not_usable',
    'gateway_outcome_unknown',
    'gateway_not_configured',
    'gateway_refused',
    'gateway_unavailable',
    'invalid_request',
  ],
  emits: ['payment_method.activated', 'checkout.session.completed'],
});

export const setupIntentTypes = [
  'card',
  'google_pay',
  'apple_pay',
  'wallet_express_checkout',
] as const;

export const SetupIntent = component('SetupIntent', {
  data: Type.Object({
    setupIntentId: Type.String(),
    clientSecret: Type.String({ description: "For the provider's own code in the page." }),
    provider: oneOf(['cardprovider']),
    publishableKey: Type.String(),
    status: oneOf(['requires_payment_method', 'requires_action', 'processing', 'succeeded']),
  }),
});

export const createSetupIntent = row({
  spec: 'Checkout sessions, POST /v1/checkouts/payments/setup-intents',
  summary: "Opens the session's one setup intent, or returns it again.",
  call: 'POST /v1/checkouts/payments/setup-intents',
  auth: 'session',
  scope: null,
  permission: null,
  limit: 'process',
  browser: true,
  input: {
    body: input({
      sessionId: uuid({ 'x-code': 'checkout_session_not_found' }),
      email: email(),
      paymentMethodType: oneOf(setupIntentTypes),
    }),
  },
  answers: { 200: SetupIntent },
  refuses: [
    'checkout_session_not_found',
    'checkout_session_data_attachment_required',
    'email_mismatch',
    'buyer_not_verified',
    'checkout_session_completed',
    'checkout_session_expired',
    'checkout_attempt_in_progress',
    'gateway_outcome_unknown',
    'gateway_not_configured',
    'gateway_refused',
    'gateway_unavailable',
    'invalid_request',
  ],
  emits: ['payment_method.activated', 'checkout.session.completed'],
});
