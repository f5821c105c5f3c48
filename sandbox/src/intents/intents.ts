// The payment intent calls.

import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { assertCustomer, namedMethod } from '../payment-methods/payment-methods.ts';
import { invalidParameter } from '../requests/errors.ts';
import {
  flag,
  mergeMetadata,
  number,
  readText,
  requiredNumber,
  requiredText,
  textOrNull,
} from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';
import { withToken } from './confirmation-tokens.ts';
import {
  assertConfirming,
  assertPageMaySay,
  assertReturnUrl,
  automaticMethods,
  readReturnUrl,
} from './confirming.ts';
import {
  assertClientSecret,
  assertMayConfirm,
  cancelGuarded,
  captureGuarded,
  getIntent,
  publicView,
  unexpectedState,
} from './intent-guards.ts';
import { assertUsable, confirmIntent } from './intent-moves.ts';
import {
  commonIntentRules,
  confirmRules,
  intentMethodTypes,
  namesMethodTypes,
  readAmount,
  readCurrency,
  readMethodTypes,
  readOptions,
  readReceiptEmail,
  readShipping,
} from './intent-parameters.ts';

type Intent = StoredObject<'payment_intent'>;

const newIntent = (call: Call, id: string): Intent['object'] => {
  const { values, core } = call;
  const types = readMethodTypes(values);
  const amount = requiredNumber(values, 'amount');
  const currency = readCurrency(requiredText(values, 'currency'));
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: types.allowed,
    amount: readAmount(amount, currency),
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: automaticMethods(call),
    canceled_at: null,
    cancellation_reason: null,
    capture_method: readText(values, 'capture_method') ?? 'automatic_async',
    client_secret: core.ids.next(`${id}_secret_`, 25),
    confirmation_method: readText(values, 'confirmation_method') ?? 'automatic',
    created: core.clock.now(),
    currency,
    customer: readText(values, 'customer') || null,
    customer_account: null,
    description: readText(values, 'description') || null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: { enabled: false },
    metadata: mergeMetadata({}, values),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: readOptions(values),
    payment_method_types: types.used,
    payment_record: null,
    processing: null,
    receipt_email: readReceiptEmail(values) || null,
    review: null,
    setup_future_usage: readText(values, 'setup_future_usage') ?? null,
    shipping: readShipping(values),
    source: null,
    statement_descriptor: readText(values, 'statement_descriptor') || null,
    statement_descriptor_suffix: readText(values, 'statement_descriptor_suffix') || null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: readText(values, 'transfer_group') || null,
  };
};

const putMethod = (call: Call, intent: Intent): void => {
  const method = namedMethod(call);
  if (!method) return;
  assertUsable(call, intent, method);
  intent.object.payment_method = method.object.id;
  intent.notes.isAuthenticated = false;
  if (intent.object.status === 'requires_payment_method') {
    intent.object.status = 'requires_confirmation';
  }
};

const readConfirmation = (call: Call, intent: Intent): void => {
  const { values } = call;
  intent.notes.returnUrl = readReturnUrl(values) ?? intent.notes.returnUrl;
  intent.notes.offSession = flag(values, 'off_session') ?? false;
  intent.notes.usesSdk = flag(values, 'use_stripe_sdk') ?? false;
  const captureMethod = readText(values, 'capture_method');
  if (captureMethod) intent.object.capture_method = captureMethod;
  const usage = readText(values, 'setup_future_usage');
  if (usage) intent.object.setup_future_usage = usage;
};

const attempt = (call: Call, intent: Intent): void => {
  const { object, notes } = intent;
  if (object.payment_method === null) {
    throw unexpectedState(
      intent,
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either " +
        'update the PaymentIntent with a payment method and then confirm it again, or confirm it ' +
        'again directly with a payment method or ConfirmationToken.',
    );
  }
  // Off session no buyer is present, so nobody can be redirected and no address for the return is needed.
  if (!notes.offSession) assertReturnUrl(intent, 'PaymentIntent');
  const refusesAction = flag(call.values, 'error_on_requires_action') ?? false;
  const isAuthenticated = notes.isAuthenticated ?? false;
  notes.isAuthenticated = false;
  confirmIntent(call, intent, { isAuthenticated, refusesAction });
};

const onlyConfirming = [
  'confirmation_token',
  'error_on_requires_action',
  'off_session',
  'return_url',
];

/** Makes an intent from the call's values. */
export const createIntent = (given: Call): Intent['object'] => {
  const confirms = assertConfirming(given.values, onlyConfirming);
  const id = given.core.ids.next('pi_');
  const call = withToken(given, id);
  const object = newIntent(call, id);
  if (typeof object.customer === 'string') assertCustomer(call, object.customer);
  const intent: Intent = {
    account: call.account,
    object,
    notes: { returnUrl: null, offSession: false },
  };
  putMethod(call, intent);
  if (confirms && object.payment_method === null) {
    throw invalidParameter(
      'parameter_missing',
      'payment_method',
      'You must provide a payment method when `confirm` is true.',
    );
  }
  readConfirmation(call, intent);
  call.core.resources.insert('payment_intent', intent);
  emitEvent(call, 'payment_intent.created', { object });
  if (confirms) attempt(call, intent);
  return object;
};

const takeMethodTypes = ({ values }: Call, { object }: Intent): void => {
  if (!namesMethodTypes(values)) return;
  const types = readMethodTypes(values);
  object.allowed_payment_method_types = types.allowed;
  object.payment_method_types = types.used;
  object.automatic_payment_methods = null;
};

