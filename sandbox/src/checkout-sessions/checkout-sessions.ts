// The provider's hosted Checkout Sessions of mode `payment`: made of lines, paid on a page of the sandbox
// or by its control, expired after `expires_at` by the sandbox's clock.

import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { assertChargeable, olderMethodTypes } from '../intents/intent-parameters.ts';
import { assertCustomer } from '../payment-methods/payment-methods.ts';
import { ApiError, invalidParameter, missingResource } from '../requests/errors.ts';
import {
  list,
  mergeMetadata,
  number,
  readNested,
  readText,
  requiredText,
  type Values,
} from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';
import { lineRules, readLines } from './checkout-session-lines.ts';
import { expireSession, pageOf, settleSession } from './checkout-session-moves.ts';

type Session = StoredObject<'checkout.session'>;

const shortestSeconds = 30 * 60;
const longestSeconds = 24 * 60 * 60;

const rules = {
  allowed_payment_method_types: 'list',
  cancel_url: 'text',
  client_reference_id: 'text',
  currency: 'text',
  customer: 'text',
  customer_creation: ['always', 'if_required'],
  customer_email: 'text',
  expires_at: 'integer',
  line_items: [lineRules],
  locale: 'text',
  metadata: 'map',
  mode: ['payment'],
  payment_intent_data: {
    capture_method: ['automatic', 'automatic_async', 'manual'],
    description: 'text',
    metadata: 'map',
    receipt_email: 'text',
    setup_future_usage: ['off_session', 'on_session'],
    statement_descriptor: 'text',
    statement_descriptor_suffix: 'text',
    transfer_group: 'text',
  },
  submit_type: ['auto', 'book', 'donate', 'pay'],
  success_url: 'text',
  ui_mode: ['hosted_page'],
  expand: 'list',
} as const;

const readUrl = (values: Values, name: string): string => {
  const url = requiredText(values, name);
  // The placeholder of the session's id may be anywhere in the address.
  if (URL.canParse(url.replaceAll('{CHECKOUT_SESSION_ID}', 'id'))) return url;
  throw invalidParameter('url_invalid', name, 'Not a valid URL');
};

const readEnd = (call: Call): number => {
  const now = call.core.clock.now();
  const end = number(call.values, 'expires_at') ?? now + longestSeconds;
  // Allows one second at both ends, because the caller read its clock a little earlier.
  if (end >= now + shortestSeconds - 1 && end <= now + longestSeconds + 1) return end;
  const what = end < now + shortestSeconds ? 'at least 30 minutes' : 'less than 24 hours';
  const message = `The \`expires_at\` timestamp must be ${what} from Checkout Session creation.`;
  throw invalidParameter(undefined, 'expires_at', message);
};

const readTypes = (values: Values): readonly string[] | null => {
  const given =
    list(values, 'allowed_payment_method_types') ?? list(values, 'payment_method_types');
  const other = given?.find((type) => type !== 'card');
  if (other === undefined) return given ?? null;
  const message = `The payment method type "${other}" is invalid.`;
  throw invalidParameter(undefined, 'payment_method_types', message);
};

const readBuyer = (call: Call): { customer: string | null; email: string | null } => {
  const customer = readText(call.values, 'customer') || null;
  const email = readText(call.values, 'customer_email') || null;
  if (customer !== null && email !== null) {
    throw invalidParameter(
      'parameters_exclusive',
      'customer_email',
      'You may only specify one of these parameters: customer, customer_email.',
    );
  }
  if (customer !== null) assertCustomer(call, customer);
  return { customer, email };
};

const assertCurrency = (values: Values, currency: string): void => {
  const named = readText(values, 'currency');
  if (named === undefined || named.toLowerCase() === currency) return;
  const message = `The currency of the prices is ${currency}, not ${named}.`;
  throw invalidParameter(undefined, 'currency', message);
};

const newSession = (call: Call): Session => {
  const { values, core } = call;
  requiredText(values, 'mode');
  const successUrl = readUrl(values, 'success_url');
  const cancelUrl = 'cancel_url' in values ? readUrl(values, 'cancel_url') : null;
  const expiresAt = readEnd(call);
  const types = readTypes(values);
  const { customer, email } = readBuyer(call);
  const lines = readLines(call);
  const [{ currency }] = lines;
  assertCurrency(values, currency);
  const total = lines.reduce((sum, line) => sum + line.amount_total, 0);
  assertChargeable(total, currency, 'line_items');
  const id = core.ids.next('cs_test_', 58);
  const object: Session['object'] = {
    ...withoutChoices,
    id,
    object: 'checkout.session',
    allowed_payment_method_types: types && ['card'],
    amount_subtotal: total,
    amount_total: total,
    cancel_url: cancelUrl,
    client_reference_id: readText(values, 'client_reference_id') ?? null,
    created: core.clock.now(),
    currency,
    customer,
    customer_creation: customer ? null : (readText(values, 'customer_creation') ?? 'if_required'),
    customer_details: null,
    customer_email: email,
    expires_at: expiresAt,
    locale: readText(values, 'locale') ?? null,
    metadata: mergeMetadata({}, values),
    mode: 'payment',
    payment_intent: null,
    payment_status: 'unpaid',
    status: 'open',
    submit_type: readText(values, 'submit_type') ?? null,
    success_url: successUrl,
    url: pageOf(core, id),
  };
  const intent = (readNested(values, 'payment_intent_data') ?? {}) as Session['notes']['intent'];
  return { account: call.account, object, notes: { isAwaited: false, lines, intent } };
};

