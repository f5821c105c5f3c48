// One call of the service: its attempts, their repeats, and the result. A write carries one Idempotency-Key
// over all its attempts, so a repeat after a lost response moves no money twice. A call that the service
// does not recognise by its key is not repeated once it may have arrived. Spec: Payments, idempotency
// rules.

import {
  errorOfAnswer,
  fieldOf,
  SvcApiError,
  SvcConnectionError,
  SvcError,
  unrepeatedError,
} from './errors.ts';
import type { Settings } from './options.ts';

export type CallOptions = {
  /** One stable key per logical operation. A write without one gets a new key. */
  idempotencyKey?: string | undefined;
  /** Milliseconds per attempt. */
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
  maxNetworkRetries?: number | undefined;
  /** OAuth Bearer for this call alone, in place of the library's credential. */
  accessToken?: string | undefined;
};

export type LastResponse = {
  readonly requestId: string | undefined;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
};

export type HttpRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Serialised once, so that repeats have the same bytes. */
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** False when the call must not arrive twice. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
  /** Makes the error of a refusal; the service's own form by default. */
  readonly errorOf?: typeof errorOfAnswer;
};

export type HttpResponse = { readonly body: unknown; readonly lastResponse: LastResponse };

/** Codes of a 409 after which the same call may succeed later: contract §1, and the provider's. */
const inProgress = new Set([
  'payment_operation_in_progress',
  'checkout_attempt_in_progress',
  'lock_timeout',
  'idempotency_key_in_use',
]);

/** Error codes of connections that failed before anything was sent. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The longest wait before the first repeat, where no Retry-After asks for more. */
export const usualFirstWaitMs = 500;

/** A longer Retry-After is left to the caller. */
const longestWaitMs = 60_000;

/** Makes an Idempotency-Key for a call without one. */
export const newIdempotencyKey = (): string => `svc-node-${globalThis.crypto.randomUUID()}`;

/**
 * Sends a call and repeats it where a repeat is safe and useful. Throws SvcError, or the signal's reason.
 */
export async function send(settings: Settings, call: HttpRequest): Promise<HttpResponse> {
  let hasArrived = false;
  for (let attempt = 0; ; attempt++) {
    const result = await sendWatched(settings, call, attempt);
    if (!(result instanceof SvcError)) return result;
    const asked = answeredWith.get(result);
    // An earlier attempt deleted the resource, and its response was lost.
    if (hasArrived && asked && isGone(call, result)) {
      return { body: undefined, lastResponse: asked.lastResponse };
    }
    hasArrived ||= mayHaveArrived(result);
    if (!call.isRepeatable && mayHaveArrived(result)) throw unrepeatedError(result);
    const isWorthIt = asked?.mayRepeat ?? mayRepeat(result);
    const waitMs = isWorthIt
      ? waitBefore(attempt, asked?.retryAfterMs, settings.firstWaitMs)
      : undefined;
    if (attempt >= call.maxRetries || waitMs === undefined) throw result;
    settings.logger.warn?.('svc call is repeated', {
      method: call.method,
      attempt,
      waitMs,
      code: result.code ?? undefined,
      requestId: result.requestId,
    });
    await sleep(waitMs, call.signal);
  }
}

/**
 * Makes one attempt and reports it to logger and listeners, without body and query, which may name buyers.
 */
async function sendWatched(
  settings: Settings,
  call: HttpRequest,
  attempt: number,
): Promise<HttpResponse | SvcError> {
  const { origin, pathname: path } = new URL(call.url);
  const { method } = call;
  const idempotencyKey = call.headers['idempotency-key'];
  const startedAt = performance.now();
  const asked = { method, origin, path, attempt, idempotencyKey };
  settings.listeners.tell('request', asked);
  const result = await attemptOnce(settings, call);
  const error = result instanceof SvcError ? result : undefined;
  const said = {
    status: error ? error.status : (result as HttpResponse).lastResponse.statusCode,
    requestId: error ? error.requestId : (result as HttpResponse).lastResponse.requestId,
    code: error?.code ?? undefined,
  };
  const durationMs = Math.round(performance.now() - startedAt);
  settings.listeners.tell('response', { ...asked, ...said, durationMs });
  settings.logger.debug?.('svc call', { method, path, attempt, durationMs, ...said });
  return result;
}

/** The response of an error, with what its headers state about a repeat. */
const answeredWith = new WeakMap<
  SvcError,
  {
    retryAfterMs: number | undefined;
    mayRepeat: boolean | undefined;
    lastResponse: LastResponse;
  }
>();

