// The state changes of a payment intent: confirm, authenticate, decline, authorise, capture, void. The API,
// the 3DS page, the dashboard controls and the schedule call them. Each writes object, charge, ledger and
// events together.
import { type Decline, declines, factsOf } from '../cards/cards.ts';
import { captureCharge, holdSeconds, insertCharge } from '../charges/charges.ts';
import type { Actor } from '../core/core.ts';
import { emitEvent } from '../events/events.ts';
import {
  assertCustomer,
  attachMethod,
  behaviourFor,
  checkCard,
  usedUpError,
} from '../payment-methods/payment-methods.ts';
import { ApiError, invalidParameter } from '../requests/errors.ts';
import type { MovementKind } from '../state/ledger.ts';
import type { StoredObject } from '../state/resources.ts';

type Intent = StoredObject<'payment_intent'>;
type Method = StoredObject<'payment_method'>;

/** The circumstances of a confirmation. `isAuthenticated` is true after an approval on the 3DS page. */
export type Confirmation = { isAuthenticated: boolean; refusesAction: boolean };

const processingMs = 3_000;

/** Writes one ledger entry about an intent's charge. */
export const move = (
  actor: Actor,
  kind: MovementKind,
  moved: { intent: Intent; charge: StoredObject<'charge'>; amount: number },
): void => {
  const { object } = moved.intent;
  actor.core.ledger.append({
    at: actor.core.clock.nowMs(),
    account: actor.account,
    kind,
    object: moved.charge.object.id,
    intent: object.id,
    charge: moved.charge.object.id,
    amount: moved.amount,
    currency: object.currency,
    idempotencyKey: actor.idempotencyKey,
    metadata: object.metadata,
    origin: actor.origin,
    request: actor.request,
  });
};

/**
 * Throws unless the method may pay for this intent: it belongs to the intent's customer and is not used up.
 */
export const assertUsable = (actor: Actor, intent: Intent, method: Method): void => {
  const owner = method.object.customer;
  if (owner !== null && owner !== intent.object.customer) {
    throw invalidParameter(
      undefined,
      'payment_method',
      `The customer associated with this PaymentIntent does not own ${method.object.id}: pass the ` +
        '`customer` to which it is attached.',
    );
  }
  if (method.notes.isUsedUp && actor.core.mode === 'guarded') throw usedUpError();
};

const isChallenged = (intent: Intent, method: Method): boolean => {
  const wanted = intent.object.payment_method_options?.card?.request_three_d_secure;
  if (wanted === 'any' || wanted === 'challenge') return true;
  const { challenge } = behaviourFor(method);
  if (challenge === 'on_session') return !intent.notes.offSession;
  return challenge === 'always' || (challenge === 'unless_set_up' && !method.notes.isSetUp);
};

const findDecline = (actor: Actor, method: Method): Decline | undefined => {
  if (actor.isForcedToDecline) return declines.generic_decline;
  const { charge } = behaviourFor(method);
  return charge === 'approved' ? undefined : declines[charge];
};

/**
 * Runs the attempt. After a decline it throws 402 and keeps the failed charge and the intent's new state.
 */
export const confirmIntent = (actor: Actor, intent: Intent, confirmation: Confirmation): void => {
  const id = String(intent.object.payment_method);
  const method = actor.core.resources.get('payment_method', id, { account: actor.account });
  assertUsable(actor, intent, method);
  const customer = intent.object.customer;
  if (typeof customer === 'string') assertCustomer(actor, customer);
  intent.object.next_action = null;
  intent.object.last_payment_error = null;
  if (isChallenged(intent, method) && !confirmation.isAuthenticated) {
    if (intent.notes.offSession || confirmation.refusesAction) {
      throw declineIntent(actor, intent, { method, decline: declines.authentication_required });
    }
    requireAction(actor, intent);
    return;
  }
  if (behaviourFor(method).isSlow && !actor.isForcedToDecline) {
    startProcessing(actor, intent);
    return;
  }
  const decline = findDecline(actor, method);
  if (decline) throw declineIntent(actor, intent, { method, decline });
  authorise(actor, intent, { method, wasAuthenticated: confirmation.isAuthenticated });
};

const startProcessing = (actor: Actor, intent: Intent): void => {
  const { core, account } = actor;
  intent.object.status = 'processing';
  core.resources.save(intent);
  core.schedule.add(core.clock.nowMs() + processingMs, {
    task: 'finish_payment',
    account,
    object: intent.object.id,
  });
  emitEvent(actor, 'payment_intent.processing', { object: intent.object });
};

