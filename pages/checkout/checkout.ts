// The checkout of one session: loads it, pays it, follows it until it is settled. Knows no markup;
// the page renders its signals. Contract §3.

import { type Signal, signal } from '@preact/signals';
import {
  PaymentAPI,
  type ProcessAnswer,
  SvcError,
  type UnifiedCheckoutSession,
} from '@svc/browser';
import type { CardFrame } from '@svc/browser/card-frame';
import { httpAddress } from './addresses.ts';
import type { Arrival } from './arrival.ts';
import { findKept, forget, keep } from './keeper.ts';
import { attemptNotice, isInDoubt, noticeOf, tokenNotice } from './refusals.ts';
import type { Notice, Standing, View } from './view.ts';

const longestWaitSeconds = 25;
/** Where no change may be the news. */
const shortWaitSeconds = 3;
/** Between two reads of the status, however fast the service answers. */
const readEveryMs = 1_500;
const slowestReadMs = 10_000;
/** A payment whose answer was lost has not arrived when the session is still open after so long. */
const arrivesWithinMs = 6_000;
/** So long after the return from the bank its word may still be on the way. */
const bankWordWithinMs = 8_000;
const expiryRepeatMs = 60_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const failureOf = (error: unknown): SvcError =>
  error instanceof SvcError
    ? error
    : new SvcError('api_error', 'page_error', { message: String(error) });

/** Why the status is followed, and since when. */
type Pursuit = {
  readonly since: number;
  /** The answer to a payment was lost, or is newer than the status. */
  readonly isInDoubt?: boolean;
  /** The buyer has just been at the bank. */
  readonly isReturn?: boolean;
};

