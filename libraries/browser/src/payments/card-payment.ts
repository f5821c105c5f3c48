// Pays a checkout session by card in the merchant's own page. The React component uses this thin class; the
// implementation is loaded with the first form. Contract §4.

import { loadPart } from '../api/load-part.ts';
import { check, checkBaseUrl, errorOf, isObject } from '../api/svc-error.ts';
import type { FormField } from '../api/wire.ts';
import type { CardPaymentOptions, CardPaymentResult } from './card-payment-types.ts';
import type { PaymentForm } from './payment-form.ts';

export class CardPayment {
  #options: CardPaymentOptions;
  #container: Element | null = null;
  #form: PaymentForm | null = null;
  #loading: Promise<PaymentForm> | null = null;
  #isDestroyed = false;

  constructor(options: CardPaymentOptions) {
    check(isObject(options), 'options');
    checkBaseUrl(options.baseUrl);
    this.#options = options;
  }

  /** Shows the hosted form for the session. A repeated call with the same container changes nothing. */
  mount(container: Element): void {
    this.#container = container;
    this.#load().then(
      (form) => container === this.#container && form.mount(container),
      (cause) => {
        const { code } = errorOf(cause);
        const reason = code === 'reload_required' ? code : 'blocked_by_extension_or_network';
        if (this.#container) this.#options.onLoadError?.(reason);
      },
    );
  }

  /** Removes the form for good. Repeatable; no callback is called afterwards. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#container = null;
    this.#form?.destroy();
  }

  /**
   * Pays the session; never rejects. `signal` ends the waiting; a call that the service has already
   * received still counts.
   */
  submit(options: { readonly signal?: AbortSignal } = {}): Promise<CardPaymentResult> {
    return this.#load().then(
      (form) => form.submit(options),
      (cause) => ({ type: 'error', error: errorOf(cause) }),
    );
  }

  /** Call it inside the user's gesture: iOS opens the keyboard only then. */
  focus(field: FormField = 'number'): void {
    this.#form?.focus(field);
  }

  clear(): void {
    this.#form?.clear();
  }

  /**
   * Applies new appearance, texts, callbacks or payment options. Another session needs another CardPayment.
   */
  update(changes: Partial<CardPaymentOptions>): void {
    this.#options = { ...this.#options, ...changes };
    this.#form?.update(changes);
  }

  #load(): Promise<PaymentForm> {
    this.#loading ??= Promise.all([
      loadPart(() => import('./payment-form.ts'), 'PaymentForm'),
      loadPart(() => import('../card-frame/card-frame.ts'), 'mountCardFrame'),
    ]).then(
      ([{ PaymentForm }, { mountCardFrame }]) => {
        this.#form = new PaymentForm(this.#options, mountCardFrame);
        if (this.#isDestroyed) this.#form.destroy();
        return this.#form;
      },
      (cause) => {
        // Lets the next call load the part again.
        this.#loading = null;
        throw cause;
      },
    );
    return this.#loading;
  }
}
