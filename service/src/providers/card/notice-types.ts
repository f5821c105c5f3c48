// The types of events that a webhook endpoint at the card provider has to send. Without `charge.succeeded` and
// `charge.captured`, which are read where they come: the provider sends them beside the events of the intent, which
// tell the same, and each notice costs a request and two statements.

import type Stripe from 'stripe';

export const noticeTypes = [
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.updated',
  'charge.expired',
  'charge.failed',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.succeeded',
  'payment_method.automatically_updated',
  'payment_method.detached',
  'payment_method.updated',
  'radar.early_fraud_warning.created',
  'radar.early_fraud_warning.updated',
  'refund.created',
  'refund.failed',
  'refund.updated',
  'review.closed',
  'review.opened',
  'setup_intent.canceled',
  'setup_intent.setup_failed',
  'setup_intent.succeeded',
] as const satisfies readonly Stripe.WebhookEndpointCreateParams.EnabledEvent[];
