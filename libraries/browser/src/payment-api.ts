// The browser library's calls. Spec: Client libraries, class PaymentAPI. Contract §1, §3, §9.

import {
  clearDisplay,
  type DisplayData,
  fillDisplay,
  findDisplay,
  saveDisplay,
} from './display-cache.ts';
import { type Call, send } from './send.ts';
import { SvcError } from './svc-error.ts';
import type {
  CheckoutSession,
  CheckoutSessionStatus,
  CreateCheckoutSession,
  CreatedCheckoutSession,
  ProcessAnswer,
  ProcessBody,
} from './wire.ts';

/** Per-provider entries of a session under one name. Spec: Checkout session, gateways. */
export type ProviderEntries = {
  data: {
    cardprovider: NonNullable<CheckoutSession['gateways']['cardprovider']> | null;
    wallet: NonNullable<CheckoutSession['gateways']['wallet']> | null;
  };
};
export type UnifiedCheckoutSession = CheckoutSession & ProviderEntries;

/** What a browser sees of a buyer's payments: their ids. Contract §2, Lists. */
export type PaymentPage = {
  data: { id: string }[];
  page: number;
  limit: number;
  total: number;
  nextCursor: string | null;
};

const sessions = '/v1/checkouts/sessions';

/** Adds `data` and fills the display fields that the service left open. */
function unify<S extends CheckoutSession>(session: S): S & ProviderEntries {
  const { cardprovider = null, wallet = null } = session.gateways;
  return { ...fillDisplay(session), data: { cardprovider, wallet } };
}

export class PaymentAPI {
  readonly #baseUrl: string;
  /** Nonces of the sessions that this instance made or was told of, the newest last. */
  readonly #nonces = new Map<string, string>();
  readonly #expiries = new Map<string, string>();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
  }

  /** Makes the nonce of a session known, after a reload for example. */
  rememberSession(id: string, nonce: string): void {
    this.#nonces.delete(id);
    this.#nonces.set(id, nonce);
  }

  /** Creates a session and resolves with it, nonce included, ready to be paid. */
  async createAndFetchSession(
    draft: CreateCheckoutSession,
  ): Promise<CreatedCheckoutSession & ProviderEntries> {
    if (!draft.currency && !draft.products.some((line) => line.currency)) {
      throw new SvcError('validation_error', 'CurrencyRequired', {
        message: 'Give a currency for the session or for a line.',
      });
    }
    const created = await send<CreatedCheckoutSession>(this.#baseUrl + sessions, {
      method: 'POST',
      body: draft,
    });
    if (!created?.id || !created.nonce) {
      throw new SvcError('api_error', 'InvalidCheckoutSessionResponse');
    }
    this.rememberSession(created.id, created.nonce);
    return unify(this.#noted(created));
  }

  /** The session as the service answers it. Fails as api_error. */
  async getCheckoutSession(id: string): Promise<CheckoutSession> {
    return this.#noted(await this.#call<CheckoutSession>(id, '', { failsAs: 'api_error' }));
  }

  /** The session with the gateways as `data` and the display cache filled in. */
  async getUnifiedCheckoutSession(id: string): Promise<UnifiedCheckoutSession> {
    return unify(this.#noted(await this.#call<CheckoutSession>(id, '')));
  }

  /** Where the session stands; `wait`: answer at a change, after so many seconds (up to 25) at last. */
  getCheckoutSessionStatus(
    id: string,
    { wait = 0 }: { wait?: number } = {},
  ): Promise<CheckoutSessionStatus> {
    return this.#call(id, wait ? `/status?wait=${wait}` : '/status', {
      timeoutMs: (wait + 15) * 1000,
    });
  }

  /**
   * Pays the session. `userId` is a consistency check, never proof of identity. Throws on 4xx and
   * 5xx; when no definite answer came, read the status before anything else.
   */
  processPayment(userId: string, body: ProcessBody): Promise<ProcessAnswer> {
    return this.#call(body.sessionId, '/process', {
      method: 'POST',
      headers: { 'x-user-id': userId },
      body,
      timeoutMs: 60_000,
    });
  }

  /**
   * Ends the attempt that waits for the buyer; repeatable. `buyer_canceled` and `other` without
   * `attemptId` end the whole checkout. Throws checkout_session_completed when it was paid meanwhile.
   */
  declineSession(
    id: string,
    body: {
      reason: 'buyer_canceled' | 'wallet_canceled' | 'authentication_abandoned' | 'other';
      attemptId?: string;
    },
  ): Promise<CheckoutSessionStatus> {
    return this.#call(id, '/decline', { method: 'POST', body });
  }

  /** Payments of one session and its buyer; of the newest known session without `sessionId`. */
  async getPaymentsByEmail(
    email: string,
    {
      page = 1,
      limit = 1,
      sessionId,
    }: { page?: number; limit?: number; sessionId?: string | undefined } = {},
  ): Promise<PaymentPage> {
    const query = new URLSearchParams({
      email,
      page: `${page}`,
      limit: `${limit}`,
      sortField: 'createdAt',
      sortDirection: 'DESC',
      ...(sessionId ? { sessionId } : {}),
    });
    return send(`${this.#baseUrl}/v1/payments?${query}`, {
      headers: this.#token(sessionId ?? [...this.#nonces.keys()].at(-1)),
      failsAs: 'api_error',
    });
  }

  /** Keeps display fields for the session; `ttlMs` is half an hour by default, a day at most. */
  cacheSessionDisplayData(
    sessionId: string,
    data: DisplayData,
    { ttlMs }: { ttlMs?: number | undefined } = {},
  ): void {
    saveDisplay(sessionId, data, { ttlMs, expiresAt: this.#expiries.get(sessionId) });
  }

  clearSessionDisplayData(sessionId: string): void {
    clearDisplay(sessionId);
  }

  /** Null when nothing is kept or its time is over. */
  getSessionDisplayData(sessionId: string): DisplayData | null {
    const expiresAt = this.#expiries.get(sessionId);
    return expiresAt && Date.parse(expiresAt) <= Date.now() ? null : findDisplay(sessionId);
  }

  #noted<S extends CheckoutSession>(session: S): S {
    this.#expiries.set(session.id, session.expiresAt);
    return session;
  }

  #token(id: string | undefined): { 'x-checkout-session-token': string } {
    const nonce = this.#nonces.get(id ?? '');
    if (nonce) return { 'x-checkout-session-token': nonce };
    throw new SvcError('authentication_error', 'checkout_session_token_required', {
      message: 'The nonce of this session is not known here. Call rememberSession first.',
    });
  }

  async #call<T>(id: string, path: string, call: Call = {}): Promise<T> {
    return send(`${this.#baseUrl}${sessions}/${encodeURIComponent(id)}${path}`, {
      ...call,
      headers: { ...this.#token(id), ...call.headers },
    });
  }
}
