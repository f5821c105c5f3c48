// One request to the card provider and its answer, and the rule for sending again.

import type Stripe from 'stripe';
import { methodNotUsable } from '../../domain/payments/attempt-failures.ts';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import type { Making } from '../../domain/protocol/marks.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import type { Trace, Urgency } from '../../engine/ports.ts';
import type { AccountPace } from '../pacing/pacer.ts';
import { HeldBack, NeverSent } from '../sending/never-sent.ts';
import type { ProviderTrouble } from '../sending/provider-trouble.ts';
import { type Sending, sendUntil } from '../sending/send-until.ts';

export type WireSettings = {
  /** Whose marks what is made bears; absent where an account is only checked. */
  readonly making?: Making;
  /** The time for one call, resend and reading included; waiting for its turn does not count. */
  readonly budgetMs: number;
  /** How long one answer may take. */
  readonly answerMs: number;
  /** The least remaining budget for a resend. */
  readonly resendMs: number;
  /** Pause before a resend after 409 and 429. */
  readonly pauseMs: number;
  /** Called with each refusal and failure. */
  readonly onTrouble?: (trouble: ProviderTrouble) => void;
  /** The pace towards the account; absent: none. */
  readonly pace?: AccountPace;
  /** How long a request waits for its turn; upkeep waits four times as long. */
  readonly patienceMs?: number;
};

/** The connection and the time limits of one call. */
export type Wire = WireSettings & {
  readonly sdk: Stripe;
  readonly urgency: Urgency;
  /** In milliseconds of `performance.now()`. One object, so that all copies of a call change the same deadline. */
  readonly time: {
    /** When the call's budget is used up. */
    deadline: number;
    /** Until when the call may wait for its turn. */
    readonly waitUntil: number;
  };
  /** In milliseconds of `Date.now()`: nothing is sent from then on, because the provider forgets the key of a call. */
  readonly sendUntil?: number;
};

/** As long as for the lease of another process, so that a request's own lease outlives wait and call. */
export const usualPatienceMs = 5000;

export function startCall(sdk: Stripe, settings: WireSettings, urgency: Urgency = 'upkeep'): Wire {
  const now = performance.now();
  const patienceMs = (settings.patienceMs ?? usualPatienceMs) * (urgency === 'upkeep' ? 4 : 1);
  const time = { deadline: now + settings.budgetMs, waitUntil: now + patienceMs };
  return { ...settings, sdk, urgency, time };
}

const remainingMs = (wire: Wire): number => wire.time.deadline - performance.now();

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
  | {
      readonly kind: 'lost';
      readonly isNeverSent: boolean;
      /** Its turn did not come in time. */
      readonly isHeldBack?: true;
    }
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

type Sent = { method: string; path: string };

/** How much later than its time a wait may end: a process that was stopped meanwhile sends nothing. */
const lateMs = 1000;

/** Lets a request wait for its turn; that time counts against neither budget nor answer. */
function turnOf(wire: Wire, sending: Sending, sent: Sent): Sending['waitForTurn'] {
  const { pace, urgency, time } = wire;
  if (!pace) return undefined;
  const latestMs = wire.sendUntil ?? Number.POSITIVE_INFINITY;
  return (method, path) => {
    Object.assign(sent, { method, path });
    const turn = pace.take({ method, path, urgency }, time.waitUntil);
    if (turn === true) return;
    const from = performance.now();
    const goOn = (mayGo: boolean) => {
      const now = performance.now();
      if (!mayGo || now > time.waitUntil + lateMs) throw new HeldBack('held back by its pace');
      time.deadline += now - from;
      sending.untilMs = Math.min(sending.untilMs + now - from, latestMs);
    };
    return turn === false ? goOn(false) : turn.then(goOn);
  };
}

