// Ends an attempt, or the whole session. Contract §3, Decline.

import { Type } from 'typebox';
import { row } from '../rows/row.ts';
import { input, oneOf, uuid } from '../rows/schema.ts';
import { CheckoutSessionStatus, SessionIdShort } from './checkout-sessions-parts.ts';

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
  permission: null,
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
