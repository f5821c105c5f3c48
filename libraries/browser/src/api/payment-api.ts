// Spec: Client libraries, class PaymentAPI. Contract §1,
// §3, §9.

import {
  clearDisplay,
  type DisplayData,
  fillDisplay,
  findDisplay,
  saveDisplay,
} from './display-cache.ts';
import { sleep } from './send.ts';
import {
  type CallOptions,
  noSession,
  type PaymentApiOptions,
  type ProviderEntries,
  SessionAPI,
  sessions,
} from './session-api.ts';
import { check, checkBaseUrl, checkUserId, isObject, SvcError } from './svc-error.ts';
import {
  type ClaimPayload,
  type DetachedDraft,
  pauseBeforeRepeat,
  type SessionDraft,
  type ShellDraft,
  splitDraft,
} from './two-phases.ts';
import type { CheckoutSession, CreatedCheckoutSession, ProcessAnswer } from './wire.ts';

/** A shell: a session that waits for its claim. */
export type OpenShell = {
  /** Status `unclaimed`: without buyer, cart or totals, but with the `vault` that opens the card form. */
  shell: CreatedCheckoutSession;
  sessionId: string;
  nonce: string;
};

/** A shell whose claim has been sent. */
export type DetachedSession = OpenShell & {
  /** The session with cart and buyer, as the service returns it. Rejects as claimCheckoutSession does. */
  claimed: Promise<CheckoutSession>;
};

/** The payments of a buyer as a browser sees them: only their ids. Contract §2, Lists. */
export type PaymentPage = {
  data: { id: string }[];
  page: number;
  limit: number;
  total: number;
  nextCursor: string | null;
};

/** Options of a payment intent. `'true'` is the value that the wire uses. */
export type IntentOptions = CallOptions & {
  readonly isWallet?: boolean | 'true';
  /** Saves the payment method for later, for a buyer whom the merchant attached. */
  readonly saveForLater?: boolean;
};

const claimAttempts = 3;
const claimWithinMs = 12_000;

/**
 * Checkout in the merchant's own page. Holds no credential: each session's nonce opens that session alone.
 * `baseUrl` is the billing base URL. Every failure is a SvcError.
 */
export class PaymentAPI extends SessionAPI {
  constructor(baseUrl: string, options?: PaymentApiOptions) {
    checkBaseUrl(baseUrl);
    super(baseUrl, options);
  }

  override async processPayment(
    ...given: Parameters<SessionAPI['processPayment']>
  ): Promise<ProcessAnswer> {
    checkUserId(given[0]);
    check(isObject(given[1]), 'body');
    return super.processPayment(...given);
  }

