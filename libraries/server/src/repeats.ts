// Which calls are repeated when it is not known whether the first attempt arrived. Spec: Payments,
// idempotency rules. The service recognises only a few POST calls by their key. Repeating another one could
// do harm: it would create a second secret or endpoint, while the first one's response is lost.

import type { Calls } from './contract-types.ts';

/** The service returns the stored response of these calls for a repeated Idempotency-Key. */
export const keyedPosts = [
  'POST /v1/payments/{paymentId}/refunds',
  'POST /v1/payments/{paymentId}/refund-requests',
  'POST /v1/checkouts/sessions',
  'POST /v1/checkouts/sessions/setup',
  'POST /v1/customers',
  'POST /v1/customers/{customerId}/page-links',
  'POST /v1/products',
  'POST /v1/coupons',
  'POST /v1/notes',
  'POST /v1/invitations',
] as const satisfies readonly (keyof Calls)[];

/** Sending one of these twice changes nothing more. */
const harmlessPosts = [
  'POST /v1/checkout-sessions/{sessionId}/expire',
  'POST /v1/customers/{customerId}/forget',
  'POST /v1/export-schedules',
  'POST /v1/subscriptions/{subscriptionId}/cancel',
  'POST /v1/subscriptions/{subscriptionId}/resume',
  'POST /v1/refund-requests/{refundRequestId}/approve',
  'POST /v1/refund-requests/{refundRequestId}/decline',
] as const satisfies readonly (keyof Calls)[];

const paths = [...keyedPosts, ...harmlessPosts].map((call) => {
  const [, path = ''] = call.split(' ');
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
});

/**
 * Returns true when sending the call twice has the effect of once: reads, updates, deletions, and the POST
 * calls above. `path` begins with /v1/ and may have a query.
 */
export function isRepeatable(method: string, path: string): boolean {
  if (method !== 'POST') return true;
  const [pathname = ''] = path.split('?');
  return paths.some((known) => known.test(pathname));
}
