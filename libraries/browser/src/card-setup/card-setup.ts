// Saves a card without a charge in the merchant's own page. Spec: Browser component CardSetup. This is a
// thin class; the implementation is loaded with the first form.

import { loadPart } from '../api/load-part.ts';
import { check, checkBaseUrl, errorOf, isObject, SvcError } from '../api/svc-error.ts';
import type { FormField } from '../api/wire.ts';
import type { CardSetupOptions, SetupResult } from './card-setup-types.ts';
import type { SetupForm } from './setup-form.ts';
import { failedSetup } from './setup-results.ts';

export class CardSetup {
  #options: CardSetupOptions;
  #container: Element | null = null;
  #form: SetupForm | null = null;
  #loading: Promise<SetupForm> | null = null;
  #isDestroyed = false;

  /** Throws when the options are no object or `baseUrl` is invalid. */
  constructor(options: CardSetupOptions) {
    check(isObject(options), 'options');
    checkBaseUrl(options.baseUrl);
    this.#options = options;
  }

  /** Shows the hosted form for the session. A repeated call with the same container changes nothing. */
  mount(target: Element | string): this {
    const container = typeof target === 'string' ? document.querySelector(target) : target;
    if (!container || this.#isDestroyed) {
      const code = this.#isDestroyed ? 'form_destroyed' : 'container_not_found';
      throw new SvcError('validation_error', code, { message: `CardSetup.mount: ${code}` });
    }
    this.#container = container;
    this.#load().then(
      (form) => container === this.#container && form.mount(container),
      (cause) => {
        const isVain = errorOf(cause).code === 'reload_required';
        const reason = isVain ? 'reload_required' : 'blocked_by_extension_or_network';
        if (this.#container) this.#options.onLoadError?.(reason);
      },
    );
    return this;
  }

  /** Removes the form and ends a running submit. The form can be mounted again. */
  unmount(): void {
    this.#container = null;
    this.#form?.unmount();
  }

  /** Removes the form for good. Repeatable; no callback is called afterwards. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#container = null;
    this.#form?.destroy();
  }

  /**
   * Saves the card; never rejects. Resolves with what the callbacks receive: a success only once the
   * provider has verified the card. `signal` ends the waiting; a call that the service has already received
   * still counts.
   */
  submit(options: { readonly signal?: AbortSignal } = {}): Promise<SetupResult> {
    return this.#load().then(
      (form) => form.submit(options),
      (cause) => failedSetup(errorOf(cause)),
    );
  }

  /** Call it inside the user's gesture: iOS opens the keyboard only then. */
  focus(field: FormField = 'number'): void {
    this.#form?.focus(field);
  }

  clear(): void {
    this.#form?.clear();
  }

  /** Applies new appearance, texts or callbacks. Another session mounts another form. */
  update(changes: Partial<CardSetupOptions>): void {
    this.#options = { ...this.#options, ...changes };
    this.#form?.update(changes);
  }

  #load(): Promise<SetupForm> {
    this.#loading ??= Promise.all([
      loadPart(() => import('./setup-form.ts'), 'SetupForm'),
      loadPart(() => import('../card-frame/card-frame.ts'), 'mountCardFrame'),
    ]).then(
      ([{ SetupForm }, { mountCardFrame }]) => {
        this.#form = new SetupForm(this.#options, mountCardFrame);
        if (this.#isDestroyed) this.#form.destroy();
        return this.#form;
      },
      (cause) => {
        this.#loading = null;
        throw cause;
      },
    );
    return this.#loading;
  }
}
