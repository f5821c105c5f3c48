// Capture, cancel and read: calls on an existing intent, whose state prevents a repeated effect.

import type Stripe from 'stripe';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import type { HoldCall, Outcome, Reading, Trace } from '../../engine/ports.ts';
import { toProviderAmount } from './amounts.ts';
import { isIntent, translateIntent } from './translate.ts';
import { isHeldBack, read, type SentCall, sendAgain, type Wire } from './wire.ts';

export const expand = ['latest_charge.balance_transaction'];

type Intent = Stripe.PaymentIntent;

/** Captures the whole amount. */
export async function capture(wire: Wire, call: HoldCall): Promise<Outcome> {
  const amount = toProviderAmount(call.amountMinor, call.currency);
  const sent = await sendAgain(wire, (options) =>
    wire.sdk.paymentIntents.capture(
      call.intentId,
      { amount_to_capture: amount, expand, metadata: { operation_id: call.operationId } },
      { ...options, idempotencyKey: call.key },
    ),
  );
  return classify(wire, call, sent, 'captured');
}

/**
 * Releases the hold. When it is found released although no send of the service can have done it:
 * refused, with the intent's own reason.
 */
export async function cancel(wire: Wire, call: HoldCall): Promise<Outcome> {
  const sent = await sendAgain(wire, (options) =>
    wire.sdk.paymentIntents.cancel(
      call.intentId,
      { cancellation_reason: 'requested_by_customer', expand },
      { ...options, idempotencyKey: call.key },
    ),
  );
  return classify(wire, call, sent, 'released');
}

/**
 * Releases an intent that nothing else may happen to. When the provider has recorded an error for
 * the key, once more under another key: releasing twice changes nothing.
 */
export async function release(wire: Wire, call: HoldCall): Promise<Outcome> {
  const again = { ...call, isFirstSend: false };
  const outcome = await cancel(wire, again);
  const isStuck = outcome.kind === 'refused' && outcome.code === 'provider_error';
  return isStuck ? cancel(wire, { ...again, key: `${call.key}-2` }) : outcome;
}

/** Reads the intent. A state of "not done" proves nothing about a request that is still under way. */
export async function retrieve(wire: Wire, intentId: string): Promise<Reading> {
  const answer = await read(wire, (options) =>
    wire.sdk.paymentIntents.retrieve(
      intentId,
      { expand: [...expand, 'latest_charge.failure_balance_transaction'] },
      options,
    ),
  );
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const { value } = answer;
    if (!isIntent(value) || value.id !== intentId) {
      return { kind: 'in_doubt', cause: 'answer_mismatch', trace };
    }
    return { kind: 'found', payment: translateIntent(value), trace };
  }
  if (answer.kind === 'error' && answer.status === 404) return { kind: 'missing', trace };
  if (isHeldBack(answer)) return heldBackOutcome(trace);
  return { kind: 'in_doubt', cause: 'read_failed', trace };
}

/**
 * Counts the declined charges of an intent that a page confirms. The provider knows them before its
 * notices arrive; a failed authentication has no charge. A capture that was taken back is none.
 */
export async function countDeclines(wire: Wire, intentId: string): Promise<number | null> {
  const answer = await read(wire, (options) =>
    wire.sdk.charges.list({ payment_intent: intentId, limit: 100 }, options),
  );
  if (answer.kind !== 'ok' || !Array.isArray(answer.value.data)) return null;
  const isDecline = ({ status, failure_balance_transaction: booked }: Stripe.Charge) =>
    status === 'failed' && !booked;
  return answer.value.data.filter(isDecline).length;
}

