// The parameters of the payment and setup intent calls, and how the shared ones are read.

import { methodDataRules } from '../payment-methods/method-data.ts';
import { assertEmail } from '../requests/emails.ts';
import { invalidParameter } from '../requests/errors.ts';
import {
  assertExclusive,
  flag,
  list,
  readNested,
  readText,
  requiredText,
  type Values,
} from '../requests/parameters.ts';
import { endOfMethodTypes } from '../requests/versions.ts';
import type { Kinds } from '../state/resources.ts';

const address = {
  city: 'text',
  country: 'text',
  line1: 'text',
  line2: 'text',
  postal_code: 'text',
  state: 'text',
} as const;

export const shippingRules = {
  address,
  name: 'text',
  carrier: 'text',
  phone: 'text',
  tracking_number: 'text',
} as const;

export const cardOptions = {
  card: { request_three_d_secure: ['any', 'automatic', 'challenge'] },
} as const;

const captureMethods = ['automatic', 'automatic_async', 'manual'] as const;
export const usages = ['off_session', 'on_session', ''] as const;

export const commonIntentRules = {
  allowed_payment_method_types: 'list',
  amount: 'integer',
  capture_method: captureMethods,
  currency: 'text',
  customer: 'text',
  description: 'text',
  metadata: 'map',
  payment_method: 'text',
  payment_method_data: methodDataRules,
  payment_method_options: cardOptions,
  receipt_email: 'text',
  setup_future_usage: usages,
  shipping: shippingRules,
  statement_descriptor: 'text',
  statement_descriptor_suffix: 'text',
  transfer_group: 'text',
  expand: 'list',
} as const;

const mandateRules = {
  customer_acceptance: {
    accepted_at: 'integer',
    offline: {},
    online: { ip_address: 'text', user_agent: 'text' },
    type: ['offline', 'online'],
  },
} as const;

export const confirmRules = {
  allowed_payment_method_types: 'list',
  capture_method: captureMethods,
  confirmation_token: 'text',
  payment_method: 'text',
  payment_method_data: methodDataRules,
  payment_method_options: cardOptions,
  return_url: 'text',
  off_session: 'flag',
  use_stripe_sdk: 'flag',
  error_on_requires_action: 'flag',
  mandate_data: mandateRules,
  receipt_email: 'text',
  setup_future_usage: usages,
  shipping: shippingRules,
  expand: 'list',
} as const;

const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));
/** Current currencies in which no account can charge. */
const notTaken = new Set(['cup', 'ern', 'irr', 'kpw', 'sdg', 'ssp', 'syp', 'tmt', 'ves']);

/** Reads a currency; lower case, as the wire has it. */
export const readCurrency = (given: string): string => {
  const currency = given.toLowerCase();
  if (currencies.has(currency) && !notTaken.has(currency)) return currency;
  throw invalidParameter(undefined, 'currency', `Invalid currency: ${given}.`);
};

const maxAmount = 99_999_999;

// Minimum amounts for an account that is paid out in the same currency. Conversion of others is not
// implemented.
const minAmounts: Readonly<Record<string, number>> = {
  ...{ aed: 200, aud: 50, brl: 50, cad: 50, chf: 50, czk: 1500, dkk: 250, eur: 50, gbp: 30 },
  ...{ hkd: 400, huf: 17_500, inr: 50, jpy: 50, mxn: 1000, myr: 200, nok: 300, nzd: 50 },
  ...{ pln: 200, ron: 200, sek: 300, sgd: 50, thb: 1000, usd: 50 },
};

/** Throws for an amount too small or too large to charge, in the currency's smallest unit. */
export const assertChargeable = (amount: number, currency: string, param: string): void => {
  const least = minAmounts[currency] ?? 1;
  if (amount < least) {
    throw invalidParameter(
      'amount_too_small',
      param,
      `Amount must be at least ${least} ${currency}`,
    );
  }
  if (amount > maxAmount) {
    throw invalidParameter('amount_too_large', param, 'Amount must be no more than 999,999.99');
  }
};

/** Reads an amount that can be charged. */
export const readAmount = (amount: number, currency: string): number => {
  if (amount < 1) {
    throw invalidParameter(
      'parameter_invalid_integer',
      'amount',
      'This value must be greater than or equal to 1.',
    );
  }
  assertChargeable(amount, currency, 'amount');
  return amount;
};

type MethodTypes = { allowed: string[] | null; used: string[] };

/** Named `payment_method_types` by versions before `endive`. */
export const olderMethodTypes = {
  version: endOfMethodTypes,
  also: { payment_method_types: 'list' },
} as const;

/** The same for intents: the provider's changelog names the code with which later versions refuse it. */
export const intentMethodTypes = {
  ...olderMethodTypes,
  code: 'payment_method_types_no_longer_supported',
} as const;

/**
 * The sandbox accepts only cards. `allowed_payment_method_types` is the current name,
 * `payment_method_types` that of earlier versions.
 */
export const readMethodTypes = (values: Values): MethodTypes => {
  const allowed = list(values, 'allowed_payment_method_types');
  const older = list(values, 'payment_method_types');
  const name = older ? 'payment_method_types' : 'allowed_payment_method_types';
  assertExclusive(values, ['allowed_payment_method_types', 'payment_method_types']);
  if (flag(readNested(values, 'automatic_payment_methods') ?? {}, 'enabled')) {
    assertExclusive(values, ['automatic_payment_methods', name]);
  }
  const types = allowed ?? older ?? ['card'];
  const other = types.find((type) => type !== 'card');
  if (other === undefined && types.length > 0) {
    return { allowed: allowed ? ['card'] : null, used: ['card'] };
  }
  throw invalidParameter(
    'payment_intent_invalid_parameter',
    name,
    `The payment method type "${other ?? ''}" is invalid.`,
  );
};

/** Returns whether the caller named the types, which excludes the automatic choice. */
export const namesMethodTypes = (values: Values): boolean =>
  'allowed_payment_method_types' in values || 'payment_method_types' in values;

export const readOptions = (values: Values): Kinds['payment_intent']['payment_method_options'] => {
  const card = readNested(readNested(values, 'payment_method_options') ?? {}, 'card') ?? {};
  return {
    card: {
      installments: null,
      mandate_options: null,
      network: null,
      request_three_d_secure: readText(card, 'request_three_d_secure') ?? 'automatic',
    },
  };
};

/** Reads the address that gets the receipt; throws 400 `email_invalid`. */
export const readReceiptEmail = (values: Values): string | undefined => {
  const email = readText(values, 'receipt_email');
  assertEmail(email, 'receipt_email');
  return email;
};

export const readShipping = (values: Values): Kinds['payment_intent']['shipping'] => {
  const given = readNested(values, 'shipping');
  if (!given) return null;
  const place = readNested(given, 'address') ?? {};
  const addressField = (from: Values, name: string) => readText(from, name) || null;
  return {
    address: {
      city: addressField(place, 'city'),
      country: addressField(place, 'country'),
      line1: addressField(place, 'line1'),
      line2: addressField(place, 'line2'),
      postal_code: addressField(place, 'postal_code'),
      state: addressField(place, 'state'),
    },
    carrier: addressField(given, 'carrier'),
    name: requiredText(given, 'name'),
    phone: addressField(given, 'phone'),
    tracking_number: addressField(given, 'tracking_number'),
  };
};
