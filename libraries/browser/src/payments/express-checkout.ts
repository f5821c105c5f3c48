// The implementation behind mountExpressCheckout: a frame of the card form with the provider's buttons in it,
// and the payment that the buyer approves there. Loaded on use. Contract §4.

import { loadPart } from '../api/load-part.ts';
import { errorOf, SvcError } from '../api/svc-error.ts';
import type { CheckoutSession, FormOptions, FromExpress } from '../api/wire.ts';
import type { CardFrame } from '../card-frame/card-frame.ts';
import type { CardPaymentResult } from './card-payment-types.ts';
import type { ExpressCheckoutOptions } from './express-checkout-types.ts';
import type { PaymentCalls } from './payment-calls.ts';

type Callbacks = Omit<ExpressCheckoutOptions, 'baseUrl'>;

/** Nothing is due, or nothing can be paid any more. */
const isIdle = ({ checkoutMode, status, totals, vault }: CheckoutSession): boolean =>
  checkoutMode !== 'payment' || status !== 'open' || !totals?.total || !vault;

/** Each part is a file of its own, which CardPayment loads too. */
const loadParts = () =>
  Promise.all([
    loadPart(() => import('./payment-form.ts'), 'PaymentForm'),
    loadPart(() => import('../card-frame/card-frame.ts'), 'mountCardFrame'),
  ]);

export class ExpressButtons {
  #options: ExpressCheckoutOptions;
  readonly #container: Element;
  readonly #parts = loadParts();
  #calls: PaymentCalls | null = null;
  readonly #life = new AbortController();
  #frame: CardFrame | null = null;
  #isPaying = false;
  #isPaid = false;
  /** The options changed while a payment was under way. */
  #isStale = false;

  constructor(container: Element, options: ExpressCheckoutOptions) {
    this.#container = container;
    this.#options = options;
    void this.#read();
  }

  update(options: ExpressCheckoutOptions): void {
    this.#options = options;
    void this.#read();
  }

  destroy(): void {
    this.#life.abort();
    this.#leave();
  }

  #leave(): void {
    this.#frame?.destroy();
    this.#frame = null;
  }

  async #read(): Promise<void> {
    const { signal } = this.#life;
    // A session that is read during a payment would change under the payment: it is read afterwards.
    this.#isStale = this.#isPaying;
    if (this.#isPaying || this.#isPaid) return;
    try {
      const [{ PaymentCalls }] = await this.#parts;
      this.#calls ??= new PaymentCalls(this.#options);
      const session = await this.#calls.readSession(signal);
      if (signal.aborted || this.#isPaying || this.#isPaid) return;
      if (isIdle(session)) return this.#offer([]);
      if (session.vault) await this.#show(session.vault);
    } catch (cause) {
      const isGone = [401, 404, 409].includes(errorOf(cause).status);
      const reason = isGone ? 'session_expired' : 'blocked_by_extension_or_network';
      this.#tell('onLoadError', reason);
    }
  }

  async #show(vault: NonNullable<CheckoutSession['vault']>): Promise<void> {
    if (this.#frame) {
      this.#frame.setMountToken(vault.mountToken);
      this.#frame.update(this.#look());
      return;
    }
    const [, { mountCardFrame }] = await this.#parts;
    const { title } = this.#options;
    this.#frame = mountCardFrame(this.#container, {
      ...vault,
      express: true,
      title: title ?? 'Express checkout',
      options: this.#look(),
      onExpress: (message) => this.#hear(message),
      onLoadError: (reason) => {
        this.#leave();
        this.#tell('onLoadError', reason);
      },
    });
  }

  #look(): FormOptions {
    const { appearance, locale } = this.#options;
    return { ...(appearance ? { appearance } : {}), ...(locale ? { locale } : {}) };
  }

  #hear(message: FromExpress): void {
    if (message.type === 'express') this.#offer(message.methods);
    else if (message.type === 'expressToken') void this.#pay(message.token);
    else {
      const { code, message: text } = message;
      this.#tell('onError', new SvcError('api_error', code, { message: text }));
    }
  }

  #offer(methods: Extract<FromExpress, { type: 'express' }>['methods']): void {
    if (methods.length === 0) this.#leave();
    this.#tell('onReady', methods);
  }

  async #pay(token: string): Promise<void> {
    const { signal } = this.#life;
    const [shown, calls] = [this.#frame, this.#calls];
    if (this.#isPaying || !shown || !calls) return;
    this.#isPaying = true;
    shown.disable(true);
    // The buyer has approved already, so the token is at hand.
    const frame = {
      element: shown.element,
      setMountToken: () => undefined,
      submit: async () => ({ token, brand: '', lastFour: '' }),
    };
    const { onReady: _, ...options } = this.#options;
    try {
      const [{ loadSubmit, loadLanguageOf: speak }] = await this.#parts;
      const language = speak(options.locale);
      const { payCard } = await loadSubmit();
      this.#conclude(await payCard({ frame, calls, options, language, signal }));
    } catch (cause) {
      this.#tell('onError', errorOf(cause));
    } finally {
      this.#isPaying = false;
      shown.disable(false);
      if (this.#isStale) void this.#read();
    }
  }

  #conclude(result: CardPaymentResult): void {
    if (result.type === 'success') {
      // Nothing is left to pay: a second press would be refused.
      this.#isPaid = true;
      this.#leave();
      this.#tell('onSuccess', result.body);
    } else if (result.type === 'decline') this.#tell('onDecline', result);
    else if (result.type === 'cancel') this.#tell('onCancel', result);
    else if (result.type === 'processing') this.#tell('onProcessing');
    else this.#tell('onError', result.error);
  }

  /** A merchant's callback that throws must not end what runs here. */
  #tell<N extends Extract<keyof Callbacks, `on${string}`>>(
    name: N,
    ...given: Parameters<NonNullable<Callbacks[N]>>
  ): void {
    const callback = this.#options[name] as ((...given: unknown[]) => void) | undefined;
    try {
      if (!this.#life.signal.aborted) callback?.(...given);
    } catch (cause) {
      reportError(cause);
    }
  }
}
