// The calls of these pages. The browser's cookie identifies the caller. A call for which the service
// requires a new proof of identity asks the person for it and is repeated. Contract §6.

import { signal } from '@preact/signals';
import { askForProof } from './confirmation.ts';
import { goTo, place, signInAddress } from './router.ts';
import type { AnswerFor, InputFor, MerchantCall, RowCall } from './rows.ts';

/** A call that did not succeed. Status 0: no response came, and the outcome is not known. */
export class CallFailure extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  /** Seconds after which to retry, when the service gives them. */
  readonly retryAfter: number | null;
  /** The service's whole response. */
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

/** What is wrong with one field of a form: the name of its input, and the sentence beside it. */
export type FieldFault = {
  readonly name: string;
  readonly text: string;
  /** The meanings of what was typed, where it has two. */
  readonly choices?: readonly { readonly label: string; readonly text: string }[];
};

/** The hidden field beside that of a sum: the text whose meaning the person has chosen. */
export const settledName = (name: string): string => `${name}-settled`;

/** A failure that the page tells at its own place: a form shows no box for it. */
export class ShownAtField extends CallFailure {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly FieldFault[], status = 400) {
    super(status, { message: faults[0]?.text });
    this.faults = faults;
  }
}

/** Returns words for a failure whose message is meant for programs; null for any other. */
type FailureWords = (facts: CallFailure['facts'], isRead: boolean) => string | null;
let wordsOf: FailureWords = () => null;

/** Sets the dashboard's words. The account pages, which move no money, do not load them. */
export const setFailureWords = (words: FailureWords): void => {
  wordsOf = words;
};

type Fetch = (path: string, init: RequestInit) => Promise<Response>;
let fetchAnswer: Fetch | null = null;

/** Sets what the dashboard calls in place of the browser's fetch. */
export const setFetch = (other: Fetch): void => {
  fetchAnswer = other;
};

/** Number of calls refused for the person's role, which may have changed since the page read it. */
export const roleRefusals = signal(0);

/** A call without an answer. Only one that changes something may have taken effect. */
const noAnswer = (method: string) => ({
  code: 'not_answered',
  message: `The service did not answer. Check your connection, then ${
    method === 'GET' ? '' : 'check the result before you '
  }try again.`,
});

/** Milliseconds after which a page asks again for what the service is preparing; 0 for any other failure. */
export const preparingMs = ({ code, retryAfter }: CallFailure): number =>
  code === 'search_being_prepared' ? (retryAfter ?? 5) * 1000 : 0;

/** Turns anything that was thrown into a CallFailure. */
export const failureOf = (cause: unknown): CallFailure =>
  cause instanceof CallFailure
    ? cause
    : new CallFailure(0, { code: 'page_error', message: 'This page has a fault. Load it again.' });

/** A page of a list, and the cursor of the next one. */
export type ListPage<T> = {
  readonly data: readonly T[];
  readonly total: number;
  readonly nextCursor: string | null;
};

export type CallOptions = {
  /** The merchant that the call is about. */
  readonly clientId?: string;
  /**
   * An idempotency key for one move of money: the service makes it once, however often the call is sent.
   */
  readonly key?: string;
  /** True when the caller itself handles that nobody is signed in. */
  readonly isVisitor?: boolean;
  /** More of the query, as text: what the address of a page asks for. */
  readonly query?: string | URLSearchParams;
  /** Aborts the call, which then fails like one without a response. */
  readonly signal?: AbortSignal;
};

/** A call for which the service must be told the merchant takes its `clientId`. */
type OptionsFor<C extends RowCall> = C extends MerchantCall
  ? [CallOptions & { readonly clientId: string }]
  : [CallOptions?];

/**
 * Makes the call of a row of the contract and returns the body of the answer, null for an empty one. Throws
 * CallFailure.
 */
export async function call<C extends RowCall>(
  row: C,
  input: InputFor<C>,
  ...[options = {}]: OptionsFor<C>
): Promise<AnswerFor<C>> {
  return (await ask(requestFor(row, input, options.query), options)) as AnswerFor<C>;
}

/** Reads an address whose query is known as text only. Throws CallFailure. */
export const readAt = async <T>(path: string, options: CallOptions): Promise<T> =>
  (await ask({ method: 'GET', path }, options)) as T;

type Request = { readonly method: string; readonly path: string; readonly body?: unknown };

/** Returns what is sent for a row: fields that its path does not name, apart from the body, are the query. */
export function requestFor<C extends RowCall>(
  row: C,
  input: InputFor<C>,
  more: string | URLSearchParams = '',
): Request {
  const { body, ...fields } = input as Readonly<Record<string, unknown>>;
  const [method = '', template = ''] = row.split(' ');
  const left = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  const path = template.replace(/{(\w+)}/g, (_, name: string) => {
    const value = encodeURIComponent(String(left.get(name)));
    left.delete(name);
    return value;
  });
  const query = [...left].map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const text = [...query, String(more)].filter(Boolean).join('&');
  return { method, path: text ? `${path}?${text}` : path, body };
}

async function ask(request: Request, options: CallOptions): Promise<unknown> {
  for (;;) {
    const answer = await send(request, options);
    if (!(answer instanceof CallFailure)) return answer;
    if (!options.isVisitor && signsInFirst(answer)) throw answer;
    if (answer.code === 'merchant_role_required') roleRefusals.value += 1;
    if (!(await isProvenAnew(answer))) throw answer;
  }
}

/** Asks the person for a new proof of identity where the call failed for want of one; true: repeat the call. */
export const isProvenAnew = async ({ code }: CallFailure): Promise<boolean> =>
  code === 'recent_sign_in_required' && (await askForProof());

/** Goes to the sign-in page, which leads back here, when the failure is that nobody is signed in. */
export function signsInFirst({ code }: CallFailure): boolean {
  if (!/^(sign_in|second_factor)_required$/.test(code ?? '')) return false;
  goTo(signInAddress(place.value + location.search), { replaces: true });
  return true;
}

async function send(
  { method, path, body }: Request,
  { clientId, key, signal }: CallOptions,
): Promise<unknown> {
  let response: Response;
  let answer: unknown = null;
  try {
    response = await (fetchAnswer ?? fetch)(path, {
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
    return new CallFailure(0, noAnswer(method));
  }
  if (response.ok) return answer;
  return failureFrom(response, answer, method === 'GET');
}

/**
 * The failure that the service answered, in words for people. `isRead`: the call could change nothing, so a repeat is
 * harmless.
 */
export function failureFrom(response: Response, body: unknown, isRead: boolean): CallFailure {
  const facts = (body ?? {}) as Record<string, unknown>;
  const wait = Number(response.headers.get('retry-after')) || undefined;
  const message = wordsOf(facts, isRead);
  return new CallFailure(response.status, message ? { ...facts, message } : facts, wait);
}
