// A checkout without a browser: the page's state and words, over a stub of the service and of the card form.
// The clock stands still unless a test moves it.

import { effect } from '@preact/signals';
import { SvcError } from '@svc/browser';
import type { CardFrame } from '@svc/browser/card-frame';
import { afterEach, beforeEach, vi } from 'vitest';
import { wayBack } from '../checkout/state/addresses.ts';
import type { ReturnSource } from '../checkout/state/arrival.ts';
import type { CardForm } from '../checkout/state/card-form.ts';
import { Checkout } from '../checkout/state/checkout.ts';
import { couponText } from '../checkout/state/coupons.ts';
import { languageOf, windowTitle } from '../checkout/state/headline.ts';
import { formProblemText, noticeText } from '../checkout/state/notice-text.ts';
import { isOutcome, outcomeText } from '../checkout/state/outcome-text.ts';
import { chargeLines, hasCardForm, isLocked, payButton } from '../checkout/state/pay-button.ts';
import { offersWallet, shownNotice, stopOf } from '../checkout/state/stops.ts';
import type { View } from '../checkout/state/view.ts';
import { english, type Language } from '../checkout/texts/index.ts';
import { nonce, sessionId } from './stub-answers.ts';
import { StubService } from './stub-service.ts';

export const cardNumber = '4242424242424242';
const withoutNbsp = (text: string) => text.replaceAll('\u00a0', ' ');

/** The card form as the page uses it: what is typed is lost when the page removes the form. */
export class StubForm implements Omit<CardFrame, 'element'> {
  typed = '';
  isDisabled = false;
  isExpired = false;
  /** The code with which the next submit fails. */
  failure: { readonly code: string; readonly retryable: boolean } | null = null;
  #made = 0;

  async submit() {
    const fail = (code: string, retryable: boolean) => {
      throw new SvcError('validation_error', code, { retryable });
    };
    if (this.isExpired) fail('session_expired', true);
    const { failure } = this;
    this.failure = null;
    if (failure) fail(failure.code, failure.retryable);
    if (!this.typed) fail('number_incomplete', false);
    this.#made += 1;
    return { token: `svct_${this.#made}`, brand: 'visa', lastFour: this.typed.slice(-4) };
  }

  setMountToken(): void {
    this.isExpired = false;
  }
  disable(isDisabled: boolean): void {
    this.isDisabled = isDisabled;
  }
  focus(): void {}
  update(): void {}
  clear(): void {}
  destroy(): void {}
}

export class CheckoutTest {
  service = new StubService();
  checkout!: Checkout;
  language: Language = english;
  /** Every state that the page has shown. */
  shown: View[] = [];
  /** The addresses for which the page was left. */
  left: string[] = [];
  /** How the form loads: a form that stays away neither loads nor fails. */
  formLoads: 'at once' | 'never' = 'at once';

  /** The buyer comes from the shop, or returns from bank or wallet. */
  async visit(from: ReturnSource | null = null): Promise<void> {
    const checkout = new Checkout(this.service.pageOrigin, { sessionId, nonce, from });
    this.follow(checkout);
    void checkout.load();
    await this.settle();
  }

  /** Does what the page's components do: the form is there while the state keeps it. */
  protected follow(checkout: Checkout): void {
    this.checkout = checkout;
    this.shown = [];
    const { view, session, form } = this.checkout;
    view.subscribe((now) => void this.shown.push(now));
    effect(() => {
      const isStopped = session.value && stopOf(session.value, view.value);
      const isWanted = hasCardForm(checkout) && !isStopped;
      if (isWanted && !form.frame) this.#mountForm(form);
      else if (!isWanted && form.frame) form.end();
    });
  }

