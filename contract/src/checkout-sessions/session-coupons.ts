// Changes the buyer's coupons on an existing session. Contract §3, §8.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { input, text, uuid } from '../rows/schema.ts';
import { CheckoutSession } from './checkout-sessions.ts';

const SessionCoupons = input({
  couponCodes: Type.Array(text(100), {
    maxItems: 20,
    description: 'The codes that replace those of the session; an empty list removes them all.',
  }),
});
export type SessionCoupons = Static<typeof SessionCoupons>;

export const updateSessionCoupons = row({
  spec: 'Contract §8',
  summary: 'Changes the coupons of an open session and recalculates its totals.',
  call: 'PATCH /v1/checkouts/sessions/{checkoutSessionId}/coupons',
  auth: 'session',
  scope: null,
  permission: null,
  // Codes can be guessed here as well as at create, so both draw on one budget.
  limit: 'session-create',
  browser: true,
  input: {
    path: Type.Object({ checkoutSessionId: uuid({ 'x-code': 'checkout_session_not_found' }) }),
    body: SessionCoupons,
  },
  answers: { 200: CheckoutSession },
  refuses: [
    'checkout_session_not_found',
    'checkout_session_is_setup',
    'checkout_session_data_attachment_required',
    'checkout_session_completed',
    'checkout_session_expired',
    'checkout_attempt_in_progress',
    'gateway_outcome_unknown',
    'coupons_not_accepted',
    'invalid_catalog_data',
    'amount_precision',
  ],
  emits: [
    'payment.failed',
    'payment.authorized',
    'item.purchased',
    'payment.succeeded',
    'checkout.session.completed',
  ],
});
