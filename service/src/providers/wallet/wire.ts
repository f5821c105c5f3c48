// One request to the wallet and its answer, and the rule for sending again.

import type { Making } from '../../domain/protocol/marks.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import type { Trace } from '../../engine/ports.ts';
import { NeverSent } from '../sending/never-sent.ts';
import type { ProviderTrouble } from '../sending/provider-trouble.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Exchange, Transport } from './transport.ts';

export type WireSettings = {
  /** Whose marks what is made bears; absent where an account is only checked. */
  readonly making?: Making;
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

export type Connection = { readonly transport: Transport; readonly tokens: AccessTokens };

/** The connection and the time limits of one call. */
export type Wire = WireSettings &
  Connection & {
    /** When the call's budget is used up, by `performance.now()`. */
    readonly deadline: number;
    /** Set when a repeat is not harmless for ever: from this time on, by `Date.now()`, nothing is sent. */
    readonly sendUntil?: number;
  };

export const startCall = (connection: Connection, settings: WireSettings): Wire => ({
  ...settings,
  ...connection,
  deadline: performance.now() + settings.budgetMs,
});

const remainingMs = (wire: Wire): number => wire.deadline - performance.now();

/** The share of the budget that is kept for a reading after the sends. */
const readShare = 1 / 6;
/** With less time than this for the answer, the request is not sent. */
const leastMs = 50;

export type Request = {
  readonly method: Exchange['method'];
  readonly path: string;
  /** The provider's idempotency key. */
  readonly key?: string;
  readonly body?: unknown;
};

export type WireAnswer = { readonly trace: Trace } & (
  | { readonly kind: 'ok'; readonly value: Readonly<Record<string, unknown>> }
  /** The provider's own error envelope; `issue` is its code for what is wrong. */
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly issue: string | null;
      /** The provider's own message, without card data. */
      readonly words: string | null;
    }
  /** No usable answer: reset, timeout, broken or foreign body. */
  | { readonly kind: 'lost'; readonly isNeverSent: boolean }
);

/** The trace of a call that was never sent. */
export const emptyTrace: Trace = { httpStatus: null, providerCode: null, requestId: null };

const neverSent: WireAnswer = { kind: 'lost', isNeverSent: true, trace: emptyTrace };

type Body = Record<string, unknown>;

const parse = (text: string): Body | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Body)
      : null;
  } catch {
    return null;
  }
};

const isEnvelope = (body: Body): boolean =>
  typeof body.name === 'string' && typeof body.debug_id === 'string';

const issueOf = (body: Body): string | null => {
  const [first] = Array.isArray(body.details) ? (body.details as unknown[]) : [];
  const { issue } = (first ?? {}) as { issue?: unknown };
  const word = typeof issue === 'string' ? issue : body.name;
  return typeof word === 'string' && /^\w{1,80}$/.test(word) ? word : null;
};

const describe = (body: Body): string | null => {
  const [first] = Array.isArray(body.details) ? (body.details as unknown[]) : [];
  const { description } = (first ?? {}) as { description?: unknown };
  return wordsOf(description) ?? wordsOf(body.message);
};

const readAnswer = (status: number, text: string, requestId: string | null): WireAnswer => {
  const trace: Trace = { httpStatus: status, providerCode: null, requestId };
  if (status === 204) return { kind: 'ok', value: {}, trace };
  const body = parse(text);
  // A body in another form comes from a system in between, not from the provider.
  const isGood = status >= 200 && status < 300;
  const isForeign = body === null || isGood === isEnvelope(body) || (!isGood && status < 400);
  if (status === 401 && typeof body?.error === 'string') {
    return { kind: 'error', status, issue: null, words: null, trace };
  }
  if (isForeign || body === null) return { kind: 'lost', isNeverSent: false, trace };
  if (isGood) return { kind: 'ok', value: body, trace };
  const issue = issueOf(body);
  const words = describe(body);
  return { kind: 'error', status, issue, words, trace: { ...trace, providerCode: issue } };
};

type Sending = { readonly token: string; readonly ms: number; readonly until: number };

