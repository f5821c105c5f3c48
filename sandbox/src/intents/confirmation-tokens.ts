// Confirmation tokens: what a page collected, method and return address included, to be confirmed by a server.
// The method is made with the token, so that no card number is kept until the token is used.

import type { Call, Route } from '../core/core.ts';
import { methodDataRules } from '../payment-methods/method-data.ts';
import { namedMethod } from '../payment-methods/payment-methods.ts';
import { invalidParameter, missingResource } from '../requests/errors.ts';
import { readText, type Values } from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';
import { readReturnUrl } from './confirming.ts';
import { readShipping, shippingRules, usages } from './intent-parameters.ts';

type Token = StoredObject<'confirmation_token'>;

const livesSeconds = 12 * 3_600;

const create = (call: Call) => {
  const { core, values } = call;
  const returnUrl = readReturnUrl(values) ?? null;
  const method = namedMethod(call)?.object;
  if (!method) {
    throw invalidParameter(
      'parameter_missing',
      'payment_method_data',
      'You must provide one of these parameters: payment_method, payment_method_data.',
    );
  }
  const shipping = readShipping(values);
  const object: Token['object'] = {
    id: core.ids.next('ctoken_'),
    object: 'confirmation_token',
    created: core.clock.now(),
    expires_at: core.clock.now() + livesSeconds,
    livemode: false,
    mandate_data: null,
    metadata: null,
    payment_intent: null,
    payment_method_options: null,
    payment_method_preview: {
      allow_redisplay: method.allow_redisplay ?? 'unspecified',
      billing_details: method.billing_details,
      ...(method.card ? { card: method.card } : {}),
      customer: method.customer,
      customer_account: null,
      type: 'card',
    },
    return_url: returnUrl,
    setup_future_usage: readText(values, 'setup_future_usage') || null,
    setup_intent: null,
    shipping: shipping?.address
      ? {
          address: shipping.address,
          name: shipping.name ?? '',
          phone: shipping.phone ?? null,
        }
      : null,
    use_stripe_sdk: false,
  };
  core.resources.insert('confirmation_token', {
    account: call.account,
    object,
    notes: { method: method.id },
  });
  return object;
};

const refuse = (message: string) => invalidParameter(undefined, 'confirmation_token', message);

const takeToken = (call: Call, id: string, intent: string): Token => {
  const kept = call.core.resources.find('confirmation_token', id);
  if (kept?.account !== call.account) {
    throw missingResource('confirmation_token', id, 'confirmation_token');
  }
  const { object } = kept;
  const user = object.payment_intent ?? object.setup_intent;
  if (user !== null && user !== intent) {
    throw refuse(`The confirmation token ${id} has already been used with ${user}.`);
  }
  if ((object.expires_at ?? 0) <= call.core.clock.now()) {
    throw refuse(`The confirmation token ${id} has expired.`);
  }
  if (intent.startsWith('seti_')) object.setup_intent = intent;
  else object.payment_intent = intent;
  call.core.resources.save(kept);
  return kept;
};

/**
 * Returns the call with what its confirmation token holds; what the call names itself comes first. The
 * token belongs to the intent from now on.
 */
export const withToken = (call: Call, intent: string): Call => {
  const id = readText(call.values, 'confirmation_token');
  if (!id) return call;
  const { object, notes } = takeToken(call, id, intent);
  const isPayment = intent.startsWith('pi_');
  const { return_url: url, setup_future_usage: usage, shipping } = object;
  const held: Values = {
    ...('payment_method_data' in call.values ? {} : { payment_method: notes.method }),
    ...(url === null ? {} : { return_url: url }),
    ...(isPayment && usage !== null ? { setup_future_usage: usage } : {}),
    ...(isPayment && shipping ? { shipping: withoutEmpty(shipping) } : {}),
  };
  return { ...call, values: { ...held, ...call.values } };
};

const withoutEmpty = (given: object): Values =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'object' ? withoutEmpty(value) : value]),
  );

const accepts = {
  payment_method: 'text',
  payment_method_data: methodDataRules,
  return_url: 'text',
  setup_future_usage: usages,
  shipping: shippingRules,
  expand: 'list',
} as const;

export const confirmationTokenRoutes: Route[] = [
  // The provider's browser library makes them this way; tests make them with the secret key.
  { method: 'POST', path: '/confirmation_tokens', isPublic: true, accepts, run: create },
  { method: 'POST', path: '/test_helpers/confirmation_tokens', accepts, run: create },
  {
    method: 'GET',
    path: '/confirmation_tokens/:id',
    accepts: { expand: 'list' },
    run: (call) => {
      const scope = { account: call.account };
      return call.core.resources.get('confirmation_token', call.id, scope).object;
    },
  },
];