/** What the sandbox's sessions never have. */
const withoutChoices = {
  adaptive_pricing: { enabled: false },
  after_expiration: null,
  allow_promotion_codes: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
  customer_account: null,
  discounts: [],
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  livemode: false,
  managed_payments: { enabled: false },
  origin_context: null,
  payment_link: null,
  payment_method_collection: 'if_required',
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card'],
  permissions: null,
  phone_number_collection: { enabled: false },
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  subscription: null,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  ui_mode: 'hosted_page',
  wallet_options: null,
} satisfies Partial<Session['object']>;

const create = (call: Call) => {
  const session = newSession(call);
  const { core, account } = call;
  core.resources.insert('checkout.session', session);
  core.schedule.add(session.object.expires_at * 1000, {
    task: 'expire_checkout',
    account,
    object: session.object.id,
  });
  return session.object;
};

const getSession = (call: Call): Session => {
  const { core, account, id } = call;
  const { payment_intent: intent } = core.resources.get('checkout.session', id, { account }).object;
  if (typeof intent === 'string') settleSession(call, intent);
  return core.resources.get('checkout.session', id, { account });
};

const update = (call: Call) => {
  const session = getSession(call);
  session.object.metadata = mergeMetadata(session.object.metadata ?? {}, call.values);
  call.core.resources.save(session);
  return session.object;
};

const expire = (call: Call) => {
  const session = getSession(call);
  if (expireSession(call, session)) return session.object;
  const message =
    'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a ' +
    `status of \`${session.object.status ?? ''}\`.`;
  throw new ApiError(400, { type: 'invalid_request_error', message }, { isRemembered: true });
};

const listLines = (call: Call) => {
  const { lines } = getSession(call).notes;
  const limit = number(call.values, 'limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw invalidParameter('parameter_invalid_integer', 'limit', 'limit must be from 1 to 100');
  }
  const placeOfId = (name: string, otherwise: number): number => {
    const id = readText(call.values, name);
    if (id === undefined) return otherwise;
    const found = lines.findIndex((line) => line.id === id);
    if (found < 0) throw missingResource('item', id, name);
    return found;
  };
  const within = lines.slice(
    placeOfId('starting_after', -1) + 1,
    placeOfId('ending_before', lines.length),
  );
  const data = 'ending_before' in call.values ? within.slice(-limit) : within.slice(0, limit);
  const url = `/v1/checkout/sessions/${call.id}/line_items`;
  return { object: 'list', url, has_more: within.length > data.length, data };
};

export const checkoutSessionRoutes: Route[] = [
  {
    method: 'POST',
    path: '/checkout/sessions',
    accepts: rules,
    run: create,
    acceptsUntil: olderMethodTypes,
  },
  {
    method: 'GET',
    path: '/checkout/sessions',
    accepts: {
      ...pageRules,
      customer: 'text',
      payment_intent: 'text',
      status: ['open', 'complete', 'expired'],
    },
    run: (call) => {
      const status = readText(call.values, 'status');
      return answerList(call, 'checkout.session', {
        url: '/v1/checkout/sessions',
        customer: readText(call.values, 'customer'),
        intent: readText(call.values, 'payment_intent'),
        keep: (object) => status === undefined || object.status === status,
      });
    },
  },
  {
    method: 'GET',
    path: '/checkout/sessions/:id',
    accepts: { expand: 'list' },
    run: (call) => getSession(call).object,
  },
  {
    method: 'POST',
    path: '/checkout/sessions/:id',
    accepts: { metadata: 'map', expand: 'list' },
    run: update,
  },
  {
    method: 'POST',
    path: '/checkout/sessions/:id/expire',
    accepts: { expand: 'list' },
    run: expire,
  },
  {
    method: 'GET',
    path: '/checkout/sessions/:id/line_items',
    accepts: { limit: 'integer', starting_after: 'text', ending_before: 'text', expand: 'list' },
    run: listLines,
  },
];