  /**
   * Creates a session and resolves with it, nonce included, ready to be paid. It uses two calls, shell and
   * claim, when the draft names client, products and buyer, `deferDataAttachment` is not false, and there
   * is no `metadata`, which only the one-shot create accepts. Otherwise it uses one call, and the service
   * reports what is missing. Throws CurrencyRequired before any request, InvalidCheckoutSessionResponse,
   * and with two calls what claimCheckoutSession throws; a shell whose claim failed can never be charged.
   * Spec 4.5.1, Contract §3.
   */
  async createAndFetchSession(
    draft: SessionDraft,
    options: CallOptions = {},
  ): Promise<CreatedCheckoutSession & ProviderEntries> {
    if (!splitDraft(draft).isEligible) {
      const { timeoutMs: _, ...oneShot } = draft;
      return this.unify(await this.#create({ ...oneShot, deferDataAttachment: false }, options));
    }
    const { shell, nonce, claimed } = await this.createDetachedSession(draft, options);
    return this.unify({ ...(await claimed), url: shell.url, nonce });
  }

  /**
   * Opens a shell, which has no cart yet but whose card form can be shown, and claims it at once. The claim
   * is running when this resolves; its promise `claimed` may be ignored. Throws CurrencyRequired before any
   * request, and InvalidCheckoutSessionResponse when the service returned no shell. Never falls back to the
   * one-shot create. Spec 4.5.2.
   */
  async createDetachedSession(
    draft: DetachedDraft,
    options: CallOptions = {},
  ): Promise<DetachedSession> {
    const { shell: body, claim, timeoutMs } = splitDraft(draft);
    const shell = await this.#create(body, options);
    const claimed = this.#claim(shell.id, claim, { ...options, timeoutMs });
    // A rejection of a promise that nobody handles must not become an error of the page.
    claimed.catch(() => {});
    return { shell, sessionId: shell.id, nonce: shell.nonce, claimed };
  }

  /**
   * Opens a shell alone, for a page whose cart or buyer is not known yet: show its card form, then send
   * both with claimCheckoutSession. `country` chooses the gateway. Throws CurrencyRequired before any
   * request, and InvalidCheckoutSessionResponse when the service returned no shell.
   */
  async openShell(draft: ShellDraft, options: CallOptions = {}): Promise<OpenShell> {
    const { clientId, currency, country } = Object(draft) as ShellDraft;
    const { shell: body } = splitDraft({
      clientId,
      currency,
      ...(country ? { account: { country } } : {}),
    });
    const shell = await this.#create(body, options);
    return { shell, sessionId: shell.id, nonce: shell.nonce };
  }

  /**
   * Sends cart and buyer to a shell. Makes at most 3 attempts within 12 s (`payload.timeoutMs`), each with
   * the same bytes; an attempt is aborted at the deadline. It repeats after a lost response, a 5xx, and a
   * 429 or 425 that has a Retry-After. A 409 (`checkout_session_already_claimed`: the session has another
   * cart) and any other refusal are thrown at once. Spec 4.5.3.
   */
  async claimCheckoutSession(
    sessionId: string,
    nonce: string,
    given: ClaimPayload,
    options: CallOptions = {},
  ): Promise<CheckoutSession> {
    check(isObject(given), 'payload');
    const { timeoutMs, ...payload } = given;
    this.rememberSession(sessionId, nonce);
    return this.#claim(sessionId, JSON.stringify(payload), { ...options, timeoutMs });
  }

  /**
   * Opens the session's one payment intent, or returns it again, for the provider's own code in the page.
   * `email` is the claimed buyer's; `paymentMethod` is a saved card's id or `card`, `google_pay`,
   * `apple_pay`. Resolves with the response as received, whatever its status: `{ data: PaymentIntent }` or
   * an error body. Throws only when no response came. Spec 4.5.8.
   */
  async createPaymentIntent(
    sessionId: string,
    email: string,
    paymentMethod: string,
    options: boolean | 'true' | IntentOptions = {},
  ): Promise<Response> {
    const { isWallet, saveForLater, signal } =
      typeof options === 'object' ? (options ?? {}) : { isWallet: options };
    const flags = { isWallet: `${isWallet}` === 'true' ? 'true' : undefined, saveForLater };
    return this.#intent('intents', { sessionId, email, paymentMethod, ...flags }, signal);
  }

  /**
   * Opens the setup intent of a session, or returns it again, in the way of createPaymentIntent: `{ data:
   * SetupIntent }` or an error body. Spec 4.5.8.
   */
  async createSetupIntent(
    sessionId: string,
    email: string,
    paymentMethodType: 'card' | 'google_pay' | 'apple_pay' | 'wallet_express_checkout',
    options: CallOptions = {},
  ): Promise<Response> {
    const { signal } = Object(options) as CallOptions;
    return this.#intent('setup-intents', { sessionId, email, paymentMethodType }, signal);
  }

  /**
   * Lists the payments of one session and its buyer, newest first. Without `sessionId` it uses the newest
   * session that this instance knows. Any other email gives an empty page. Failures have type api_error.
   * Spec 4.5.8, 8.6.
   */
  async getPaymentsByEmail(
    email: string,
    options: CallOptions & { page?: number; limit?: number; sessionId?: string | undefined } = {},
  ): Promise<PaymentPage> {
    const { page = 1, limit = 1, sessionId, signal } = Object(options) as typeof options;
    const query = new URLSearchParams({
      email,
      page: `${page}`,
      limit: `${limit}`,
      sortField: 'createdAt',
      sortDirection: 'DESC',
      ...(sessionId ? { sessionId } : {}),
    });
    return this.send(`/v1/payments?${query}`, {
      headers: this.token(sessionId ?? this.newest(), 'api_error'),
      failsAs: 'api_error',
      signal,
    });
  }

  /**
   * Stores display fields of the session in this tab. `ttlMs` is half an hour by default and at most a day,
   * and never reaches past the session's end. Other fields are not stored. Spec 4.5.6.
   */
  cacheSessionDisplayData(
    sessionId: string,
    data: DisplayData,
    { ttlMs }: { ttlMs?: number | undefined } = {},
  ): void {
    check(Array.isArray(Object(data).products), 'data');
    const expiresAt = this.expiryOf(sessionId);
    saveDisplay(sessionId, data, { ttlMs, expiresAt, now: this.now() });
  }

  /** Removes the stored display fields. Spec 4.5.7. */
  clearSessionDisplayData(sessionId: string): void {
    clearDisplay(sessionId);
  }

  /** Returns the stored display fields, or null when there are none or they have expired. Spec 4.5.7. */
  getSessionDisplayData(sessionId: string): DisplayData | null {
    const expiresAt = this.expiryOf(sessionId);
    return findDisplay(sessionId, { expiresAt, now: this.now() });
  }

  async #create(body: object, options: CallOptions): Promise<CreatedCheckoutSession> {
    const { signal } = Object(options) as CallOptions;
    const created = await this.send<CreatedCheckoutSession>(sessions, {
      method: 'POST',
      body,
      signal,
    }).catch((cause: SvcError) => {
      const isEmpty = cause.code === 'invalid_response' && cause.status < 400;
      throw isEmpty ? new SvcError('api_error', noSession, { cause }) : cause;
    });
    const { id, nonce } = this.noted(created);
    if (!nonce) throw new SvcError('api_error', noSession);
    this.rememberSession(id, nonce);
    return created;
  }

