// The implementation behind CardSetup: reads the setup session, mounts the hosted form and submits. Loaded
// when the first form is mounted, so that pages which only pay do not load it. Contract §4, §11.

import { loadPart, translateReload } from '../api/load-part.ts';
import { errorOf, SvcError } from '../api/svc-error.ts';
import type { CheckoutSession, FormField, FormOptions, LoadErrorReason } from '../api/wire.ts';
import type { CardChange, CardFrame, mountCardFrame } from '../card-frame/card-frame.ts';
import type { Language } from '../texts/texts.ts';
import type {
  CardSetupCallbacks,
  CardSetupLooks,
  CardSetupOptions,
  SetupResult,
} from './card-setup-types.ts';
import { SetupCalls } from './setup-calls.ts';
import { failedSetup, verified } from './setup-results.ts';

/** The form that each container shows. A newer one in the same container keeps what the buyer typed. */
const holders = new WeakMap<Element, SetupForm>();

/** The last change that each frame reported: a frame does not report it again to a new owner. */
const changes = new WeakMap<CardFrame, CardChange>();

const fieldNames: readonly string[] = ['number', 'expiry', 'cvc', 'name', 'postalCode'];

const wishNames = ['appearance', 'locale', 'brands', 'autoAdvance', 'autofocus', 'texts'] as const;

