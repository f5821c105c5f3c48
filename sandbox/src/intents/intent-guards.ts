// The payment intent's checks by state. Refusals contain the intent, as on the real provider, so that a
// caller can read the state from the refusal. In mode `unguarded`, a call with a new key runs whatever the
// state is.
import type { Actor, Call } from '../core/core.ts';
import { ApiError, invalidParameter, missingResource, stateError } from '../requests/errors.ts';
import { mergeMetadata, readText, type Values } from '../requests/parameters.ts';
import type { StoredObject } from '../state/resources.ts';
import { cancelIntent, captureIntent } from './intent-moves.ts';

type Intent = StoredObject<'payment_intent'>;

export const getIntent = (actor: Actor, id: string): Intent =>
  actor.core.resources.get('payment_intent', id, { account: actor.account, param: 'intent' });

/** The error of an unexpected state: 400, with the intent inside. */
export const unexpectedState = (intent: Intent, message: string): ApiError =>
  stateError('payment_intent_unexpected_state', message, { payment_intent: intent.object });

/** Captures the hold after the checks. The dashboard control uses it too. */
export const captureGuarded = (
  actor: Actor,
  id: string,
  wanted: { amount?: number | undefined; values: Values },
) => {
  const intent = getIntent(actor, id);
  const { object } = intent;
  const isRepeat =
    actor.core.mode === 'unguarded' && actor.origin === 'api' && object.latest_charge !== null;
  if (object.status !== 'requires_capture' && !isRepeat) {
    throw unexpectedState(
      intent,
      object.status === 'succeeded'
        ? 'This PaymentIntent could not be captured because it has already been captured.'
        : `This PaymentIntent could not be captured because it has a status of ${object.status}. ` +
            'Only a PaymentIntent with one of the following statuses may be captured: ' +
            'requires_capture.',
    );
  }
  if (actor.isForcedToDecline) {
    throw refusedCapture(intent);
  }
  const limit = object.status === 'requires_capture' ? object.amount_capturable : object.amount;
  const amount = wanted.amount ?? limit;
  if (amount < 1) {
    throw invalidParameter(
      'parameter_invalid_integer',
      'amount_to_capture',
      'This value must be greater than or equal to 1.',
    );
  }
  if (amount > limit) {
    throw stateError(
      'amount_too_large',
      `Amount could not be captured: ${amount} is greater than the capturable amount ${limit}.`,
      { param: 'amount_to_capture', payment_intent: object },
    );
  }
  object.metadata = mergeMetadata(object.metadata, wanted.values);
  const suffix = readText(wanted.values, 'statement_descriptor_suffix');
  if (suffix) object.statement_descriptor_suffix = suffix;
  captureIntent(actor, intent, amount);
  return object;
};

const refusedCapture = (intent: Intent): ApiError =>
  new ApiError(
    402,
    {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
      charge: String(intent.object.latest_charge),
      payment_intent: intent.object,
    },
    { isRemembered: true },
  );

const cancelable = [
  'requires_payment_method',
  'requires_capture',
  'requires_confirmation',
  'requires_action',
  'processing',
];

/** Cancels after the checks. The dashboard control uses it too. */
export const cancelGuarded = (actor: Actor, id: string, reason: string | null) => {
  const intent = getIntent(actor, id);
  const { object } = intent;
  const isUnguarded = actor.core.mode === 'unguarded' && actor.origin === 'api';
  if (!cancelable.includes(object.status) && !isUnguarded) {
    throw unexpectedState(
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${object.status}. Only a ` +
        'PaymentIntent with one of the following statuses may be canceled: ' +
        `${cancelable.join(', ')}.`,
    );
  }
  cancelIntent(actor, intent, reason);
  return object;
};

/** Throws 404 when the client secret is missing or wrong. A secret key does not need one. */
export const assertClientSecret = (call: Call, intent: Intent): void => {
  const given = readText(call.values, 'client_secret');
  if (call.key === 'secret' && given === undefined) return;
  if (given !== intent.object.client_secret) {
    throw missingResource('payment_intent', call.id, 'intent');
  }
};

/** Throws 400 for a page's confirmation of an intent that the server alone confirms. */
export const assertMayConfirm = (call: Call, { object }: Intent): void => {
  if (object.confirmation_method !== 'manual' || call.key === 'secret') return;
  throw new ApiError(400, {
    type: 'invalid_request_error',
    message:
      'This PaymentIntent cannot be confirmed using your publishable key because its ' +
      '`confirmation_method` is set to `manual`. Please use your secret key instead, or create a ' +
      'PaymentIntent with `confirmation_method` set to `automatic`.',
  });
};

const publicFields = [
  'id',
  'object',
  'amount',
  'automatic_payment_methods',
  'canceled_at',
  'cancellation_reason',
  'capture_method',
  'client_secret',
  'confirmation_method',
  'created',
  'currency',
  'description',
  'last_payment_error',
  'livemode',
  'next_action',
  'payment_method',
  'payment_method_types',
  'processing',
  'receipt_email',
  'setup_future_usage',
  'shipping',
  'source',
  'status',
] as const;

/** Returns the fields that a browser with the client secret may see. */
export const publicView = (object: Intent['object']): object =>
  Object.fromEntries(publicFields.map((name) => [name, object[name]]));