/** Completes an intent that was `processing`. Does nothing when it was cancelled meanwhile. */
export const finishPayment = (actor: Actor, id: string): void => {
  const { resources } = actor.core;
  const intent = resources.get('payment_intent', id, { account: actor.account });
  if (intent.object.status !== 'processing') return;
  const method = resources.get('payment_method', String(intent.object.payment_method), {
    account: actor.account,
  });
  const decline = findDecline(actor, method);
  if (decline) declineIntent(actor, intent, { method, decline });
  else authorise(actor, intent, { method, wasAuthenticated: false });
};

/** Where the buyer authenticates: at an address, or in the provider's browser library. */
export const challengeAt = (
  actor: Actor,
  { object, notes }: Intent | StoredObject<'setup_intent'>,
) => {
  const url = `${actor.core.baseUrl()}/3ds/${object.id}`;
  return notes.usesSdk
    ? {
        type: 'use_stripe_sdk',
        use_stripe_sdk: { type: 'three_d_secure_redirect', source: object.id, stripe_js: url },
      }
    : { type: 'redirect_to_url', redirect_to_url: { url, return_url: notes.returnUrl } };
};

const requireAction = (actor: Actor, intent: Intent): void => {
  intent.object.status = 'requires_action';
  intent.object.next_action = challengeAt(actor, intent);
  actor.core.resources.save(intent);
  emitEvent(actor, 'payment_intent.requires_action', { object: intent.object });
};

/** Writes the failed attempt and returns the error to throw. */
const declineIntent = (
  actor: Actor,
  intent: Intent,
  { method, decline }: { method: Method; decline: Decline },
): ApiError => {
  const charge = insertCharge(actor, {
    intent: intent.object,
    method: method.object,
    behaviour: behaviourFor(method),
    wasAuthenticated: false,
    decline,
    checks: checkCard(actor, method, decline),
  });
  const facts = {
    ...factsOf(decline),
    charge: charge.object.id,
    payment_method: method.object,
  };
  intent.object.latest_charge = charge.object.id;
  if (method.object.customer === null) useUp(actor, method);
  emitEvent(actor, 'charge.failed', { object: charge.object });
  failIntent(actor, intent, facts);
  return new ApiError(
    402,
    { ...facts, payment_intent: intent.object },
    { isRemembered: true, keepsWrites: true },
  );
};

type Failure = NonNullable<StoredObject<'payment_intent'>['object']['last_payment_error']>;

export const failIntent = (actor: Actor, intent: Intent, failure: Failure): void => {
  const { object } = intent;
  object.last_payment_error = failure;
  object.status = 'requires_payment_method';
  object.payment_method = null;
  object.next_action = null;
  actor.core.resources.save(intent);
  emitEvent(actor, 'payment_intent.payment_failed', { object });
};

/** The provider's one message for every authentication that was not approved. */
export const notAuthenticated =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.';

/** The customer did not authenticate, so no charge was tried. */
export const failAuthentication = (actor: Actor, intent: Intent): void => {
  const method = actor.core.resources.find(
    'payment_method',
    String(intent.object.payment_method),
  )?.object;
  failIntent(actor, intent, {
    type: 'invalid_request_error',
    code: 'payment_intent_authentication_failure',
    message: notAuthenticated,
    ...(method ? { payment_method: method } : {}),
  });
};

const authorise = (
  actor: Actor,
  intent: Intent,
  { method, wasAuthenticated }: { method: Method; wasAuthenticated: boolean },
): void => {
  const { object } = intent;
  const { core } = actor;
  const charge = insertCharge(actor, {
    intent: object,
    method: method.object,
    behaviour: behaviourFor(method),
    wasAuthenticated,
    checks: checkCard(actor, method),
  });
  object.latest_charge = charge.object.id;
  move(actor, 'authorize', { intent, charge, amount: object.amount });
  keepMethod(actor, intent, method);
  if (object.capture_method === 'manual') {
    object.status = 'requires_capture';
    object.amount_capturable = object.amount;
    core.resources.save(intent);
    core.schedule.add(core.clock.nowMs() + holdSeconds * 1000, {
      task: 'expire_hold',
      account: actor.account,
      object: object.id,
    });
    emitEvent(actor, 'charge.succeeded', { object: charge.object });
    emitEvent(actor, 'payment_intent.amount_capturable_updated', { object });
    return;
  }
  settleCaptured(actor, { intent, charge, amount: object.amount });
  emitEvent(actor, 'charge.succeeded', { object: charge.object });
  emitEvent(actor, 'payment_intent.succeeded', { object });
};