/** Sends once and waits at most `ms` for the answer; after that nothing is sent, whatever delayed it. */
async function sendSingle<T>(wire: Wire, call: WireCall<T>, ms: number): Promise<WireAnswer<T>> {
  if (ms < leastMs) return { kind: 'lost', isNeverSent: true, trace: emptyTrace };
  const sent: Sent = { method: '', path: '' };
  try {
    const untilMs = Math.min(Date.now() + ms, wire.sendUntil ?? Number.POSITIVE_INFINITY);
    const sending: { -readonly [K in keyof Sending]: Sending[K] } = { untilMs };
    const waitForTurn = turnOf(wire, sending, sent);
    if (waitForTurn) sending.waitForTurn = waitForTurn;
    const value = await sendUntil(sending, () =>
      withoutStackTrace(() => call({ timeout: Math.floor(ms) })),
    );
    const requestId = value.lastResponse?.requestId ?? null;
    return { kind: 'ok', value, trace: { httpStatus: 200, providerCode: null, requestId } };
  } catch (thrown) {
    return readFailure(wire, thrown as Failure, sent);
  }
}

type Failure = Stripe.errors.StripeError & { detail?: unknown };

function readFailure(wire: Wire, error: Failure, sent: Sent): WireAnswer<never> {
  const trace: Trace = {
    httpStatus: error.statusCode ?? null,
    providerCode: error.code ?? error.type ?? null,
    requestId: error.requestId ?? null,
  };
  if (error.statusCode !== undefined && error.rawType !== undefined) {
    const answer = { kind: 'error', status: error.statusCode, error, trace } as const;
    if (wire.pace && isOverRate(answer)) {
      // The pace tells of these itself, once a minute.
      const { reason, retryAfterMs } = limitOf(error);
      wire.pace.refused(sent, { reason, retryAfterMs });
      return answer;
    }
    logResult(wire, trace, error.message, isAboutCard(error) || error.statusCode === 404);
    return answer;
  }
  const { detail } = error;
  if (detail instanceof HeldBack)
    return { kind: 'lost', isNeverSent: true, isHeldBack: true, trace };
  logResult(wire, trace, detail instanceof Error ? detail.message : error.message, false);
  return { kind: 'lost', isNeverSent: detail instanceof NeverSent, trace };
}

const headerOf = (error: Stripe.errors.StripeError, name: string): string | null =>
  error.headers?.[name] ?? null;

const limitOf = (error: Stripe.errors.StripeError) => {
  const seconds = Number.parseFloat(headerOf(error, 'retry-after') ?? '');
  return {
    reason: headerOf(error, 'stripe-rate-limited-reason'),
    retryAfterMs: seconds >= 0 && seconds <= 3600 ? seconds * 1000 : null,
  };
};

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
export const refusedMethodCode = (error: Stripe.errors.StripeError, status: number): string =>
  error.rawType === 'invalid_request_error' &&
  (error.param === 'payment_method' || isUsedUpMethod(error))
    ? methodNotUsable
    : configurationCode(status);

/** Recorded answers about a method that is used up have neither code nor parameter, only the sentence. */
const isUsedUpMethod = ({ code, param, message }: Stripe.errors.StripeError): boolean =>
  !code && !param && /\bPaymentMethod\b/.test(message);

/** Something else is using the object: nothing ran, and the same call may be sent in a moment. */
const isLocked = (answer: WireAnswer<unknown>): boolean =>
  answer.kind === 'error' &&
  (answer.status === 409 || answer.status === 429) &&
  answer.error.code === 'lock_timeout';

/** The account sends more than the provider takes. */
const isOverRate = (answer: WireAnswer<unknown>): boolean =>
  answer.kind === 'error' && answer.status === 429 && !isLocked(answer);

/** The request was rejected before anything ran, or never sent. */
const isTurnedAway = (answer: WireAnswer<unknown>): boolean =>
  answer.kind === 'lost' ? answer.isNeverSent : isLocked(answer) || isOverRate(answer);

/** The answer only asks to make the same call again later. */
export const isHeldBack = (answer: WireAnswer<unknown>): boolean =>
  isLocked(answer) || isOverRate(answer) || (answer.kind === 'lost' && answer.isHeldBack === true);

/** The provider's own word on whether the same request may be sent again; null where it says nothing. */
const shouldRetry = (answer: WireAnswer<unknown>): boolean | null => {
  const said = answer.kind === 'error' ? headerOf(answer.error, 'stripe-should-retry') : null;
  return said === null ? null : said === 'true';
};

