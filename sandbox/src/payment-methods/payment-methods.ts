// The payment method calls: make, read, change, save for a customer, remove.
import {
  type Behaviour,
  type BehaviourName,
  behaviours,
  type Decline,
  declines,
  factsOf,
} from '../cards/cards.ts';
import { findTestNumber } from '../cards/test-cards.ts';
import type { Actor, Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { ApiError, invalidParameter, missingResource } from '../requests/errors.ts';
import {
  assertExclusive,
  mergeMetadata,
  number,
  readNested,
  readText,
  requiredText,
} from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';
import {
  billingDetails,
  changeableRules,
  insertTestMethod,
  makeMethod,
  methodDataRules,
} from './method-data.ts';

export const behaviourFor = (kept: StoredObject<'payment_method'>): Behaviour =>
  behaviours[kept.notes.behaviour as BehaviourName];

type Checks = NonNullable<NonNullable<StoredObject<'payment_method'>['object']['card']>['checks']>;

/**
 * The bank checks what was given with the card. Returns what it says to this charge; the method keeps the
 * results. A security code is checked once, because nobody may keep it.
 */
export const checkCard = (
  actor: Actor,
  kept: StoredObject<'payment_method'>,
  decline?: Decline,
): Checks => {
  const { card } = kept.object;
  const before: Checks = card?.checks ?? {
    address_line1_check: null,
    address_postal_code_check: null,
    cvc_check: null,
  };
  const failing = behaviourFor(kept).checks;
  const run = (was: string | null, result: string = 'pass') => (was === 'unchecked' ? result : was);
  const isCvcWrong = decline?.code === 'incorrect_cvc';
  const checks: Checks = {
    address_line1_check: run(before.address_line1_check, failing.line1),
    address_postal_code_check: run(before.address_postal_code_check, failing.postalCode),
    cvc_check: isCvcWrong ? 'fail' : run(before.cvc_check, failing.cvc),
  };
  if (card) card.checks = checks;
  actor.core.resources.save(kept);
  const wasCvcGiven = before.cvc_check === 'unchecked';
  return { ...checks, cvc_check: wasCvcGiven || isCvcWrong ? checks.cvc_check : null };
};

/** Returns a method of the account, or a new one for a well-known id such as `pm_card_visa`. */
export const resolveMethod = (
  actor: Actor,
  id: string,
  param: string,
): StoredObject<'payment_method'> => {
  const known = id.startsWith('pm_card_') ? findTestNumber(id) : undefined;
  if (known) return insertTestMethod(actor, known);
  const kept = actor.core.resources.find('payment_method', id);
  if (kept?.account === actor.account) return kept;
  throw missingResource('PaymentMethod', id, param);
};

/** Returns the method that the call names, by id or by its data; undefined when it names none. */
export const namedMethod = (call: Call): StoredObject<'payment_method'> | undefined => {
  assertExclusive(call.values, ['payment_method', 'payment_method_data']);
  const given = readNested(call.values, 'payment_method_data');
  if (given) return makeMethod(call, given, 'payment_method_data');
  const id = readText(call.values, 'payment_method');
  return id ? resolveMethod(call, id, 'payment_method') : undefined;
};

/** Throws the issuer's decline, 402, for a card that cannot be saved. */
export const assertSavable = (kept: StoredObject<'payment_method'>): void => {
  const behaviour = behaviourFor(kept);
  if (!behaviour.refusesSaving || behaviour.charge === 'approved') return;
  const facts = factsOf(declines[behaviour.charge]);
  throw new ApiError(402, { ...facts, payment_method: kept.object }, { isRemembered: true });
};

/** Attaches the method to the customer and emits the event. A repeated call changes nothing. */
export const attachMethod = (
  actor: Actor,
  kept: StoredObject<'payment_method'>,
  customer: string,
): void => {
  if (kept.object.customer === customer) return;
  kept.object.customer = customer;
  actor.core.resources.save(kept);
  emitEvent(actor, 'payment_method.attached', { object: kept.object });
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
  if (kept.notes.isUsedUp) throw usedUpError();
  assertSavable(kept);
  attachMethod(call, kept, customer);
  return kept.object;
};

/** Removes a detached method as its customer's default. */
const forgetDefault = (call: Actor, customerId: string, methodId: string): void => {
  const customer = call.core.resources.find('customer', customerId);
  if (customer?.object.invoice_settings.default_payment_method !== methodId) return;
  customer.object.invoice_settings.default_payment_method = null;
  call.core.resources.save(customer);
};

const detach = (call: Call) => detachMethod(call, call.id);

/** Takes a method away from its customer, for good. */
export const detachMethod = (call: Actor, id: string) => {
  const kept = call.core.resources.get('payment_method', id, { account: call.account });
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

/**
 * The error of a method that was used without a customer, or detached, and cannot be used again: 400. Its
 * recorded answers have neither code nor parameter.
 */
export const usedUpError = (): ApiError =>
  new ApiError(400, {
    type: 'invalid_request_error',
    message:
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer ' +
      'attachment, or was detached from a Customer. It may not be used again. To use a ' +
      'PaymentMethod multiple times, you must attach it to a Customer first.',
  });

/** Throws 404 unless the account has the customer and it was not deleted. */
export const assertCustomer = (actor: Actor, id: string): void => {
  const kept = actor.core.resources.find('customer', id);
  if (kept?.account === actor.account && !kept.notes.isDeleted) return;
  throw missingResource('customer', id, 'customer');
};

export type NewCard = {
  readonly expMonth?: number | undefined;
  readonly expYear?: number | undefined;
  readonly last4?: string | undefined;
  readonly brand?: string | undefined;
};

/** Changes what a saved card is: its bank issued a new one, or somebody typed a new date. */
const changeCard = (kept: StoredObject<'payment_method'>, next: NewCard): object => {
  const { card } = kept.object;
  if (!card) throw invalidParameter(undefined, 'card', 'The payment method is no card.');
  const { exp_month, exp_year, last4, brand } = card;
  Object.assign(card, {
    exp_month: next.expMonth ?? exp_month,
    exp_year: next.expYear ?? exp_year,
    last4: next.last4 ?? last4,
    brand: next.brand ?? brand,
  });
  return { card: { exp_month, exp_year, last4, brand } };
};

/** The card's network reports the renewed card: `payment_method.automatically_updated`. */
export const renewCard = (actor: Actor, id: string, next: NewCard) => {
  const kept = actor.core.resources.get('payment_method', id, { account: actor.account });
  const previous = { ...changeCard(kept, next) };
  actor.core.resources.save(kept);
  emitEvent(actor, 'payment_method.automatically_updated', { object: kept.object, previous });
  return kept.object;
};

const update = (call: Call) => {
  const kept = call.core.resources.get('payment_method', call.id, { account: call.account });
  const { object } = kept;
  object.metadata = mergeMetadata(object.metadata ?? {}, call.values);
  const details = readNested(call.values, 'billing_details');
  if (details) object.billing_details = billingDetails(details);
  const card = readNested(call.values, 'card');
  if (card) {
    changeCard(kept, { expMonth: number(card, 'exp_month'), expYear: number(card, 'exp_year') });
  }
  const wanted = readText(call.values, 'allow_redisplay');
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
    accepts: { ...methodDataRules, expand: 'list' },
    run: (call) => makeMethod(call, call.values).object,
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
      ...changeableRules,
      card: { exp_month: 'integer', exp_year: 'integer' },
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
