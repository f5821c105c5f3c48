// Every failure that the service returns, in one table. Contract §1.

import { dashboardErrors } from './errors-dashboard.ts';
import { peopleErrors } from './errors-people.ts';
import { refundErrors } from './errors-refunds.ts';
import { sessionErrors } from './errors-sessions.ts';

type Entry = {
  readonly status: number;
  /** What happened and what to do, one or two sentences. */
  readonly message: string;
  /** True when the same request may succeed later without a change. */
  readonly retryable?: true;
  /** Seconds for the `Retry-After` header. */
  readonly retryAfter?: number;
  /**
   * True where the service refuses a move of money only after it has looked up the idempotency key, or the
   * refund request under its lock: this call, and any earlier one with the key, has moved nothing.
   */
  readonly isAfterKey?: true;
  /** True where the specification gives no code: `code` is null then, and only we use the name. */
  readonly isUnnamed?: true;
};

export const errors = {
  invalid_payment_id: { status: 400, message: 'The payment id is not a UUID.' },
  idempotency_key_required: {
    status: 400,
    message: 'Send an Idempotency-Key header, one stable key per logical operation.',
  },
  idempotency_key_invalid: {
    status: 400,
    message: 'The Idempotency-Key must be one header of 1 to 255 printable ASCII characters.',
  },
  invalid_body: {
    status: 400,
    message: 'The body must be one JSON object without duplicate keys.',
  },
  partial_capture_not_supported: {
    status: 400,
    message: 'Only the full authorised amount can be captured; leave the amount out.',
  },
  merchant_role_required: {
    status: 403,
    message: 'Your role at the merchant does not allow this, or has ended.',
  },
  insufficient_scope: { status: 403, message: 'The token lacks the scope for this call.' },
  origin_not_allowed: {
    status: 403,
    message:
      'Pages of this origin may not call the API. Nothing was done. Add the origin to allowedOrigins (PATCH /v1/client).',
  },
  export_too_large: {
    status: 422,
    message:
      'More rows match than your role may take at once, or than one file may hold. Narrow the filters, for example by day, or ask an owner, an admin or finance for the file.',
  },
  payment_not_found: { status: 404, message: 'No such payment.' },
  payment_not_authorized: {
    status: 409,
    message: 'The payment holds no active authorisation. Read it again before acting.',
    isAfterKey: true,
  },
  authorization_expired: {
    status: 409,
    message: 'The hold has expired and can no longer be captured or cancelled.',
    isAfterKey: true,
  },
  payment_operation_in_progress: {
    status: 409,
    message: 'Another operation on this payment is running. Retry with the same key.',
    retryable: true,
    retryAfter: 1,
  },
  idempotency_key_reused: {
    status: 409,
    message:
      'This Idempotency-Key was already used for a different request, which stays valid. Use a new key.',
  },
  gateway_capture_failed: {
    status: 502,
    message: 'The card provider did not capture. Nothing was collected; retry with the same key.',
    retryable: true,
    isAfterKey: true,
  },
  gateway_cancel_failed: {
    status: 502,
    message: 'The card provider did not release the hold. Retry with the same key.',
    retryable: true,
    isAfterKey: true,
  },
  gateway_outcome_unknown: {
    status: 502,
    message:
      'The card provider has not reported the outcome yet, and the service keeps asking. Assume neither success nor failure: read the payment again or retry with the same key.',
    retryable: true,
    retryAfter: 2,
  },
  gateway_not_configured: {
    status: 409,
    message:
      'The merchant has no provider account for this kind of payment. The operator adds one with svc gateways create.',
  },
  gateway_refused: {
    status: 409,
    message:
      'The payment provider refuses calls for this merchant’s account. Nothing was charged, and a repeat does not help. The operator checks the keys with svc gateways check.',
  },
  gateway_unavailable: {
    status: 502,
    message: 'The card provider could not be reached. Nothing was charged; try again.',
    retryable: true,
    retryAfter: 2,
  },
  api_token_limit_reached: {
    status: 409,
    message: 'You already have ten active tokens for this client. Revoke one first.',
  },
  api_token_not_found: { status: 404, message: 'No such API token.' },
  customer_not_found: { status: 404, message: 'No such customer.' },
  receipt_not_available: {
    status: 409,
    message: 'A payment that moved no money has no receipt. Read its status.',
  },
  note_not_found: { status: 404, message: 'No such note.' },
  note_of_another: { status: 403, message: 'Only the author of a note can change it.' },
  dispute_not_found: { status: 404, message: 'No such dispute.' },
  event_not_found: { status: 404, message: 'No such event.' },
  provider_account_not_found: {
    status: 404,
    message: 'No such account at the card provider. Keys of a wallet are not tried here.',
  },
  webhook_endpoint_not_found: { status: 404, message: 'No such webhook endpoint.' },
  webhook_endpoint_limit_reached: {
    status: 409,
    message: 'You already have ten webhook endpoints. Delete one first.',
  },
  webhook_endpoint_is_disabled: {
    status: 409,
    message: 'The webhook endpoint is disabled. Enable it first.',
  },
  webhook_url_refused: {
    status: 422,
    message: 'Webhook URLs must be public HTTPS addresses.',
  },
  product_not_found: { status: 404, message: 'No such product.' },
  product_code_taken: {
    status: 409,
    message: 'A product with this code already exists. Update it or use another code.',
  },
  coupon_not_found: { status: 404, message: 'No such coupon.' },
  coupon_code_taken: {
    status: 409,
    message:
      'A coupon with this code already exists; letter case does not count. Use another code.',
  },
  coupon_exhausted: {
    status: 409,
    message:
      'A coupon of the session has reached its limit. Remove it, or start a session without it.',
  },
  coupon_inactive: {
    status: 409,
    message:
      'The merchant has withdrawn a coupon of the session. Remove it, or start a session without it.',
  },
  subscription_exists: {
    status: 409,
    message:
      'The buyer already has this subscription, or is paying for it in another session. Nothing was charged.',
  },
  merchant_credential_required: {
    status: 403,
    message:
      "Only the merchant may set this field. Send it from a server, with the merchant's credential.",
  },
  version_conflict: {
    status: 409,
    message:
      'The object has changed since you read it. Read it again, then send the change with the new version.',
  },
  client_not_found: { status: 404, message: 'No such client.' },
  checkout_session_already_claimed: {
    status: 409,
    message: 'The session was already claimed with another cart or buyer.',
  },
  invalid_catalog_data: {
    status: 422,
    message: 'A product, price or coupon does not match the catalog.',
  },
  checkout_session_data_attachment_required: {
    status: 409,
    message: 'The session has no cart and buyer yet. Claim it first.',
  },
  checkout_session_claim_pending: {
    status: 503,
    message: 'The session is still being claimed. Retry.',
    retryable: true,
    retryAfter: 1,
  },
  checkout_session_not_found: { status: 404, message: 'No such checkout session.' },
  checkout_session_token_required: {
    status: 401,
    message: 'Send the session nonce in the header x-checkout-session-token.',
  },
  checkout_session_expired: {
    status: 409,
    message: 'The checkout session has expired or was canceled.',
  },
  checkout_session_completed: { status: 409, message: 'The checkout session is completed.' },
  capture_method_not_supported: {
    status: 422,
    message: 'Manual capture works only where a card pays for one-time items.',
  },
  currency_required: {
    status: 422,
    message: 'Neither the session nor any of its lines names a currency.',
  },
  currency_mismatch: { status: 422, message: 'The currency differs from that of the session.' },
  email_mismatch: { status: 422, message: 'The email differs from the buyer of the session.' },
  amount_precision: {
    status: 422,
    message: 'The amount has more decimals than the currency.',
    isAfterKey: true,
  },
  amount_not_supported: {
    status: 422,
    message:
      'The payment provider does not accept this total or currency. Nothing was charged. Change the total or the currency.',
  },
  card_declined: { status: 402, message: 'The card was declined.' },
  buyer_mismatch: {
    status: 403,
    message: 'The buyer of the call differs from the buyer of the session.',
  },
  buyer_not_verified: {
    status: 403,
    message: 'Saved cards need a session whose buyer your server attached with its own credential.',
  },
  raw_card_data_forbidden: {
    status: 400,
    message: 'Card numbers are never sent to this API. Use the hosted card form.',
  },
  provider_method_not_accepted: {
    status: 400,
    message:
      'This card form takes the card number itself. It does not accept a payment method of the provider.',
  },
  provider_method_not_usable: {
    status: 422,
    message: 'This payment method cannot be used here. Nothing was charged; enter the card again.',
  },
  invalid_query: {
    status: 400,
    message: 'A filter, operator, sort field, page or limit is not supported.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Slow down and retry.',
    retryable: true,
    retryAfter: 1,
  },
  body_too_large: { status: 413, message: 'The body is over 64 kB.' },
  authentication_required: {
    status: 401,
    message:
      'This call needs a valid credential. From a server, use HTTP Basic: the client id as user name, the API token as password. The reference names other credentials.',
  },
  invalid_request: { status: 400, message: 'The request is not valid.' },
  route_not_found: { status: 404, message: 'No such route.' },
  method_not_allowed: { status: 405, message: 'This route does not support the method.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  service_unavailable: {
    status: 503,
    message: 'The service cannot answer now. The call may have taken effect: repeat it.',
    retryable: true,
    retryAfter: 1,
  },
  user_id_required: { status: 400, message: 'Send the buyer id in the header x-user-id.' },
  checkout_session_is_setup: {
    status: 409,
    message: 'A setup session is never processed; the card form completes it.',
  },
  checkout_attempt_in_progress: {
    status: 409,
    message: 'A payment attempt on this session is running. Wait for it.',
    retryable: true,
    retryAfter: 1,
  },
  ...refundErrors,
  ...sessionErrors,
  payment_changed: {
    status: 409,
    message:
      'The payment has changed since the version in your request. No money was moved. The field payment holds its current state.',
    isAfterKey: true,
  },
  payment_disputed: { status: 409, message: 'The payment is under dispute.', isAfterKey: true },
  checkout_session_not_setup: {
    status: 409,
    message: 'This session takes a payment. Only a setup session saves a card without a payment.',
  },
  customer_page_limited: {
    status: 403,
    message:
      'The link to this page does not allow this. Nothing was done. Ask the shop for it, or for another link.',
  },
  customer_page_cancel_off: {
    status: 403,
    message:
      'The merchant does not let customers end a subscription on this page. Nothing was done. Ask the merchant to end it.',
  },
  customer_page_link_expired: {
    status: 404,
    message:
      'This link opened the page for ten minutes, which are over. Ask the merchant for a new one.',
  },
  customer_page_mail_expired: {
    status: 404,
    message:
      'This mailed link is over: it opened the page for seven days, and while the customer had this address. Ask for another one by POST /v1/customer-page/mail-link.',
  },
  customer_page_address_over: {
    status: 404,
    message:
      'This link confirms no address. It works for 24 hours, and ends when another address is asked for or the customer’s address changes. Ask for the change again on your page at the shop.',
  },
  customer_page_not_found: {
    status: 404,
    message: 'This link or page is unknown or over. Ask the merchant for a new link.',
  },
  customer_page_token_required: {
    status: 401,
    message: 'Send the token of the opened page in the header x-customer-page-token.',
  },
  customer_exists: {
    status: 409,
    message: 'A customer with this id and different fields exists. Change it with PATCH.',
  },
  subscription_ended: {
    status: 409,
    message: 'The subscription has ended. The buyer can buy it again.',
  },
  subscription_end_by_merchant: {
    status: 403,
    message:
      'The merchant has set the end of this subscription, and only the merchant changes it. Ask there.',
  },
  subscription_not_found: { status: 404, message: 'No such subscription.' },
  payment_method_id_invalid: {
    status: 400,
    message: 'The payment method id is not a UUID.',
    isUnnamed: true,
  },
  payment_method_not_found: { status: 404, message: 'No such payment method.' },
  payment_method_has_active_payment: {
    status: 409,
    message:
      'A payment with this card is running, or the card is still being saved. Remove the card afterwards.',
  },
  payment_method_in_use: {
    status: 409,
    message:
      'A subscription charges this card, and the customer has no other card for it. Save another card, or cancel the subscription.',
  },
  payment_method_reassignment_requires_payer_action: {
    status: 409,
    message:
      'Only the payer can move this wallet’s subscription to another payment method. Ask the payer to choose one.',
  },
  // Agents. Contract §6.
  confirmation_invalid: {
    status: 422,
    message:
      'The confirmation belongs to another call or is older than ten minutes. Call without a confirmation for a new preview.',
  },
  confirmation_outdated: {
    status: 409,
    message:
      'The payment has changed since the preview. Call without a confirmation for a new preview.',
  },
  payment_method_deletion_failed: {
    status: 502,
    message: 'The card could not be removed everywhere. It stays as it was: listed and usable.',
  },
  ...peopleErrors,
  ...dashboardErrors,
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errors;

/** The codes that settle a move of money as not made, whatever became of earlier calls with its key. */
export type CodeAfterKey = {
  [C in ErrorCode]: (typeof errors)[C] extends { readonly isAfterKey: true } ? C : never;
}[ErrorCode];

/** The table entry of a code. */
export const errorEntry = (code: ErrorCode): Entry => errors[code];
