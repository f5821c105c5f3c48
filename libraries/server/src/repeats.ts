// Which calls are sent again when nobody knows whether the first one arrived. Spec: Payments,
// idempotency rules. Of what is a POST the service knows few again by their key; another secret, or
// another endpoint, made by a repeat would harm: the answer with the first one is lost.

import type { Calls } from './contract-types.ts';

/** The service answers these from what it kept under their Idempotency-Key. */
export const keyedPosts = [
  'POST /v1/payments/{paymentId}/refunds',
] as const satisfies readonly (keyof Calls)[];

/**
 * Sent twice they leave nothing but a session or link that nobody holds and that runs out; an order that
 * a create completes at once is known again by its Idempotency-Key.
 */
const harmlessPosts = [
  'POST /v1/checkouts/sessions',
  'POST /v1/checkouts/sessions/setup',
  'POST /v1/customers/{customerId}/page-links',
  'POST /v1/subscriptions/{subscriptionId}/cancel',
] as const satisfies readonly (keyof Calls)[];

const paths = [...keyedPosts, ...harmlessPosts].map((call) => {
  const [, path = ''] = call.split(' ');
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
});

/**
 * True where the same call twice does what one does: reading, setting values, deleting, and the POST
 * calls above. `path` begins with /v1/ and may have a query.
 */
export function isRepeatable(method: string, path: string): boolean {
  if (method !== 'POST') return true;
  const [pathname = ''] = path.split('?');
  return paths.some((known) => known.test(pathname));
}