async function classify(
  wire: Wire,
  call: HoldCall,
  sent: SentCall<Intent>,
  wanted: 'captured' | 'released',
): Promise<Outcome> {
  const { answer } = sent;
  const { trace } = answer;
  if (answer.kind === 'ok') return judge(answer.value, call, trace);
  if (sent.isHeldBack) return heldBackOutcome(trace);
  if (answer.kind === 'lost') {
    if (answer.isNeverSent && call.isFirstSend && !sent.mayHaveArrived) {
      return refusedOutcome('unavailable', trace);
    }
    return readBack(wire, call, { wanted, trace, otherwise: 'no_answer' });
  }
  if (answer.error.code === 'payment_intent_unexpected_state') {
    // This is no refusal by itself: an earlier send, or a person at the provider, may have done it.
    // For a capture it does not matter who did it; for a release it decides the reason that is
    // reported.
    const mayBeOurs = !call.isFirstSend || call.mayHaveActed === true || sent.mayHaveActed;
    const isOthers = wanted === 'released' && !mayBeOurs;
    return readBack(wire, call, { wanted, isOthers, trace, otherwise: 'unexpected_state' });
  }
  if (answer.status >= 500) {
    return readBack(wire, call, {
      wanted,
      trace,
      otherwise: sent.isRecorded && !call.mayBeForgotten ? 'recorded_error' : 'server_error',
    });
  }
  if (answer.status === 409 || answer.status === 429)
    return inDoubtOutcome('not_accepted_yet', trace);
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
    // The provider answered before it looked at the key: the answer proves nothing about an earlier send.
    const mayBeUnderWay = !call.isFirstSend || sent.mayHaveActed;
    return mayBeUnderWay
      ? inDoubtOutcome(configurationCode(answer.status), trace)
      : refusedOutcome(configurationCode(answer.status), trace, wordsOf(answer.error.message));
  }
  if (answer.error.rawType === 'idempotency_error') {
    // The key was used before with other parameters: that request may have taken effect.
    return readBack(wire, call, { wanted, trace, otherwise: 'key_used_before' });
  }
  return refusedOutcome(answer.error.code ?? 'refused', trace, wordsOf(answer.error.message));
}

/** An answer counts only when it is about the call's intent and amount. */
export function judge(intent: Intent, call: HoldCall, trace: Trace): Outcome {
  if (!isIntent(intent)) return inDoubtOutcome('answer_mismatch', trace);
  const payment = translateIntent(intent);
  const isOurs = payment.intentId === call.intentId && payment.currency === call.currency;
  const isWhole = payment.amountMinor === call.amountMinor;
  if (!isOurs || !isWhole) return inDoubtOutcome('answer_mismatch', trace);
  return { kind: 'confirmed', payment, trace };
}

async function readBack(
  wire: Wire,
  call: HoldCall,
  read: {
    wanted: 'captured' | 'released';
    /** True when the state that is found cannot be the effect of this service. */
    isOthers?: boolean;
    trace: Trace;
    otherwise: string;
    /** The outcome of the earlier reading. */
    before?: Outcome;
  },
): Promise<Outcome> {
  const reading = await retrieve(wire, call.intentId);
  if (reading.kind !== 'found') return inDoubtOutcome(read.otherwise, read.trace);
  const { payment } = reading;
  const isWhole = payment.amountMinor === call.amountMinor;
  // The service only captures the whole amount: a capture of another amount was made at the provider by hand.
  const isKnown = payment.currency === call.currency && (isWhole || payment.state === 'captured');
  if (!isKnown) return inDoubtOutcome('answer_mismatch', read.trace);
  if (payment.state === read.wanted && isWhole && !read.isOthers)
    return { kind: 'confirmed', payment, trace: read.trace };
  // The intent was captured and then reversed, as it states: it cannot change for the service any more.
  if (payment.isTakenBack) return { kind: 'confirmed', payment, trace: read.trace };
  // An end that this call did not cause is an end too: the hold cannot reach the wanted state any more.
  if (payment.state === 'captured' || payment.state === 'released') {
    return { ...refusedOutcome('unexpected_state', read.trace), payment } as Outcome;
  }
  if (read.before) return read.before;
  if (read.otherwise === 'recorded_error') {
    // The copy that was read may lag behind, and a failed capture is reported to the merchant: read
    // once more.
    await new Promise((resolve) => setTimeout(resolve, wire.pauseMs));
    return readBack(wire, call, { ...read, before: refusedOutcome('provider_error', read.trace) });
  }
  return inDoubtOutcome(read.otherwise, read.trace);
}

export const inDoubtOutcome = (cause: string, trace: Trace): Outcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

/** Nothing was done: the same call is made again when its turn has come. */
export const heldBackOutcome = (trace: Trace) =>
  ({ kind: 'in_doubt', cause: 'held_back', isHeldBack: true, trace }) as const;

export const refusedOutcome = (
  code: string,
  trace: Trace,
  message: string | null = null,
): Outcome => ({
  kind: 'refused',
  code,
  declineCode: null,
  advice: null,
  message,
  payment: null,
  trace,
});