  /** Adds `data` and fills the display fields that the service left null. Spec 4.5.5. */
  protected override unify<S extends CheckoutSession>(session: S): S & ProviderEntries {
    return super.unify(fillDisplay(session, this.now()));
  }

  async #claim(
    id: string,
    text: string,
    { signal, timeoutMs = claimWithinMs }: CallOptions & { timeoutMs?: number | undefined },
  ): Promise<CheckoutSession> {
    check(timeoutMs > 0 && Number(timeoutMs) === timeoutMs, 'timeoutMs');
    const { random = Math.random, sleep: pause = sleep } = this.around;
    const until = this.now() + timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const left = until - this.now();
      const call = { method: 'PATCH', text, signal, timeoutMs: left } as const;
      try {
        return await this.session(id, '/claim', call);
      } catch (cause) {
        const ms = pauseBeforeRepeat(cause as SvcError, attempt, random);
        const isLast = attempt === claimAttempts;
        if (isLast || ms === undefined || this.now() + ms >= until) throw cause;
        // When the signal aborts, the next attempt throws without a request.
        await pause(ms, signal).catch(() => {});
      }
    }
  }

  async #intent(
    path: string,
    body: { readonly sessionId: string; readonly email: string; readonly [name: string]: unknown },
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    return this.send(`/v1/checkouts/payments/${path}`, {
      method: 'POST',
      headers: this.token(body.sessionId),
      body,
      timeoutMs: 60_000,
      isRaw: true,
      signal,
    });
  }
}