/** The options that the form itself receives. An undefined value is left out. */
function formOptions(looks: CardSetupLooks, asked: readonly string[]): FormOptions {
  const fields = looks.fields ?? asked.filter((name) => fieldNames.includes(name));
  const wishes = wishNames.map((name) => [name, looks[name]]);
  const given = [...wishes, ['fields', fields.length ? fields : undefined]];
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Loads what a submit needs, the bank's dialog included. Each part can be loaded again by itself. */
async function loadSubmit() {
  const [code, { loadDialog }] = await Promise.all([
    loadPart(() => import('./setup-submit.ts'), 'submitCard'),
    loadPart(() => import('../challenge/hand-over.ts'), 'loadDialog'),
  ]);
  await loadDialog();
  return code;
}

const readyWithinMs = 8_000;

/** Removes copied frames as mountCardFrame does, so that none remains when the new form fails to load. */
function removeCopies(container: Element): void {
  const mark = 'data-svc-card-form';
  for (const frame of container.querySelectorAll(`iframe[${mark}]`)) {
    if (!Object.hasOwn(frame, mark)) frame.remove();
  }
}

const reasonOf = ({ code }: SvcError): LoadErrorReason =>
  code === 'reload_required' ? code : 'blocked_by_extension_or_network';

export class SetupForm {
  #options: CardSetupOptions;
  readonly #mountFrame: typeof mountCardFrame;
  #calls: SetupCalls;
  #language: Language = { code: 'en', isRightToLeft: false, texts: null };
  #container: Element | null = null;
  #frame: CardFrame | null = null;
  #fields: readonly string[] = [];
  /** Aborts the reading of the session and the submit when the form is removed. */
  #life = new AbortController();
  #opening: Promise<void> = Promise.resolve();
  #problem: LoadErrorReason | null = null;
  #running: Promise<SetupResult> | null = null;
  #success: SetupResult | null = null;
  #isDestroyed = false;

  constructor(options: CardSetupOptions, mountFrame: typeof mountCardFrame) {
    this.#options = options;
    this.#mountFrame = mountFrame;
    this.#calls = new SetupCalls(options);
  }

  /** Shows the form. In the same container it does so again only after a load error. */
  mount(container: Element): void {
    if (this.#container === container && !this.#problem) return;
    this.unmount();
    const holder = holders.get(container);
    // The older form's frame stays until this form's session has loaded, and is removed when this form is.
    this.#frame = holder ? holder.#frame : null;
    if (holder) holder.#leave();
    holders.set(container, this);
    removeCopies(container);
    this.#container = container;
    const { signal } = this.#life;
    this.#opening = this.#open(container, signal).catch((cause) => {
      if (!signal.aborted) this.#tell('onError', errorOf(cause));
    });
  }

  unmount(): void {
    const frame = this.#frame;
    this.#leave();
    frame?.destroy();
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.unmount();
  }

  focus(field: FormField): void {
    this.#frame?.focus(field);
  }

  clear(): void {
    this.#frame?.clear();
  }

  /** Applies new appearance and callbacks to the form. Another session mounts another form. */
  update(changes: Partial<CardSetupOptions>): void {
    const before = this.#options;
    this.#options = { ...before, ...changes };
    const { baseUrl, sessionId, nonce } = this.#options;
    if (baseUrl === before.baseUrl && sessionId === before.sessionId && nonce === before.nonce) {
      this.#frame?.update(formOptions(changes, this.#fields));
      if (changes.locale !== undefined || changes.title !== undefined) this.#speak();
      return;
    }
    this.#calls = new SetupCalls(this.#options);
    this.#success = null;
    const container = this.#container;
    this.unmount();
    if (container) this.mount(container);
  }

  /**
   * One submit at a time: a second call joins the first. After a success every call returns that success.
   */
  submit({ signal }: { readonly signal?: AbortSignal } = {}): Promise<SetupResult> {
    if (this.#success) return Promise.resolve(this.#success);
    this.#running ??= this.#submit(signal).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #submit(callerSignal: AbortSignal | undefined): Promise<SetupResult> {
    const stop = new AbortController();
    const end = () => stop.abort();
    const aborted = new Promise<SetupResult>((resolve) => {
      stop.signal.addEventListener('abort', () =>
        resolve({ type: 'cancel', reason: 'aborted', challenge: null }),
      );
    });
    const life = this.#life.signal;
    for (const signal of [life, callerSignal]) {
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end);
    }
    const result = await Promise.race([aborted, this.#send(stop.signal)]);
    life.removeEventListener('abort', end);
    callerSignal?.removeEventListener('abort', end);
    return this.#conclude(result);
  }

  async #send(signal: AbortSignal): Promise<SetupResult> {
    await this.#opening;
    const frame = this.#frame;
    if (this.#success) return this.#success;
    if (!frame) {
      const code = this.#problem ?? 'form_not_mounted';
      return failedSetup(new SvcError('validation_error', code));
    }
    const options = this.#options;
    const calls = this.#calls;
    const language = this.#language;
    try {
      const { submitCard } = await loadSubmit();
      return await submitCard({ frame, calls, language, options, signal });
    } catch (cause) {
      return failedSetup(translateReload(errorOf(cause), language.texts?.reload));
    }
  }

  #conclude(result: SetupResult): SetupResult {
    if (result.type === 'success') {
      this.#success = result;
      this.clear();
    }
    if (result.type === 'success') this.#tell('onSuccess', result);
    if (result.type === 'decline') this.#tell('onDecline', result);
    if (result.type === 'cancel') this.#tell('onCancel', result);
    if (result.type === 'error') this.#tell('onError', result.error);
    return result;
  }

  async #open(container: Element, signal: AbortSignal): Promise<void> {
    this.#speak();
    const session = await this.#read(signal);
    if (signal.aborted) return;
    const isForm = session?.checkoutMode === 'setup' && session.vault !== null;
    if (!isForm || /^(completed|expired|canceled)$/.test(session.status)) {
      // No form of this session will replace the frame of the older one.
      this.#frame?.destroy();
      this.#frame = null;
    }
    if (!session) return;
    if (session.checkoutMode !== 'setup') {
      throw new SvcError('validation_error', 'checkout_session_not_setup');
    }
    if (session.status === 'completed') return this.#showPast(signal);
    if (!session.vault || /^(expired|canceled)$/.test(session.status)) {
      return this.#fail('session_expired');
    }
    this.#fields = session.vault.fields;
    const { title = this.#language.texts?.title } = this.#options;
    const parts = loadSubmit();
    parts.catch(() => {});
    const until = Date.now() + readyWithinMs;
    const frame = this.#mountFrame(container, {
      ...session.vault,
      ...(title ? { title } : {}),
      options: formOptions(this.#options, this.#fields),
      onReady: () => void this.#getReady(parts, { until, signal }),
      onLoadError: (reason) => this.#fail(reason),
      onChange: (change) => {
        changes.set(frame, change);
        this.#tell('onChange', change);
      },
      onFocus: (field) => this.#tell('onFocus', field),
      onBlur: (field) => this.#tell('onBlur', field),
      onEscape: () => this.#tell('onEscape'),
      onWarning: (message) => this.#tell('onWarning', message),
      onEnter: () => this.#enter(container),
    });
    this.#frame = frame;
    const typed = changes.get(frame);
    const reportTyped = () => typed && this.#tell('onChange', typed);
    // Runs after `onReady` was called.
    queueMicrotask(() => parts.then(reportTyped, reportTyped));
  }

  /**
   * Reports the form as ready once the parts that send the card are loaded too, so that nobody types in
   * vain.
   */
  async #getReady(
    parts: Promise<unknown>,
    { until, signal }: { until: number; signal: AbortSignal },
  ): Promise<void> {
    const late = setTimeout(() => {
      if (!signal.aborted) this.#fail('blocked_by_extension_or_network');
    }, until - Date.now());
    try {
      await parts;
      if (signal.aborted) return;
      // A problem that was reported because the form loaded late is cleared too.
      this.#problem = null;
      this.#tell('onReady');
    } catch (cause) {
      if (!signal.aborted) this.#fail(reasonOf(errorOf(cause)));
    } finally {
      clearTimeout(late);
    }
  }

  /** Returns undefined after a load error, which states why the service returned no session. */
  async #read(signal: AbortSignal): Promise<CheckoutSession | undefined> {
    const { origin } = new URL(this.#options.baseUrl, location.href);
    let isBlocked = false;
    const noteViolation = (event: SecurityPolicyViolationEvent) => {
      const isCall = /^(connect|default)-src$/.test(event.effectiveDirective);
      isBlocked ||=
        isCall && event.disposition === 'enforce' && event.blockedURI.startsWith(origin);
    };
    document.addEventListener('securitypolicyviolation', noteViolation);
    try {
      return await this.#calls.readSession(signal);
    } catch (cause) {
      const { code, status } = errorOf(cause);
      if (signal.aborted) return undefined;
      if (code === 'origin_not_allowed') {
        this.#fail(code);
        return undefined;
      }
      const isGone = [401, 404, 409].includes(status);
      if (isGone) this.#fail('session_expired');
      else this.#fail(isBlocked ? 'blocked_by_csp' : 'blocked_by_extension_or_network');
      return undefined;
    } finally {
      document.removeEventListener('securitypolicyviolation', noteViolation);
    }
  }

  /** Reports the result of a session whose card was verified before, for example after a reload. */
  async #showPast(signal: AbortSignal): Promise<void> {
    const { paymentMethodId } = await this.#calls.readStatus(0, signal);
    if (signal.aborted) return;
    if (paymentMethodId) this.#conclude(verified(paymentMethodId, false));
    else this.#fail('session_expired');
  }

  /**
   * Enter in the form submits the page's own form where there is one, as Enter in any of its fields does.
   */
  #enter(container: Element): void {
    const form = container.closest('form');
    if (form) form.requestSubmit();
    else void this.submit();
  }

  #speak(): void {
    const { locale, title } = this.#options;
    if (title && this.#frame) this.#frame.element.title = title;
    const load = loadPart(() => import('../texts/texts.ts'), 'loadLanguage').then((code) =>
      code.loadLanguage(locale),
    );
    load.then(
      (language) => {
        if (locale !== this.#options.locale) return;
        this.#language = language;
        const { texts } = language;
        if (this.#frame && texts && !this.#options.title) this.#frame.element.title = texts.title;
      },
      () => {},
    );
  }

  #leave(): void {
    this.#life.abort();
    this.#life = new AbortController();
    const container = this.#container;
    if (container && holders.get(container) === this) holders.delete(container);
    this.#container = null;
    this.#frame = null;
    this.#problem = null;
  }

  #fail(reason: LoadErrorReason): void {
    this.#problem = reason;
    this.#tell('onLoadError', reason);
  }

  /** An error in a merchant's callback must not end the submit. */
  #tell<N extends keyof CardSetupCallbacks>(
    name: N,
    ...given: Parameters<NonNullable<CardSetupCallbacks[N]>>
  ): void {
    const callback = this.#options[name] as ((...given: unknown[]) => void) | undefined;
    try {
      // The frame may belong to a newer form by now and still report to this one.
      if (!this.#isDestroyed) callback?.(...given);
    } catch (cause) {
      reportError(cause);
    }
  }
}