/** A method without a customer serves one charge, also a declined one. */
const useUp = (actor: Actor, method: Method): void => {
  method.notes.isUsedUp = true;
  actor.core.resources.save(method);
};

// A method that has paid is either saved with its customer or cannot be used again.
const keepMethod = (actor: Actor, intent: Intent, method: Method): void => {
  const { customer, setup_future_usage: usage } = intent.object;
  if (typeof customer === 'string' && usage !== null) {
    method.notes.isSetUp = true;
    if (method.object.customer === null) attachMethod(actor, method, customer);
    else actor.core.resources.save(method);
  } else if (method.object.customer === null) {
    useUp(actor, method);
  }
};

/** What a bank or the provider does right after the charge. */
const soonAfterwards: readonly string[] = [
  ...['dispute', 'dispute_not_received', 'inquiry', 'ce3_dispute', 'smart_dispute'],
  ...['fraud_warning', 'review'],
];

const settleCaptured = (
  actor: Actor,
  moved: { intent: Intent; charge: StoredObject<'charge'>; amount: number },
): void => {
  const { object } = moved.intent;
  const method = actor.core.resources.find(
    'payment_method',
    String(moved.charge.object.payment_method),
  );
  const behaviour = method && behaviourFor(method);
  captureCharge(actor, moved.charge, {
    amount: moved.amount,
    isAvailableAtOnce: behaviour?.isAvailableAtOnce ?? false,
  });
  object.status = 'succeeded';
  object.amount_capturable = 0;
  object.amount_received += moved.amount;
  actor.core.resources.save(moved.intent);
  move(actor, 'capture', moved);
  if (behaviour && soonAfterwards.includes(behaviour.afterwards)) {
    // Due now: the next call, whatever it is, meets the dispute or warning.
    actor.core.schedule.add(actor.core.clock.nowMs(), {
      task: 'open_dispute',
      account: actor.account,
      object: moved.charge.object.id,
    });
  }
};

export const chargeOf = (actor: Actor, intent: Intent): StoredObject<'charge'> =>
  actor.core.resources.get('charge', String(intent.object.latest_charge), {
    account: actor.account,
  });

/** Captures `amount` of the hold and releases the rest. The caller has checked the state. */
export const captureIntent = (actor: Actor, intent: Intent, amount: number): void => {
  const charge = chargeOf(actor, intent);
  settleCaptured(actor, { intent, charge, amount });
  emitEvent(actor, 'charge.captured', { object: charge.object });
  emitEvent(actor, 'payment_intent.succeeded', { object: intent.object });
};

/** Cancels and releases the hold, if there is one. The caller has checked the state. */
export const cancelIntent = (actor: Actor, intent: Intent, reason: string | null): void => {
  const { object } = intent;
  const hadHold = object.status === 'requires_capture' || object.amount_received > 0;
  // Unguarded: a second cancel of a hold is recorded as a second movement, as at a careless provider.
  const isRepeated = object.status === 'canceled' && object.latest_charge !== null;
  object.status = 'canceled';
  object.canceled_at = actor.core.clock.now();
  object.cancellation_reason = reason;
  object.amount_capturable = 0;
  object.next_action = null;
  actor.core.resources.save(intent);
  emitEvent(actor, 'payment_intent.canceled', { object });
  if (!hadHold && !isRepeated) return;
  const charge = chargeOf(actor, intent);
  if (charge.object.status !== 'succeeded') return;
  move(actor, 'void', { intent, charge, amount: object.amount });
  // A released hold is not a refund, because nothing was captured. API version 2025-03-31.basil.
  if (reason === 'expired') emitEvent(actor, 'charge.expired', { object: charge.object });
};

/** Expires a hold. Does nothing when it was captured or cancelled meanwhile. */
export const expireHold = (actor: Actor, id: string): boolean => {
  const intent = actor.core.resources.get('payment_intent', id, { account: actor.account });
  if (intent.object.status !== 'requires_capture') return false;
  cancelIntent(actor, intent, 'expired');
  return true;
};
