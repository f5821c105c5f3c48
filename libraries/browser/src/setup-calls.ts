// What CardSetup asks of the service. A call whose answer was lost is repeated with the very same
// body: the service knows the token and answers the same setup. Contract §3, §4.

import { send, sleep } from './send.ts';
import { SvcError } from './svc-error.ts';
import type { CheckoutSession, CheckoutSessionStatus } from './wire.ts';

/** Where a setup session stands; the id only once the provider has verified the card. */
export type SetupStanding = CheckoutSessionStatus['data'];

/** Whatever was thrown, as the library's one error. */
export const errorOf = (cause: unknown): SvcError =>
  cause instanceof SvcError
    ? cause
    : new SvcError('api_error', 'page_error', { message: String(cause) });

/** No definite answer came: what the service did is not known. */
export const isLost = ({ status, code }: SvcError): boolean =>
  code === 'network_error' ||
  code === 'invalid_response' ||
  (status >= 500 && !code?.startsWith('gateway_'));

type Patience = { readonly signal: AbortSignal; readonly withinMs: number };

async function persist<T>(call: () => Promise<T>, { signal, withinMs }: Patience): Promise<T> {
  const until = Date.now() + withinMs;
  for (let pauseMs = 500; ; pauseMs *= 2) {
    try {
      return await call();
    } catch (cause) {
      const error = errorOf(cause);
      const ms = error.retryAfter ? error.retryAfter * 1000 : pauseMs;
      if (!isLost(error) || Date.now() + ms > until) throw error;
      await sleep(ms, signal);
    }
  }
}

export class SetupCalls {
  readonly #url: string;
  readonly #nonce: string;

  constructor({
    baseUrl,
    sessionId,
    nonce,
  }: { baseUrl: string; sessionId: string; nonce: string }) {
    const base = baseUrl.replace(/\/+$/, '');
    this.#url = `${base}/v1/checkouts/sessions/${encodeURIComponent(sessionId)}`;
    this.#nonce = nonce;
  }

  /** The session with a fresh mount token, soon enough for the form to be ready within 8 s. */
  readSession(signal: AbortSignal): Promise<CheckoutSession> {
    return persist(() => this.#send('', { signal, timeoutMs: 6_000 }), { signal, withinMs: 3_000 });
  }

  async readStatus(wait: number, signal: AbortSignal): Promise<SetupStanding> {
    const path = wait ? `/status?wait=${wait}` : '/status';
    const timeoutMs = (wait + 15) * 1000;
    return (await this.#send<CheckoutSessionStatus>(path, { signal, timeoutMs })).data;
  }

  /** Repeated with the very same body until `withinMs` have passed. */
  post<T>(path: string, body: object, { signal, withinMs }: Patience): Promise<T> {
    const call = () => this.#send<T>(path, { body, signal, timeoutMs: 60_000 });
    return persist(call, { signal, withinMs });
  }

  #send<T>(
    path: string,
    call: { body?: object; signal: AbortSignal; timeoutMs: number },
  ): Promise<T> {
    return send(this.#url + path, {
      ...call,
      method: call.body ? 'POST' : 'GET',
      headers: { 'x-checkout-session-token': this.#nonce },
    });
  }
}
