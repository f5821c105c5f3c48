// The setup intent calls, which save a method without charging it.

import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { methodDataRules } from '../payment-methods/method-data.ts';
import { assertCustomer, namedMethod, usedUpError } from '../payment-methods/payment-methods.ts';
import { invalidParameter, missingResource, stateError } from '../requests/errors.ts';
import { flag, mergeMetadata, readText, requiredText, textOrNull } from '../requests/parameters.ts';
import type { Kinds, StoredObject } from '../state/resources.ts';
import { withToken } from './confirmation-tokens.ts';
import {
  assertConfirming,
  assertPageMaySay,
  assertReturnUrl,
  automaticMethods,
  readReturnUrl,
} from './confirming.ts';
import {
  cardOptions,
  intentMethodTypes,
  readMethodTypes,
  readOptions,
} from './intent-parameters.ts';
import { confirmSetup } from './setup-moves.ts';

type Setup = StoredObject<'setup_intent'>;

const getSetup = (call: Call): Setup =>
  call.core.resources.get('setup_intent', call.id, { account: call.account, param: 'intent' });

const unexpectedState = (setup: Setup, message: string) =>
  stateError('setup_intent_unexpected_state', message, { setup_intent: setup.object });

const readSetupOptions = (call: Call): Kinds['setup_intent']['payment_method_options'] => ({
  card: {
    mandate_options: null,
    network: null,
    request_three_d_secure: readOptions(call.values)?.card?.request_three_d_secure ?? 'automatic',
  },
});

const newSetup = (call: Call, id: string): Kinds['setup_intent'] => {
  const { core, values } = call;
  const types = readMethodTypes(values);
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: types.allowed,
    application: null,
    automatic_payment_methods: automaticMethods(call),
    cancellation_reason: null,
    client_secret: core.ids.next(`${id}_secret_`, 25),
    created: core.clock.now(),
    customer: readText(values, 'customer') || null,
    customer_account: null,
    description: readText(values, 'description') || null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    managed_payments: { enabled: false },
    mandate: null,
    metadata: mergeMetadata({}, values),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: readSetupOptions(call),
    payment_method_types: types.used,
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: readText(values, 'usage') ?? 'off_session',
  };
};

const putMethod = (call: Call, setup: Setup): void => {
  const method = namedMethod(call);
  if (!method) return;
  const owner = method.object.customer;
  if (owner !== null && owner !== setup.object.customer) {
    throw invalidParameter(
      undefined,
      'payment_method',
      `The customer associated with this SetupIntent does not own ${method.object.id}.`,
    );
  }
  if (method.notes.isUsedUp && call.core.mode === 'guarded') throw usedUpError();
  setup.object.payment_method = method.object.id;
  if (setup.object.status === 'requires_payment_method') {
    setup.object.status = 'requires_confirmation';
  }
};

const attempt = (call: Call, setup: Setup): void => {
  if (setup.object.payment_method === null) {
    throw unexpectedState(
      setup,
      "You cannot confirm this SetupIntent because it's missing a payment method. Update the " +
        'SetupIntent with a payment method and then confirm it again.',
    );
  }
  assertReturnUrl(setup, 'SetupIntent');
  confirmSetup(call, setup, { isAuthenticated: false, refusesAction: false });
};

const create = (given: Call) => {
  const confirms = assertConfirming(given.values, ['confirmation_token', 'return_url']);
  const id = given.core.ids.next('seti_');
  const call = withToken(given, id);
  const object = newSetup(call, id);
  const setup: Setup = {
    account: call.account,
    object,
    notes: { returnUrl: null, offSession: false },
  };
  if (typeof object.customer === 'string') assertCustomer(call, object.customer);
  putMethod(call, setup);
  setup.notes.returnUrl = readReturnUrl(call.values) ?? setup.notes.returnUrl;
  setup.notes.usesSdk = flag(call.values, 'use_stripe_sdk') ?? false;
  call.core.resources.insert('setup_intent', setup);
  emitEvent(call, 'setup_intent.created', { object });
  if (confirms) attempt(call, setup);
  return object;
};

const open = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

const assertOpen = (setup: Setup, verb: string): void => {
  if (open.includes(setup.object.status)) return;
  throw unexpectedState(
    setup,
    `You cannot ${verb} this SetupIntent because it has a status of ${setup.object.status}.`,
  );
};

