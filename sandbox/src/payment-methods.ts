// Payment methods: a typed card becomes a token with brand, last four digits, expiry, fingerprint and a
// behaviour. Number and CVC are stored nowhere, not even inside a remembered call.
import { findBrand } from './card-digits.ts';
import {
  assertCardReadable,
  type Behaviour,
  type BehaviourName,
  behaviourOf,
  behaviours,
  declines,
  findTestCard,
  type TypedCard,
} from './cards.ts';
import type { Actor, Call, Route } from './core.ts';
import { ApiError, invalidParameter, missingResource } from './errors.ts';
import { emitEvent } from './events.ts';
import { answerList, pageRules } from './lists.ts';
import type { Values } from './parameters.ts';
import { mergeMetadata, nested, requiredNumber, requiredText, text } from './parameters.ts';
import type { Kept, Kinds } from './resources.ts';

const address = {
  city: 'text',
  country: 'text',
  line1: 'text',
  line2: 'text',
  postal_code: 'text',
  state: 'text',
} as const;
const billing = { address, email: 'text', name: 'text', phone: 'text', tax_id: 'text' } as const;
const redisplay = ['always', 'limited', 'unspecified'] as const;

export const behaviourFor = (kept: Kept<'payment_method'>): Behaviour =>
  behaviours[kept.notes.behaviour as BehaviourName];

const billingDetails = (values: Values | undefined): Kinds['payment_method']['billing_details'] => {
  const place = (values && nested(values, 'address')) ?? {};
  const word = (from: Values, name: string) => text(from, name) || null;
  return {
    address: {
      city: word(place, 'city'),
      country: word(place, 'country'),
      line1: word(place, 'line1'),
      line2: word(place, 'line2'),
      postal_code: word(place, 'postal_code'),
      state: word(place, 'state'),
    },
    email: word(values ?? {}, 'email'),
    name: word(values ?? {}, 'name'),
    phone: word(values ?? {}, 'phone'),
    tax_id: word(values ?? {}, 'tax_id'),
  };
};

