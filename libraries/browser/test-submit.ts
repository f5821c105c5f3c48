// A submit of the library without a browser: the forms and the payment over a stub of the service, of the card
// frame and of the bank's dialog. The clock stands still unless a test moves it.

import { afterEach, beforeEach, vi } from 'vitest';
import type { CardFrame, CardFrameSettings } from './src/card-frame/card-frame.ts';
import type { CardSetupOptions, SetupResult } from './src/card-setup/card-setup-types.ts';
import type { Challenge, ChallengeRequest } from './src/challenge/challenge-dialog.ts';
import { confirmPayment } from './src/payments/confirm-payment.ts';
import type { ConfirmOptions, PaymentResult } from './src/payments/confirm-payment-types.ts';
// Loaded before the clock stands still.
import './src/challenge/hand-over.ts';
import './src/card-setup/setup-submit.ts';
import './src/payments/payment-submit.ts';
import './src/challenge/challenge-dialog.ts';
import './src/texts/de.ts';
import { PaymentAPI } from './src/api/payment-api.ts';
import { SvcError } from './src/api/svc-error.ts';
import type { ProcessBody } from './src/api/wire.ts';
import { SetupCalls } from './src/card-setup/setup-calls.ts';
import { submitCard } from './src/card-setup/setup-submit.ts';
import type { LoadDialog } from './src/challenge/hand-over-request.ts';
import { en } from './src/texts/en.ts';
import { type Language, loadLanguage } from './src/texts/texts.ts';
import { nonce, StubService, sessionId } from './test-service.ts';

/** The card frame as the forms use it. */
export class StubFrame {
  typed = '4242424242424242';
  isExpired = false;
  isDestroyed = false;
  isMute = false;
  options: object = {};
  readonly element = { parentElement: null, title: '' };
  readonly settings: CardFrameSettings | null;
  #made = 0;

  constructor(settings: CardFrameSettings | null = null) {
    this.settings = settings;
    if (settings) this.options = settings.options ?? {};
  }

  async submit() {
    const fail = (code: string, retryable: boolean) => {
      throw new SvcError('validation_error', code, { retryable });
    };
    if (this.isMute) return new Promise<never>(() => {});
    if (this.isExpired) fail('session_expired', true);
    if (!this.typed) fail('number_incomplete', false);
    this.#made += 1;
    return { token: `svct_${this.#made}`, brand: 'visa', lastFour: this.typed.slice(-4) };
  }
  setMountToken(): void {
    this.isExpired = false;
  }
  update(options: object): void {
    this.options = { ...this.options, ...options };
  }
  focus(): void {}
  clear(): void {
    this.typed = '';
  }
  destroy(): void {
    this.isDestroyed = true;
  }
}

/** The bank's dialog: opened by the library, and answered by a test in place of the buyer and the bank. */
class StubDialog implements Challenge {
  request: ChallengeRequest | null = null;
  isOpen = false;
  isChecking = false;
  #given = Promise.withResolvers<void>();
  #listener: (chv: string) => void = () => {};

  readonly load: LoadDialog = async () => [
    {
      openChallenge: (request) => {
        Object.assign(this, { request, isOpen: true });
        return this;
      },
    },
    { texts: en },
  ];

  get givenUp(): Promise<void> {
    return this.#given.promise;
  }
  onReturn(listener: (chv: string) => void): void {
    this.#listener = listener;
  }
  showChecking(isChecking: boolean): void {
    this.isChecking = isChecking;
  }
  close(): void {
    this.isOpen = false;
  }

  /** The buyer stops the confirmation. */
  cancel(): void {
    this.#given.resolve();
  }
  /** The bank's frame comes back. */
  approve(): void {
    this.#listener('returned');
  }
}

type Thrown = { readonly thrown: string | null; readonly retryable: boolean };

export class SubmitTest {
  readonly service = new StubService();
  readonly dialog = new StubDialog();
  frame = new StubFrame();
  /** Ends the submit, as when the page takes the form away. */
  readonly stop = new AbortController();
  #end: unknown;

