// The calls of these pages. The browser's cookie says who calls; a call that wants a fresh proof of
// that asks for it and is made again. Contract §6.

import { askForProof } from './confirmation.ts';
import { go, place, signInAddress } from './router.ts';

/** A call that did not succeed; status 0: no answer came, and what became of it is not known. */
export class CallFailure extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  /** Seconds after which to try again, where the service says so. */
  readonly retryAfter: number | null;
  /** The service's whole answer. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(status: number, facts: Readonly<Record<string, unknown>>, retryAfter?: number) {
    super(typeof facts.message === 'string' ? facts.message : 'Something went wrong.');
    this.status = status;
    this.code = typeof facts.code === 'string' ? facts.code : null;
    this.requestId = typeof facts.requestId === 'string' ? facts.requestId : null;
    this.retryAfter = retryAfter ?? null;
    this.facts = facts;
  }
}

const noAnswer = {
  code: 'not_answered',
  message: 'The service did not answer. Check your connection, then look before you try again.',
};

/** What was thrown, as the one failure. */
export const failureOf = (cause: unknown): CallFailure =>
  cause instanceof CallFailure
    ? cause
    : new CallFailure(0, { code: 'page_error', message: 'This page has a fault. Load it again.' });

export type CallOptions = {
  readonly body?: unknown;
  /** The merchant whose rows are meant. */
  readonly clientId?: string;
  /** Names one move of money: the service makes it once, however often it is asked. */
  readonly key?: string;
  /** True where the caller itself deals with nobody being signed in. */
  readonly isVisitor?: boolean;
  /** Ends the call, which then fails as one without an answer. */
  readonly signal?: AbortSignal;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Makes a call; null for an empty answer. Throws CallFailure. */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  for (;;) {
    const answer = await send<T>(method, path, options);
    if (!(answer instanceof CallFailure)) return answer;
    const isNobody = /^(sign_in|second_factor)_required$/.test(answer.code ?? '');
    if (isNobody && !options.isVisitor) {
      go(signInAddress(place.value + location.search), { replaces: true });
      throw answer;
    }
    const mayAsk = answer.code === 'recent_sign_in_required';
    if (!mayAsk || !(await askForProof())) throw answer;
  }
}

async function send<T>(
  method: Method,
  path: string,
  { body, clientId, key, signal }: CallOptions,
): Promise<T | CallFailure> {
  let response: Response;
  let answer: unknown = null;
  try {
    response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(clientId === undefined ? {} : { 'x-svc-client': clientId }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(60_000), ...(signal ? [signal] : [])]),
    });
    const text = await response.text();
    if (text) answer = JSON.parse(text);
  } catch {
    return new CallFailure(0, noAnswer);
  }
  if (response.ok) return answer as T;
  const wait = Number(response.headers.get('retry-after')) || undefined;
  return new CallFailure(response.status, (answer ?? {}) as Record<string, unknown>, wait);
}
