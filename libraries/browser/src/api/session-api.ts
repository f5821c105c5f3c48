// The calls of an existing session. The service's own pages use only this part: a page that creates no
// session does not load the claim. Spec: Client libraries, class PaymentAPI. Contract §1, §3, §9.

import { type ApiRequest, send } from './send.ts';
import { SvcError, type SvcErrorType } from './svc-error.ts';
import type { CheckoutSession, CheckoutSessionStatus, ProcessAnswer, ProcessBody } from './wire.ts';

export type { SvcError };

/** Per-provider entries of a session under one name. Spec: Checkout session, gateways. */
export type ProviderEntries = {
  data: {
    cardprovider: NonNullable<CheckoutSession['gateways']['cardprovider']> | null;
    wallet: NonNullable<CheckoutSession['gateways']['wallet']> | null;
  };
};
export type UnifiedCheckoutSession = CheckoutSession & ProviderEntries;

/** Ends a call early: it rejects with code `aborted`. A call that the service has received still counts. */
export type CallOptions = { readonly signal?: AbortSignal | undefined };

/** The functions from outside that the library uses. A test may replace any of them. */
export type PaymentApiOptions = {
  /** Replaces the browser's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** From 0 up to, but not including, 1; spreads the pauses between attempts. */
  readonly random?: () => number;
  /** The pause between attempts. It ends early when the signal aborts. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export const sessions = '/v1/checkouts/sessions';
export const noSession = 'InvalidCheckoutSessionResponse';

/** PaymentAPI without the calls that create, claim and list. */
export class SessionAPI {
  protected readonly baseUrl: string;
  protected readonly around: PaymentApiOptions;
  /** Nonces of the sessions that this instance created or was given, the newest last. */
  readonly #nonces = new Map<string, string>();
  readonly #expiries = new Map<string, string>();

  constructor(baseUrl: string, options: PaymentApiOptions = {}) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.around = options;
  }

  /** Stores the nonce of a session, for example after a reload. */
  rememberSession(id: string, nonce: string): void {
    this.#nonces.delete(id);
    this.#nonces.set(id, nonce);
  }

  /** Returns the session as the service returns it. Failures have type api_error. Spec 4.5.4. */
  async getCheckoutSession(id: string, options: CallOptions = {}): Promise<CheckoutSession> {
    return this.session(id, '', { ...options, failsAs: 'api_error' });
  }

  /**
   * Returns the session with its gateways as `data`. A PaymentAPI also fills in its display cache. Spec
   * 4.5.5.
   */
  async getUnifiedCheckoutSession(
    id: string,
    options: CallOptions = {},
  ): Promise<UnifiedCheckoutSession> {
    return this.unify(await this.session(id, '', options));
  }

  /**
   * Returns the session's status. With `wait` the service responds at a change, or after that many seconds
   * (at most 25).
   */
  async getCheckoutSessionStatus(
    id: string,
    options: CallOptions & { wait?: number } = {},
  ): Promise<CheckoutSessionStatus> {
    const { wait = 0, signal } = Object(options) as typeof options;
    return this.call(id, wait ? `/status?wait=${wait}` : '/status', {
      timeoutMs: (wait + 15) * 1000,
      signal,
    });
  }

  /**
   * Pays the session. `userId` is your own id of the buyer, any text, as given when the session was
   * created; for a session that was read it is `accountData.externalId ?? accountData.userId`. It is a
   * consistency check, never proof of identity. Throws on 4xx and 5xx. When no definite response came, read
   * the status before anything else. Spec 4.5.8.
   */
  async processPayment(
    userId: string,
    body: ProcessBody,
    options: CallOptions = {},
  ): Promise<ProcessAnswer> {
    return this.call(body.sessionId, '/process', {
      ...options,
      method: 'POST',
      // A header can hold only printable ASCII.
      headers: { 'x-user-id': encodeURIComponent(userId) },
      body,
      timeoutMs: 60_000,
    });
  }

  /**
   * Ends the attempt that waits for the buyer; repeatable. `buyer_canceled` and `other` without `attemptId`
   * end the whole checkout. Throws checkout_session_completed when the session was paid meanwhile.
   */
  async declineSession(
    id: string,
    body: {
      reason: 'buyer_canceled' | 'wallet_canceled' | 'authentication_abandoned' | 'other';
      attemptId?: string;
    },
    options: CallOptions = {},
  ): Promise<CheckoutSessionStatus> {
    return this.call(id, '/decline', { ...options, method: 'POST', body });
  }

  protected now(): number {
    return (this.around.now ?? Date.now)();
  }

  /** The newest session that this instance knows. */
  protected newest(): string | undefined {
    return [...this.#nonces.keys()].at(-1);
  }

  /** When a session expires; undefined when this instance has not read it. */
  protected expiryOf(id: string): string | undefined {
    return this.#expiries.get(id);
  }

  /** Adds `data`. */
  protected unify<S extends CheckoutSession>(session: S): S & ProviderEntries {
    const { cardprovider = null, wallet = null } = session.gateways;
    return { ...session, data: { cardprovider, wallet } };
  }

  /** Throws InvalidCheckoutSessionResponse when the response holds no session. */
  protected noted<S extends CheckoutSession>(session: S): S {
    if (!session.id) throw new SvcError('api_error', noSession);
    this.#expiries.set(session.id, session.expiresAt);
    return session;
  }

  protected token(
    id: string | undefined,
    failsAs: SvcErrorType = 'authentication_error',
  ): { 'x-checkout-session-token': string } {
    const nonce = this.#nonces.get(id ?? '');
    if (nonce) return { 'x-checkout-session-token': nonce };
    throw new SvcError(failsAs, 'checkout_session_token_required', {
      message: 'The nonce of this session is not known: call rememberSession first.',
    });
  }

  protected async session(id: string, path: string, call: ApiRequest): Promise<CheckoutSession> {
    return this.noted(await this.call<CheckoutSession>(id, path, call));
  }

  protected async call<T>(id: string, path: string, call: ApiRequest = {}): Promise<T> {
    return this.send(`${sessions}/${encodeURIComponent(id)}${path}`, {
      ...call,
      headers: { ...this.token(id, call.failsAs), ...call.headers },
    });
  }

  protected send<T>(path: string, call: ApiRequest): Promise<T> {
    return send(this.baseUrl + path, { ...call, fetch: this.around.fetch });
  }
}
