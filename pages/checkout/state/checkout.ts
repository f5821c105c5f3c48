// The checkout of one session: loads it, pays it and follows it until it is settled. No markup. Contract §3.

import { type Signal, signal } from '@preact/signals';
import { SessionAPI, type SvcError, type UnifiedCheckoutSession } from '@svc/browser/session-api';
import { fetchEarly } from '../../kit/early-reads.ts';
import { httpAddress } from './addresses.ts';
import type { Arrival, ReturnSource } from './arrival.ts';
import { CardForm } from './card-form.ts';
import { CartWait } from './cart-wait.ts';
import { Coupons } from './coupons.ts';
import { ExpiryWatch } from './expiry-watch.ts';
import { againAfterMs, failureOf, sleep, waitOutLimit } from './failures.ts';
import { endForms } from './form-end.ts';
import { type TokenSource, takeToken } from './form-token.ts';
import { leavePage } from './leaving.ts';
import { Pause } from './pause.ts';
import { isSettled, longAfterMs, noticeAfter, pauseMs, type Why, waitSeconds } from './pursuit.ts';
import { attemptNotice, endedBy, isInDoubt, isVague, noticeOf, retryMs } from './refusals.ts';
import { SavedCards } from './saved-cards.ts';
import { SessionCalls } from './session-calls.ts';
import { changeNotice, isLookedAt, showsOutdatedSession } from './stops.ts';
import { RunningAttempt } from './underway.ts';
import {
  type Answer,
  answerView,
  attemptEndBody,
  endView,
  hasSessionEnded,
  isAtWallet,
  isBuyerAsked,
  isFree,
  isOlder,
  isPayable,
  isShell,
  mayPay,
  type Notice,
  offersSaved,
  questionOf,
  type SessionStatusPart,
  takesCard,
  type View,
} from './view.ts';
import { chooseCall, type PayCall, withWallet } from './ways.ts';

export class Checkout {
  readonly view: Signal<View> = signal<View>({ name: 'loading' });
  readonly session: Signal<UnifiedCheckoutSession | null> = signal(null);
  readonly coupons: Coupons;
  readonly cards = new SavedCards();
  readonly form = new CardForm();
  readonly #api: SessionAPI;
  readonly #id: string;
  #from: ReturnSource | null;
  #pursuit = 0;
  readonly #cart: CartWait;
  readonly #now: RunningAttempt;
  readonly calls: SessionCalls;
  readonly #expiry = new ExpiryWatch(() => this.#askForEnd());
  readonly #pause = new Pause();

