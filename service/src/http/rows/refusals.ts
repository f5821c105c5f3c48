// The codes with which the API refuses calls of a row. The reference lists them; a test calls an undeclared one a bug.

import type { ErrorCode } from '@svc/contract/errors/errors';
import type { RowShape } from '@svc/contract/rows/row';
import { acceptsCredential } from '../access/authorise.ts';

/** Refusals of HTTP handling, which any row may give. Contract §1. */
export const commonRefusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'authentication_required',
  'body_too_large',
  'insufficient_scope',
  'internal_error',
  'invalid_body',
  'invalid_query',
  'invalid_request',
  'method_not_allowed',
  'rate_limited',
  'raw_card_data_forbidden',
  'route_not_found',
  'service_unavailable',
  'unsupported_media_type',
]);

/** Returns the codes of the row itself, and those of its credential. */
export function refusalsOf(row: RowShape): ReadonlySet<ErrorCode> {
  const codes = new Set(row.refuses);
  // A Bearer token or a sign-in may belong to a person who has left the merchant.
  if (acceptsCredential(row.auth, 'bearer')) codes.add('merchant_role_required');
  if (acceptsCredential(row.auth, 'browser'))
    codes.add('sign_in_required').add('second_factor_required');
  if (acceptsCredential(row.auth, 'browser') || acceptsCredential(row.auth, 'person'))
    codes.add('cross_site_request');
  if (row.auth === 'person') codes.add('sign_in_required').add('second_factor_required');
  if (row.asksRecentSignIn) codes.add('recent_sign_in_required');
  if (row.createsOnce) codes.add('idempotency_key_reused').add('idempotency_key_invalid');
  if (row.browser) codes.add('origin_not_allowed');
  if (row.auth === 'session') codes.add('checkout_session_token_required');
  if (row.ofMaker) codes.add('customer_page_limited');
  if (row.auth === 'customer-page') {
    codes.add('customer_page_token_required').add('customer_page_not_found');
  }
  return codes;
}
