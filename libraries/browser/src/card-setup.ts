// Saves a card without a charge, in a page of the merchant's own. Spec: Browser component CardSetup.
// This is its face; the rest is fetched with the first form.

import type { CardSetupOptions, SetupResult } from './card-setup-types.ts';
import { loadPart } from './load-part.ts';
import type { SetupForm } from './setup-form.ts';
import { failed } from './setup-results.ts';
import { check, checkBaseUrl, errorOf, isObject, SvcError } from './svc-error.ts';
import type { FormField } from './wire.ts';

export class CardSetup {
  #options: CardSetupOptions;
  #container: Element | null = null;
  #form: SetupForm | null = null;
  #loading: Promise<SetupForm> | null = null;
  #isDestroyed = false;

  /** Refuses options that are no object, and a base URL that is none. */
  constructor(options: CardSetupOptions) {
    check(isObject(options), 'options');
    checkBaseUrl(options.baseUrl);
    this.#options = options;
  }

  /** Shows the hosted form for the session; repeated in the same container it changes nothing. */
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

  /** Takes the form away, and with it what runs; it can be mounted again. */
  unmount(): void {
    this.#container = null;
    this.#form?.unmount();
  }

  /** The end; safe to repeat. No callback is called any more. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#container = null;
    this.#form?.destroy();
  }

  /**
   * Saves the card; never rejects. Resolves with what the callbacks are told: a success only once the
   * provider has verified the card. `signal` ends the waiting, not what the service was told already.
   */
  submit(wish: { readonly signal?: AbortSignal } = {}): Promise<SetupResult> {
    return this.#load().then(
      (form) => form.submit(wish),
      (cause) => failed(errorOf(cause)),
    );
  }

  /** Call it inside the user's gesture: iOS opens the keyboard only then. */
  focus(field: FormField = 'number'): void {
    this.#form?.focus(field);
  }

  clear(): void {
    this.#form?.clear();
  }

  /** New looks, words or callbacks; another session mounts another form. */
  update(changes: Partial<CardSetupOptions>): void {
    this.#options = { ...this.#options, ...changes };
    this.#form?.update(changes);
  }

  #load(): Promise<SetupForm> {
    this.#loading ??= Promise.all([
      loadPart(() => import('./setup-form.ts'), 'SetupForm'),
      loadPart(() => import('./card-frame.ts'), 'mountCardFrame'),
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
