// The state changes of a setup intent: confirm, authenticate, decline, succeed. No money moves. A method
// that succeeded is set up for its customer and needs no 3DS later.
import type Stripe from 'stripe';
import { type Decline, declines, factsOf } from '../cards/cards.ts';
import type { Actor } from '../core/core.ts';
import { emitEvent } from '../events/events.ts';
import {
  assertCustomer,
  attachMethod,
  behaviourFor,
  checkCard,
} from '../payment-methods/payment-methods.ts';
import { ApiError, type ErrorBody } from '../requests/errors.ts';
import type { StoredObject } from '../state/resources.ts';
import { type Confirmation, challengeAt, notAuthenticated } from './intent-moves.ts';

type Setup = StoredObject<'setup_intent'>;
type Method = StoredObject<'payment_method'>;

type Authentication = Pick<
  Stripe.SetupAttempt.PaymentMethodDetails.Card.ThreeDSecure,
  'result' | 'result_reason'
>;

const cardOf = (
  { object: { card } }: Method,
  authentication: Authentication | null,
): Stripe.SetupAttempt.PaymentMethodDetails => ({
  type: 'card',
  ...(card
    ? {
        card: {
          brand: card.brand,
          checks: card.checks,
          country: card.country,
          exp_month: card.exp_month,
          exp_year: card.exp_year,
          fingerprint: card.fingerprint ?? null,
          funding: card.funding,
          last4: card.last4,
          network: card.brand,
          three_d_secure: authentication && {
            authentication_flow: 'challenge',
            electronic_commerce_indicator: null,
            ...authentication,
            transaction_id: null,
            version: '2.2.0',
          },
          wallet: null,
        },
      }
    : {}),
});

const insertAttempt = (
  actor: Actor,
  setup: Setup,
  {
    method,
    status,
    authentication = null,
  }: { method: Method; status: string; authentication?: Authentication | null },
): void => {
  const { core, account } = actor;
  const { object } = core.resources.insert('setup_attempt', {
    account,
    notes: {},
    object: {
      id: core.ids.next('setatt_'),
      object: 'setup_attempt',
      application: null,
      created: core.clock.now(),
      customer: setup.object.customer,
      customer_account: null,
      flow_directions: null,
      livemode: false,
      on_behalf_of: null,
      payment_method: method.object.id,
      payment_method_details: cardOf(method, authentication),
      setup_error: setup.object.last_setup_error,
      setup_intent: setup.object.id,
      status,
      usage: setup.object.usage,
    },
  });
  setup.object.latest_attempt = object.id;
};

const findDecline = (actor: Actor, method: Method): Decline | undefined => {
  if (actor.isForcedToDecline) return declines.generic_decline;
  const behaviour = behaviourFor(method);
  if (!behaviour.refusesSaving || behaviour.charge === 'approved') return undefined;
  return declines[behaviour.charge];
};

/** Runs the attempt. After a decline it throws 402 and keeps the intent's new state. */
export const confirmSetup = (actor: Actor, setup: Setup, confirmation: Confirmation): void => {
  const { object } = setup;
  const { resources } = actor.core;
  const method = resources.get('payment_method', String(object.payment_method), {
    account: actor.account,
  });
  if (typeof object.customer === 'string') assertCustomer(actor, object.customer);
  object.next_action = null;
  object.last_setup_error = null;
  const isChallenged =
    behaviourFor(method).challenge !== 'never' ||
    object.payment_method_options?.card?.request_three_d_secure === 'any' ||
    object.payment_method_options?.card?.request_three_d_secure === 'challenge';
  if (isChallenged && !confirmation.isAuthenticated) {
    requireAction(actor, setup, method);
    return;
  }
  const decline = findDecline(actor, method);
  checkCard(actor, method, decline);
  if (decline) throw declineSetup(actor, setup, { method, decline });
  object.status = 'succeeded';
  method.notes.isSetUp = true;
  resources.save(method);
  if (typeof object.customer === 'string') attachMethod(actor, method, object.customer);
  insertAttempt(actor, setup, {
    method,
    status: 'succeeded',
    authentication: confirmation.isAuthenticated
      ? { result: 'authenticated', result_reason: null }
      : null,
  });
  resources.save(setup);
  emitEvent(actor, 'setup_intent.succeeded', { object });
};

const requireAction = (actor: Actor, setup: Setup, method: Method): void => {
  setup.object.status = 'requires_action';
  setup.object.next_action = challengeAt(actor, setup);
  insertAttempt(actor, setup, { method, status: 'requires_action' });
  actor.core.resources.save(setup);
  emitEvent(actor, 'setup_intent.requires_action', { object: setup.object });
};

const failSetup = (
  actor: Actor,
  setup: Setup,
  {
    method,
    facts,
    authentication = null,
  }: { method: Method; facts: ErrorBody; authentication?: Authentication | null },
) => {
  const { object } = setup;
  object.last_setup_error = facts;
  insertAttempt(actor, setup, { method, status: 'failed', authentication });
  object.status = 'requires_payment_method';
  object.payment_method = null;
  object.next_action = null;
  actor.core.resources.save(setup);
  emitEvent(actor, 'setup_intent.setup_failed', { object });
};

const declineSetup = (
  actor: Actor,
  setup: Setup,
  { method, decline }: { method: Method; decline: Decline },
): ApiError => {
  const facts = { ...factsOf(decline), payment_method: method.object };
  failSetup(actor, setup, { method, facts });
  return new ApiError(
    402,
    { ...facts, setup_intent: setup.object },
    { isRemembered: true, keepsWrites: true },
  );
};

/** The customer did not authenticate. */
export const failSetupAuthentication = (
  actor: Actor,
  setup: Setup,
  reason: 'rejected' | 'canceled' | 'abandoned',
): void => {
  const method = actor.core.resources.get('payment_method', String(setup.object.payment_method), {
    account: actor.account,
  });
  failSetup(actor, setup, {
    method,
    authentication: { result: 'failed', result_reason: reason },
    facts: {
      type: 'invalid_request_error',
      code: 'setup_intent_authentication_failure',
      message: notAuthenticated,
      payment_method: method.object,
    },
  });
};
