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
import type { Arrival, Return } from './arrival.ts';
import { findKept, forget, keep } from './keeper.ts';
import { isSettled, noticeAfter, type Pursuit } from './pursuit.ts';
import { attemptNotice, isInDoubt, noticeOf, tokenNotice } from './refusals.ts';
import { isAsked, type Notice, type Standing, type View } from './view.ts';

const longestWaitSeconds = 25;
/** While the buyer is asked: what changes between two reads is seen one such wait later at worst. */
const askedWaitSeconds = 10;
/** Where no change may be the news. */
const shortWaitSeconds = 3;
/** Between two reads of the status, however fast the service answers. */
const readEveryMs = 1_500;
const slowestReadMs = 10_000;
/** After so long the buyer is told that the page need not stay open. */
const longAfterMs = 30_000;
const expiryRepeatMs = 60_000;
/** The longest delay that a timer takes. */
const longestTimerMs = 2 ** 31 - 1;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const failureOf = (error: unknown): SvcError =>
  error instanceof SvcError
    ? error
    : new SvcError('api_error', 'page_error', { message: String(error) });

export class Checkout {
  readonly view: Signal<View> = signal<View>({ name: 'loading' });
  readonly session: Signal<UnifiedCheckoutSession | null> = signal(null);
  /** Set by the card panel while the form is mounted. */
  frame: CardFrame | null = null;
  readonly #api: PaymentAPI;
  readonly #id: string;
  #from: Return | null;
  /** When the buyer came back from the bank, until that has led to something. */
  #backSince: number | null = null;
  /** Id of the newest attempt known before the one that is under way. */
  #lastAttempt: string | undefined;
  #pursuit = 0;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  #waitTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(baseUrl: string, arrival: Arrival) {
    this.#api = new PaymentAPI(baseUrl);
    this.#id = arrival.sessionId;
    this.#from = arrival.from;
    this.#api.rememberSession(arrival.sessionId, arrival.nonce);
  }

  /** Reads the session and shows where it stands. */
  async load(): Promise<void> {
    this.view.value = { name: 'loading' };
    try {
      const from = this.#from;
      const session = await this.#read();
      this.#from = null;
      this.#watchExpiry(Math.max(Date.parse(session.expiresAt) - Date.now(), 0) + 1_000);
      if (from === 'bank') this.#backSince = Date.now();
      if (session.status === 'requires_action' && session.data.wallet) {
        if (from === 'wallet') return this.payWithWallet();
        if (from === 'wallet_canceled') return this.stopAsking();
      }
      const notice = from ? attemptNotice(session.latestTransactionAttempt) : null;
      await this.#show(session, { notice, isFresh: from !== null });
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
    const view = this.view.value;
    if (view.name !== 'form' || view.notice?.kind === 'wait' || !frame) return;
    this.view.value = { name: 'paying' };
    const token = await this.#token(frame);
    if (!token) return;
    frame.disable(true);
    await this.#process({ provider: 'cardprovider', type: 'card', token });
  }

  /** Leads to the wallet to approve an order, and after the return pays with what was approved. */
  async payWithWallet(): Promise<void> {
    const { name } = this.view.value;
    if (!['form', 'wallet', 'loading'].includes(name)) return;
    this.#endPursuit();
    this.#showChecking(false);
    await this.#process({ provider: 'wallet', type: 'wallet' });
  }

  async #process(tokenizedData: Parameters<PaymentAPI['processPayment']>[1]['tokenizedData']) {
    const accountData = this.session.value?.accountData;
    if (!accountData) return;
    const body = { sessionId: this.#id, tokenizedData, accountData };
    try {
      await this.#settle(await this.#api.processPayment(accountData.userId, body));
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
    if (answer.type === 'wallet_redirect_required') {
      const url = httpAddress(answer.redirect?.url ?? null)?.href;
      if (url) return this.#leave('wallet', url);
    }
    if (answer.type === '3ds_required') {
      const url = httpAddress(answer.challenge?.url ?? null)?.href;
      if (url) keep('challenge', this.#id, url);
      this.view.value = url ? { name: 'confirming', url } : { name: 'challenge' };
    }
    // The status may lag behind the answer: still open does not yet mean refused.
    await this.#follow({ isInDoubt: true });
  }

  #leave(to: 'bank' | 'wallet', url: string): void {
    // Once: a status that is read meanwhile would show the question, and leave, again.
    this.#endPursuit();
    this.view.value = { name: 'redirecting', to };
    location.assign(url);
  }

  /** To the bank in this window, where its page refuses to be shown in the dialog. */
  leaveForBank(): void {
    const view = this.view.value;
    if (view.name === 'confirming') this.#leave('bank', view.url);
  }

  /** The bank's page in the dialog is done: its word is here or on the way. */
  async noteReturn(): Promise<void> {
    if (this.view.value.name !== 'confirming') return;
    this.#backSince = Date.now();
    this.#showChecking(false);
    await this.#follow({ isInDoubt: false });
  }

  /** The buyer gives the confirmation up, so that another way to pay is free at once. */
  async stopAsking(): Promise<void> {
    this.#endPursuit();
    const isWallet = Boolean(this.session.value?.data.wallet);
    this.#showChecking(false);
    try {
      const { data } = await this.#api.getCheckoutSessionStatus(this.#id);
      if (data.status === 'requires_action') await this.#decline(data, isWallet);
      const session = await this.#read();
      const notice = attemptNotice(session.latestTransactionAttempt);
      await this.#show(session, { notice, isFresh: true });
    } catch {
      // Paid meanwhile, out of reach or refused: the status tells, and may lead back to the question.
      await this.#follow({ isInDoubt: false });
    }
  }

  /** Ends the attempt alone: without an attempt's id `buyer_canceled` would end the checkout. */
  #decline({ latestTransactionAttempt: latest }: Standing, isWallet: boolean) {
    const attempt = latest ? { attemptId: latest.id } : {};
    const reason = isWallet ? 'wallet_canceled' : 'buyer_canceled';
    return this.#api.declineSession(this.#id, {
      reason: latest ? reason : 'authentication_abandoned',
      ...attempt,
    });
  }

  async #fail(error: SvcError): Promise<void> {
    if (isInDoubt(error)) return this.#follow({ isInDoubt: true });
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
    this.#backSince = null;
    this.frame?.disable(false);
    const view: View = { name: 'form', notice };
    this.view.value = view;
    clearTimeout(this.#waitTimer);
    if (notice?.kind !== 'wait') return;
    const ms = Math.min(notice.seconds * 1000, longestTimerMs);
    this.#waitTimer = setTimeout(() => {
      if (this.view.value === view) this.view.value = { name: 'form', notice: null };
    }, ms);
  }

  /** Reads the status until it is settled, through every loss of the connection. */
  async #follow({ isInDoubt }: { isInDoubt: boolean }): Promise<void> {
    const since = Date.now();
    const number = this.#endPursuit();
    const pursuit = (): Pursuit => ({
      forMs: Date.now() - since,
      isInDoubt,
      isAsked: isAsked(this.view.value),
      backForMs: this.#backSince === null ? null : Date.now() - this.#backSince,
      lastAttempt: this.#lastAttempt,
    });
    if (!isAsked(this.view.value)) this.#showChecking(false);
    let wait = 0;
    for (let failures = 0; ; ) {
      const began = Date.now();
      try {
        const { data } = await this.#api.getCheckoutSessionStatus(this.#id, { wait });
        if (number !== this.#pursuit) return;
        failures = 0;
        if (isSettled(data, pursuit())) {
          const notice = noticeAfter(data, pursuit());
          this.#note(data);
          return this.#show(data, { notice, isFresh: true });
        }
        const isStillAsked = data.status !== 'processing' && isAsked(this.view.value);
        if (!isStillAsked) this.#showChecking(false, Date.now() - since);
        const isFirst = wait === 0;
        wait = this.#waitFor(data);
        // A change in the pause would be missed: the wait answers only to what changes during it.
        if (isFirst) continue;
      } catch (cause) {
        if (number !== this.#pursuit) return;
        const { status, code } = failureOf(cause);
        if (status === 404) {
          this.view.value = { name: 'notFound' };
          return;
        }
        failures += 1;
        if (!isAsked(this.view.value)) this.#showChecking(code === 'network_error');
      }
      const pauseMs = Math.min(readEveryMs * 2 ** failures, slowestReadMs);
      await sleep(Math.max(0, pauseMs - (Date.now() - began)));
      if (number !== this.#pursuit) return;
    }
  }

  #waitFor({ status }: Standing): number {
    if (status === 'open' || this.#backSince !== null) return shortWaitSeconds;
    return isAsked(this.view.value) ? askedWaitSeconds : longestWaitSeconds;
  }

  /** Of two that follow the status only the newer one may speak; answers the next one's number. */
  #endPursuit(): number {
    this.#pursuit += 1;
    return this.#pursuit;
  }

  #showChecking(isOffline: boolean, forMs = 0): void {
    const isLong = forMs > longAfterMs;
    this.view.value = { name: 'checking', isOffline, isLong };
  }

  #note({ latestTransactionAttempt }: Pick<Standing, 'latestTransactionAttempt'>): void {
    this.#lastAttempt = latestTransactionAttempt?.id;
  }

  async #show(
    { status, paymentId, authorizationExpiresAt }: Omit<Standing, 'uuid'>,
    { notice, isFresh }: { notice: Notice | null; isFresh: boolean },
  ): Promise<void> {
    switch (status) {
      case 'open':
        if (this.#isPayable()) return this.#reopen(notice);
        this.view.value = { name: 'unusable' };
        return;
      case 'requires_action':
        return this.#showQuestion();
      case 'processing':
        return this.#follow({ isInDoubt: false });
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

  /** The buyer is to act; straight after a return the outcome is waited for instead. */
  async #showQuestion(): Promise<void> {
    if (this.#backSince !== null && this.view.value.name === 'loading') {
      return this.#follow({ isInDoubt: false });
    }
    this.#backSince = null;
    const url = findKept('challenge', this.#id);
    this.view.value = this.session.value?.data.wallet
      ? { name: 'wallet' }
      : url
        ? { name: 'confirming', url }
        : { name: 'challenge' };
    return this.#follow({ isInDoubt: false });
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
      Math.min(inMs, longestTimerMs),
    );
  }
}
