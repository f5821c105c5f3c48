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
invalid_payment_id | The path holds something other than a payment id, for example an id of the card provider. | Send the payment id from the answer of process or GET /v1/payments. | manual-capture
idempotency_key_required | A call that moves money came without a key, so the service could not tell a repeat from a second order. | Make one key for each logical operation, keep it with the order, and send it again on each repeat. | manual-capture
idempotency_key_invalid | The header was sent twice, is empty, too long, or has characters other than printable ASCII. | Send one header of 1 to 255 printable ASCII characters, for example a UUID. | manual-capture
invalid_body | The body is not a JSON object, or names a field twice. | Serialise one object, with the header Content-Type: application/json. | errors
partial_capture_not_supported | The request names an amount; only the full amount can be captured. | Leave the amount out, then refund the difference. | manual-capture
merchant_role_required | The role of the credential's person lacks the permission for this call, or the person has left the merchant. | Use the credential of a person with that permission, or have an owner change the role. | members
insufficient_scope | The token is limited to scopes that do not include the scope of this call. | Create a token with the scope that this reference names for the call. | api-tokens
origin_not_allowed | A browser page called from an origin that is not in the merchant's list. | Add the origin to allowedOrigins, spelled as in the address bar. | browser-library
export_too_large | The filters match more rows than your role may take at once, or than one file may hold. | Export week by week or day by day, or ask an owner, an admin or finance for the file. | dashboard
export_not_found | Somebody deleted the file, its seven days have passed, or it belongs to another merchant. | List the kept files, or request the file again. | dashboard
export_not_ready | The file is queued, in progress, or failed: see \`status\` and \`failure\`. | Read its status until it is ready. | dashboard
export_limit_reached | The merchant has five files in progress, or thirty kept files: the message says which. | Wait until one is ready, or delete one. | dashboard
export_schedule_not_found | The schedule was ended, or belongs to another merchant. | List the schedules. | dashboard
export_schedule_limit_reached | The merchant has five monthly files already. | End one of them, or replace several by one file with wider filters. | dashboard
month_not_over | The month's last day has not ended in the merchant's time zone. | Close it when the next month has begun. | dashboard
month_closed | Somebody closed the month before. | Read the month. Later bookings appear as lines of the next month. | dashboard
payment_not_found | This merchant has no payment with this id. A payment of another merchant gets the same answer. | Check the id, the credential, and whether you call the sandbox or the live service. | errors
payment_not_authorized | The payment is captured, voided or failed, or still waits for the buyer's bank. | Read the payment and act on its status. | manual-capture
authorization_expired | The hold reached its end and the provider released it. | Start a new checkout; capture sooner, and listen to payment.authorization_expiring. | manual-capture
payment_operation_in_progress | A capture, cancel or refund of the same payment is still running, or waits for its turn at the provider. | Repeat the same call with the same key after Retry-After. | manual-capture
idempotency_key_reused | The key was used for another payment, kind or body. | Use a new key for a new operation, or send the original body to get the original answer. | manual-capture
gateway_capture_failed | The card provider refused the capture, or the hold has lapsed at the bank. | Repeat with the same key. If it fails again, ask the buyer for a new payment. | manual-capture
gateway_cancel_failed | The card provider refused to release the hold. | Repeat with the same key; an unreleased hold lapses by itself. | manual-capture
gateway_outcome_unknown | The provider's answer was lost on the way. | Wait for the event or read the payment. A repeat with the same key is safe; a new key is not. | manual-capture
gateway_not_configured | The merchant has no gateway for this means of payment. | The operator adds one: svc gateways create. | first-payment
gateway_refused | The provider refused the API key of the merchant's account (401, 403), or the key lacks a permission. | The operator runs svc gateways check and sets a working key with svc gateways change. Then repeat the call. | go-live
gateway_unavailable | The card provider could not be reached, and no request reached it. | Repeat with the same key. | errors
api_token_limit_reached | The person has ten active tokens at this merchant. | Revoke a token that you no longer use. | api-tokens
api_token_not_found | The token is unknown, revoked or expired, or belongs to somebody else. | List your own tokens. | api-tokens
customer_not_found | The merchant has no customer with this id. | Check the id: it is the userId of your checkout sessions. | saved-cards
receipt_not_available | The payment moved no money, or is a chargeback. | Ask for the receipt of a purchase that succeeded, or of a refund. | refunds
note_not_found | The merchant has no note with this id, or it was deleted. | List the notes of the payment, customer, dispute or subscription. | members
note_of_another | Somebody else wrote the note. | Write a note of your own. An owner or admin may delete the other one. | members
refund_limit_exceeded | The refund, or the sum of the person's refunds within 24 hours, exceeds the merchant's refund rule. | Ask for approval: POST /v1/payments/{paymentId}/refund-requests. GET /v1/refund-rule shows the limits. | refunds
refund_request_not_found | The merchant has no refund request with this id. | List the refund requests. | refunds
refund_request_decided | A colleague has approved or declined it, or the requester has withdrawn it. | Read the request. If it was declined by mistake, make a new one. | refunds
refund_request_expired | Nobody decided within seven days. | Make a new request. | refunds
refund_requester_gone | The requester was removed, or now has a role that may not refund. | Decline the request, or refund in your own name. | refunds
own_refund_request | The approver is the person who asked. | Have another owner or admin approve it. | refunds
no_second_person | No other person at the merchant holds a role that approves refunds. | Invite an owner or admin; owners and admins refund without a limit. | members
view_not_found | The view was deleted, belongs to another merchant, or is another person's private view. | List the views. | dashboard
view_name_taken | The person already has a view of this list with this name, or a shared view has it. | Choose another name, or change the existing view. | dashboard
view_limit_reached | The person has fifty private views, or the merchant has fifty shared views. | Delete one that nobody uses. | dashboard
dispute_not_found | The merchant has no dispute with this id. | List the disputes of the payment. | refunds
event_not_found | The merchant has no event with this id, it is older than events are kept, or the database was replaced. | Start again from a point in time instead of an id. | webhooks
provider_account_not_found | The account belongs to another merchant or to a wallet. | List the accounts. | go-live
webhook_endpoint_not_found | The endpoint was deleted, or belongs to another merchant. | List the endpoints. | webhooks
webhook_endpoint_limit_reached | The merchant has ten endpoints. | Delete one, or let one endpoint receive more event types. | webhooks
webhook_endpoint_is_disabled | A disabled endpoint receives no deliveries. | Enable it (PATCH with isEnabled), then ask again. | webhooks
webhook_url_refused | The address is not https, is private, or its name leads to a private address. | Use a public https address. On your own machine, use svc listen. | webhooks-locally
product_not_found | The catalog has no product with this code. | Check the code, letter by letter. | catalog
product_code_taken | Another product has this code. | Change that product, or choose another code. | catalog
coupon_not_found | The merchant has no coupon with this code. | Check the code; upper and lower case count as the same. | catalog
coupon_code_taken | Another coupon has this code; upper and lower case count as the same. | Choose another code. | catalog
coupon_exhausted | The coupon reached its limit of redemptions after the session was opened. | Remove the coupon from the session, or start a session without it. | catalog
coupon_inactive | The merchant switched the coupon off or ended it early. | Remove the coupon from the session, or start a session without it. | catalog
subscription_exists | The buyer already has this subscription, or is paying for it in another tab. | Show the existing subscription. For a second one, send allowSecondSubscription from your server. | subscriptions
merchant_credential_required | A field that only the merchant may set came without the merchant's credential. | Send the call from your server with Client Basic. | first-payment
checkout_session_total_changed | A coupon or a claim changed the total after the page showed it. | Read the session, show the new total, and let the buyer agree again. | two-phase-checkout
version_conflict | Somebody changed the object between your read and your write. | Read it again and send the change with the new version. | catalog
client_not_found | No merchant has this client id, or the credential belongs to another merchant. | Use the client id that belongs to the token. | first-payment
coupons_not_accepted | The session has a price of the merchant's own, or was created with couponsAccepted false. | Change the coupons from your server: PATCH /v1/checkout-sessions/{sessionId}. | catalog
checkout_session_reference_taken | Another session with the same reference is open, money of it is held, taken or in doubt, or its order cost nothing and is completed. | See which in errors. An open session: use it, or send replaces: true to end it. A payment: the order is paid; cancel the hold or refund all of it before you create another session. A completed session alone: the order cost nothing; another order needs another reference. | first-payment
checkout_session_already_claimed | The session was claimed before, with another cart or buyer. | Open a new shell for another cart. A repeated claim must have the same cart and buyer. | two-phase-checkout
invalid_catalog_data | A code, price, currency or coupon of the cart does not match the catalog. | Compare the named field with GET /v1/products. Sending a price of your own needs a permission of the client. | catalog
checkout_session_data_attachment_required | The session is a shell without cart and buyer. | Claim it first. | two-phase-checkout
checkout_session_claim_pending | A claim of the same session is under way. | Repeat the call. | two-phase-checkout
checkout_session_not_found | The session is unknown, or the nonce belongs to another session. | Keep id and nonce together. If they are lost, start a new session. | first-payment
checkout_session_token_required | The nonce of the session is missing. | Send it in x-checkout-session-token. | first-payment
checkout_session_expired | The session expired or was canceled. | Start a new session. | first-payment
checkout_session_completed | The session was paid. | Read its payment; start a new session for another purchase. | first-payment
capture_method_not_supported | Manual capture was asked for with a subscription or a wallet. | Use automatic capture for this cart. | manual-capture
currency_required | Neither the session nor a line says the currency. | Send currency. | first-payment
currency_mismatch | A line or call has another currency than the session. | Use one currency for each session. | catalog
email_mismatch | The email address differs from that of the session's buyer. | Send the email address with which the session was opened. | first-payment
amount_precision | The amount has more decimals than its currency, such as 1.5 JPY. | Round to the currency's decimals before you send it. | catalog
amount_not_supported | The provider takes no payment this small, this large, or in this currency. | Change total or currency; see the least amounts of your account. | subscriptions
card_declined | The buyer's bank or the provider declined. | Show the message, follow the advice field, and offer another card. | test-cards
buyer_mismatch | The user id or email address differs from that of the session's buyer. | Send the values with which the session was opened or claimed. | saved-cards
buyer_not_verified | No server of the merchant vouched for the buyer, so the buyer's saved cards cannot be used. | Create or claim the session with the merchant's credential. | saved-cards
raw_card_data_forbidden | A field holds digits that look like a card number. | Let the hosted card form take the card. Never log or forward card numbers. | card-form
provider_method_not_accepted | A page sent a payment method of the provider to a card form that takes the number itself (VAULT_DRIVER=own-vault). | Let the form take the card, or run the vault with provider-fields. | card-form
provider_method_not_usable | The publishable key and the secret key belong to different accounts, or the card was already used in another session or saved for a customer. | Enter the card again in this session's form. Check that both keys of the gateway belong to one account. | card-form
invalid_query | The query has an unknown filter, operator, field or page. | Compare it with the call's own list in this reference; with curl use -g. | errors
rate_limited | The caller sent more calls of this kind than the limit allows. | Wait for the seconds in Retry-After. Call less often, or raise the limit that .env.example names. | errors
body_too_large | The body is over 64 kB. | Send less: shorter metadata, fewer lines. | errors
authentication_required | The credential is missing, wrong or expired; or an API token was sent as Bearer or in place of the client id; or the call does not accept this kind of credential. | Send client id and API token as Basic (curl -u '<client id>:<API token>'), or another kind that the call names in this reference. | api-tokens
invalid_request | A field is missing, unknown or malformed: param and errors name it. | Correct the named field and send the call again. | errors
route_not_found | There is no such path. | Compare method and path with this reference. | errors
method_not_allowed | The path exists, with other methods. | Use the method that this reference names for the path. | errors
unsupported_media_type | The body is not JSON, or is compressed. | Send Content-Type: application/json and no Content-Encoding. | errors
internal_error | A fault of the service. | Repeat with the same key; tell the operator the requestId. | errors
search_being_prepared | The service is making its copy of the payments for searches, as after a restore, and without it the search took too long. | Ask again after Retry-After; preparedPercent says how far the copy is. | errors
service_unavailable | The database or the vault does not answer, or the service is starting or stopping. | Repeat with the same key after Retry-After. | errors
user_id_required | The call acts for a buyer and does not name the buyer. | Send the buyer's id in x-user-id. | saved-cards
checkout_session_is_setup | A setup session saves a card without a payment. | Complete it with the card form. To take a payment, open a checkout session. | card-setup
checkout_attempt_in_progress | Another attempt to pay this session is still running. | Read the session until the attempt has ended. | first-payment
payment_not_captured | The payment is a hold that was neither captured nor released. | Release the hold with cancel, or capture it and refund it then. | manual-capture
payment_voided | The hold was released, so the buyer was never charged. | Nothing: there is no money to give back. | refunds
payment_failed | The payment failed, or its capture was taken back by the provider. | Nothing: there is no money to give back. | refunds
payment_unfinished | The payment is pending, processing or unknown. | Read the payment until it has succeeded, then send the refund again. | refunds
payment_is_refund | The id is that of a refund. | Send the id of the purchase: parentPaymentId. | refunds
payment_is_chargeback | The id is that of a chargeback. | Answer the dispute, or accept it: the bank returns the money. | refunds
refund_amount_exceeds_available | The refund exceeds the captured amount less earlier refunds. | Read amountRefundable and refund at most that amount. | refunds
payment_changed | The payment was refunded, captured or otherwise changed after you read it. | Look at payment in the answer. If the refund is still wanted, send it with that version. | refunds
payment_disputed | The buyer disputed the payment at the bank. A refund would pay the buyer twice. | Answer the dispute. If it is lost, the bank returns the money, so make no refund. | refunds
checkout_session_not_setup | The session takes a payment. | Open a setup session to save a card without one. | card-setup
customer_page_limited | The person or program that made the link may not do this at the merchant, or not any more. | Let somebody make the link whose role may: add or remove a card with a role from member up or support, and with the scope payment_methods:write. | saved-cards
customer_page_cancel_off | The merchant has set customerPage.cancel to false. | Switch it on by PATCH /v1/client, or end the subscription with the merchant's credential: POST /v1/subscriptions/{subscriptionId}/cancel. | subscriptions
customer_page_link_expired | The link is older than ten minutes. | Make a new link: POST /v1/customers/{customerId}/page-links. | saved-cards
customer_page_mail_expired | The mailed link is older than seven days, or the customer has another address by now. | Send it to POST /v1/customer-page/mail-link, as the page does: another one is mailed to the customer. | saved-cards
customer_page_address_over | The link is unknown, older than a day, or another one was asked for; or the customer has another address by now. | Let the customer ask again on the customer’s page: POST /v1/customer-page/address. | hosted-pages
customer_page_not_found | The link never existed, the opened page is older than half an hour, or the maker of the link has left the merchant. | Make a new link: POST /v1/customers/{customerId}/page-links. | saved-cards
customer_page_token_required | The token of the opened page is missing. | Send it in x-customer-page-token. | saved-cards
customer_in_use | The customer has an open session that you vouched for, a hold, subscription, dispute or refund request. | Close the objects that errors names, or wait for their end. Then forget the customer. | saved-cards
customer_forgotten | The customer with this id asked to be erased. | Use a new id if the person comes back. | saved-cards
customer_exists | A customer with this id exists, with different fields. | Change it with PATCH. | saved-cards
subscription_ended | The subscription was cancelled, or its last period is over. | Sell it again in a new checkout. | subscriptions
subscription_end_by_merchant | The merchant has ended the subscription, which its customer cannot take back. | Resume it with the merchant's credential: POST /v1/subscriptions/{subscriptionId}/resume. | subscriptions
subscription_not_found | The merchant has no subscription with this id. | List them by userId. | subscriptions
payment_method_id_invalid | The path holds something other than a payment method id. | Send the id from the answer of GET /v1/payment-methods. | saved-cards
payment_method_not_found | The card is unknown or removed, or belongs to another customer. | List the customer's payment methods. | saved-cards
payment_method_has_active_payment | A payment with this card is running, or the card is still being saved. | Remove the card when that has ended. | saved-cards
payment_method_in_use | A subscription charges this card, and the customer has no other card. | Save another card first, or cancel the subscription. | subscriptions
payment_method_reassignment_requires_payer_action | Only the payer can move this wallet's subscription to another payment method. | Ask the payer to choose another payment method. | wallet
sign_in_required | No person is signed in in this browser, or the sign-in has ended. | Sign in at /account. | people
sign_in_failed | The address, password, code or passkey is wrong, or the account is locked for a while. | Try again, or request a mail to set a new password. | people
second_factor_required | The password was right, and the account requires a second factor. | Enter a code of the authenticator or a recovery code. | people
recent_sign_in_required | The person last confirmed their identity more than fifteen minutes ago. | Confirm with the password or a passkey, then repeat. | people
cross_site_request | The call came from a page of another site. | Open the page at the service's own address. | people
password_too_weak | The password is short or common, or contains your name. | Use four random words. | people
account_exists | An account with a password exists for this address. | Sign in, or ask for a new password. | people
link_not_found | The link was used, has expired, or is incomplete. | Request a new link. | people
totp_code_invalid | The code has expired or was used, or the phone's clock is wrong. | Set the phone's clock to network time and enter the next code. | people
totp_already_on | The account already has an authenticator. | Switch it off before you set up another one. | people
totp_not_on | The account has no authenticator. | Set one up first. | people
passkey_not_found | The account has no such passkey. | List the passkeys. | people
passkey_invalid | The browser's answer belongs to another challenge, site or account. | Try again at the service's own address. | people
last_proof_kept | It is the only way to sign in to the account. | Set a password or add a passkey first. | people
sign_in_not_found | The sign-in has ended, or belongs to somebody else. | List the sign-ins. | people
member_not_found | The merchant has no member with this id. | List the members. | members
last_owner | The merchant would be left without an owner. | Make somebody else an owner first. | members
member_has_tokens | The person has API tokens that would stop at once. | To agree, repeat the call with the ids that errors names. | members
already_a_member | The person is already a member of the merchant. | Change the role instead. | members
invitation_not_found | The invitation is unknown, used, withdrawn or expired. | Invite again. | members
application_not_found | The merchant has no such application. | List the applications. | oauth
authorization_not_found | The application's request has expired. | Start again in the application. | oauth
consent_not_found | The application has no access, or no longer has it. | List the applications that you allowed. | oauth
confirmation_invalid | The confirmation belongs to another call, or is older than ten minutes. | Call without one and confirm the new preview. | agents
confirmation_outdated | The payment changed after the preview. | Call without a confirmation and look at the new preview. | agents
payment_method_deletion_failed | The provider did not remove the card everywhere. | Repeat later. Until then the card stays listed and usable. | saved-cards
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