/** The provider asks to wait, and the call's pace will let it go again. */
const mayWait = (wire: Wire, answer: WireAnswer<unknown>): boolean =>
  wire.pace !== undefined &&
  (isOverRate(answer) || isLocked(answer)) &&
  shouldRetry(answer) !== false &&
  performance.now() < wire.time.waitUntil;

/** Reads, within the remaining budget; again for as long as the provider only asks to wait. */
export async function read<T>(wire: Wire, call: WireCall<T>): Promise<WireAnswer<T>> {
  for (;;) {
    const answer = await sendSingle(wire, call, Math.min(wire.answerMs, remainingMs(wire)));
    if (!mayWait(wire, answer)) return answer;
    if (isLocked(answer)) await new Promise((resolve) => setTimeout(resolve, wire.pauseMs));
  }
}

function isWorthResending(answer: WireAnswer<unknown>): boolean {
  if (answer.kind === 'lost') return !answer.isNeverSent;
  if (answer.kind === 'ok') return false;
  // A stored error is sent for once more all the same, because only the repeat shows that it is stored.
  if (answer.status >= 500) return true;
  const said = shouldRetry(answer);
  return said ?? (answer.status === 409 || answer.status === 429);
}

export type SentCall<T> = {
  readonly answer: WireAnswer<T>;
  /** The same server error came twice for the same key: the provider has recorded it. */
  readonly isRecorded: boolean;
  /** At least one send of this call may have reached the provider. */
  readonly mayHaveArrived: boolean;
  /** An earlier send had no answer: it may still be under way. */
  readonly hasLostOne: boolean;
  /** An earlier send was lost or interrupted: it may have taken effect. */
  readonly mayHaveActed: boolean;
  /** No send of this call was executed, and none can be any more. */
  readonly isNotDone: boolean;
  /** The same, because its turn has not come yet: the call is to be made again later. */
  readonly isHeldBack: boolean;
};

/**
 * Sends, and once more with the same key when that can settle the outcome; as often as its turn
 * comes in time when the provider only asks to wait.
 */
export async function sendAgain<T>(wire: Wire, call: WireCall<T>): Promise<SentCall<T>> {
  const sendOnce = () =>
    sendSingle(wire, call, Math.min(wire.answerMs, remainingMs(wire) - wire.budgetMs * readShare));
  const answers = [await sendOnce()];
  for (let resends = 0; ; ) {
    const last = answers.at(-1) as WireAnswer<T>;
    const isWaiting = mayWait(wire, last);
    if (!isWaiting) resends += 1;
    if (resends > 1 || !isWorthResending(last) || remainingMs(wire) < wire.resendMs) break;
    const isRefusal = last.kind === 'error' && last.status < 500;
    if (isRefusal && !(isWaiting && isOverRate(last))) {
      await new Promise((resolve) => setTimeout(resolve, wire.pauseMs * answers.length));
    }
    answers.push(await sendOnce());
  }
  return sumUp(answers);
}

function sumUp<T>(answers: readonly WireAnswer<T>[]): SentCall<T> {
  const answer = answers.at(-1) as WireAnswer<T>;
  const before = answers.slice(0, -1);
  const isServerError = (one: WireAnswer<T>) => one.kind === 'error' && one.status >= 500;
  const isLost = (one: WireAnswer<T>) => one.kind === 'lost' && !one.isNeverSent;
  const isNotDone = answers.every(isTurnedAway);
  return {
    answer,
    isRecorded:
      isServerError(answer) &&
      before.some((one) => isServerError(one) && one.trace.httpStatus === answer.trace.httpStatus),
    mayHaveArrived: answers.some((one) => !(one.kind === 'lost' && one.isNeverSent)),
    // An earlier send whose answer was lost may still take effect, whatever the later answer was.
    hasLostOne: before.some(isLost),
    mayHaveActed: before.some((one) => isLost(one) || isServerError(one)),
    isNotDone,
    isHeldBack: isNotDone && isHeldBack(answer),
  };
}
