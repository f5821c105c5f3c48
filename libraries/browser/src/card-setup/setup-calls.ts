// The calls that CardSetup makes to the service. Contract §3, §4.

import { repeatWhileLost, send } from '../api/send.ts';
import type { SessionState } from '../api/session-state.ts';
import type { CheckoutSession, CheckoutSessionStatus } from '../api/wire.ts';

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

  /** Reads the session with a new mount token, early enough for the form to be ready within 8 s. */
  readSession(signal: AbortSignal): Promise<CheckoutSession> {
    return repeatWhileLost(() => this.#send('', { signal, timeoutMs: 6_000 }), {
      signal,
      withinMs: 3_000,
    });
  }

  async readStatus(wait: number, signal: AbortSignal): Promise<SessionState> {
    const path = wait ? `/status?wait=${wait}` : '/status';
    const timeoutMs = (wait + 15) * 1000;
    return (await this.#send<CheckoutSessionStatus>(path, { signal, timeoutMs })).data;
  }

  post<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
    return this.#send(path, { body, signal, timeoutMs: 60_000 });
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