export class Checkout {
  readonly view: Signal<View> = signal<View>({ name: 'loading' });
  readonly session: Signal<UnifiedCheckoutSession | null> = signal(null);
  /** Set by the card panel while the form is mounted. */
  frame: CardFrame | null = null;
  readonly #api: PaymentAPI;
  readonly #id: string;
  #isReturn: boolean;
  /** Id of the newest attempt known before the one that is under way. */
  #lastAttempt: string | undefined;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(baseUrl: string, arrival: Arrival) {
    this.#api = new PaymentAPI(baseUrl);
    this.#id = arrival.sessionId;
    this.#isReturn = arrival.isReturn;
    this.#api.rememberSession(arrival.sessionId, arrival.nonce);
  }

  /** Reads the session and shows where it stands. */
  async load(): Promise<void> {
    this.view.value = { name: 'loading' };
    try {
      const session = await this.#read();
      this.#watchExpiry(Math.max(Date.parse(session.expiresAt) - Date.now(), 0) + 1_000);
      const notice = this.#isReturn ? attemptNotice(session.latestTransactionAttempt) : null;
      await this.#show(session, { notice, isFresh: this.#isReturn });
    } catch (cause) {
      const isMissing = failureOf(cause).status === 404;
      this.view.value = { name: isMissing ? 'notFound' : 'unreachable' };
    }
  }

  /** Fetches a fresh mount token for a form that is to be mounted again; false when it cannot. */
  async renew(): Promise<boolean> {
    try {
      const session = await this.#read();
      if (session.status !== 'open') await this.#show(session, { notice: null, isFresh: false });
      return true;
    } catch {
      return false;
    }
  }

  /** Takes a token from the form and pays with it; does nothing while a payment is under way. */
  async pay(): Promise<void> {
    const { frame } = this;
    const accountData = this.session.value?.accountData;
    if (this.view.value.name !== 'form' || !frame || !accountData) return;
    this.view.value = { name: 'paying' };
    const token = await this.#token(frame);
    if (!token) return;
    frame.disable(true);
    try {
      const answer = await this.#api.processPayment(accountData.userId, {
        sessionId: this.#id,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData,
      });
      await this.#settle(answer);
    } catch (cause) {
      await this.#fail(failureOf(cause));
    }
  }

  /** Undefined when the form gave none; what to say then is on the page. */
  async #token(frame: CardFrame, isRepeat = false): Promise<string | undefined> {
    try {
      return (await frame.submit()).token;
    } catch (cause) {
      const error = failureOf(cause);
      if (error.code === 'session_expired' && !isRepeat && (await this.#renewToken(frame))) {
        return this.#token(frame, true);
      }
      if (this.view.value.name === 'paying') {
        this.view.value = { name: 'form', notice: tokenNotice(error) };
      }
      return undefined;
    }
  }

  /** True when the form has a new mount token; the session itself may have ended instead. */
  async #renewToken(frame: CardFrame): Promise<boolean> {
    if (!(await this.renew()) || this.view.value.name !== 'paying') return false;
    const mountToken = this.session.value?.vault?.mountToken;
    if (mountToken) frame.setMountToken(mountToken);
    return mountToken !== undefined;
  }

  async #settle(answer: ProcessAnswer): Promise<void> {
    const { paymentId, authorizationExpiresAt = null } = answer;
    if (answer.type === 'success') {
      const name = answer.status === 'authorized' ? 'authorized' : 'succeeded';
      this.view.value = { name, paymentId, authorizationExpiresAt, isFresh: true };
      return;
    }
    // The status may lag behind the answer: still open does not yet mean refused.
    const pursuit = { since: Date.now(), isInDoubt: true };
    if (answer.type === 'processing') return this.#follow(pursuit);
    const url = httpAddress(answer.challenge?.url ?? null)?.href ?? null;
    if (!url) {
      this.view.value = { name: 'challenge', url };
      return this.#follow(pursuit);
    }
    keep('challenge', this.#id, url);
    this.view.value = { name: 'redirecting' };
    location.assign(url);
  }

  async #fail(error: SvcError): Promise<void> {
    if (isInDoubt(error)) return this.#follow({ since: Date.now(), isInDoubt: true });
    switch (error.code) {
      case 'checkout_session_not_found':
        this.view.value = { name: 'notFound' };
        return;
      case 'checkout_session_expired':
        this.view.value = { name: 'expired' };
        return;
      case 'checkout_session_completed':
        return this.load();
      default:
        this.#reopen(noticeOf(error));
        // A later payment in doubt is told apart from this attempt by its id.
        await this.#api.getCheckoutSessionStatus(this.#id).then(
          ({ data }) => this.#note(data),
          () => undefined,
        );
    }
  }

  #reopen(notice: Notice | null): void {
    forget('challenge', this.#id);
    this.frame?.disable(false);
    this.view.value = { name: 'form', notice };
  }

  /** Reads the status until it is settled, through every loss of the connection. */
  async #follow(pursuit: Pursuit): Promise<void> {
    if (this.view.value.name !== 'challenge') this.#showChecking(false);
    let wait = 0;
    for (let failures = 0; ; ) {
      const began = Date.now();
      try {
        const { data } = await this.#api.getCheckoutSessionStatus(this.#id, { wait });
        failures = 0;
        wait = data.status === 'open' || pursuit.isReturn ? shortWaitSeconds : longestWaitSeconds;
        if (this.#isSettled(data, pursuit)) {
          const notice = this.#outcome(data, pursuit);
          this.#note(data);
          return this.#show(data, { notice, isFresh: true });
        }
        this.#showChecking(false);
      } catch (cause) {
        const { status, code } = failureOf(cause);
        if (status === 404) {
          this.view.value = { name: 'notFound' };
          return;
        }
        failures += 1;
        this.#showChecking(code === 'network_error');
      }
      const pauseMs = Math.min(readEveryMs * 2 ** failures, slowestReadMs);
      await sleep(Math.max(0, pauseMs - (Date.now() - began)));
    }
  }

  /** A challenge on show stays on show. */
  #showChecking(isOffline: boolean): void {
    const { name } = this.view.value;
    if (name !== 'challenge') this.view.value = { name: 'checking', isOffline };
  }

  #isSettled({ status, latestTransactionAttempt: attempt }: Standing, why: Pursuit): boolean {
    const forMs = Date.now() - why.since;
    if (status === 'processing') return false;
    if (status === 'requires_action') {
      const isShown = this.view.value.name === 'challenge';
      return !isShown && (!why.isReturn || forMs > bankWordWithinMs);
    }
    if (status !== 'open' || !why.isInDoubt) return true;
    if (!attempt || attempt.id === this.#lastAttempt) return forMs > arrivesWithinMs;
    return !/PENDING|PROCESSING|UNKNOWN|REQUIRES_ACTION/.test(attempt.result);
  }

  #outcome({ latestTransactionAttempt: attempt }: Standing, { isInDoubt }: Pursuit): Notice | null {
    const isOld = !attempt || attempt.id === this.#lastAttempt;
    return isInDoubt && isOld
      ? { kind: 'problem', code: 'not_received', requestId: null }
      : attemptNotice(attempt);
  }

  #note({ latestTransactionAttempt }: Pick<Standing, 'latestTransactionAttempt'>): void {
    this.#lastAttempt = latestTransactionAttempt?.id;
  }

  async #show(
    { status, paymentId, authorizationExpiresAt }: Omit<Standing, 'uuid'>,
    { notice, isFresh }: { notice: Notice | null; isFresh: boolean },
  ): Promise<void> {
    const isReturn = this.#isReturn;
    this.#isReturn = false;
    switch (status) {
      case 'open':
        if (this.#isPayable()) return this.#reopen(notice);
        this.view.value = { name: 'unusable' };
        return;
      case 'requires_action':
        if (!isReturn)
          this.view.value = { name: 'challenge', url: findKept('challenge', this.#id) };
        return this.#follow({ since: Date.now(), isReturn });
      case 'processing':
        return this.#follow({ since: Date.now() });
      case 'completed':
      case 'authorized': {
        forget('challenge', this.#id);
        const name = status === 'authorized' ? 'authorized' : 'succeeded';
        this.view.value = { name, paymentId, authorizationExpiresAt, isFresh };
        return;
      }
      case 'expired':
      case 'canceled':
        this.view.value = { name: status };
        return;
      case 'unclaimed':
        this.view.value = { name: 'unusable' };
    }
  }

  /** False for what this page cannot take money for: no buyer, no amount, no card form, a setup. */
  #isPayable(): boolean {
    const session = this.session.value;
    return Boolean(
      session?.checkoutMode === 'payment' && session.accountData && session.totals && session.vault,
    );
  }

  async #read(): Promise<UnifiedCheckoutSession> {
    const session = await this.#api.getUnifiedCheckoutSession(this.#id);
    this.session.value = session;
    this.#note(session);
    return session;
  }

  /** At the session's end asks the service, whose clock counts, and leaves what is typed alone. */
  #watchExpiry(inMs: number): void {
    clearTimeout(this.#expiryTimer);
    this.#expiryTimer = setTimeout(
      async () => {
        if (this.view.value.name === 'form') {
          const standing = await this.#api.getCheckoutSessionStatus(this.#id).catch(() => null);
          if (standing && standing.data.status !== 'open' && this.view.value.name === 'form') {
            return this.#show(standing.data, { notice: null, isFresh: false });
          }
        }
        this.#watchExpiry(expiryRepeatMs);
      },
      Math.min(inMs, 2 ** 31 - 1),
    );
  }
}