  #mountForm(form: CardForm): void {
    form.begin(new StubForm() as unknown as CardFrame);
    if (this.formLoads === 'at once') form.noteReady();
  }

  get form(): StubForm {
    const { frame } = this.checkout.form;
    if (!frame) throw new Error('there is no form');
    return frame as unknown as StubForm;
  }

  /** Until every call that needs no time is answered. */
  async settle(): Promise<void> {
    await vi.advanceTimersByTimeAsync(0);
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) await vi.advanceTimersByTimeAsync(1_000);
  }

  /** Presses the button, which does nothing while it is blocked. */
  async press(): Promise<void> {
    if (!this.button().isBlocked) void this.checkout.pay();
    await this.settle();
  }

  async fillAndPay(): Promise<void> {
    this.form.typed = cardNumber;
    await this.press();
  }

  get words(): Language {
    return languageOf(this.checkout.session.value, this.language);
  }

  /** The label of the button, and whether it can be pressed. */
  button() {
    const button = payButton(this.checkout, this.words);
    if (!button) throw new Error('there is no button');
    return { ...button, label: withoutNbsp(button.label) };
  }

  /** The notice above the form, whole; empty when there is none. */
  notice(): string {
    const { view, session } = this.checkout;
    const notice = session.value && shownNotice(session.value, view.value);
    if (!notice || !hasCardForm(this.checkout)) return '';
    const { title, text, reference } = noticeText(notice, this.words);
    return withoutNbsp([title, text, reference].filter(Boolean).join(' '));
  }

  /** True while a card can be typed now or after the present state. */
  hasForm(): boolean {
    return this.checkout.form.frame !== null;
  }

  /** Why the form did not load; empty when it did. */
  formProblem(): string {
    const reason = this.checkout.form.problem.value;
    return reason ? formProblemText(reason, this.words) : '';
  }

  wallet() {
    const session = this.checkout.session.value;
    return {
      isOffered: session !== null && offersWallet(session),
      isBlocked: isLocked(this.checkout),
    };
  }

  wayBack(): string | null {
    return wayBack(this.checkout.view.value, this.checkout.session.value)?.href ?? null;
  }

  /** What takes the form's place: its title, or empty. */
  news(): string {
    const view = this.checkout.view.value;
    const session = this.checkout.session.value;
    return isOutcome(view) ? outcomeText(view, session, this.words).title : '';
  }

  /** The text of the outcome that the page shows in place of the form. */
  outcome(): string {
    const view = this.checkout.view.value;
    if (!isOutcome(view)) return '';
    const { title, lines, aside } = outcomeText(view, this.checkout.session.value, this.words);
    return withoutNbsp([title, ...lines, aside].filter(Boolean).join(' '));
  }

  /** What is said of the charge above the button. */
  lines(): string {
    const session = this.checkout.session.value;
    return session ? chargeLines(session, this.words.texts).join(' ') : '';
  }

  /** What was said of the last discount code. */
  couponNews(): string {
    const news = this.checkout.coupons.news.value;
    if (!news) return '';
    const { text, coupon } = couponText(news, this.checkout.session.value, this.words);
    return withoutNbsp(coupon ? `${coupon}: ${text}` : text);
  }

  title(): string {
    const { view, session } = this.checkout;
    return windowTitle(view.value, this.words.texts, session.value);
  }

  processCalls() {
    return this.service.calls(/\/process$/);
  }
}

/** Sets up one CheckoutTest for a test file. */
export function checkoutTest(): CheckoutTest {
  const test = new CheckoutTest();
  stubBrowser(test, () => new CheckoutTest());
  return test;
}

/** Gives each test a new state, a clock that stands still, and what the pages use of a browser. */
export function stubBrowser<Test extends CheckoutTest>(test: Test, renew: () => Test): void {
  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(test, renew());
    vi.stubGlobal('fetch', test.service.fetch);
    const assign = (url: string) => void test.left.push(url);
    vi.stubGlobal('location', { origin: test.service.pageOrigin, assign });
    vi.stubGlobal('sessionStorage', new TabStorage());
    vi.stubGlobal('navigator', { languages: ['en-US'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

/** The part of a tab's storage that the pages use. */
class TabStorage {
  readonly #kept = new Map<string, string>();
  getItem(key: string): string | null {
    return this.#kept.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#kept.set(key, value);
  }
  removeItem(key: string): void {
    this.#kept.delete(key);
  }
}
