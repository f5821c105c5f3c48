// The browser library's calls. Spec: Client libraries, class PaymentAPI. Contract §1, §3, §9.

import {
  clearDisplay,
  type DisplayData,
  fillDisplay,
  findDisplay,
  saveDisplay,
} from './display-cache.ts';
import { type Call, send, sleep } from './send.ts';
import { SvcError } from './svc-error.ts';
import {
  type ClaimPayload,
  type DetachedDraft,
  pauseBeforeRepeat,
  type SessionDraft,
  splitDraft,
} from './two-phases.ts';
import type {
  CheckoutSession,
  CheckoutSessionStatus,
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

/** A shell, and its claim on the way. */
export type DetachedSession = {
  /** `unclaimed`: without buyer, cart or totals, but with the `vault` that opens the card form. */
  shell: CreatedCheckoutSession;
  sessionId: string;
  nonce: string;
  /** The session with cart and buyer, as the service answers it; rejects as claimCheckoutSession. */
  claimed: Promise<CheckoutSession>;
};

/** What a browser sees of a buyer's payments: their ids. Contract §2, Lists. */
export type PaymentPage = {
  data: { id: string }[];
  page: number;
  limit: number;
  total: number;
  nextCursor: string | null;
};

/** Ends a call early: it rejects with code `aborted`. What the service was told stands. */
export type Wish = { readonly signal?: AbortSignal | undefined };

/** Wishes of a payment intent; `'true'` is the wire's own word. */
export type IntentWish = Wish & {
  readonly isWallet?: boolean | 'true';
  /** Keeps what pays for later, for a buyer that the merchant attached. */
  readonly saveForLater?: boolean;
};

/** What the library leans on outside itself; a test may replace any of it. */
export type PaymentApiOptions = {
  /** In place of the browser's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** From 0 up to 1: spreads the pauses between attempts. */
  readonly random?: () => number;
  /** The pause between attempts; ends early with the signal. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** Looked up at each use: a page may replace its own, and so may a test. */
const surroundings = { now: () => Date.now(), random: () => Math.random(), sleep };

const sessions = '/v1/checkouts/sessions';
const noSession = 'InvalidCheckoutSessionResponse';
const claimAttempts = 3;
const claimWithinMs = 12_000;

/**
 * Checkout in a page of the merchant's. Holds no credential: each session's nonce opens that session
 * alone. `baseUrl` is the billing base URL. Every failure is a SvcError.
 */
export class PaymentAPI {
  readonly #baseUrl: string;
  readonly #around: typeof surroundings & PaymentApiOptions;
  /** Nonces of the sessions that this instance made or was told of, the newest last. */
  readonly #nonces = new Map<string, string>();
  readonly #expiries = new Map<string, string>();

  constructor(baseUrl: string, options: PaymentApiOptions = {}) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#around = { ...surroundings, ...options };
  }

  /** Makes the nonce of a session known, after a reload for example. */
  rememberSession(id: string, nonce: string): void {
    this.#nonces.delete(id);
    this.#nonces.set(id, nonce);
  }

  /**
   * Creates a session and resolves with it, nonce included, ready to be paid. In two phases, shell and
   * claim, where the draft names client, products and buyer (and `deferDataAttachment` is not false, and
   * there is no `metadata`, which only the one-shot create takes); else in one, where the service
   * judges what is missing. Throws CurrencyRequired before any request,
   * InvalidCheckoutSessionResponse, and in two phases what claimCheckoutSession throws: such a shell
   * can never be charged. Spec 4.5.1, Contract §3.
   */
  async createAndFetchSession(
    draft: SessionDraft,
    wish: Wish = {},
  ): Promise<CreatedCheckoutSession & ProviderEntries> {
    if (!splitDraft(draft).isEligible) {
      const { timeoutMs: _, ...oneShot } = draft;
      return this.#unify(await this.#create({ ...oneShot, deferDataAttachment: false }, wish));
    }
    const { shell, nonce, claimed } = await this.createDetachedSession(draft, wish);
    return this.#unify({ ...(await claimed), url: shell.url, nonce });
  }

  /**
   * Opens a shell, which knows no cart yet but whose card form can be shown, and claims it at once:
   * `claimed` is on its way when this resolves, and may be left unheeded. Throws CurrencyRequired
   * before any request, and InvalidCheckoutSessionResponse where no shell came back. Never falls back
   * to the one-shot create. Spec 4.5.2.
   */
  async createDetachedSession(draft: DetachedDraft, wish: Wish = {}): Promise<DetachedSession> {
    const { shell: body, claim, timeoutMs } = splitDraft(draft);
    const shell = await this.#create(body, wish);
    const claimed = this.#claim(shell.id, claim, { ...wish, timeoutMs });
    // Unheeded, its failure must not end up as an error of the page.
    claimed.catch(() => {});
    return { shell, sessionId: shell.id, nonce: shell.nonce, claimed };
  }

  /**
   * Brings cart and buyer to a shell. At most 3 attempts within 12 s (`payload.timeoutMs`), each with
   * the very same bytes and given up at the deadline: again after a lost answer, a 5xx, and a 429 or
   * 425 that says when. A 409 (`checkout_session_already_claimed`: the session stands with another
   * cart) and any other refusal are thrown at once. Spec 4.5.3.
   */
  async claimCheckoutSession(
    sessionId: string,
    nonce: string,
    { timeoutMs, ...payload }: ClaimPayload,
    wish: Wish = {},
  ): Promise<CheckoutSession> {
    this.rememberSession(sessionId, nonce);
    return this.#claim(sessionId, JSON.stringify(payload), { ...wish, timeoutMs });
  }

  /** The session as the service answers it. Fails as api_error. Spec 4.5.4. */
  async getCheckoutSession(id: string, wish: Wish = {}): Promise<CheckoutSession> {
    return this.#session(id, '', { ...wish, failsAs: 'api_error' });
  }

  /** The session with the gateways as `data` and the display cache filled in. Spec 4.5.5. */
  async getUnifiedCheckoutSession(id: string, wish: Wish = {}): Promise<UnifiedCheckoutSession> {
    return this.#unify(await this.#session(id, '', wish));
  }

  /** Where the session stands; `wait`: answer at a change, after so many seconds (up to 25) at last. */
  getCheckoutSessionStatus(
    id: string,
    { wait = 0, signal }: Wish & { wait?: number } = {},
  ): Promise<CheckoutSessionStatus> {
    return this.#call(id, wait ? `/status?wait=${wait}` : '/status', {
      timeoutMs: (wait + 15) * 1000,
      signal,
    });
  }

  /**
   * Pays the session. `userId` is a consistency check, never proof of identity. Throws on 4xx and
   * 5xx; when no definite answer came, read the status before anything else. Spec 4.5.8.
   */
  processPayment(userId: string, body: ProcessBody, wish: Wish = {}): Promise<ProcessAnswer> {
    return this.#call(body.sessionId, '/process', {
      ...wish,
      method: 'POST',
      headers: { 'x-user-id': userId },
      body,
      timeoutMs: 60_000,
    });
  }

  /**
   * Opens, or answers again, the session's one payment intent, for the provider's own code in the page.
   * `email` is the claimed buyer's; `paymentMethod` a saved card's id or `card`, `google_pay`,
   * `apple_pay`. Resolves with the answer as it came, whatever its status: `{ data: PaymentIntent }`
   * or an error body. Throws only where none came. Spec 4.5.8.
   */
  createPaymentIntent(
    sessionId: string,
    email: string,
    paymentMethod: string,
    wish: boolean | 'true' | IntentWish = {},
  ): Promise<Response> {
    const { isWallet, saveForLater, signal } = typeof wish === 'object' ? wish : { isWallet: wish };
    const flags = { isWallet: `${isWallet}` === 'true' ? 'true' : undefined, saveForLater };
    return this.#intent('intents', { sessionId, email, paymentMethod, ...flags }, signal);
  }

  /**
   * Opens, or answers again, the setup intent of a session. As createPaymentIntent:
   * `{ data: SetupIntent }` or an error body. Spec 4.5.8.
   */
  createSetupIntent(
    sessionId: string,
    email: string,
    paymentMethodType: 'card' | 'google_pay' | 'apple_pay' | 'wallet_express_checkout',
    { signal }: Wish = {},
  ): Promise<Response> {
    return this.#intent('setup-intents', { sessionId, email, paymentMethodType }, signal);
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
    wish: Wish = {},
  ): Promise<CheckoutSessionStatus> {
    return this.#call(id, '/decline', { ...wish, method: 'POST', body });
  }

  /**
   * Payments of one session and its buyer, the newest first; of the newest known session without
   * `sessionId`. Any other email is an empty page. Fails as api_error. Spec 4.5.8, 8.6.
   */
  async getPaymentsByEmail(
    email: string,
    {
      page = 1,
      limit = 1,
      sessionId,
      signal,
    }: Wish & { page?: number; limit?: number; sessionId?: string | undefined } = {},
  ): Promise<PaymentPage> {
    const query = new URLSearchParams({
      email,
      page: `${page}`,
      limit: `${limit}`,
      sortField: 'createdAt',
      sortDirection: 'DESC',
      ...(sessionId ? { sessionId } : {}),
    });
    return this.#send(`/v1/payments?${query}`, {
      headers: this.#token(sessionId ?? [...this.#nonces.keys()].at(-1)),
      failsAs: 'api_error',
      signal,
    });
  }

  /**
   * Keeps display fields for the session in this tab; `ttlMs` is half an hour by default, a day at
   * most, and never past the session's end. Nothing but the named fields is kept. Spec 4.5.6.
   */
  cacheSessionDisplayData(
    sessionId: string,
    data: DisplayData,
    { ttlMs }: { ttlMs?: number | undefined } = {},
  ): void {
    const expiresAt = this.#expiries.get(sessionId);
    saveDisplay(sessionId, data, { ttlMs, expiresAt, now: this.#around.now() });
  }

  /** Drops what is kept. Spec 4.5.7. */
  clearSessionDisplayData(sessionId: string): void {
    clearDisplay(sessionId);
  }

  /** Null when nothing is kept or its time is over. Spec 4.5.7. */
  getSessionDisplayData(sessionId: string): DisplayData | null {
    const expiresAt = this.#expiries.get(sessionId);
    return findDisplay(sessionId, { expiresAt, now: this.#around.now() });
  }

  /** Adds `data` and fills the display fields that the service left open. */
  #unify<S extends CheckoutSession>(session: S): S & ProviderEntries {
    const { cardprovider = null, wallet = null } = session.gateways;
    return { ...fillDisplay(session, this.#around.now()), data: { cardprovider, wallet } };
  }

  /** An answer without a session in it is InvalidCheckoutSessionResponse. */
  #noted<S extends CheckoutSession>(session: S): S {
    if (!session.id) throw new SvcError('api_error', noSession);
    this.#expiries.set(session.id, session.expiresAt);
    return session;
  }

  #token(id: string | undefined): { 'x-checkout-session-token': string } {
    const nonce = this.#nonces.get(id ?? '');
    if (nonce) return { 'x-checkout-session-token': nonce };
    throw new SvcError('authentication_error', 'checkout_session_token_required', {
      message: 'The nonce of this session is not known: call rememberSession first.',
    });
  }

  async #create(body: object, { signal }: Wish): Promise<CreatedCheckoutSession> {
    const created = await this.#send<CreatedCheckoutSession>(sessions, {
      method: 'POST',
      body,
      signal,
    }).catch((cause: SvcError) => {
      const isEmpty = cause.code === 'invalid_response' && cause.status < 400;
      throw isEmpty ? new SvcError('api_error', noSession, { cause }) : cause;
    });
    const { id, nonce } = this.#noted(created);
    if (!nonce) throw new SvcError('api_error', noSession);
    this.rememberSession(id, nonce);
    return created;
  }

  async #claim(
    id: string,
    text: string,
    { signal, timeoutMs = claimWithinMs }: Wish & { timeoutMs?: number | undefined },
  ): Promise<CheckoutSession> {
    const { now, random, sleep: pause } = this.#around;
    const until = now() + timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const left = until - now();
      const call = { method: 'PATCH', text, signal, timeoutMs: left } as const;
      try {
        return await this.#session(id, '/claim', call);
      } catch (cause) {
        const ms = pauseBeforeRepeat(cause as SvcError, attempt, random);
        const isLast = attempt === claimAttempts;
        if (isLast || ms === undefined || now() + ms >= until) throw cause;
        // Ended by the signal, the next attempt says so and asks nobody.
        await pause(ms, signal).catch(() => {});
      }
    }
  }

  async #intent(
    path: string,
    body: { readonly sessionId: string; readonly email: string; readonly [name: string]: unknown },
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    return this.#send(`/v1/checkouts/payments/${path}`, {
      method: 'POST',
      headers: this.#token(body.sessionId),
      body,
      timeoutMs: 60_000,
      isRaw: true,
      signal,
    });
  }

  async #session(id: string, path: string, call: Call): Promise<CheckoutSession> {
    return this.#noted(await this.#call<CheckoutSession>(id, path, call));
  }

  async #call<T>(id: string, path: string, call: Call = {}): Promise<T> {
    return this.#send(`${sessions}/${encodeURIComponent(id)}${path}`, {
      ...call,
      headers: { ...this.#token(id), ...call.headers },
    });
  }

  #send<T>(path: string, call: Call): Promise<T> {
    return send(this.#baseUrl + path, { ...call, fetch: this.#around.fetch });
  }
}