  constructor(baseUrl: string, { sessionId, nonce, from }: Arrival) {
    this.#api = new SessionAPI(baseUrl, { fetch: fetchEarly });
    this.#api.rememberSession(sessionId, nonce);
    this.#id = sessionId;
    this.#now = new RunningAttempt(sessionId);
    this.#from = from;
    this.calls = new SessionCalls(baseUrl, sessionId, nonce);
    this.coupons = new Coupons(this.calls, {
      session: this.session,
      view: this.view,
      readAgain: async () => {
        if (!(await this.renew())) await this.load();
      },
    });
    this.#cart = new CartWait(this.#api, this.#id, {
      isTyped: () => this.view.value.name === 'form',
      read: () => this.#read(),
      renew: () => this.renew(),
    });
    endForms(this);
    setInterval(() => isLookedAt() && void this.#askForEnd(), 5_000);
  }

  /** Reads the session and shows its status. */
  async load(): Promise<void> {
    const from = this.#from;
    if (!from || this.view.value.name !== 'checking') this.view.value = { name: 'loading' };
    try {
      const session = await this.#read();
      this.#from = null;
      if (from === 'bank') this.#now.backSince = Date.now();
      if (isAtWallet(session)) {
        this.#now.isApproved = from === 'wallet';
        if (this.#now.isApproved) return this.#askWallet();
        if (from === 'wallet_canceled') return this.stopAsking();
      }
      const notice = from ? attemptNotice(session.latestTransactionAttempt) : null;
      await this.#show(session, { notice, isFresh: from !== null });
    } catch (cause) {
      const { status } = failureOf(cause);
      const isMissing = status === 404;
      // After a return from bank or wallet the session may be paid: keeps reading, and shows only that.
      if (!isMissing && this.#from) this.#showChecking(status !== 429);
      if (await waitOutLimit(cause)) return this.load();
      if (!isMissing && this.#from) return sleep(againAfterMs).then(() => this.load());
      this.view.value = { name: isMissing ? 'notFound' : 'unreachable' };
    }
  }

  /** Reads a new mount token for a form that is mounted again. Returns false when that failed. */
  async renew(): Promise<boolean> {
    const { name } = this.view.value;
    try {
      const session = await this.#read();
      if (this.view.value.name === name) this.#now.note(session);
      if (!takesCard(session)) await this.#show(session);
      return true;
    } catch (cause) {
      if (failureOf(cause).status === 404) this.view.value = { name: 'notFound' };
      return false;
    }
  }

  /** Pays with what `frame` gives: by default the chosen saved card, or else a token of the form. */
  async pay(frame: TokenSource | null = this.form.frame): Promise<void> {
    const { cards } = this;
    const form = this.form.frame;
    // A coupon call that is running may still change the amount.
    if (!mayPay(this.view.value) || this.coupons.isBusy.value) return;
    const [saved, shown] = [frame === form ? cards.chosen : null, this.session.value?.totals];
    const isFreely = isFree(this.session.value);
    if (!isFreely && ((frame === form && cards.isReading.value) || !(saved || frame))) return;
    this.view.value = { name: 'paying' };
    const isTyped = frame && !saved && !isFreely;
    const answer = isTyped ? await takeToken(frame, () => this.#renewToken()) : null;
    if (answer && !('token' in answer)) {
      if (this.view.value.name === 'paying') this.view.value = { name: 'form', ...answer };
      return;
    }
    form?.disable(true);
    const way = chooseCall(answer?.token ?? null, { saved, cards }, { ...this.#given, shown });
    this.#now.begin(way, isFreely ? null : saved);
    await this.#go(way);
  }

  /** Redirects to the wallet to approve an order, and pays with that order after the return. */
  async payWithWallet(): Promise<void> {
    if (!/^(form|wallet)$/.test(this.view.value.name) || this.coupons.isBusy.value) return;
    this.#now.begin(null, null);
    this.#endPursuit();
    await this.#askWallet();
  }

  #askWallet(): Promise<void> {
    this.#showChecking(false);
    return this.#go(withWallet(this.#given));
  }

  get #given() {
    const { calls, session } = this;
    return { api: this.#api, calls, session: () => session.value, show: () => this.#read() };
  }

  #go(way: PayCall): Promise<void> {
    const settled = way().then((answer) => this.#settle(answer));
    return settled.catch((cause) => this.#fail(failureOf(cause)));
  }

  /** Returns a new mount token for the form; undefined when the session has ended meanwhile. */
  async #renewToken(): Promise<string | undefined> {
    if (!(await this.renew()) || this.view.value.name !== 'paying') return undefined;
    return this.session.value?.vault?.mountToken;
  }

  async #settle(answer: Answer): Promise<void> {
    const settled = answerView(answer);
    if (settled) {
      this.view.value = settled;
      return;
    }
    if (answer.type === 'wallet_redirect_required') {
      const url = httpAddress(answer.redirect?.url)?.href;
      if (url) return this.#leave('wallet', url);
    }
    if (answer.type === '3ds_required') {
      const url = httpAddress(answer.challenge?.url)?.href;
      if (url) this.#now.ask(url);
      this.view.value = url ? { name: 'confirming', url } : { name: 'challenge' };
    }
    // The status may be older than the response: `open` does not yet mean that the payment was refused.
    await this.#follow({ isInDoubt: true });
  }

  #leave(to: 'bank' | 'wallet', url: string): void {
    // Ended first: a status that is read meanwhile would show the challenge and redirect a second time.
    this.#endPursuit();
    this.#now.isApproved = false;
    const view: View = { name: 'redirecting', to };
    this.view.value = view;
    leavePage(url, () => {
      if (this.view.value !== view) return;
      this.view.value = { name: to === 'bank' ? 'challenge' : 'wallet' };
      void this.#follow({ isInDoubt: false });
    });
  }

  /** Opens the bank's page in this window, when it refuses to be shown in the dialog. */
  leaveForBank(): void {
    const view = this.view.value;
    if (view.name === 'confirming') this.#leave('bank', view.url);
  }

  /** The bank's page in the dialog has finished: its result is known or will arrive soon. */
  async noteReturn(chv: string): Promise<void> {
    if (this.view.value.name !== 'confirming') return;
    this.#now.backSince = Date.now();
    this.#endPursuit();
    this.#showChecking(false);
    if (!(await this.#repeat(chv))) await this.#follow({ isInDoubt: false });
  }

  /** Repeats the call with the challenge's result. Returns false when that settled nothing. */
  async #repeat(chv: string): Promise<boolean> {
    if (!this.#now.way || !chv) return false;
    try {
      const answer = await this.#now.way(chv);
      if (answer.type !== 'success') return false;
      await this.#settle(answer);
    } catch (cause) {
      const error = failureOf(cause);
      // Any other failure leaves the payment's outcome open: only the status can settle it.
      if (error.status !== 402) return false;
      await this.#fail(error);
    }
    return true;
  }

  /** The buyer cancels the challenge, so that another way to pay is possible at once. */
  async stopAsking(): Promise<void> {
    this.#endPursuit();
    this.#showChecking(false);
    try {
      const { data } = await this.#api.getCheckoutSessionStatus(this.#id);
      if (data.status === 'requires_action' && !this.#now.isElsewhere(data))
        await this.#api.declineSession(this.#id, attemptEndBody(data, this.session.value));
      const session = await this.#read();
      const notice = attemptNotice(session.latestTransactionAttempt);
      await this.#show(session, { notice, isFresh: true });
    } catch {
      // The payment succeeded meanwhile, or the call failed: the status decides what is shown.
      await this.#follow({ isInDoubt: false });
    }
  }

  async #fail(error: SvcError): Promise<void> {
    const ended = endedBy[error.code ?? ''];
    if (this.#now.isApproved && isVague(error)) {
      return this.#follow({ isInDoubt: false, againAt: Date.now() + retryMs(error) });
    }
    if (isInDoubt(error)) return this.#follow({ isInDoubt: true });
    if (ended) return this.#end(ended);
    if (error.code === 'checkout_session_completed') return this.load();
    const notice = noticeOf(error);
    // This call charged nothing. Another one may have, and only the status shows that.
    if (error.status !== 429 && isVague(error))
      return this.#follow({ isInDoubt: false, refused: notice });
    if (this.#now.savedId && notice.kind === 'declined') this.cards.noteDecline(this.#now.savedId);
    if (error.code === 'payment_method_not_found') this.cards.drop(this.#now.savedId ?? '');
    this.#reopen(notice);
    // The newest attempt's id, once known, distinguishes a later payment in doubt from this attempt.
    this.#now.lastAttempt = null;
    const standing = await this.#api.getCheckoutSessionStatus(this.#id).catch(() => null);
    if (error.status === 429 && hasSessionEnded(standing)) return this.load();
    if (standing && this.view.value.name === 'form') this.#now.note(standing.data);
  }

  #reopen(notice: Notice | null): void {
    if (showsOutdatedSession(notice)) void this.renew();
    this.#now.end();
    this.form.frame?.disable(false);
    const view: View = { name: 'form', notice };
    this.view.value = view;
    if (isShell(this.session.value)) void this.#cart.show();
    this.#pause.start(notice, () => {
      if (this.view.value === view) this.view.value = { name: 'form', notice: null };
    });
  }

  /** Reads the status until it is settled, and repeats reads that fail. */
  async #follow(why: Why): Promise<void> {
    const { refused = null, againAt = null } = why;
    const since = Date.now();
    const number = this.#endPursuit();
    const from = { ...why, since };
    const pursuit = (data: SessionStatusPart) => this.#now.pursuit(data, from, this.view.value);
    if (!refused && !isBuyerAsked(this.view.value)) this.#showChecking(false);
    let wait = 0;
    for (let failures = 0; ; ) {
      const began = Date.now();
      try {
        const { data } = await this.#api.getCheckoutSessionStatus(this.#id, { wait });
        if (number !== this.#pursuit) return;
        failures = 0;
        if (isSettled(data, pursuit(data))) {
          return this.#show(data, { notice: noticeAfter(data, pursuit(data)), isFresh: true });
        }
        if (againAt !== null && Date.now() >= againAt && data.status === 'requires_action') {
          return this.#askWallet();
        }
        const isStillAsked = data.status !== 'processing' && isBuyerAsked(this.view.value);
        if (!isStillAsked) this.#showChecking(false, Date.now() - since);
        const isFirst = wait === 0;
        wait = waitSeconds(data, pursuit(data));
        // The service reports only changes during a wait: a pause before the first wait could miss one.
        if (isFirst) continue;
      } catch (cause) {
        if (number !== this.#pursuit) return;
        const { status, code } = failureOf(cause);
        if (await waitOutLimit(cause)) continue;
        if (status === 404) return this.#end('notFound');
        failures += 1;
        if (!isBuyerAsked(this.view.value)) this.#showChecking(code === 'network_error');
      }
      await sleep(Math.max(0, pauseMs(failures) - (Date.now() - began)));
      if (number !== this.#pursuit) return;
    }
  }

  /** Ends a running follow, so that only the newest one updates the page. Returns the next one's number. */
  #endPursuit(): number {
    return ++this.#pursuit;
  }

  #end(name: 'expired' | 'notFound'): void {
    this.view.value = { name };
  }

  #showChecking(isOffline: boolean, forMs = 0): void {
    this.view.value = { name: 'checking', isOffline, isLong: forMs > longAfterMs };
  }

  async #show(
    standing: SessionStatusPart,
    { notice = null, isFresh = false }: { notice?: Notice | null; isFresh?: boolean } = {},
  ): Promise<void> {
    this.#now.note(standing);
    const end = endView(standing, this.session.value, isFresh);
    if (end) {
      this.#now.end();
      this.view.value = end;
      return;
    }
    switch (standing.status) {
      case 'open':
        // The cart came after the session was read, or the challenge was given up.
        if (this.session.value?.status !== 'open') await this.#read().catch(() => undefined);
        if (isPayable(this.session.value)) return this.#reopen(notice);
        this.view.value = { name: isShell(this.session.value) ? 'unreachable' : 'unusable' };
        return;
      case 'requires_action':
        return this.#showQuestion(standing);
      case 'processing':
        return this.#follow({ isInDoubt: false });
      case 'unclaimed':
        this.#reopen(notice);
    }
  }

  /** The buyer must act. Straight after a return the page waits for the outcome instead. */
  async #showQuestion(standing: SessionStatusPart): Promise<void> {
    if (this.#now.backSince !== null && this.view.value.name === 'loading') {
      return this.#follow({ isInDoubt: false });
    }
    this.#now.backSince = null;
    const url = this.#now.askedAt(standing);
    // The challenge began after the session was read: only the session shows who asks.
    if (!url && isOlder(this.session.value, standing)) await this.#read().catch(() => undefined);
    this.view.value = questionOf(this.session.value, url);
    return this.#follow({ isInDoubt: false });
  }

  async #read(): Promise<UnifiedCheckoutSession> {
    const session = await this.#api.getUnifiedCheckoutSession(this.#id);
    this.session.value = session;
    this.#expiry.start(session.expiresAt);
    const hasForm = this.form.frame !== null;
    if (offersSaved(session)) void this.cards.read(() => this.calls.listCards(), hasForm);
    return session;
  }

  /** Shows that the session has ended, or that its merchant has changed the cart. What was typed stays. */
  async #askForEnd(): Promise<void> {
    if (this.view.value.name !== 'form' || this.coupons.isBusy.value) return;
    const standing = await this.#api.getCheckoutSessionStatus(this.#id).catch(() => null);
    if (!standing || this.view.value.name !== 'form') return;
    if (!takesCard(standing.data)) return this.#show(standing.data);
    const notice = await changeNotice(this.session, standing.data, () => this.renew());
    if (notice && mayPay(this.view.value)) this.view.value = { name: 'form', notice };
  }
}
