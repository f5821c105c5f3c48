// The implementation behind CardPayment: reads the session, mounts the hosted form and submits. Loaded when
// the first form is mounted. Contract §4.

import { loadPart, translateReload } from '../api/load-part.ts';
import { errorOf, SvcError } from '../api/svc-error.ts';
import type { CheckoutSession, FormField, FormOptions, LoadErrorReason } from '../api/wire.ts';
import type { CardFrame, mountCardFrame } from '../card-frame/card-frame.ts';
import type { Language } from '../texts/texts.ts';
import type {
  CardPaymentCallbacks,
  CardPaymentOptions,
  CardPaymentResult,
} from './card-payment-types.ts';
import { PaymentCalls } from './payment-calls.ts';
import type { Fixture } from './payment-submit.ts';

const fieldNames: readonly string[] = ['number', 'expiry', 'cvc', 'name', 'postalCode'];
const wishNames = ['appearance', 'locale', 'brands', 'autoAdvance', 'autofocus', 'texts'] as const;

/** The options that the form itself receives. An undefined value is left out. */
function formOptions(looks: Partial<CardPaymentOptions>, asked: readonly string[]): FormOptions {
  const fields = looks.fields ?? asked.filter((name) => fieldNames.includes(name));
  const wishes = wishNames.map((name) => [name, looks[name]]);
  const given = [...wishes, ['fields', fields.length ? fields : undefined]];
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

const failedResult = (error: SvcError): CardPaymentResult => ({ type: 'error', error });
const aborted: CardPaymentResult = { type: 'cancel', reason: 'aborted' };

type Submit = { readonly payCard: (fixture: Fixture) => Promise<CardPaymentResult> };

/** What a submit needs, the bank's dialog included; each part can be asked for again by itself. */
export async function loadSubmit(): Promise<Submit> {
  const [code, { loadDialog }] = await Promise.all([
    loadPart(() => import('./payment-submit.ts'), 'payCard'),
    loadPart(() => import('../challenge/hand-over.ts'), 'loadDialog'),
    loadPart(() => import('./confirm-payment.ts'), 'confirmPayment'),
  ]);
  await loadDialog();
  return code;
}

/** The buyer's language; English, without its words, where no language can be had. */
export const loadLanguageOf = (locale: string | undefined): Promise<Language> =>
  loadPart(() => import('../texts/texts.ts'), 'loadLanguage').then(
    ({ loadLanguage }) => loadLanguage(locale),
    () => ({ code: 'en', isRightToLeft: false, texts: null }),
  );

/** Nothing is due, and the order is completed without a card. Additions §3, Free orders. */
const isFree = ({ totals }: CheckoutSession): boolean => totals?.total === 0;

/** For the express buttons, which have this file for their submit. */
export { PaymentCalls };

export class PaymentForm {
  #options: CardPaymentOptions;
  #language: Promise<Language>;
  readonly #mountFrame: typeof mountCardFrame;
  readonly #calls: PaymentCalls;
  #container: Element | null = null;
  #frame: CardFrame | null = null;
  #fields: readonly string[] = [];
  /** Aborts the reading of the session and the submit when the form is removed. */
  #life = new AbortController();
  #opening: Promise<void> = Promise.resolve();
  #problem: LoadErrorReason | null = null;
  #running: Promise<CardPaymentResult> | null = null;
  #success: CardPaymentResult | null = null;
  #isDestroyed = false;

  constructor(options: CardPaymentOptions, mountFrame: typeof mountCardFrame) {
    this.#options = options;
    this.#mountFrame = mountFrame;
    this.#language = loadLanguageOf(options.locale);
    this.#calls = new PaymentCalls(options);
  }

  /** Shows the form. In the same container it does so again only after a load error. */
  mount(container: Element): void {
    if (this.#isDestroyed || (this.#container === container && !this.#problem)) return;
    this.#leave();
    this.#container = container;
    const { signal } = this.#life;
    this.#opening = this.#open(container, signal).catch((cause) => {
      if (!signal.aborted) this.#tell('onError', errorOf(cause));
    });
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#leave();
  }

  focus(field: FormField): void {
    this.#frame?.focus(field);
  }

  clear(): void {
    this.#frame?.clear();
  }

  update(changes: Partial<CardPaymentOptions>): void {
    this.#options = { ...this.#options, ...changes };
    this.#frame?.update(formOptions(changes, this.#fields));
    if (changes.locale !== undefined) this.#language = loadLanguageOf(changes.locale);
    if (changes.locale !== undefined || changes.title !== undefined) void this.#name();
  }

  /**
   * One submit at a time: a second call joins the first. After a success every call returns that success.
   */
  submit({ signal }: { readonly signal?: AbortSignal } = {}): Promise<CardPaymentResult> {
    if (this.#success) return Promise.resolve(this.#success);
    this.#running ??= this.#submit(signal).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #submit(callerSignal: AbortSignal | undefined): Promise<CardPaymentResult> {
    const stop = new AbortController();
    const end = () => stop.abort();
    const ended = new Promise<CardPaymentResult>((resolve) => {
      stop.signal.addEventListener('abort', () => resolve(aborted));
    });
    const life = this.#life.signal;
    for (const signal of [life, callerSignal]) {
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end);
    }
    const paid = this.#pay(stop.signal).catch(async (cause) =>
      stop.signal.aborted
        ? aborted
        : failedResult(translateReload(errorOf(cause), (await this.#language).texts?.reload)),
    );
    const result = await Promise.race([ended, paid]);
    life.removeEventListener('abort', end);
    callerSignal?.removeEventListener('abort', end);
    return this.#conclude(result);
  }

  async #pay(signal: AbortSignal): Promise<CardPaymentResult> {
    await this.#opening;
    if (this.#success) return this.#success;
    signal.throwIfAborted();
    if (!this.#container) throw new SvcError('validation_error', 'form_not_mounted');
    if (this.#problem) throw new SvcError('validation_error', this.#problem);
    const { payCard } = await loadSubmit();
    const [frame, calls, options, language] = [
      this.#frame,
      this.#calls,
      this.#options,
      this.#language,
    ];
    return payCard({ frame, calls, options, language, signal });
  }

  #conclude(result: CardPaymentResult): CardPaymentResult {
    switch (result.type) {
      case 'success':
        this.#success = result;
        this.clear();
        this.#tell('onSuccess', result.body);
        break;
      case 'decline':
        this.#tell('onDecline', result);
        break;
      case 'cancel':
        this.#tell('onCancel', result);
        break;
      case 'processing':
        this.#tell('onProcessing');
        break;
      default:
        this.#tell('onError', result.error);
    }
    return result;
  }

  async #open(container: Element, signal: AbortSignal): Promise<void> {
    const session = await this.#read(signal);
    if (!session || signal.aborted) return;
    if (session.checkoutMode !== 'payment') {
      throw new SvcError('validation_error', 'checkout_session_is_setup');
    }
    if (/^(completed|authorized)$/.test(session.status)) return this.#showPast(session);
    if (!session.vault || /^(expired|canceled)$/.test(session.status)) {
      return this.#fail('session_expired');
    }
    const parts = loadSubmit();
    if (isFree(session)) return this.#ready(parts, signal);
    this.#fields = session.vault.fields;
    const { title } = this.#options;
    this.#frame = this.#mountFrame(container, {
      ...session.vault,
      ...(title ? { title } : {}),
      options: formOptions(this.#options, this.#fields),
      onReady: () => void this.#ready(parts, signal),
      onLoadError: (reason) => this.#fail(reason),
      onChange: (change) => this.#tell('onChange', change),
      onFocus: (field) => this.#tell('onFocus', field),
      onBlur: (field) => this.#tell('onBlur', field),
      onEscape: () => this.#tell('onEscape'),
      onWarning: (message) => this.#tell('onWarning', message),
      onEnter: () => this.#enter(container),
    });
    void this.#name();
  }

  /**
   * Reports the form as ready once the parts of a submit are loaded too, so that a missing part is reported
   * before the buyer types.
   */
  async #ready(parts: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await parts;
      if (signal.aborted) return;
      // A problem that was reported because the form loaded late is cleared too.
      this.#problem = null;
      this.#tell('onReady');
    } catch (cause) {
      const { code } = errorOf(cause);
      if (signal.aborted) return;
      this.#fail(code === 'reload_required' ? code : 'blocked_by_extension_or_network');
    }
  }

  /** Returns undefined after a load error, which states why the service returned no session. */
  async #read(signal: AbortSignal): Promise<CheckoutSession | undefined> {
    const { origin } = new URL(this.#options.baseUrl, location.href);
    let isBlocked = false;
    const noteViolation = (event: SecurityPolicyViolationEvent) => {
      const { disposition, effectiveDirective, blockedURI } = event;
      isBlocked ||=
        disposition === 'enforce' &&
        effectiveDirective === 'connect-src' &&
        blockedURI.startsWith(origin);
    };
    document.addEventListener('securitypolicyviolation', noteViolation);
    try {
      return await this.#calls.readSession(signal);
    } catch (cause) {
      if (signal.aborted) return undefined;
      const isGone = [401, 404, 409].includes(errorOf(cause).status);
      if (isGone) this.#fail('session_expired');
      else this.#fail(isBlocked ? 'blocked_by_csp' : 'blocked_by_extension_or_network');
      return undefined;
    } finally {
      document.removeEventListener('securitypolicyviolation', noteViolation);
    }
  }

  /** Reports the success of a session that was paid before, for example after a reload. */
  #showPast({ id, status, paymentId, authorizationExpiresAt, successUrl }: CheckoutSession): void {
    const isHeld = status === 'authorized';
    const paid = { sessionId: id, paymentId, authorizationExpiresAt, redirectUrl: successUrl };
    const body = { type: 'success', status: isHeld ? status : 'succeeded', ...paid } as const;
    this.#conclude({ type: 'success', body });
  }

  /**
   * Enter in the form submits the page's own form where there is one, as Enter in any of its fields does.
   */
  #enter(container: Element): void {
    const form = container.closest('form');
    if (form) form.requestSubmit();
    else void this.submit();
  }

  /** Names the frame for screen readers, by the page's title or in the buyer's language. */
  async #name(): Promise<void> {
    const { locale, title } = this.#options;
    const name = title ?? (await this.#language).texts?.title;
    if (name && this.#frame && locale === this.#options.locale) this.#frame.element.title = name;
  }

  #leave(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#container = null;
    this.#frame?.destroy();
    this.#frame = null;
    this.#problem = null;
  }

  #fail(reason: LoadErrorReason): void {
    this.#problem = reason;
    this.#tell('onLoadError', reason);
  }

  /** An error in a merchant's callback must not end the submit. */
  #tell<N extends keyof CardPaymentCallbacks>(
    name: N,
    ...given: Parameters<NonNullable<CardPaymentCallbacks[N]>>
  ): void {
    const callback = this.#options[name] as ((...given: unknown[]) => void) | undefined;
    try {
      if (!this.#isDestroyed) callback?.(...given);
    } catch (cause) {
      reportError(cause);
    }
  }
}
