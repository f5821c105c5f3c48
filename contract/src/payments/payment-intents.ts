// Payment intents: the buyer's page confirms them directly with the provider. Spec: Checkout endpoints,
// intents. Contract §3, Intents.

import { Type } from 'typebox';
import { row } from '../rows/row.ts';
import { amount, component, currency, email, input, oneOf, uuid } from '../rows/schema.ts';
import { captureMethods } from './payments.ts';

export const PaymentIntent = component('PaymentIntent', {
  data: Type.Object({
    intentId: Type.String(),
    clientSecret: Type.String({ description: "For the provider's own code in the page." }),
    provider: oneOf(['cardprovider']),
    publishableKey: Type.String(),
    status: oneOf([
      'requires_payment_method',
      'requires_confirmation',
      'requires_action',
      'processing',
    ]),
    amount: amount('The total of the cart.'),
    currency: currency(),
    captureMethod: oneOf(captureMethods),
    paymentId: uuid(),
  }),
});

/** The id of a saved card, or a kind of payment method. */
const PaymentMethod = Type.String({
  pattern:
    '^(?:card|google_pay|apple_pay|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$',
});

export const createPaymentIntent = row({
  spec: 'Checkout sessions, POST /v1/checkouts/payments/intents',
  summary: "Opens the session's one payment intent, or returns it again.",
  call: 'POST /v1/checkouts/payments/intents',
  auth: 'session',
  scope: null,
  permission: null,
  limit: 'process',
  browser: true,
  input: {
    body: input({
      sessionId: uuid({ 'x-code': 'checkout_session_not_found' }),
      email: email(),
      paymentMethod: PaymentMethod,
      isWallet: Type.Optional(oneOf(['true'], "'true' for wallet payments.")),
      saveForLater: Type.Optional(
        Type.Boolean({ description: 'Saves the payment method for later, as in process.' }),
      ),
    }),
  },
  answers: { 200: PaymentIntent },
  refuses: [
    'checkout_session_not_found',
    'checkout_session_is_setup',
    'checkout_session_data_attachment_required',
    'email_mismatch',
    'buyer_not_verified',
    'payment_method_not_found',
    'capture_method_not_supported',
    'amount_not_supported',
    'checkout_session_completed',
    'checkout_session_expired',
    'checkout_attempt_in_progress',
    'coupon_exhausted',
    'coupon_inactive',
    'subscription_exists',
    'gateway_outcome_unknown',
    'gateway_refused',
    'gateway_unavailable',
  ],
  emits: [],
});
