// What warns a merchant of a charge before any dispute: the card's bank reports fraud, or the charge is put in
// the review queue. Neither moves money.
import type { Actor } from '../core/core.ts';
import { emitEvent } from '../events/events.ts';
import { behaviourFor } from '../payment-methods/payment-methods.ts';
import { stateError } from '../requests/errors.ts';
import type { Kinds, StoredObject } from '../state/resources.ts';

type Charge = Kinds['charge'];
type Review = StoredObject<'review'>;

/** The kinds of fraud that a bank reports. */
export const fraudTypes = [
  'card_never_received',
  'fraudulent_card_application',
  'made_with_counterfeit_card',
  'made_with_lost_card',
  'made_with_stolen_card',
  'misc',
  'unauthorized_use_of_card',
] as const;
type FraudType = (typeof fraudTypes)[number];

const getPaid = (actor: Actor, id: string): StoredObject<'charge'> => {
  const charge = actor.core.resources.get('charge', id, { account: actor.account });
  if (charge.object.status === 'succeeded') return charge;
  throw stateError('charge_invalid_parameter', `Charge ${id} has not succeeded.`);
};

const isActionable = (charge: Charge): boolean => !charge.disputed && !charge.refunded;

const named = (charge: Charge) =>
  typeof charge.payment_intent === 'string' ? { payment_intent: charge.payment_intent } : {};

/** The card's bank reports the charge as fraud: `radar.early_fraud_warning.created`. */
export const warnOfFraud = (actor: Actor, id: string, fraudType: FraudType) => {
  const { object: charge } = getPaid(actor, id);
  const { object } = actor.core.resources.insert('radar.early_fraud_warning', {
    account: actor.account,
    object: {
      id: actor.core.ids.next('issfr_'),
      object: 'radar.early_fraud_warning',
      actionable: isActionable(charge),
      charge: charge.id,
      created: actor.core.clock.now(),
      fraud_type: fraudType,
      livemode: false,
      ...named(charge),
    },
    notes: {},
  });
  emitEvent(actor, 'radar.early_fraud_warning.created', { object });
  return object;
};

/** Puts the charge in the review queue: `review.opened`. */
export const openReview = (actor: Actor, id: string, openedReason: 'manual' | 'rule') => {
  const charge = getPaid(actor, id);
  if (charge.object.review !== null) {
    throw stateError('review_exists', `Charge ${id} has a review already.`);
  }
  const { resources, ids, clock } = actor.core;
  const { object } = resources.insert('review', {
    account: actor.account,
    object: {
      id: ids.next('prv_'),
      object: 'review',
      billing_zip: charge.object.billing_details.address?.postal_code ?? null,
      charge: charge.object.id,
      closed_reason: null,
      created: clock.now(),
      ip_address: null,
      ip_address_location: null,
      livemode: false,
      open: true,
      opened_reason: openedReason,
      reason: openedReason,
      session: null,
      ...named(charge.object),
    },
    notes: {},
  });
  charge.object.review = object.id;
  resources.save(charge);
  emitEvent(actor, 'review.opened', { object });
  return object;
};

export const getReview = (actor: Actor, id: string): Review =>
  actor.core.resources.get('review', id, { account: actor.account, param: 'review' });

type ClosedReason = NonNullable<Kinds['review']['closed_reason']>;

/** Ends a review: `review.closed`. Returns false when it has ended before. */
export const closeReview = (actor: Actor, review: Review, why: ClosedReason): boolean => {
  const { object } = review;
  if (!object.open) return false;
  Object.assign(object, { open: false, closed_reason: why, reason: why });
  actor.core.resources.save(review);
  emitEvent(actor, 'review.closed', { object });
  return true;
};

/**
 * Follows a charge that was refunded or disputed: its warnings cannot be acted on any more, and its reviews
 * end.
 */
export const followCharge = (actor: Actor, charge: Charge, why: ClosedReason): void => {
  if (isActionable(charge)) return;
  const { resources } = actor.core;
  const of = { charge: charge.id, limit: -1 };
  for (const warning of resources.list('radar.early_fraud_warning', actor.account, of)) {
    if (!warning.object.actionable) continue;
    warning.object.actionable = false;
    resources.save(warning);
    const previous = { actionable: true };
    emitEvent(actor, 'radar.early_fraud_warning.updated', { object: warning.object, previous });
  }
  for (const review of resources.list('review', actor.account, of)) closeReview(actor, review, why);
};

/** Warns of the charge of a test card that is made for it. */
export const warnByCard = (actor: Actor, id: string): void => {
  const { resources } = actor.core;
  const { object } = resources.get('charge', id, { account: actor.account });
  const method = resources.find('payment_method', String(object.payment_method));
  const afterwards = method ? behaviourFor(method).afterwards : 'nothing';
  if (object.status !== 'succeeded') return;
  if (afterwards === 'fraud_warning') warnOfFraud(actor, id, 'made_with_stolen_card');
  if (afterwards === 'review' && object.review === null) openReview(actor, id, 'rule');
};
