// A buyer's attempt: one intent per payment, created with a key that never changes, confirmed with
// the operation's key. An intent can succeed once, so no repeat can charge twice.

import type Stripe from 'stripe';
import { isNeverTaken } from '../../domain/payments/attempt-failures.ts';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import { markMetadata } from '../../domain/protocol/marks.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import type { AuthorizeCall, Outcome, Trace } from '../../engine/ports.ts';
import { toProviderAmount } from './amounts.ts';
import {
  expand,
  heldBackOutcome,
  inDoubtOutcome,
  judge,
  refusedOutcome,
  release,
  retrieve,
} from './holds.ts';
import { isIntent, translateDecline, translateFailure, translateIntent } from './translate.ts';
import { emptyTrace, isAboutCard, read, refusedMethodCode, sendAgain, type Wire } from './wire.ts';

export async function authorize(wire: Wire, call: AuthorizeCall): Promise<Outcome> {
  const { providerPaymentMethodId } = call;
  if (providerPaymentMethodId === null) return openIntent(wire, call);
  const created = call.intentId ? { intentId: call.intentId } : await createIntent(wire, call);
  if ('kind' in created) return created;
  const { intentId } = created;
  if (!call.intentId && !(await call.onIntent(intentId)))
    return inDoubtOutcome('taken_over', emptyTrace);

  const sent = await sendAgain(wire, (options) =>
    wire.sdk.paymentIntents.confirm(
      intentId,
      {
        payment_method: providerPaymentMethodId,
        // An off-session charge has no buyer to send to a page.
        ...(call.isOffSession ? { off_session: true } : { return_url: call.returnUrl }),
        expand,
      },
      { ...options, idempotencyKey: call.key },
    ),
  );
  const { answer } = sent;
  const { trace } = answer;
  if (sent.isHeldBack) return heldBackOutcome(trace);
  const hold = { ...call, intentId };
  if (answer.kind === 'ok') return judgeConfirmed(wire, hold, { intent: answer.value, trace });
  if (answer.kind === 'error' && isAboutCard(answer.error)) {
    return decline(wire, hold, { error: answer.error, trace });
  }
  const isRefused =
    answer.kind === 'error' &&
    answer.status < 500 &&
    ![409, 429].includes(answer.status) &&
    answer.error.code !== 'payment_intent_unexpected_state' &&
    // The key was used before with other parameters: that request may have taken effect.
    answer.error.rawType !== 'idempotency_error';
  if (isRefused) {
    const message = wordsOf(answer.error.message);
    // A saved card that the provider does not keep any more is explained by its own reading.
    const isSaved = call.providerCustomerId !== undefined && !call.isSaving;
    const code = isSaved
      ? configurationCode(answer.status)
      : refusedMethodCode(answer.error, answer.status);
    return close(wire, hold, { code, message, trace });
  }
  if (answer.kind === 'lost' && answer.isNeverSent && !sent.mayHaveArrived && call.isFirstSend) {
    return close(wire, hold, { code: 'unavailable', trace });
  }
  const outcome = await readBack(wire, hold, trace);
  // The provider has recorded the failure, so this key never succeeds: closing the intent makes
  // sure that no other call does, and lets the buyer try again.
  const isStuck = sent.isRecorded && outcome.kind === 'in_doubt';
  return isStuck ? close(wire, hold, { code: 'unavailable', trace }) : outcome;
}

type Hold = AuthorizeCall & { readonly intentId: string };

/**
 * Opens an intent for the buyer's page to confirm. Its key never changes, so a repeat finds the
 * same intent.
 */
async function openIntent(wire: Wire, call: AuthorizeCall): Promise<Outcome> {
  const created = await createIntent(wire, call);
  if ('kind' in created) return created;
  const { intentId, intent, trace } = created;
  if (call.intentId && call.intentId !== intentId) return inDoubtOutcome('answer_mismatch', trace);
  if (!call.intentId && !(await call.onIntent(intentId)))
    return inDoubtOutcome('taken_over', trace);
  return {
    kind: 'requires_action',
    payment: translateIntent(intent),
    challenge: { url: null, clientSecret: intent.client_secret },
    trace,
  };
}

/**
 * Creates the intent. Without a confirmation no money can move, so the first lease holder gets a plain
 * "not available". A later lease holder tries again, because an earlier one may have created it. But a
 * key with a recorded error, or for an amount that is never accepted, never creates one; and the
 * intent is stored before it is confirmed, so when none is stored, none was confirmed.
 */
async function createIntent(
  wire: Wire,
  call: AuthorizeCall,
): Promise<{ intentId: string; intent: Stripe.PaymentIntent; trace: Trace } | Outcome> {
  const amount = toProviderAmount(call.amountMinor, call.currency);
  if (!Number.isInteger(amount)) return refusedOutcome('amount_not_supported', emptyTrace);
  const { answer, isRecorded, isHeldBack } = await sendAgain(wire, (options) =>
    wire.sdk.paymentIntents.create(
      {
        amount,
        currency: call.currency.toLowerCase(),
        capture_method: call.captureMethod,
        allowed_payment_method_types: ['card'],
        ...customerFields(call),
        metadata: {
          payment_id: call.paymentId,
          ...(call.sessionId ? { session_id: call.sessionId } : {}),
          operation_id: call.operationId,
          ...markMetadata(wire.making, call.paymentId),
        },
      },
      { ...options, idempotencyKey: `intent-${call.paymentId}` },
    ),
  );
  if (answer.kind === 'ok' && isIntent(answer.value)) {
    return { intentId: answer.value.id, intent: answer.value, trace: answer.trace };
  }
  if (isHeldBack) return heldBackOutcome(answer.trace);
  const isOurMistake =
    answer.kind === 'error' && answer.status < 500 && ![409, 429].includes(answer.status);
  const code = isOurMistake ? codeOf(answer.error) : 'unavailable';
  const isStuck = (isRecorded || isNeverTaken(code)) && call.intentId === null;
  if (!call.isFirstSend && !isStuck) return inDoubtOutcome('no_answer', answer.trace);
  const message = answer.kind === 'error' ? wordsOf(answer.error.message) : null;
  return refusedOutcome(code, answer.trace, message);
}