  /** Saves the card of the frame. */
  async save(options: Partial<CardSetupOptions> = {}): Promise<void> {
    const identity = { baseUrl: this.service.api, sessionId, nonce };
    const given = { ...identity, ...options };
    const language = await loadLanguage(options.locale);
    this.#follow(
      submitCard({
        frame: this.frame as unknown as CardFrame,
        calls: new SetupCalls(given),
        language,
        options: given,
        signal: this.stop.signal,
        loadDialog: this.dialog.load,
      }),
    );
    await this.settle();
  }

  /** Pays with this body. */
  async pay(body: ProcessBody, options: ConfirmOptions = {}): Promise<void> {
    const api = new PaymentAPI(this.service.api);
    api.rememberSession(sessionId, nonce);
    const language: Promise<Language> = loadLanguage(options.locale);
    const { signal } = this.stop;
    const wishes = { signal, ...options, loadDialog: this.dialog.load };
    this.#follow(
      confirmPayment(api, [body.accountData.userId, body, language], wishes).catch(
        ({ code, retryable }: SvcError): Thrown => ({ thrown: code, retryable }),
      ),
    );
    await this.settle();
  }

  #follow(call: Promise<PaymentResult | SetupResult | Thrown>): void {
    this.#end = undefined;
    void call.then((end) => {
      this.#end = end;
    });
  }

  async settle(): Promise<void> {
    await vi.advanceTimersByTimeAsync(0);
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) await vi.advanceTimersByTimeAsync(1_000);
  }

  /** The end, without waiting for one. */
  get end(): unknown {
    return this.#end;
  }

  /** Moves the clock until there is an end. */
  async result(): Promise<unknown> {
    for (let second = 0; this.#end === undefined && second < 1_000; second++) await this.pass(1);
    return this.#end;
  }
}

/** A place of the merchant's page, in a form of that page or not. */
export const aPlace = (form: { requestSubmit(): void } | null = null): Element =>
  ({ closest: () => form, querySelectorAll: () => [] }) as unknown as Element;

const callbackNames = [
  'onReady',
  'onChange',
  'onLoadError',
  'onSuccess',
  'onDecline',
  'onError',
  'onCancel',
  'onProcessing',
] as const;

/** The frames that a form mounts, and what it tells its page. */
export class StubPage {
  readonly frames: StubFrame[] = [];
  readonly heard: unknown[][] = [];

  /** The frame that stands in the page; undefined when there is none. */
  get frame(): StubFrame | undefined {
    return this.frames.filter(({ isDestroyed }) => !isDestroyed).at(-1);
  }

  readonly mountFrame = (_: Element, settings: CardFrameSettings): CardFrame => {
    const frame = new StubFrame(settings);
    this.frames.push(frame);
    return frame as unknown as CardFrame;
  };

  /** Callbacks that note what they hear: errors by their codes. */
  get callbacks(): Record<(typeof callbackNames)[number], (...given: unknown[]) => void> {
    const plain = (one: unknown) => (one instanceof SvcError ? one.code : one);
    const noteAs =
      (name: string) =>
      (...given: unknown[]) =>
        void this.heard.push([name.slice(2).toLowerCase(), ...given.map(plain)]);
    const all = callbackNames.map((name) => [name, noteAs(name)]);
    return Object.fromEntries(all) as StubPage['callbacks'];
  }

  heardOf(name: string): unknown[][] {
    return this.heard.filter(([one]) => one === name);
  }
}

/** Sets up one SubmitTest for a test file. */
export function submitTest(): { readonly now: SubmitTest } {
  let now = new SubmitTest();
  stubBrowser(() => {
    now = new SubmitTest();
    return now.service;
  });
  return {
    get now() {
      return now;
    },
  };
}

/** A clock that stands still, and what the library uses of a browser. */
function stubBrowser(renew: () => StubService): void {
  beforeEach(() => {
    vi.useFakeTimers();
    const service = renew();
    vi.stubGlobal('fetch', service.fetch);
    vi.stubGlobal('location', { href: `${service.shop}/` });
    vi.stubGlobal('document', new EventTarget());
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}
