// The state changes of a Checkout Session: somebody pays, its intent settles, or it expires. The first
// attempt to pay makes the intent; after a decline the same intent is tried with another card.

import { type Actor, automaticActor, type Call, type Core } from '../core/core.ts';
import { createCustomer } from '../customers/customers.ts';
import { emitEvent } from '../events/events.ts';
import { cancelIntent } from '../intents/intent-moves.ts';
import { confirmByCall, createIntent } from '../intents/intents.ts';
import { ApiError } from '../requests/errors.ts';
import type { Values } from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';

type Session = StoredObject<'checkout.session'>;

/** The page on which the session is paid. */
export const pageOf = (core: Core, id: string): string => `${core.baseUrl()}/c/pay/${id}`;

const buildCall = (actor: Actor, id: string, values: Values): Call => ({
  ...actor,
  key: 'secret',
  isHostedField: false,
  id,
  values,
});

const customerFor = (actor: Actor, { object }: Session, email: string | null): string | null => {
  if (typeof object.customer === 'string') return object.customer;
  if (object.customer_creation !== 'always') return null;
  return createCustomer(buildCall(actor, '', email === null ? {} : { email })).id;
};

const intentFor = (actor: Actor, session: Session): string => {
  const { object, notes } = session;
  if (typeof object.payment_intent === 'string') return object.payment_intent;
  const customer = customerFor(actor, session, object.customer_details?.email ?? null);
  object.customer = customer;
  const made = createIntent(
    buildCall(actor, '', {
      ...notes.intent,
      amount: object.amount_total ?? 0,
      currency: object.currency ?? '',
      allowed_payment_method_types: ['card'],
      ...(customer === null ? {} : { customer }),
    }),
  );
  object.payment_intent = made.id;
  return made.id;
};

const setPaid = (session: Session, email: string | undefined): void => {
  const { object } = session;
  const given = email ?? object.customer_email ?? object.customer_details?.email ?? null;
  object.customer_details = {
    address: null,
    business_name: null,
    email: given,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
};

/**
 * Tries the card. After a decline the session stays open and its intent holds the reason. Runs within a
 * transaction.
 */
export const paySession = (
  actor: Actor,
  session: Session,
  payment: { method: string; email?: string | undefined },
): void => {
  setPaid(session, payment.email);
  const intent = intentFor(actor, session);
  actor.core.resources.save(session);
  const url = pageOf(actor.core, session.object.id);
  try {
    confirmByCall(buildCall(actor, intent, { payment_method: payment.method, return_url: url }));
  } catch (error) {
    if (!(error instanceof ApiError && error.keepsWrites)) throw error;
  }
  settleSession(actor, intent);
};

const complete = (actor: Actor, { object }: Session, isPaid: boolean): void => {
  object.status = 'complete';
  object.url = null;
  object.payment_status = isPaid ? 'paid' : 'unpaid';
  emitEvent(actor, 'checkout.session.completed', { object });
};

const settled = ['succeeded', 'requires_capture', 'processing'];

/** Updates the session of an intent, if it has one, to the intent's state. Repeatable. */
export const settleSession = (actor: Actor, intentId: string): void => {
  const { resources } = actor.core;
  const [session] = resources.list('checkout.session', actor.account, {
    intent: intentId,
    limit: 1,
  });
  const intent = resources.find('payment_intent', intentId)?.object;
  if (!session || !intent) return;
  const { object } = session;
  if (object.status === 'open' && settled.includes(intent.status)) {
    complete(actor, session, intent.status === 'succeeded');
    session.notes.isAwaited = intent.status === 'processing';
  } else if (session.notes.isAwaited && intent.status !== 'processing') {
    session.notes.isAwaited = false;
    const isPaid = intent.status === 'succeeded';
    if (isPaid) object.payment_status = 'paid';
    const outcome = isPaid || intent.status === 'requires_capture' ? 'succeeded' : 'failed';
    emitEvent(actor, `checkout.session.async_payment_${outcome}`, { object });
  } else if (object.status === 'complete' && intent.status === 'succeeded') {
    // A hold that was captured meanwhile: nothing to do when that is already recorded.
    if (object.payment_status === 'paid') return;
    object.payment_status = 'paid';
  } else return;
  resources.save(session);
};

const cancellable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/** Expires an open session and cancels its attempt to pay. Returns false when it is not open. */
export const expireSession = (actor: Actor, session: Session): boolean => {
  const { object } = session;
  if (object.status !== 'open') return false;
  object.status = 'expired';
  object.url = null;
  actor.core.resources.save(session);
  if (typeof object.payment_intent === 'string') {
    const intent = actor.core.resources.get('payment_intent', object.payment_intent, actor);
    if (cancellable.includes(intent.object.status)) cancelIntent(actor, intent, 'abandoned');
  }
  emitEvent(actor, 'checkout.session.expired', { object });
  return true;
};

/** Expires a session at its scheduled time. Does nothing when it has already ended. */
export const expireByTime = (actor: Actor, id: string): void => {
  const session = actor.core.resources.find('checkout.session', id);
  if (session) expireSession(actor, session);
};

/** The actor for a person at the session's page. */
export const pageActor = (core: Core, session: Session): Actor => ({
  ...automaticActor(core, session.account),
  origin: 'api',
});
