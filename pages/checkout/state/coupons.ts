// The buyer's coupons: one change at a time, priced by the service. Contract §8. No markup.

import { type Signal, signal } from '@preact/signals';
import type { UnifiedCheckoutSession } from '@svc/browser';
import { type Language, textOf } from '../texts/index.ts';
import { failureOf } from './failures.ts';
import { amountOf } from './pay-button.ts';
import type { SessionCalls } from './session-calls.ts';
import { keepsForm, type View } from './view.ts';

export type CouponNews =
  | { readonly kind: 'applied' | 'removed' }
  /** `coupon` is the refused code as it was typed. */
  | { readonly kind: 'problem'; readonly code: string; readonly coupon: string | null };

type SharedState = {
  readonly session: Signal<UnifiedCheckoutSession | null>;
  readonly view: Signal<View>;
  /** Reads the session again when a response left its state open. */
  readonly readAgain: () => Promise<void>;
};

/**
 * Errors after which the session is read again: it has ended or is unavailable, and the page shows that in
 * place of the form.
 */
const readsAgain = /_not_found|_completed|_expired|_data_attachment_required|_unknown/;
const couponPath = /^couponCodes\[(\d+)\]$/;

export class Coupons {
  readonly news: Signal<CouponNews | null> = signal(null);
  readonly isBusy: Signal<boolean> = signal(false);
  /** What is typed into the field. */
  readonly typed: Signal<string> = signal('');
  readonly #calls: SessionCalls;
  readonly #shared: SharedState;

  constructor(calls: SessionCalls, shared: SharedState) {
    this.#calls = calls;
    this.#shared = shared;
  }

  get #codes(): readonly string[] {
    return this.#shared.session.value?.couponCodes ?? [];
  }

  /** True while a code can still change the price, and the merchant has codes or the order has one. */
  get isOffered(): boolean {
    const { view, session } = this.#shared;
    const { couponsAccepted, couponsByMerchantOnly, totals } = session.value ?? {};
    if (couponsByMerchantOnly) return false;
    const isKnown = couponsAccepted || this.#codes.length > 0 || this.news.value;
    return Boolean(keepsForm(view.value) && totals && isKnown);
  }

  /** Applies what is typed. It stays in the field until the session has the code. */
  async apply(): Promise<void> {
    const code = this.typed.value.trim();
    if (!code) this.news.value = null;
    else if (this.#codes.includes(code.toUpperCase())) {
      this.news.value = { kind: 'problem', code: 'coupon_repeated', coupon: code };
    } else if (await this.#change([...this.#codes, code], 'applied')) this.typed.value = '';
  }

  async remove(code: string): Promise<void> {
    await this.#change(
      this.#codes.filter((one) => one !== code),
      'removed',
    );
  }

  /** Returns true when the session now has these codes. */
  async #change(codes: readonly string[], kind: 'applied' | 'removed'): Promise<boolean> {
    if (this.isBusy.value) return false;
    this.isBusy.value = true;
    this.news.value = null;
    try {
      const { couponCodes, products, totals, vault } = await this.#calls.changeCoupons(codes);
      const { session } = this.#shared;
      if (session.value) session.value = { ...session.value, couponCodes, products, totals, vault };
      this.news.value = { kind };
      this.#forgetRefusal();
      return true;
    } catch (cause) {
      await this.#fail(cause, codes);
      return false;
    } finally {
      this.isBusy.value = false;
    }
  }

  /** Removes the notice of a refused payment when its used-up code is no part of the order any more. */
  #forgetRefusal(): void {
    const { view } = this.#shared;
    if (view.value.name !== 'form' || view.value.notice?.kind !== 'problem') return;
    if (view.value.notice.code === 'coupon_exhausted') view.value = { name: 'form', notice: null };
  }

  async #fail(cause: unknown, codes: readonly string[]): Promise<void> {
    const error = failureOf(cause);
    const { status, code } = error;
    // Without a response the price may have changed: the page must show what will be charged.
    if (status < 400 || status >= 500 || readsAgain.test(code ?? '')) {
      return this.#shared.readAgain();
    }
    const first = error.errors.find(({ path }) => couponPath.test(path));
    const coupon = codes[Number(couponPath.exec(first?.path ?? '')?.[1])] ?? null;
    this.news.value = { kind: 'problem', code: first?.code ?? code ?? '', coupon };
  }
}

export type CouponText = {
  readonly text: string;
  /** The refused code, or the new total: what a translator must not change. */
  readonly coupon: string | null;
  readonly amount: string | null;
};

/** What the last change came to, in words. */
export function couponText(
  news: CouponNews,
  session: UnifiedCheckoutSession | null,
  language: Language,
): CouponText {
  const { texts } = language;
  if (news.kind === 'problem') {
    const text = textOf(texts.coupons, news.code) ?? texts.couponOther;
    return { text, coupon: news.coupon, amount: null };
  }
  const amount = (session && amountOf(session, language)) ?? '';
  const isApplied = news.kind === 'applied';
  const text = isApplied ? texts.couponApplied(amount) : texts.couponRemoved(amount);
  return { text, coupon: null, amount };
}
