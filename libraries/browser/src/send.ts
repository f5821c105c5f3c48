// One call of the service: fetch, JSON both ways, every failure as a SvcError.

import { SvcError, type SvcErrorFields, type SvcErrorType, typeOfStatus } from './svc-error.ts';

export type Call = {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Without an answer after so long the call fails with code `network_error`. */
  readonly timeoutMs?: number;
  /** Ends the call early, as `network_error` too. */
  readonly signal?: AbortSignal;
  /** Replaces the type that the status would give. Contract §1: two methods always say api_error. */
  readonly failsAs?: SvcErrorType;
};

/** Resolves with the parsed body of a 2xx, else throws SvcError; status 0: no answer came. */
export async function send<T>(url: string, call: Call = {}): Promise<T> {
  const { body } = call;
  let response: Response | undefined;
  let answer: unknown;
  const limit = AbortSignal.timeout(call.timeoutMs ?? 30_000);
  try {
    response = await fetch(url, {
      method: call.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      // Where a browser cannot join the two, the caller's end comes first.
      signal: call.signal ? (AbortSignal.any?.([call.signal, limit]) ?? call.signal) : limit,
    });
    answer = await response.json();
  } catch (cause) {
    // Also an answer that broke off or is no JSON: what the service did is not known.
    throw new SvcError('api_error', response ? 'invalid_response' : 'network_error', {
      message: String(cause),
      status: response?.status,
      retryable: true,
    });
  }
  if (response.ok) return answer as T;
  const fields = (answer ?? {}) as SvcErrorFields & { type?: string; code?: string | null };
  throw new SvcError(call.failsAs ?? typeOfStatus(response.status), fields.code ?? null, {
    ...fields,
    wireType: fields.type,
    status: response.status,
    retryAfter: secondsOf(response.headers.get('retry-after')),
  });
}

/** Our service answers whole seconds; a date, which a proxy may send, is left out. */
const secondsOf = (header: string | null): number | undefined =>
  header && /^\d+$/.test(header) ? Number(header) : undefined;
