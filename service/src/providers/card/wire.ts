// One request to the card provider and its answer, and the rule for sending again.

import type Stripe from 'stripe';
import { methodNotUsable } from '../../domain/payments/attempt-failures.ts';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import type { Trace } from '../../engine/ports.ts';
import { NeverSent } from '../sending/never-sent.ts';
import type { ProviderTrouble } from '../sending/provider-trouble.ts';
import { sendUntil } from '../sending/send-until.ts';

export type WireSettings = {
  /** The time for one call, resend and reading included. */
  readonly budgetMs: number;
  /** How long one answer may take. */
  readonly answerMs: number;
  /** The least remaining budget for a resend. */
  readonly resendMs: number;
  /** Pause before a resend after 409 and 429. */
  readonly pauseMs: number;
  /** Called with each refusal and failure. */
  readonly onTrouble?: (trouble: ProviderTrouble) => void;
};

/** The connection and the time limits of one call. */
export type Wire = WireSettings & {
  readonly sdk: Stripe;
  /** When the call's budget is used up, by `performance.now()`. */
  readonly deadline: number;
  /** Set when a repeat is not harmless for ever: from this time on, by `Date.now()`, nothing is sent. */
  readonly sendUntil?: number;
};

export const startCall = (sdk: Stripe, settings: WireSettings): Wire => ({
  ...settings,
  sdk,
  deadline: performance.now() + settings.budgetMs,
});

const remainingMs = (wire: Wire): number => wire.deadline - performance.now();

/** The share of the budget that is kept for a reading after the sends. */
const readShare = 1 / 6;
/** With less time than this for the answer, the request is not sent. */
const leastMs = 50;

type Reply<T> = { readonly lastResponse?: { requestId?: string } } & T;
type WireCall<T> = (options: { timeout: number }) => Promise<Reply<T>>;

export type WireAnswer<T> = { readonly trace: Trace } & (
  | { readonly kind: 'ok'; readonly value: T }
  /** The provider's own error envelope. */
  | { readonly kind: 'error'; readonly status: number; readonly error: Stripe.errors.StripeError }
  /** No usable answer: reset, timeout, broken or foreign body. */
  | { readonly kind: 'lost'; readonly isNeverSent: boolean }
);

/** The trace of a call that was never sent. */
export const emptyTrace: Trace = { httpStatus: null, providerCode: null, requestId: null };

/**
 * The SDK captures the stack of every call, for errors that are not used here: more work than
 * sending the request. Only code before the first `await` runs without a stack.
 */
function withoutStackTrace<T>(call: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Sends once and waits at most `ms`; after that nothing is sent, whatever delayed it. */
async function sendSingle<T>(wire: Wire, call: WireCall<T>, ms: number): Promise<WireAnswer<T>> {
  if (ms < leastMs) return { kind: 'lost', isNeverSent: true, trace: emptyTrace };
  try {
    const until = Math.min(Date.now() + ms, wire.sendUntil ?? Number.POSITIVE_INFINITY);
    const value = await sendUntil(until, () =>
      withoutStackTrace(() => call({ timeout: Math.floor(ms) })),
    );
    const requestId = value.lastResponse?.requestId ?? null;
    return { kind: 'ok', value, trace: { httpStatus: 200, providerCode: null, requestId } };
  } catch (thrown) {
    const error = thrown as Stripe.errors.StripeError & { detail?: unknown };
    const trace: Trace = {
      httpStatus: error.statusCode ?? null,
      providerCode: error.code ?? error.type ?? null,
      requestId: error.requestId ?? null,
    };
    if (error.statusCode !== undefined && error.rawType !== undefined) {
      logResult(wire, trace, error.message, isAboutCard(error) || error.statusCode === 404);
      return { kind: 'error', status: error.statusCode, error, trace };
    }
    const { detail } = error;
    logResult(wire, trace, detail instanceof Error ? detail.message : error.message, false);
    return { kind: 'lost', isNeverSent: detail instanceof NeverSent, trace };
  }
}

function logResult(wire: Wire, trace: Trace, message: unknown, isUsual: boolean): void {
  const { httpStatus: status, providerCode: code, requestId } = trace;
  wire.onTrouble?.({ status, code, requestId, said: wordsOf(message), isUsual });
}

/** Only this type of error is about the card; the provider also uses 402 for other mistakes. */
export const isAboutCard = ({ rawType }: Stripe.errors.StripeError): boolean =>
  rawType === 'card_error';

/**
 * The code of a confirmation that the provider refuses because of the method: another payment has
 * used it up meanwhile, or it is unknown.
 */
export const refusedMethodCode = (
  { rawType, param }: Stripe.errors.StripeError,
  status: number,
): string =>
  rawType === 'invalid_request_error' && param === 'payment_method'
    ? methodNotUsable
    : configurationCode(status);

/** Reads, within the remaining budget. */
export const read = <T>(wire: Wire, call: WireCall<T>): Promise<WireAnswer<T>> =>
  sendSingle(wire, call, Math.min(wire.answerMs, remainingMs(wire)));

const isWorthResending = (answer: WireAnswer<unknown>): boolean =>
  (answer.kind === 'lost' && !answer.isNeverSent) ||
  (answer.kind === 'error' &&
    (answer.status >= 500 || answer.status === 409 || answer.status === 429));

export type SentCall<T> = {
  readonly answer: WireAnswer<T>;
  /** The same server error came twice for the same key: the provider has recorded it. */
  readonly isRecorded: boolean;
  /** At least one send of this call may have reached the provider. */
  readonly mayHaveArrived: boolean;
  /** The first of two sends had no answer: it may still be under way. */
  readonly hasLostOne: boolean;
  /** The first of two sends was lost or interrupted: it may have taken effect. */
  readonly mayHaveActed: boolean;
  /** No send of this call was executed, and none can be any more. */
  readonly isNotDone: boolean;
};

/** The request was rejected before anything ran, or never sent. */
const isTurnedAway = (answer: WireAnswer<unknown>): boolean =>
  answer.kind === 'lost' ? answer.isNeverSent : answer.kind === 'error' && answer.status === 429;

/** Sends, and once more with the same key when that can settle the outcome. */
export async function sendAgain<T>(wire: Wire, call: WireCall<T>): Promise<SentCall<T>> {
  const sendOnce = () =>
    sendSingle(wire, call, Math.min(wire.answerMs, remainingMs(wire) - wire.budgetMs * readShare));
  const first = await sendOnce();
  if (!isWorthResending(first) || remainingMs(wire) < wire.resendMs) {
    const mayHaveArrived = !(first.kind === 'lost' && first.isNeverSent);
    const isNotDone = isTurnedAway(first);
    const never = { isRecorded: false, hasLostOne: false, mayHaveActed: false };
    return { answer: first, ...never, mayHaveArrived, isNotDone };
  }
  if (first.kind === 'error' && first.status < 500) {
    await new Promise((resolve) => setTimeout(resolve, wire.pauseMs));
  }
  const second = await sendOnce();
  const isRecorded =
    first.kind === 'error' &&
    second.kind === 'error' &&
    first.status >= 500 &&
    second.status === first.status;
  // A first send whose answer was lost may still take effect, whatever the answer to the second was.
  const hasLostOne = first.kind === 'lost';
  const mayHaveActed = hasLostOne || (first.kind === 'error' && first.status >= 500);
  const isNotDone = isTurnedAway(first) && isTurnedAway(second);
  return {
    answer: second,
    isRecorded,
    mayHaveArrived: true,
    hasLostOne,
    mayHaveActed,
    isNotDone,
  };
}