/**
 * Returns the code when the provider supports the request for no account, or not for this one; any
 * other error is a mistake in the request.
 */
const codeOf = ({ code, param, statusCode }: Stripe.errors.StripeError): string =>
  code === 'amount_too_small' || code === 'amount_too_large'
    ? 'amount_not_supported'
    : param === 'currency'
      ? 'currency_not_supported'
      : configurationCode(statusCode ?? null);

/** The customer of the intent, the method it is opened with, and whether the method that pays is saved. */
const customerFields = ({
  providerCustomerId,
  offeredMethodId,
  isSaving,
}: AuthorizeCall): Pick<
  Stripe.PaymentIntentCreateParams,
  'customer' | 'payment_method' | 'setup_future_usage'
> => ({
  ...(providerCustomerId ? { customer: providerCustomerId } : {}),
  ...(offeredMethodId ? { payment_method: offeredMethodId } : {}),
  ...(isSaving ? { setup_future_usage: 'off_session' } : {}),
});

async function judgeConfirmed(
  wire: Wire,
  hold: Hold,
  said: { intent: Stripe.PaymentIntent; trace: Trace },
): Promise<Outcome> {
  const { intent, trace } = said;
  if (isIntent(intent) && intent.id !== hold.intentId)
    return inDoubtOutcome('answer_mismatch', trace);
  if (intent.status === 'requires_payment_method') {
    const error = intent.last_payment_error ?? {};
    return decline(wire, hold, { error, trace });
  }
  const outcome = judge(intent, hold, trace);
  if (outcome.kind !== 'confirmed') return outcome;
  if (outcome.payment.state === 'processing' && !hold.isFirstSend) {
    return (await readProcessed(wire, hold)) ?? outcome;
  }
  if (outcome.payment.state !== 'requires_action') return outcome;
  if (hold.isOffSession) return decline(wire, hold, { error: unattended, trace });
  return {
    kind: 'requires_action',
    payment: outcome.payment,
    challenge: {
      url: intent.next_action?.redirect_to_url?.url ?? null,
      clientSecret: intent.client_secret,
    },
    trace,
  };
}

/** A bank that requires the customer's presence has declined an off-session charge. */
const unattended = { code: 'authentication_required' };

/**
 * A key gets the same answer for as long as the provider remembers it, so an intent that it once
 * called processing has to be read. Returns undefined while nothing has changed.
 */
async function readProcessed(wire: Wire, hold: Hold): Promise<Outcome | undefined> {
  const answer = await read(wire, (options) =>
    wire.sdk.paymentIntents.retrieve(hold.intentId, { expand }, options),
  );
  if (answer.kind !== 'ok') return undefined;
  const { value: intent, trace } = answer;
  const isOver = intent.status !== 'requires_payment_method' || intent.last_payment_error !== null;
  return isOver
    ? judgeConfirmed(wire, { ...hold, isFirstSend: true }, { intent, trace })
    : undefined;
}

/** A decline is reported only once its intent is closed: the next attempt creates a new one. */
function decline(
  wire: Wire,
  hold: Hold,
  said: { error: Parameters<typeof translateDecline>[0]; trace: Trace },
): Promise<Outcome> {
  return close(wire, hold, {
    trace: said.trace,
    ...translateDecline(said.error),
    ...translateFailure(said.error),
  });
}

async function close(
  wire: Wire,
  hold: Hold,
  no: {
    code: string;
    trace: Trace;
    declineCode?: string | null;
    message?: string | null;
    cardCountry?: string;
    advice?: 'try_again_later' | 'confirm_card_data' | 'do_not_try_again';
  },
): Promise<Outcome> {
  const closed = await release(wire, { ...hold, key: `close-${hold.operationId}` });
  const said =
    closed.kind === 'in_doubt' || closed.kind === 'requires_action' ? null : closed.payment;
  // A capture of another amount was made at the provider by hand: it is neither a success of this
  // attempt nor its end.
  if (said?.state === 'captured' && said.amountMinor === hold.amountMinor) {
    return { kind: 'confirmed', payment: said, trace: closed.trace };
  }
  if (said?.state !== 'released') return inDoubtOutcome('not_closed', no.trace);
  return {
    kind: 'refused',
    code: no.code,
    declineCode: no.declineCode ?? null,
    advice: no.advice ?? null,
    message: no.message ?? null,
    ...(no.cardCountry ? { cardCountry: no.cardCountry } : {}),
    payment: null,
    trace: no.trace,
  };
}

async function readBack(wire: Wire, hold: Hold, trace: Trace): Promise<Outcome> {
  const reading = await retrieve(wire, hold.intentId);
  if (reading.kind !== 'found') return inDoubtOutcome('no_answer', trace);
  const { payment } = reading;
  // An intent that was released, by whomever, has ended too: no confirmation can take effect.
  if (payment.state === 'released') return { kind: 'confirmed', payment, trace };
  const isEffect =
    payment.state === 'authorized' ||
    payment.state === 'captured' ||
    payment.state === 'processing';
  const isWhole = payment.amountMinor === hold.amountMinor && payment.currency === hold.currency;
  if (isEffect && isWhole) return { kind: 'confirmed', payment, trace };
  return inDoubtOutcome('no_answer', trace);
}