const cardOf = (actor: Actor, typed: TypedCard): NonNullable<Kinds['payment_method']['card']> => {
  const brand = findBrand(typed.number) ?? 'unknown';
  return {
    brand,
    checks: {
      address_line1_check: null,
      address_postal_code_check: null,
      cvc_check: typed.cvc === undefined ? 'unchecked' : 'pass',
    },
    country: 'US',
    display_brand: brand === 'amex' ? 'american_express' : brand,
    exp_month: typed.expMonth,
    exp_year: typed.expYear,
    fingerprint: actor.core.ids.fixed('card', typed.number, 16),
    funding: 'credit',
    generated_from: null,
    last4: typed.number.slice(-4),
    networks: { available: [brand], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: null,
  };
};

const insertMethod = (actor: Actor, typed: TypedCard, values: Values): Kept<'payment_method'> =>
  actor.core.resources.insert('payment_method', {
    account: actor.account,
    object: {
      id: actor.core.ids.next('pm_'),
      object: 'payment_method',
      allow_redisplay: text(values, 'allow_redisplay') ?? 'unspecified',
      billing_details: billingDetails(nested(values, 'billing_details')),
      card: cardOf(actor, typed),
      created: actor.core.clock.now(),
      customer: null,
      customer_account: null,
      livemode: false,
      metadata: mergeMetadata({}, values),
      type: 'card',
    },
    notes: { behaviour: behaviourOf(typed.number), isSetUp: false, isUsedUp: false },
  });

const typedTestCard = (actor: Actor, number: string): TypedCard => ({
  number,
  expMonth: 12,
  expYear: new Date(actor.core.clock.nowMs()).getUTCFullYear() + 4,
  cvc: '123',
});

/** Returns a method of the account, or a new one for a well-known id such as `pm_card_visa`. */
export const resolveMethod = (actor: Actor, id: string, param: string): Kept<'payment_method'> => {
  const known = id.startsWith('pm_card_') ? findTestCard(id) : undefined;
  if (known) return insertMethod(actor, typedTestCard(actor, known.number), {});
  const kept = actor.core.resources.find('payment_method', id);
  if (kept?.account === actor.account) return kept;
  throw missingResource('PaymentMethod', id, param);
};

/** Throws the issuer's decline, 402, for a card that cannot be saved. */
export const assertSavable = (kept: Kept<'payment_method'>): void => {
  const behaviour = behaviourFor(kept);
  if (!behaviour.refusesSaving || behaviour.charge === 'approved') return;
  const decline = declines[behaviour.charge];
  throw new ApiError(
    402,
    {
      type: 'card_error',
      code: decline.code,
      decline_code: decline.declineCode,
      advice_code: decline.advice,
      message: decline.message,
      payment_method: kept.object,
    },
    { isRemembered: true },
  );
};

/** Attaches the method to the customer and emits the event. A repeated call changes nothing. */
export const attachMethod = (
  actor: Actor,
  kept: Kept<'payment_method'>,
  customer: string,
): void => {
  if (kept.object.customer === customer) return;
  kept.object.customer = customer;
  actor.core.resources.save(kept);
  emitEvent(actor, 'payment_method.attached', { object: kept.object });
};

/** Tokens that only the sandbox has: its express buttons return one in place of a wallet's card. */
const expressTokens: Readonly<Record<string, 'apple_pay' | 'google_pay' | 'link'>> = {
  tok_express_apple_pay: 'apple_pay',
  tok_express_google_pay: 'google_pay',
  tok_express_link: 'link',
};

const create = (call: Call) => {
  requiredText(call.values, 'type');
  const card = nested(call.values, 'card') ?? {};
  const token = text(card, 'token');
  if (token !== undefined) {
    const wallet = expressTokens[token];
    const known = token.startsWith('tok_') ? findTestCard(wallet ? 'tok_visa' : token) : undefined;
    if (!known) throw missingResource('token', token, 'card[token]');
    const kept = insertMethod(call, typedTestCard(call, known.number), call.values);
    if (!wallet || !kept.object.card) return kept.object;
    kept.object.card.wallet = { dynamic_last4: '4242', type: wallet, [wallet]: {} };
    call.core.resources.save(kept);
    return kept.object;
  }
  if (call.values.card === undefined) {
    throw invalidParameter('parameter_missing', 'card', 'Missing required param: card.');
  }
  const typed: TypedCard = {
    number: requiredText(card, 'number').replaceAll(/[\s-]/g, ''),
    expMonth: requiredNumber(card, 'exp_month'),
    expYear: requiredNumber(card, 'exp_year'),
    cvc: text(card, 'cvc'),
  };
  if (call.key !== 'publishable') {
    throw new ApiError(402, {
      type: 'invalid_request_error',
      message:
        'Sending credit card numbers directly to the Stripe API is generally unsafe. Use a ' +
        'publishable key, as a browser does, or a test payment method such as pm_card_visa.',
    });
  }
  if (typed.expYear < 100) typed.expYear += 2000;
  assertCardReadable(typed, new Date(call.core.clock.nowMs()));
  return insertMethod(call, typed, call.values).object;
};

const attach = (call: Call) => {
  const kept = resolveMethod(call, call.id, 'payment_method');
  const customer = requiredText(call.values, 'customer');
  assertCustomer(call, customer);
  if (kept.object.customer !== null && kept.object.customer !== customer) {
    throw invalidParameter(
      undefined,
      'payment_method',
      'The payment method you provided has already been attached to a customer.',
    );
  }
  if (kept.notes.isUsedUp) throw usedUp();
  assertSavable(kept);
  attachMethod(call, kept, customer);
  return kept.object;
};

/** Removes a detached method as its customer's default. */
const forgetDefault = (call: Call, customerId: string, methodId: string): void => {
  const customer = call.core.resources.find('customer', customerId);
  if (customer?.object.invoice_settings.default_payment_method !== methodId) return;
  customer.object.invoice_settings.default_payment_method = null;
  call.core.resources.save(customer);
};

const detach = (call: Call) => {
  const kept = call.core.resources.get('payment_method', call.id, { account: call.account });
  if (kept.object.customer === null) {
    throw invalidParameter(
      undefined,
      'payment_method',
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  }
  const previous = { customer: kept.object.customer };
  kept.object.customer = null;
  kept.notes.isUsedUp = true;
  call.core.resources.save(kept);
  forgetDefault(call, String(previous.customer), kept.object.id);
  emitEvent(call, 'payment_method.detached', { object: kept.object, previous });
  return kept.object;
};

/** The error of a method that was used without a customer, or detached, and cannot be used again: 400. */
export const usedUp = (): ApiError =>
  invalidParameter(
    undefined,
    'payment_method',
    'The provided PaymentMethod was previously used with a PaymentIntent without Customer ' +
      'attachment, or was detached from a Customer. It may not be used again. To use a ' +
      'PaymentMethod multiple times, you must attach it to a Customer first.',
  );

/** Throws 404 unless the account has the customer and it was not deleted. */
export const assertCustomer = (actor: Actor, id: string): void => {
  const kept = actor.core.resources.find('customer', id);
  if (kept?.account === actor.account && !kept.notes.isDeleted) return;
  throw missingResource('customer', id, 'customer');
};

const update = (call: Call) => {
  const kept = call.core.resources.get('payment_method', call.id, { account: call.account });
  const { object } = kept;
  object.metadata = mergeMetadata(object.metadata ?? {}, call.values);
  const details = nested(call.values, 'billing_details');
  if (details) object.billing_details = billingDetails(details);
  const wanted = text(call.values, 'allow_redisplay');
  if (wanted !== undefined) object.allow_redisplay = wanted;
  call.core.resources.save(kept);
  emitEvent(call, 'payment_method.updated', { object });
  return object;
};

export const paymentMethodRoutes: Route[] = [
  {
    method: 'POST',
    path: '/payment_methods',
    isPublic: true,
    accepts: {
      type: ['card'],
      card: {
        number: 'text',
        exp_month: 'integer',
        exp_year: 'integer',
        cvc: 'text',
        token: 'text',
      },
      billing_details: billing,
      allow_redisplay: redisplay,
      metadata: 'map',
      expand: 'list',
    },
    run: create,
  },
  {
    method: 'GET',
    path: '/payment_methods',
    accepts: { ...pageRules, customer: 'text', type: ['card'] },
    run: (call) =>
      answerList(call, 'payment_method', {
        url: '/v1/payment_methods',
        customer: requiredText(call.values, 'customer'),
      }),
  },
  {
    method: 'GET',
    path: '/payment_methods/:id',
    accepts: { expand: 'list' },
    run: (call) => resolveMethod(call, call.id, 'payment_method').object,
  },
  {
    method: 'POST',
    path: '/payment_methods/:id',
    accepts: {
      billing_details: billing,
      allow_redisplay: redisplay,
      metadata: 'map',
      expand: 'list',
    },
    run: update,
  },
  {
    method: 'POST',
    path: '/payment_methods/:id/attach',
    accepts: { customer: 'text', expand: 'list' },
    run: attach,
  },
  {
    method: 'POST',
    path: '/payment_methods/:id/detach',
    accepts: { expand: 'list' },
    run: detach,
  },
];
