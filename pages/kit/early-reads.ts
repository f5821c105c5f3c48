// The reads that a page's markup has begun, so that they do not wait for the page's script.

declare global {
  /** Answers on their way, by path and by the merchant or the session's nonce that the read names. */
  var earlyReads: Map<string, Promise<Response>> | undefined;
}

/** A read that the page makes later than this after it was opened is made anew. */
const freshMs = 10_000;

/** The browser's fetch; the first read of what the markup has asked for gets the answer on its way. */
export const fetchEarly = (url: string, init: RequestInit): Promise<Response> => {
  // What was read before a change is old.
  if (init.method !== 'GET' || performance.now() > freshMs) globalThis.earlyReads = undefined;
  const { earlyReads } = globalThis;
  const headers = new Headers(init.headers);
  const who = headers.get('x-svc-client') ?? headers.get('x-checkout-session-token') ?? '';
  const key = `${url.replace(location.origin, '')} ${who}`;
  const early = earlyReads?.get(key);
  earlyReads?.delete(key);
  if (!early) return fetch(url, init);
  const stopped = new Promise<never>((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });
  return Promise.race([early, stopped]);
};