const assertClientSecret = (call: Call, setup: Setup): void => {
  const given = readText(call.values, 'client_secret');
  if (call.key === 'secret' && given === undefined) return;
  if (given !== setup.object.client_secret) {
    throw missingResource('setup_intent', call.id, 'intent');
  }
};

const confirm = (given: Call) => {
  const setup = getSetup(given);
  assertClientSecret(given, setup);
  assertPageMaySay(given);
  assertOpen(setup, 'confirm');
  const call = withToken(given, setup.object.id);
  putMethod(call, setup);
  setup.notes.returnUrl = readReturnUrl(call.values) ?? setup.notes.returnUrl;
  setup.notes.usesSdk = flag(call.values, 'use_stripe_sdk') ?? false;
  if ('payment_method_options' in call.values) {
    setup.object.payment_method_options = readSetupOptions(call);
  }
  attempt(call, setup);
  return setup.object;
};

const cancel = (call: Call) => {
  const setup = getSetup(call);
  assertOpen(setup, 'cancel');
  setup.object.status = 'canceled';
  setup.object.cancellation_reason = readText(call.values, 'cancellation_reason') ?? null;
  setup.object.next_action = null;
  call.core.resources.save(setup);
  emitEvent(call, 'setup_intent.canceled', { object: setup.object });
  return setup.object;
};

const update = (call: Call) => {
  const setup = getSetup(call);
  const { object } = setup;
  if ('payment_method' in call.values || 'customer' in call.values) assertOpen(setup, 'update');
  const customer = textOrNull(call.values, 'customer');
  if (customer) assertCustomer(call, customer);
  if (customer !== undefined) object.customer = customer;
  const description = textOrNull(call.values, 'description');
  if (description !== undefined) object.description = description;
  object.metadata = mergeMetadata(object.metadata ?? {}, call.values);
  putMethod(call, setup);
  call.core.resources.save(setup);
  return object;
};

const shared = {
  customer: 'text',
  description: 'text',
  metadata: 'map',
  payment_method: 'text',
  payment_method_data: methodDataRules,
  expand: 'list',
} as const;

export const setupIntentRoutes: Route[] = [
  {
    method: 'GET',
    path: '/setup_attempts',
    accepts: { ...pageRules, setup_intent: 'text' },
    run: (call) =>
      answerList(call, 'setup_attempt', {
        url: '/v1/setup_attempts',
        intent: requiredText(call.values, 'setup_intent'),
      }),
  },
  {
    method: 'POST',
    path: '/setup_intents',
    accepts: {
      ...shared,
      confirm: 'flag',
      confirmation_token: 'text',
      return_url: 'text',
      use_stripe_sdk: 'flag',
      payment_method_options: cardOptions,
      allowed_payment_method_types: 'list',
      automatic_payment_methods: { enabled: 'flag', allow_redirects: ['always', 'never'] },
      usage: ['off_session', 'on_session'],
    },
    acceptsUntil: intentMethodTypes,
    run: create,
  },
  {
    method: 'GET',
    path: '/setup_intents',
    accepts: { ...pageRules, customer: 'text', payment_method: 'text' },
    run: (call) => {
      const method = readText(call.values, 'payment_method');
      return answerList(call, 'setup_intent', {
        url: '/v1/setup_intents',
        customer: readText(call.values, 'customer'),
        ...(method ? { keep: (setup) => setup.payment_method === method } : {}),
      });
    },
  },
  {
    method: 'GET',
    path: '/setup_intents/:id',
    isPublic: true,
    accepts: { client_secret: 'text', expand: 'list' },
    run: (call) => {
      const setup = getSetup(call);
      assertClientSecret(call, setup);
      return setup.object;
    },
  },
  { method: 'POST', path: '/setup_intents/:id', accepts: shared, run: update },
  {
    method: 'POST',
    path: '/setup_intents/:id/confirm',
    isPublic: true,
    accepts: {
      confirmation_token: 'text',
      payment_method: 'text',
      payment_method_data: methodDataRules,
      payment_method_options: cardOptions,
      return_url: 'text',
      use_stripe_sdk: 'flag',
      client_secret: 'text',
      expand: 'list',
    },
    run: confirm,
  },
  {
    method: 'POST',
    path: '/setup_intents/:id/cancel',
    accepts: {
      cancellation_reason: ['abandoned', 'duplicate', 'requested_by_customer'],
      expand: 'list',
    },
    run: cancel,
  },
];
