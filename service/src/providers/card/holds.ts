// Capture, cancel, read: state-guarded calls on an intent that exists.

import type Stripe from 'stripe';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import type { HoldCall, Outcome, Reading, Trace } from '../../engine/ports.ts';
import { toProviderAmount } from './amounts.ts';
import { isIntent, translateIntent } from './translate.ts';
import { read, type Sent, sendAgain, type Wire } from './wire.ts';

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
 * Releases the hold. Found released although no send of ours can have done it: refused, and the intent
 * says how it ended.
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
 * Releases an intent that nothing else may happen to. Where the provider has an error on record for
 * the key, once more under another one: releasing twice changes nothing.
 */
export async function release(wire: Wire, call: HoldCall): Promise<Outcome> {
  const again = { ...call, isFirstSend: false };
  const outcome = await cancel(wire, again);
  const isStuck = outcome.kind === 'refused' && outcome.code === 'provider_error';
  return isStuck ? cancel(wire, { ...again, key: `${call.key}-2` }) : outcome;
}

/** Reads the intent. "Not done" in it proves nothing about a request still under way. */
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
  return { kind: 'in_doubt', cause: 'read_failed', trace };
}

async function classify(
  wire: Wire,
  call: HoldCall,
  sent: Sent<Intent>,
  wanted: 'captured' | 'released',
): Promise<Outcome> {
  const { answer } = sent;
  const { trace } = answer;
  if (answer.kind === 'ok') return judge(answer.value, call, trace);
  if (answer.kind === 'lost') {
    if (answer.isNeverSent && call.isFirstSend && !sent.mayHaveArrived) {
      return refused('unavailable', trace);
    }
    return readBack(wire, call, { wanted, trace, otherwise: 'no_answer' });
  }
  if (answer.error.code === 'payment_intent_unexpected_state') {
    // Not a refusal by itself: an earlier send, or somebody at the provider, may have done it. Whose
    // capture it was tells nothing else apart; whose cancellation, why the hold was let go of.
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
  // Turned away before anything ran, every time: nothing of this key can take effect any more.
  if (answer.status === 429 && sent.isNotDone && call.isFirstSend) {
    return refused('rate_limited', trace, wordsOf(answer.error.message));
  }
  if (answer.status === 409 || answer.status === 429) return inDoubt('not_accepted_yet', trace);
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
    // Said before the key was looked at: it tells nothing of an earlier send.
    const mayBeUnderWay = !call.isFirstSend || sent.mayHaveActed;
    return mayBeUnderWay
      ? inDoubt(configurationCode(answer.status), trace)
      : refused(configurationCode(answer.status), trace, wordsOf(answer.error.message));
  }
  if (answer.error.rawType === 'idempotency_error') {
    // The key was used before, with other parameters: that request may have taken effect.
    return readBack(wire, call, { wanted, trace, otherwise: 'key_used_before' });
  }
  return refused(answer.error.code ?? 'refused', trace, wordsOf(answer.error.message));
}

/** An answer counts only when it is about our intent and our amount. */
export function judge(intent: Intent, call: HoldCall, trace: Trace): Outcome {
  if (!isIntent(intent)) return inDoubt('answer_mismatch', trace);
  const payment = translateIntent(intent);
  const isOurs = payment.intentId === call.intentId && payment.currency === call.currency;
  const isWhole = payment.amountMinor === call.amountMinor;
  if (!isOurs || !isWhole) return inDoubt('answer_mismatch', trace);
  return { kind: 'confirmed', payment, trace };
}

async function readBack(
  wire: Wire,
  call: HoldCall,
  read: {
    wanted: 'captured' | 'released';
    /** What is found done cannot be ours. */
    isOthers?: boolean;
    trace: Trace;
    otherwise: string;
    /** What the reading before this one comes to. */
    before?: Outcome;
  },
): Promise<Outcome> {
  const reading = await retrieve(wire, call.intentId);
  if (reading.kind !== 'found') return inDoubt(read.otherwise, read.trace);
  const { payment } = reading;
  const isWhole = payment.amountMinor === call.amountMinor;
  // We only ever capture the whole: a capture of another amount was somebody's at the provider.
  const isKnown = payment.currency === call.currency && (isWhole || payment.state === 'captured');
  if (!isKnown) return inDoubt('answer_mismatch', read.trace);
  if (payment.state === read.wanted && isWhole && !read.isOthers)
    return { kind: 'confirmed', payment, trace: read.trace };
  // Captured by somebody and taken back since: the intent says so, and can become nothing else for us.
  if (payment.isTakenBack) return { kind: 'confirmed', payment, trace: read.trace };
  // An end that is not ours is an end too: the hold can no longer become what we asked for.
  if (payment.state === 'captured' || payment.state === 'released') {
    return { ...refused('unexpected_state', read.trace), payment } as Outcome;
  }
  if (read.before) return read.before;
  if (read.otherwise === 'recorded_error') {
    // The copy may lag behind, and a capture that failed is told to the merchant: read once more.
    await new Promise((resolve) => setTimeout(resolve, wire.pauseMs));
    return readBack(wire, call, { ...read, before: refused('provider_error', read.trace) });
  }
  return inDoubt(read.otherwise, read.trace);
}

export const inDoubt = (cause: string, trace: Trace): Outcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

export const refused = (code: string, trace: Trace, message: string | null = null): Outcome => ({
  kind: 'refused',
  code,
  declineCode: null,
  advice: null,
  message,
  payment: null,
  trace,
});
