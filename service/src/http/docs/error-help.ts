// Cause, remedy and guide of every error code, shown at /docs where `docUrl` points. One line each:
// code | cause | remedy | guide in docs/guides. `error-help.test.ts` checks the lines against the
// table of errors.

export type ErrorHelp = {
  readonly cause: string;
  readonly remedy: string;
  /** The file name in docs/guides, without its extension. */
  readonly guide: string;
};

const lines = `
invalid_payment_id | The path has something else where the payment's id belongs, such as an id of the card provider. | Send the id that process or GET /v1/payments answered. | manual-capture
idempotency_key_required | A call that moves money came without a key, so a repeat could not be told from a second order. | Make one key for each logical operation, keep it with the order, and send it again on each repeat. | manual-capture
idempotency_key_invalid | The header was sent twice, is empty, too long, or has characters other than printable ASCII. | Send one header of 1 to 255 printable ASCII characters; a UUID does. | manual-capture
invalid_body | The body is no JSON object, or names a field twice. | Serialise one object, with the header Content-Type: application/json. | errors
partial_capture_not_supported | An amount was sent that is not the whole hold. | Leave the amount out, and refund what is too much afterwards. | manual-capture
merchant_role_required | The role of the person behind the credential does not hold what the call asks for, or the person has left the merchant. | Use the credential of somebody whose role does, or have the role changed. | members
insufficient_scope | The token has scopes, and the one of this call is not among them. | Make a token with the scope that the call names in this reference. | api-tokens
origin_not_allowed | A page of an origin that the merchant has not listed called from a browser. | Add the origin to allowedOrigins, spelled as in the address bar. | browser-library
export_too_large | The filters leave more rows than one file may have. | Take the file by month or by week. | dashboard
export_not_found | The file was deleted, by somebody or after its seven days, or is another merchant's. | List the kept files, or have it made again. | dashboard
export_not_ready | The file is waiting, being made, or was not made; \`status\` and \`failure\` say which. | Read its status until it is ready. | dashboard
export_limit_reached | Five files of the merchant are being made, or thirty are kept: message says which. | Wait until one is ready, or delete one. | dashboard
export_schedule_not_found | The schedule was ended, or is another merchant's. | List the schedules. | dashboard
export_schedule_limit_reached | The merchant has five files made each month. | End one of them, or have one file with wider filters made. | dashboard
month_not_over | A month is closed by the merchant's time zone, and its last day has not ended there. | Close it once the next month has begun. | dashboard
month_closed | Somebody closed the month before. | Read the month; what is booked into it later is a line of the next one. | dashboard
payment_not_found | No payment of this merchant has the id; another merchant's looks the same. | Check the id, the credential and whether it is the sandbox or the live service. | errors
payment_not_authorized | The payment is captured, voided, failed, or still waits for the buyer's bank. | Read the payment and go by its status. | manual-capture
authorization_expired | The provider let the hold go after its time. | Start a new checkout; capture sooner, and listen to payment.authorization_expiring. | manual-capture
payment_operation_in_progress | A capture, cancel or refund of the same payment has not ended yet. | Repeat the same call with the same key after Retry-After. | manual-capture
idempotency_key_reused | The key was used for another payment, kind or body. | Take a new key for a new operation; send the old body to hear the old answer. | manual-capture
gateway_capture_failed | The card provider refused the capture, or the hold has lapsed at the bank. | Repeat with the same key; where it stays so, take another payment. | manual-capture
gateway_cancel_failed | The card provider refused to release the hold. | Repeat with the same key; an unreleased hold lapses by itself. | manual-capture
gateway_outcome_unknown | The provider's answer was lost on the way. | Wait for the event or read the payment; a repeat with the same key is safe, a new key is not. | manual-capture
gateway_not_configured | The merchant has no gateway for this means of payment. | The operator adds one: svc gateways create. | first-payment
gateway_refused | The provider refused the key of the merchant's account (401, 403), or the key lacks a right. | The operator runs svc gateways check and gives a key with svc gateways change; a repeat helps after that. | go-live
gateway_unavailable | The card provider did not answer, and nothing was sent to it that could have taken effect. | Repeat with the same key. | errors
api_token_limit_reached | The person has ten active tokens at this merchant. | Revoke one that is not used any more. | api-tokens
api_token_not_found | The token is unknown, revoked, over, or somebody else's. | List your own tokens. | api-tokens
customer_not_found | The merchant has no customer of this id. | Check the id; it is the userId of the sessions. | saved-cards
receipt_not_available | Nothing was paid or given back by it, or it is a chargeback. | Ask for the receipt of a purchase that succeeded, or of a refund. | refunds
note_not_found | The merchant has no note of this id, or it was deleted. | List the notes of the payment, customer, dispute or subscription. | members
note_of_another | Somebody else wrote the note. | Write one of your own; an owner or admin may delete it. | members
refund_limit_exceeded | The refund, or all that the person gave back within 24 hours, is above the merchant's refund rule. | Ask for approval: POST /v1/payments/{paymentId}/refund-requests; GET /v1/refund-rule tells the limits. | refunds
refund_request_not_found | The merchant has no refund request of this id. | List the refund requests. | refunds
refund_request_decided | A colleague approved or declined it before, or its requester took it back. | Read the request; ask anew where it was declined by mistake. | refunds
refund_request_expired | Nobody decided within seven days. | Make a new request. | refunds
refund_requester_gone | The requester was removed, or was given a role that does not refund. | Decline the request, or refund in your own name. | refunds
own_refund_request | The approver is the person who asked. | Have another owner or admin approve it. | refunds
no_second_person | No other person at the merchant holds a role that approves refunds. | Invite an owner or admin; owners and admins refund without a limit. | members
view_not_found | The view was deleted, is another merchant's, or another person keeps it alone. | List the views. | dashboard
view_name_taken | The person, or everyone, has a view of this list with the name. | Choose another name, or change that view. | dashboard
view_limit_reached | The person has fifty views alone, or the merchant has fifty for everyone. | Delete one that nobody uses. | dashboard
dispute_not_found | The merchant has no dispute of this id. | List the disputes of the payment. | refunds
event_not_found | The merchant has no event of this id, or the data were replaced. | Begin again from an instant instead of an id. | webhooks
webhook_endpoint_not_found | The endpoint was deleted, or is another merchant's. | List the endpoints. | webhooks
webhook_endpoint_limit_reached | The merchant has ten endpoints. | Delete one, or handle more types at one. | webhooks
webhook_endpoint_is_disabled | Nothing is delivered to a disabled endpoint. | Enable it (PATCH with isEnabled), then ask again. | webhooks
webhook_url_refused | The address is not https, is private, or its name leads to a private address. | Use a public https address; on your own machine svc listen. | webhooks-locally
product_not_found | The catalog has no product of this code. | Check the code, letter by letter. | catalog
product_code_taken | There is a product with this code. | Change that product, or choose another code. | catalog
coupon_not_found | The merchant has no coupon of this code. | Check the code; letters count in either case. | catalog
coupon_code_taken | There is a coupon of the same letters. | Choose another code. | catalog
coupon_exhausted | The coupon was redeemed as often as it may be, since the session was opened. | Take it off the session, or start one without it. | catalog
coupon_inactive | The merchant switched the coupon off or ended it early. | Take it off the session, or start one without it. | catalog
subscription_exists | The buyer has this subscription, or pays for it in another tab. | Show the one that is there; a second one needs allowSecondSubscription from your server. | subscriptions
merchant_credential_required | A field that only the merchant may set came without the merchant's credential. | Send the call from your server with Client Basic. | first-payment
checkout_session_total_changed | A coupon or a claim changed the total after the page showed it. | Read the session, show the new total, and let the buyer agree again. | two-phase-checkout
version_conflict | Somebody changed the thing between your read and your write. | Read it again and send the change with the new version. | catalog
client_not_found | No merchant has this client id, or the credential is of another one. | Use the client id that belongs to the token. | first-payment
checkout_session_already_claimed | The session was claimed before, with another cart or buyer. | Open a new shell for another cart; repeat a claim with the same contents. | two-phase-checkout
invalid_catalog_data | A code, price, currency or coupon of the cart does not match the catalog. | Compare the named field with GET /v1/products; a price of your own needs its right. | catalog
checkout_session_data_attachment_required | The session is a shell without cart and buyer. | Claim it first. | two-phase-checkout
checkout_session_claim_pending | A claim of the same session is under way. | Repeat the call. | two-phase-checkout
checkout_session_not_found | The session is unknown, or the nonce is not its own. | Keep id and nonce together; start a new session where they are lost. | first-payment
checkout_session_token_required | The nonce of the session is missing. | Send it in x-checkout-session-token. | first-payment
checkout_session_expired | The session's time ran out, or it was canceled. | Start a new session. | first-payment
checkout_session_completed | The session was paid. | Read its payment; start a new session for another purchase. | first-payment
capture_method_not_supported | Manual capture was asked for with a subscription or a wallet. | Use automatic capture for this cart. | manual-capture
currency_required | Neither the session nor a line says the currency. | Send currency. | first-payment
currency_mismatch | A line or call has another currency than the session. | Use one currency for each session. | catalog
email_mismatch | The call names another address than the session's buyer has. | Send the address that the session was opened with. | first-payment
amount_precision | The amount has more decimals than its currency, such as 1.5 JPY. | Round to the currency's decimals before you send it. | catalog
amount_not_supported | The provider takes no payment this small, this large, or in this currency. | Change total or currency; see the least amounts of your account. | subscriptions
card_declined | The buyer's bank or the provider said no. | Show the message, follow advice, and offer another card. | test-cards
buyer_mismatch | The user id or the email is not that of the session's buyer. | Send the ids that the session was opened or claimed with. | saved-cards
buyer_not_verified | No server of the merchant vouched for the buyer, so nothing that belongs to the buyer is used. | Create or claim the session with the merchant's credential. | saved-cards
raw_card_data_forbidden | A field holds what looks like a card number. | Have the hosted card form take the card; never log or forward card numbers. | card-form
provider_method_not_accepted | A page sent a payment method of the provider to a card form that takes the number itself (VAULT_DRIVER=own-vault). | Let the form take the card, or run the vault with provider-fields. | card-form
provider_method_not_usable | The publishable key is of another account than the secret key, or the card was used in another session or kept for a customer. | Enter the card again in the form of this session; check that both keys of the gateway are of one account. | card-form
invalid_query | The query has an unknown filter, operator, field or page. | Compare it with the call's own list in this reference; with curl use -g. | errors
rate_limited | More calls came than the limit of this kind allows. | Wait as long as Retry-After says; read less often, or raise the limit that .env.example names. | errors
body_too_large | The body is over 64 kB. | Send less: shorter metadata, fewer lines. | errors
authentication_required | There is no credential, it is wrong or over, it is an API token sent as Bearer or in the place of the client id, or the call does not take its kind. | Send client id and API token as Basic (curl -u '<client id>:<API token>'), or another kind that the call names in this reference. | api-tokens
invalid_request | A field is missing, unknown or of another form; param and errors name it. | Mend the named field and send the call again. | errors
route_not_found | There is no such address. | Compare method and path with this reference. | errors
method_not_allowed | The address exists, with other methods. | Use the method that this reference names. | errors
unsupported_media_type | The body is not JSON, or is compressed. | Send Content-Type: application/json and no Content-Encoding. | errors
internal_error | A fault of the service. | Repeat with the same key; tell the operator the requestId. | errors
service_unavailable | The database or the vault does not answer, or the service is starting or stopping. | Repeat with the same key after Retry-After. | errors
user_id_required | The call acts for a buyer and does not say for whom. | Send the buyer's id in x-user-id. | saved-cards
checkout_session_is_setup | A setup session saves a card and takes no payment. | Complete it by the card form; open a checkout session to be paid. | card-setup
checkout_attempt_in_progress | Another attempt to pay this session has not ended yet. | Wait for its end; read the status. | first-payment
refund_amount_exceeds_available | The refund is above what was captured, less what was refunded before. | Read amountRefundable and ask for that or less. | refunds
payment_changed | The payment was refunded, captured or otherwise changed after it was read. | Look at payment in the answer, and send the refund with its version if it is still wanted. | refunds
payment_disputed | The buyer's bank took the payment up; a refund would pay twice. | Answer the dispute; what is lost there is not refunded. | refunds
checkout_session_not_setup | The session takes a payment. | Open a setup session to save a card without one. | card-setup
customer_page_not_found | The link was opened before, has run out, or was never made. | Make a new link: POST /v1/customers/{customerId}/page-links. | saved-cards
customer_page_token_required | The token of the opened page is missing. | Send it in x-customer-page-token. | saved-cards
customer_in_use | The customer has something open: a session, a hold, a subscription, a dispute, a refund to approve. | End what errors names, or wait for its end, and forget the customer then. | saved-cards
customer_forgotten | The customer of this id was erased at their wish. | Take a new id for who comes back. | saved-cards
customer_exists | A customer of this id is there, with other fields. | Change it with PATCH. | saved-cards
subscription_not_found | The merchant has no subscription of this id. | List them by userId. | subscriptions
payment_method_id_invalid | The path has something else where the id of the payment method belongs. | Send the id that GET /v1/payment-methods answered. | saved-cards
payment_method_not_found | The card is unknown, removed, or another customer's. | List the customer's payment methods. | saved-cards
payment_method_has_active_payment | A payment with the card, or its saving, is under way. | Remove it once that has ended. | saved-cards
payment_method_in_use | A subscription is paid with it, and there is no other card. | Save another card first, or cancel the subscription. | subscriptions
payment_method_reassignment_requires_payer_action | What this wallet pays for cannot move without its payer. | Let the payer choose another means of payment. | wallet
sign_in_required | Nobody is signed in in this browser, or the sign-in has ended. | Sign in at /account. | people
sign_in_failed | The address, password, code or passkey is wrong, or the account is locked for a while. | Try again, or set a new password by mail. | people
second_factor_required | The password was right, and the account asks for a second proof. | Give a code of the authenticator or a recovery code. | people
recent_sign_in_required | The last proof of who sits there is older than fifteen minutes. | Confirm with the password or a passkey, then repeat. | people
cross_site_request | The call came from a page of another site. | Open the page at the service's own address. | people
password_too_weak | The password is short, common, or made of your own name. | Take four random words. | people
account_exists | There is an account with a password for this address. | Sign in, or ask for a new password. | people
link_not_found | The link was used, has run out, or is not whole. | Ask for a new one. | people
totp_code_invalid | The code is of another time or was used, or the clock of the phone is wrong. | Set the phone's time by the network and take the next code. | people
totp_already_on | The account has an authenticator. | Switch it off first to set up another one. | people
totp_not_on | The account has no authenticator. | Set one up first. | people
passkey_not_found | The account has no such passkey. | List the passkeys. | people
passkey_invalid | The browser's answer is not of this question, this site or this account. | Try again at the service's own address. | people
last_proof_kept | It is the only way into the account. | Set a password or add a passkey first. | people
sign_in_not_found | The sign-in has ended, or is somebody else's. | List the sign-ins. | people
member_not_found | Nobody of this id belongs to the merchant. | List the members. | members
last_owner | The merchant would be left without an owner. | Make somebody else an owner first. | members
member_has_tokens | The person has API tokens that would stop at once. | Repeat with the ids that errors names, to agree. | members
already_a_member | The person belongs to the merchant already. | Change the role instead. | members
invitation_not_found | The invitation is unknown, used, withdrawn or expired. | Invite again. | members
application_not_found | The merchant made no such application. | List the applications. | oauth
authorization_not_found | The request of the application is over. | Begin again at the application. | oauth
consent_not_found | No such application has access, or no longer. | List what you have allowed. | oauth
confirmation_invalid | The confirmation is of another call, or ten minutes old. | Call without one and confirm the new preview. | agents
confirmation_outdated | The payment changed after the preview. | Call without a confirmation and look at the new preview. | agents
payment_method_deletion_failed | The provider did not let the card go everywhere. | Repeat later; until then it is listed and usable. | saved-cards
`;

const entries = lines
  .trim()
  .split('\n')
  .map((line) => {
    const [code = '', cause = '', remedy = '', guide = ''] = line.split(' | ');
    return [code, { cause, remedy, guide }] as const;
  });

export const errorHelp: ReadonlyMap<string, ErrorHelp> = new Map(entries);

/** The number of lines: one for each code, without repetition. */
export const errorHelpLines: number = entries.length;
