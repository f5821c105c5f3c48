// How a payment method is made: from a card's data, which a browser sends with the publishable key, from a
// token, or from a well-known test id. Number and CVC are stored nowhere, not even inside a remembered call.
import { mayTypeCards } from '../accounts/account-settings.ts';
import { findBrand } from '../cards/card-digits.ts';
import { assertCardReadable, type TypedCard } from '../cards/cards.ts';
import { behaviourOf, countryOf, findTestNumber, fundingOf } from '../cards/test-cards.ts';
import type { Actor, Call } from '../core/core.ts';
import { assertEmail } from '../requests/emails.ts';
import { ApiError, invalidParameter, missingResource } from '../requests/errors.ts';
import type { Values } from '../requests/parameters.ts';
import {
  mergeMetadata,
  readNested,
  readText,
  requiredNumber,
  requiredText,
} from '../requests/parameters.ts';
import type { Kinds, StoredObject } from '../state/resources.ts';

const address = {
  city: 'text',
  country: 'text',
  line1: 'text',
  line2: 'text',
  postal_code: 'text',
  state: 'text',
} as const;

/** The parameters that an update of a payment method may change. */
export const changeableRules = {
  allow_redisplay: ['always', 'limited', 'unspecified'],
  billing_details: { address, email: 'text', name: 'text', phone: 'text', tax_id: 'text' },
  metadata: 'map',
} as const;

export const methodDataRules = {
  ...changeableRules,
  type: ['card'],
  card: {
    number: 'text',
    exp_month: 'integer',
    exp_year: 'integer',
    cvc: 'text',
    token: 'text',
  },
} as const;

type Details = Kinds['payment_method']['billing_details'];

export const billingDetails = (values: Values | undefined, at = 'billing_details'): Details => {
  const place = (values && readNested(values, 'address')) ?? {};
  const textOrNull = (from: Values, name: string) => readText(from, name) || null;
  const email = textOrNull(values ?? {}, 'email');
  assertEmail(email, `${at}[email]`);
  return {
    address: {
      city: textOrNull(place, 'city'),
      country: textOrNull(place, 'country'),
      line1: textOrNull(place, 'line1'),
      line2: textOrNull(place, 'line2'),
      postal_code: textOrNull(place, 'postal_code'),
      state: textOrNull(place, 'state'),
    },
    email,
    name: textOrNull(values ?? {}, 'name'),
    phone: textOrNull(values ?? {}, 'phone'),
    tax_id: textOrNull(values ?? {}, 'tax_id'),
  };
};

/**
 * A check runs only where the data to check was given, and when the card is first charged or set up: until
 * then recorded methods say `unchecked`.
 */
const checksOf = (typed: TypedCard, place: Details['address']) => ({
  address_line1_check: place?.line1 ? 'unchecked' : null,
  address_postal_code_check: place?.postal_code ? 'unchecked' : null,
  cvc_check: typed.cvc === undefined ? null : 'unchecked',
});