const confirmable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/** Confirms the call's intent. After a decline it throws 402 and keeps the intent's state. */
export const confirmByCall = (given: Call): object => {
  const intent = getIntent(given, given.id);
  const { object } = intent;
  assertClientSecret(given, intent);
  assertMayConfirm(given, intent);
  assertPageMaySay(given);
  if (!confirmable.includes(object.status) && given.core.mode === 'guarded') {
    throw unexpectedState(
      intent,
      object.status === 'succeeded'
        ? 'You cannot confirm this PaymentIntent because it has already succeeded after being ' +
            'previously confirmed.'
        : `You cannot confirm this PaymentIntent because it has a status of ${object.status}. Only a ` +
            'PaymentIntent with one of the following statuses may be confirmed: ' +
            'requires_confirmation, requires_action, requires_payment_method.',
    );
  }
  const call = withToken(given, object.id);
  takeMethodTypes(call, intent);
  putMethod(call, intent);
  readConfirmation(call, intent);
  const email = readReceiptEmail(call.values);
  if (email) object.receipt_email = email;
  if ('shipping' in call.values) object.shipping = readShipping(call.values);
  if ('payment_method_options' in call.values) {
    object.payment_method_options = readOptions(call.values);
  }
  attempt(call, intent);
  return call.key === 'publishable' ? publicView(object) : object;
};

const fixedOnceHeld = [
  'allowed_payment_method_types',
  'amount',
  'capture_method',
  'currency',
  'customer',
  'payment_method',
  'payment_method_options',
  'payment_method_types',
  'setup_future_usage',
];

const update = (call: Call) => {
  const intent = getIntent(call, call.id);
  const { object } = intent;
  const { values } = call;
  const isFixed = ['succeeded', 'canceled', 'requires_capture', 'processing'].includes(
    object.status,
  );
  const refused = isFixed ? fixedOnceHeld.find((name) => name in values) : undefined;
  if (refused) {
    throw unexpectedState(
      intent,
      `This PaymentIntent's ${refused} could not be updated because it has a status of ` +
        `${object.status}. You may only update the ${refused} of a PaymentIntent with one of the ` +
        'following statuses: requires_payment_method, requires_confirmation, requires_action.',
    );
  }
  readReceiptEmail(values);
  if ('currency' in values) object.currency = readCurrency(requiredText(values, 'currency'));
  object.amount = readAmount(number(values, 'amount') ?? object.amount, object.currency);
  const customer = readText(values, 'customer');
  if (customer) assertCustomer(call, customer);
  for (const name of [
    'customer',
    'description',
    'receipt_email',
    'setup_future_usage',
    'statement_descriptor',
    'statement_descriptor_suffix',
    'transfer_group',
  ] as const) {
    const value = textOrNull(values, name);
    if (value !== undefined) object[name] = value;
  }
  if ('shipping' in values) object.shipping = readShipping(values);
  if ('payment_method_options' in values) object.payment_method_options = readOptions(values);
  takeMethodTypes(call, intent);
  const captureMethod = readText(values, 'capture_method');
  if (captureMethod) object.capture_method = captureMethod;
  object.metadata = mergeMetadata(object.metadata, values);
  putMethod(call, intent);
  call.core.resources.save(intent);
  return object;
};

const capture = (call: Call) => {
  if (flag(call.values, 'final_capture') === false) {
    throw invalidParameter(
      undefined,
      'final_capture',
      'This PaymentIntent does not support multicapture: final_capture must be true.',
    );
  }
  const amount = number(call.values, 'amount_to_capture');
  return captureGuarded(call, call.id, { amount, values: call.values });
};

const retrieve = (call: Call) => {
  const intent = getIntent(call, call.id);
  assertClientSecret(call, intent);
  return call.key === 'publishable' ? publicView(intent.object) : intent.object;
};

export const intentRoutes: Route[] = [
  {
    method: 'POST',
    path: '/payment_intents',
    accepts: {
      ...commonIntentRules,
      ...confirmRules,
      confirm: 'flag',
      confirmation_method: ['automatic', 'manual'],
      automatic_payment_methods: { enabled: 'flag', allow_redirects: ['always', 'never'] },
    },
    acceptsUntil: intentMethodTypes,
    run: createIntent,
  },
  {
    method: 'GET',
    path: '/payment_intents',
    accepts: { ...pageRules, customer: 'text' },
    run: (call) =>
      answerList(call, 'payment_intent', {
        url: '/v1/payment_intents',
        customer: readText(call.values, 'customer'),
      }),
  },
  {
    method: 'GET',
    path: '/payment_intents/:id',
    isPublic: true,
    accepts: { client_secret: 'text', expand: 'list' },
    run: retrieve,
  },
  {
    method: 'POST',
    path: '/payment_intents/:id',
    accepts: commonIntentRules,
    acceptsUntil: intentMethodTypes,
    run: update,
  },
  {
    method: 'POST',
    path: '/payment_intents/:id/confirm',
    isPublic: true,
    accepts: { ...confirmRules, client_secret: 'text' },
    acceptsUntil: intentMethodTypes,
    run: confirmByCall,
  },
  {
    method: 'POST',
    path: '/payment_intents/:id/capture',
    accepts: {
      amount_to_capture: 'integer',
      final_capture: 'flag',
      statement_descriptor_suffix: 'text',
      metadata: 'map',
      expand: 'list',
    },
    run: capture,
  },
  {
    method: 'POST',
    path: '/payment_intents/:id/cancel',
    accepts: {
      cancellation_reason: ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'],
      expand: 'list',
    },
    run: (call) =>
      cancelGuarded(call, call.id, readText(call.values, 'cancellation_reason') ?? null),
  },
];
