// The calls that CardPayment makes to the service, in the shape that confirmPayment takes. The other forms
// do not share this file: a shared part would be one more file to load for each page. Contract §3.

import { repeatWhileLost, send } from '../api/send.ts';
import type { CallOptions } from '../api/session-api.ts';
import type {
  CheckoutSession,
  CheckoutSessionStatus,
  ProcessAnswer,
  ProcessBody,
} from '../api/wire.ts';

type PaymentCall = CallOptions & {
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly timeoutMs: number;
};

export class PaymentCalls {
  readonly #url: string;
  readonly #nonce: string;

  constructor(given: { baseUrl: string; sessionId: string; nonce: string }) {
    const base = given.baseUrl.replace(/\/+$/, '');
    this.#url = `${base}/v1/checkouts/sessions/${encodeURIComponent(given.sessionId)}`;
    this.#nonce = given.nonce;
  }

  /** Reads the session with a new mount token, early enough for the form to be ready within 8 s. */
  readSession(signal: AbortSignal): Promise<CheckoutSession> {
    return repeatWhileLost(() => this.#send('', { signal, timeoutMs: 6_000 }), {
      signal,
      withinMs: 3_000,
    });
  }

  getCheckoutSessionStatus(
    _id: string,
    { wait = 0, signal }: CallOptions & { wait?: number } = {},
  ): Promise<CheckoutSessionStatus> {
    const path = wait ? `/status?wait=${wait}` : '/status';
    return this.#send(path, { signal, timeoutMs: (wait + 15) * 1000 });
  }

  processPayment(
    userId: string,
    body: ProcessBody,
    options: CallOptions = {},
  ): Promise<ProcessAnswer> {
    const headers = { 'x-user-id': encodeURIComponent(userId) };
    return this.#send('/process', { ...options, body, headers, timeoutMs: 60_000 });
  }

  declineSession(
    _id: string,
    body: object,
    options: CallOptions = {},
  ): Promise<CheckoutSessionStatus> {
    return this.#send('/decline', { ...options, body, timeoutMs: 60_000 });
  }

  #send<T>(path: string, { headers, ...call }: PaymentCall): Promise<T> {
    return send(this.#url + path, {
      ...call,
      method: call.body ? 'POST' : 'GET',
      headers: { ...headers, 'x-checkout-session-token': this.#nonce },
    });
  }
}