const cardOf = (
  actor: Actor,
  typed: TypedCard,
  place: Details['address'],
): NonNullable<Kinds['payment_method']['card']> => {
  const brand = findBrand(typed.number) ?? 'unknown';
  return {
    brand,
    checks: checksOf(typed, place),
    country: countryOf(typed.number),
    display_brand: brand === 'amex' ? 'american_express' : brand,
    exp_month: typed.expMonth,
    exp_year: typed.expYear,
    fingerprint: actor.core.ids.fixed('card', typed.number, 16),
    funding: fundingOf(typed.number),
    generated_from: null,
    last4: typed.number.slice(-4),
    networks: { available: [brand], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: null,
  };
};

const insertMethod = (
  actor: Actor,
  typed: TypedCard,
  { values, at }: { values: Values; at: string },
): StoredObject<'payment_method'> => {
  const details = billingDetails(
    readNested(values, 'billing_details'),
    at ? `${at}[billing_details]` : 'billing_details',
  );
  return actor.core.resources.insert('payment_method', {
    account: actor.account,
    object: {
      id: actor.core.ids.next('pm_'),
      object: 'payment_method',
      allow_redisplay: readText(values, 'allow_redisplay') ?? 'unspecified',
      billing_details: details,
      card: cardOf(actor, typed, details.address),
      created: actor.core.clock.now(),
      customer: null,
      customer_account: null,
      livemode: false,
      metadata: mergeMetadata({}, values),
      type: 'card',
    },
    notes: {
      behaviour: behaviourOf(typed.number),
      isSetUp: false,
      isUsedUp: false,
    },
  });
};

const typedTestCard = (actor: Actor, number: string): TypedCard => ({
  number,
  expMonth: 12,
  expYear: new Date(actor.core.clock.nowMs()).getUTCFullYear() + 4,
  cvc: '123',
});

/** Creates a payment method from a test card's number. */
export const insertTestMethod = (
  actor: Actor,
  number: string,
  { values, at }: { values: Values; at: string } = { values: {}, at: '' },
): StoredObject<'payment_method'> =>
  insertMethod(actor, typedTestCard(actor, number), { values, at });

/** Tokens of the sandbox alone. Its express buttons return one of them in place of a wallet's card. */
const expressTokens: Readonly<Record<string, 'apple_pay' | 'google_pay' | 'link'>> = {
  tok_express_apple_pay: 'apple_pay',
  tok_express_google_pay: 'google_pay',
  tok_express_link: 'link',
};

/** The suffix of such a token when the wallet's card requires 3-D Secure. */
const asks = '_asks';

const redeemToken = (
  call: Call,
  token: string,
  data: { values: Values; at: string },
): StoredObject<'payment_method'> => {
  const wallet = expressTokens[token.replace(asks, '')];
  const inWallet = token.endsWith(asks) ? 'tok_authenticationRequired' : 'tok_visa';
  const known = token.startsWith('tok_') ? findTestNumber(wallet ? inWallet : token) : undefined;
  if (!known) throw missingResource('token', token, 'card[token]');
  const kept = insertTestMethod(call, known, data);
  if (!wallet || !kept.object.card) return kept;
  kept.object.card.wallet = { dynamic_last4: '4242', type: wallet, [wallet]: {} };
  call.core.resources.save(kept);
  return kept;
};

const withSecretKey = () =>
  new ApiError(402, {
    type: 'invalid_request_error',
    message:
      'Sending credit card numbers directly to the Stripe API is generally unsafe. Use a ' +
      'publishable key, as a browser does, or a test payment method such as pm_card_visa.',
  });

/**
 * The error for a card number that is sent with a publishable key. For an account without access to raw card data,
 * only the provider's own fields may send card numbers.
 */
const publishableKeyError = () =>
  new ApiError(400, {
    type: 'invalid_request_error',
    message:
      'This integration surface is unsupported for publishable key tokenization. To use it, ask ' +
      'for access to raw card data, or collect the card with the hosted fields of Stripe.js.',
  });

/** Creates a payment method from a card's data. Errors name the parameters below `at`, when it is given. */
export const makeMethod = (call: Call, values: Values, at = ''): StoredObject<'payment_method'> => {
  const nameInside = (name: string) => (at ? `${at}[${name}]` : name);
  if (readText(values, 'type') === undefined) {
    const name = nameInside('type');
    throw invalidParameter('parameter_missing', name, `Missing required param: ${name}.`);
  }
  const card = readNested(values, 'card') ?? {};
  const token = readText(card, 'token');
  if (token !== undefined) return redeemToken(call, token, { values, at });
  if (values.card === undefined) {
    const name = nameInside('card');
    throw invalidParameter('parameter_missing', name, `Missing required param: ${name}.`);
  }
  const typed: TypedCard = {
    number: requiredText(card, 'number').replaceAll(/[\s-]/g, ''),
    expMonth: requiredNumber(card, 'exp_month'),
    expYear: requiredNumber(card, 'exp_year'),
    cvc: readText(card, 'cvc'),
  };
  if (call.key !== 'publishable') throw withSecretKey();
  if (!call.isHostedField && !mayTypeCards(call.core.store, call.account))
    throw publishableKeyError();
  if (typed.expYear < 100) typed.expYear += 2000;
  assertCardReadable(typed, new Date(call.core.clock.nowMs()));
  return insertMethod(call, typed, { values, at });
};
