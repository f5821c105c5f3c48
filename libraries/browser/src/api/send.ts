// One call of the service: fetch with JSON in both directions. Every failure is a SvcError.

import {
  errorOf,
  isResponseLost,
  SvcError,
  type SvcErrorFields,
  type SvcErrorType,
  typeOfStatus,
} from './svc-error.ts';

export type ApiRequest = {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The exact text to send, in place of `body`. */
  readonly text?: string;
  /** The call fails with code `network_error` when no response came within this time. */
  readonly timeoutMs?: number;
  /** Ends the call early, with code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Replaces the error type that the status would give. Contract §1: two methods always throw api_error.
   */
  readonly failsAs?: SvcErrorType;
  /** Resolves with the response as received, whatever its status. */
  readonly isRaw?: boolean;
  /** Replaces the browser's own fetch. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
};

/** The longest time that setTimeout accepts; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits; rejects when the signal aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

type RefusalBody = SvcErrorFields & { readonly type?: string; readonly code?: string | null };

/** Resolves with the parsed body of a 2xx, else throws a SvcError; status 0 means that no response came. */
export async function send<T>(url: string, call: ApiRequest = {}): Promise<T> {
  const { body, signal, isRaw, timeoutMs = 30_000 } = call;
  const text = call.text ?? (body === undefined ? null : JSON.stringify(body));
  const stop = new AbortController();
  const end = () => stop.abort(signal?.reason);
  let response: Response | undefined;
  let answer: RefusalBody;
  // A timer of the page in place of AbortSignal.timeout, so that a test can advance it.
  const timer = setTimeout(
    () => stop.abort(new Error(`No answer within ${timeoutMs} ms.`)),
    Math.min(timeoutMs, longestTimerMs),
  );
  signal?.addEventListener('abort', end);
  try {
    signal?.throwIfAborted();
    response = await (call.fetch ?? fetch)(url, {
      method: call.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(text === null ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: text,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: stop.signal,
    });
    if (isRaw) return response as T;
    answer = (await response.json()) as RefusalBody;
    if (!(answer instanceof Object)) throw new Error('No object.');
    if (response.ok) return answer as T;
  } catch (cause) {
    // Includes a response that broke off or is no JSON: what the service did is not known.
    const code = signal?.aborted ? 'aborted' : response ? 'invalid_response' : 'network_error';
    const isRefused = response && !response.ok && response.status < 500;
    answer = { code, message: String(cause), cause, retryable: !isRefused };
  } finally {
    clearTimeout(timer);
    // The caller still reads the body of a raw response, and the signal may abort that too.
    if (!isRaw) signal?.removeEventListener('abort', end);
  }
  const { status = 0 } = response ?? {};
  throw new SvcError(call.failsAs ?? typeOfStatus(status), answer.code ?? null, {
    ...answer,
    wireType: answer.type,
    status,
    retryAfter: secondsOf(response?.headers.get('retry-after')),
  });
}

/** The service sends whole seconds. A date, which a proxy may send, is ignored. */
const secondsOf = (header: string | null | undefined): number | undefined =>
  header && /^\d+$/.test(header) ? Number(header) : undefined;

export type RepeatLimits = {
  readonly signal: AbortSignal;
  readonly withinMs: number;
  /** Called for each response that was lost. */
  readonly onLost?: () => void;
};

/** Repeats a call whose response was lost, until `withinMs` have passed. */
export async function repeatWhileLost<T>(
  call: () => Promise<T>,
  { signal, withinMs, onLost }: RepeatLimits,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (let pauseMs = 500; ; pauseMs *= 2) {
    try {
      return await call();
    } catch (cause) {
      const error = errorOf(cause);
      const ms = error.retryAfter ? error.retryAfter * 1000 : pauseMs;
      if (!isResponseLost(error)) throw error;
      onLost?.();
      if (Date.now() + ms > until) throw error;
      await sleep(ms, signal);
    }
  }
}