async function sendWith(wire: Wire, request: Request, on: Sending) {
  const headers: Record<string, string> = {
    authorization: `Bearer ${on.token}`,
    'content-type': 'application/json',
    prefer: 'return=representation',
  };
  if (request.key !== undefined) headers['paypal-request-id'] = request.key;
  const { method, path } = request;
  // The wall clock: unlike the budget it also counts time that the machine was asleep.
  if (Date.now() >= on.until) return neverSent;
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  try {
    const sent = await wire.transport.send({ method, path, headers, body }, on.ms);
    return readAnswer(sent.status, sent.text, sent.requestId);
  } catch (error) {
    const isNeverSent = error instanceof NeverSent;
    return { kind: 'lost', isNeverSent, trace: emptyTrace } satisfies WireAnswer;
  }
}

/** Sends once and waits at most `ms`; gets a new access token when the cached one is refused. */
async function sendSingle(wire: Wire, request: Request, ms: number): Promise<WireAnswer> {
  const answer = await sendFresh(wire, request, ms);
  const { httpStatus: status, providerCode: code, requestId } = answer.trace;
  if (answer.kind === 'error') {
    const isUsual = status === 404 || status === 422;
    wire.onTrouble?.({ status, code, requestId, said: answer.words, isUsual });
  }
  if (answer.kind === 'lost' && ms >= leastMs) {
    const said = answer.isNeverSent ? 'nothing was sent' : 'no usable answer';
    wire.onTrouble?.({ status, code, requestId, said, isUsual: false });
  }
  return answer;
}

async function sendFresh(wire: Wire, request: Request, ms: number): Promise<WireAnswer> {
  const deadline = performance.now() + ms;
  const until = Math.min(Date.now() + ms, wire.sendUntil ?? Number.POSITIVE_INFINITY);
  const msLeft = () => deadline - performance.now();
  for (let isRetry = false; ; isRetry = true) {
    if (msLeft() < leastMs) return neverSent;
    const token = await wire.tokens.get(msLeft());
    if (token.kind === 'unavailable' || msLeft() < leastMs) return neverSent;
    if (token.kind === 'unauthorised') {
      const trace = { ...emptyTrace, httpStatus: 401 };
      return { kind: 'error', status: 401, issue: null, words: null, trace };
    }
    const answer = await sendWith(wire, request, {
      token: token.value,
      ms: msLeft(),
      until,
    });
    if (answer.kind !== 'error' || answer.status !== 401) return answer;
    // The wallet answered before anything ran. It may forget a token before its time; a new token is valid.
    wire.tokens.drop(token.value);
    if (isRetry) return answer;
  }
}

/** Reads at the wallet, once, within the time that is left of the wire's budget. */
export const read = (wire: Wire, path: string): Promise<WireAnswer> =>
  sendSingle(wire, { method: 'GET', path }, Math.min(wire.answerMs, remainingMs(wire)));

/** The provider has not executed this send, and may execute the next one. */
export const isNotAccepted = (answer: WireAnswer): boolean =>
  answer.kind === 'error' &&
  (answer.status === 409 ||
    answer.status === 429 ||
    answer.issue === 'ORDER_COMPLETION_IN_PROGRESS');

const isWorthResending = (answer: WireAnswer): boolean =>
  (answer.kind === 'lost' && !answer.isNeverSent) ||
  (answer.kind === 'error' && answer.status >= 500) ||
  isNotAccepted(answer);

export type SentCall = {
  readonly answer: WireAnswer;
  /** At least one send of this call may have reached the provider. */
  readonly mayHaveArrived: boolean;
  /** The first of two sends had no answer: it may still be under way. */
  readonly hasLostOne: boolean;
  /** The first of two sends was lost or interrupted: it may have taken effect. */
  readonly mayHaveActed: boolean;
};

/** Sends, and once more with the same key when that can settle the outcome. */
export async function sendAgain(wire: Wire, request: Request): Promise<SentCall> {
  const sendOnce = () =>
    sendSingle(
      wire,
      request,
      Math.min(wire.answerMs, remainingMs(wire) - wire.budgetMs * readShare),
    );
  const first = await sendOnce();
  if (!isWorthResending(first) || remainingMs(wire) < wire.resendMs) {
    const mayHaveArrived = !(first.kind === 'lost' && first.isNeverSent);
    return { answer: first, mayHaveArrived, hasLostOne: false, mayHaveActed: false };
  }
  if (isNotAccepted(first)) await new Promise((resolve) => setTimeout(resolve, wire.pauseMs));
  const second = await sendOnce();
  const hasLostOne = first.kind === 'lost';
  const mayHaveActed = hasLostOne || (first.kind === 'error' && first.status >= 500);
  return { answer: second, mayHaveArrived: true, hasLostOne, mayHaveActed };
}
