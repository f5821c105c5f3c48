// The buyer's coupons: one change at a time, priced by the service. Contract §8. Knows no markup.

import { type Signal, signal } from '@preact/signals';
import type { UnifiedCheckoutSession } from '@svc/browser';
import { failureOf } from './failures.ts';
import type { SessionCalls } from './session-calls.ts';
import type { View } from './view.ts';

export type CouponNews =
  | { readonly kind: 'applied' | 'removed' }
  /** `coupon` is the code that was refused, as it was typed. */
  | { readonly kind: 'problem'; readonly code: string; readonly coupon: string | null };

type Shared = {
  readonly session: Signal<UnifiedCheckoutSession | null>;
  readonly view: Signal<View>;
  /** Reads again what the session is, where an answer left that open. */
  readonly readAgain: () => Promise<void>;
};

/** Ended or out of reach: the page shows that in place of the form. */
const readsAgain = /_not_found|_completed|_expired|_data_attachment_required|_unknown/;
const couponPath = /^couponCodes\[(\d+)\]$/;

export class Coupons {
  readonly news: Signal<CouponNews | null> = signal(null);
  readonly isBusy: Signal<boolean> = signal(false);
  readonly #calls: SessionCalls;
  readonly #shared: Shared;

  constructor(calls: SessionCalls, shared: Shared) {
    this.#calls = calls;
    this.#shared = shared;
  }

  /** True when the code is now the session's. */
  async apply(typed: string): Promise<boolean> {
    const code = typed.trim();
    const known = this.#shared.session.value?.couponCodes ?? [];
    if (!code) {
      this.news.value = null;
      return false;
    }
    if (known.includes(code.toUpperCase())) {
      this.news.value = { kind: 'problem', code: 'coupon_repeated', coupon: code };
      return false;
    }
    return this.#change([...known, code], 'applied');
  }

  async remove(code: string): Promise<boolean> {
    const known = this.#shared.session.value?.couponCodes ?? [];
    return this.#change(
      known.filter((one) => one !== code),
      'removed',
    );
  }

  async #change(codes: readonly string[], kind: 'applied' | 'removed'): Promise<boolean> {
    if (this.isBusy.value) return false;
    this.isBusy.value = true;
    this.news.value = null;
    try {
      const { couponCodes, products, totals } = await this.#calls.changeCoupons(codes);
      const { session } = this.#shared;
      if (session.value) session.value = { ...session.value, couponCodes, products, totals };
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

  /** What a payment was refused for, a code that is used up, is no longer part of the order. */
  #forgetRefusal(): void {
    const { view } = this.#shared;
    if (view.value.name !== 'form' || view.value.notice?.kind !== 'problem') return;
    if (view.value.notice.code === 'coupon_exhausted') view.value = { name: 'form', notice: null };
  }

  async #fail(cause: unknown, codes: readonly string[]): Promise<void> {
    const error = failureOf(cause);
    const { status, code } = error;
    // Without an answer the price may have changed: what is shown has to be what is charged.
    if (status < 400 || status >= 500 || readsAgain.test(code ?? '')) {
      return this.#shared.readAgain();
    }
    const first = error.errors.find(({ path }) => couponPath.test(path));
    const coupon = codes[Number(couponPath.exec(first?.path ?? '')?.[1])] ?? null;
    this.news.value = { kind: 'problem', code: first?.code ?? code ?? '', coupon };
  }
}
