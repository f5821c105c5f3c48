// The read of the session that the page's markup has begun, so that it does not wait for the page's script.

import { type PaymentApiOptions, SessionAPI } from '@svc/browser/session-api';
import type { Arrival } from './arrival.ts';

type EarlyRead = {
  readonly path: string;
  readonly nonce: string;
  readonly answer: Promise<Response>;
};

declare global {
  var earlyRead: EarlyRead | undefined;
}

/** The browser's fetch; the first read of that session, with that nonce, gets the answer on its way. */
const fetchEarly: NonNullable<PaymentApiOptions['fetch']> = (url, init) => {
  const { earlyRead } = globalThis;
  globalThis.earlyRead = undefined;
  const { method, headers, signal } = init;
  const nonce = new Headers(headers).get('x-checkout-session-token');
  if (
    !earlyRead ||
    url !== location.origin + earlyRead.path ||
    nonce !== earlyRead.nonce ||
    method !== 'GET'
  )
    return fetch(url, init);
  const stopped = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
  return Promise.race([earlyRead.answer, stopped]);
};

/** Returns the calls of the buyer's session. */
export function openSessionCalls(baseUrl: string, { sessionId, nonce }: Arrival): SessionAPI {
  const api = new SessionAPI(baseUrl, { fetch: fetchEarly });
  api.rememberSession(sessionId, nonce);
  return api;
}