async function attemptOnce(
  settings: Settings,
  call: HttpRequest,
): Promise<HttpResponse | SvcError> {
  const deadline = AbortSignal.timeout(call.timeoutMs);
  let response: Response;
  let text: string;
  try {
    call.signal?.throwIfAborted();
    response = await settings.fetch(call.url, {
      method: call.method,
      headers: call.headers,
      // A redirect would carry the credential to an address that nobody configured.
      redirect: 'manual',
      signal: call.signal ? AbortSignal.any([call.signal, deadline]) : deadline,
      ...(call.body === undefined ? {} : { body: call.body }),
    });
    text = await response.text();
  } catch (cause) {
    if (call.signal?.aborted) throw call.signal.reason;
    return connectionError(call, cause, deadline.aborted);
  }
  const lastResponse: LastResponse = {
    requestId: response.headers.get('request-id') ?? undefined,
    statusCode: response.status,
    headers: Object.freeze(Object.fromEntries(response.headers)),
  };
  const body = parseJson(text);
  if (response.status >= 200 && response.status < 300) {
    if (body !== undefined || text === '') return { body, lastResponse };
    return new SvcApiError('The answer is not JSON; is the base address right?', {
      code: 'InvalidResponse',
      statusCode: response.status,
      requestId: lastResponse.requestId,
      raw: text.slice(0, 500),
    });
  }
  const errorOf = call.errorOf ?? errorOfAnswer;
  const error = errorOf(response.status, body, lastResponse.requestId);
  const word = response.headers.get('stripe-should-retry');
  answeredWith.set(error, {
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
    mayRepeat: word === 'true' || word === 'false' ? word === 'true' : undefined,
    lastResponse,
  });
  return error;
}

function connectionError(
  call: HttpRequest,
  cause: unknown,
  isTimeout: boolean,
): SvcConnectionError {
  const { origin } = new URL(call.url);
  const reason = deepestCode(cause);
  const named = `${origin}${reason ? ` (${reason})` : ''}`;
  const unsure = beforeSending.has(reason ?? '') ? '' : ' Whether the call arrived is unknown.';
  return new SvcConnectionError(
    isTimeout
      ? `No answer from ${origin} within ${call.timeoutMs} ms; whether the call arrived is unknown.`
      : `No connection to ${named}; is the service running there?${unsure}`,
    { code: isTimeout ? 'Timeout' : 'ConnectionFailed', retryable: true, cause },
  );
}

/** fetch hides the reason ("fetch failed") in a chain of causes; the innermost code names it. */
function deepestCode(cause: unknown): string | undefined {
  let code: string | undefined;
  for (let depth = 0, at = cause; depth < 5 && at instanceof Error; depth++, at = at.cause) {
    const own = (at as { code?: unknown }).code;
    if (typeof own === 'string') code = own;
  }
  return code;
}

/** Returns false for a refusal and for a connection that failed before sending: nothing was done then. */
function mayHaveArrived(error: SvcError): boolean {
  if (error instanceof SvcConnectionError)
    return !beforeSending.has(deepestCode(error.cause) ?? '');
  return (error.status ?? 0) >= 500;
}

/**
 * Resources of which a deletion leaves nothing: deleting them again gives a 404. Other deletions return the
 * first response again.
 */
const goneForGood = new Set(['member_not_found', 'application_not_found']);

const isGone = ({ method }: HttpRequest, { code }: SvcError): boolean =>
  method === 'DELETE' && goneForGood.has(code ?? '');

function mayRepeat(error: SvcError): boolean {
  if (error instanceof SvcConnectionError) return true;
  const { status = 0, raw } = error;
  if (status === 429) return true;
  if (status === 409) return inProgress.has(error.code ?? '');
  // A decline is a definite result, whatever its status.
  const isDecline = fieldOf(raw, 'declineCode') !== undefined;
  return status >= 500 && !isDecline && fieldOf(raw, 'retrySafe') !== false;
}

/**
 * The wait before a repeat in milliseconds: `firstMs`, doubled per attempt up to 8 s, less up to half
 * of it; or undefined when Retry-After is too long.
 */
export function waitBefore(
  attempt: number,
  retryAfter: number | undefined,
  firstMs: number,
): number | undefined {
  if (retryAfter !== undefined && retryAfter > longestWaitMs) return undefined;
  const backoff = Math.min(8_000, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);
  return Math.round(Math.max(backoff, retryAfter ?? 0));
}

/** The date format that names no zone and means GMT: RFC 9110 §5.6.7. */
const asctime = /^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/;

/** Milliseconds of a Retry-After header: seconds or an HTTP date (RFC 9110 §10.2.3). */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(asctime.test(value) ? `${value} GMT` : value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
