// What a failure means for a person. The service's own messages are for programs where they name fields, headers and
// keys; the codes of those have words here, and a test finds a code without.

import type { Payment } from '@svc/contract/payments/payments';
import { money } from '../kit/money.ts';

type Facts = Readonly<Record<string, unknown>>;

const reload = 'This page asked for something that is not there. Load the page again.';
const changed = 'Somebody changed this meanwhile. Load the page again, then make your change.';

const words: Readonly<Record<string, string>> = {
  authorization_expired: 'The hold has expired: it can no longer be captured or released.',
  checkout_session_data_attachment_required: 'This session has no cart and no buyer yet.',
  client_not_found: 'There is no such merchant.',
  customer_forgotten: 'This customer was forgotten.',
  gateway_cancel_failed: 'The card provider did not release the hold. Try again.',
  gateway_capture_failed:
    'The card provider did not capture. Nothing was collected, and you can try again.',
  gateway_not_configured:
    'The merchant has no account at a provider for this kind of payment. Ask the operator of this service to add one.',
  gateway_outcome_unknown:
    'The card provider has not reported the outcome yet. The service keeps asking: look at the payment before you repeat anything.',
  gateway_refused:
    'The payment provider refuses calls for this merchant’s account. Ask the operator of this service to check it.',
  idempotency_key_invalid: reload,
  idempotency_key_required: reload,
  idempotency_key_reused: 'This was already asked for in another way. Load the page again.',
  insufficient_scope: 'This sign-in does not allow that.',
  invalid_body: reload,
  invalid_catalog_data: 'A product, price or coupon does not fit the catalog.',
  invalid_payment_id: 'There is no such payment.',
  invalid_query: 'The list cannot be filtered or sorted like this. Change or remove a filter.',
  member_has_tokens: 'The API tokens of this member stop working at once.',
  partial_capture_not_supported: 'Only the whole held amount can be captured.',
  payment_is_refund: 'This is itself a refund. Refund its purchase.',
  payment_method_id_invalid: 'There is no such saved card.',
  payment_not_authorized: 'This payment holds no money any more.',
  payment_operation_in_progress:
    'Something else is being done with this payment. Wait a moment, then try again.',
  payment_unfinished:
    'The outcome of the payment is not known yet. Refund it once it has succeeded.',
  rate_limited: 'Too many requests. Wait a moment, then try again.',
  raw_card_data_forbidden: 'Card numbers must not be typed here.',
  receipt_not_available: 'A payment that moved no money has no receipt.',
  recent_sign_in_required: 'Confirm that it is you, then try again.',
  refund_request_decided: 'The request was already approved, declined or withdrawn.',
  route_not_found: reload,
  service_unavailable: 'The service cannot answer now.',
  version_conflict: changed,
};

/** Names the refundable amount if the response contains the payment's current state. */
function changedPayment({ payment }: Facts): string {
  const now = payment as Partial<Payment> | undefined;
  const said = 'Somebody changed this payment meanwhile. No money was moved.';
  if (typeof now?.amountRefundable !== 'number' || !now.currency) return said;
  return `${said} ${money(now.amountRefundable, now.currency)} is left.`;
}

/** How far the search is. The page asks again by itself. */
const preparing = ({ preparedPercent }: Facts): string =>
  `The search is being prepared, ${preparedPercent} %. This page asks again by itself.`;

/** The sentence for a failure; null where the service's own message is meant for people. `isRead`: nothing was changed. */
export function failureWords(facts: Facts, isRead: boolean): string | null {
  const code = String(facts.code);
  if (code === 'payment_changed') return changedPayment(facts);
  if (code === 'search_being_prepared') return preparing(facts);
  if (code === 'service_unavailable' && !isRead) {
    return `${words[code]} What you asked for may have been done: look before you repeat it.`;
  }
  return words[code] ?? null;
}
