// The hosted card form inside a page: one iframe of the card origin and a private port into it.
// No card data ever passes here, only field states and the single-use token. Contract §4.

import { SvcError } from '../api/svc-error.ts';
import type {
  FormErrorCode,
  FormField,
  FormHandshake,
  FormOptions,
  FromExpress,
  FromForm,
  LoadErrorReason,
  ToForm,
} from '../api/wire.ts';
import { mayEmbed } from './parents.ts';

export type CardToken = {
  readonly token: string;
  readonly brand: string;
  readonly lastFour: string;
};

export type CardChange = {
  readonly complete: boolean;
  readonly empty: boolean;
  readonly brand: string | null;
  readonly errors: readonly { readonly field: FormField; readonly code: FormErrorCode }[];
};

export type CardFrameCallbacks = {
  readonly onReady?: (form: { readonly hasExpress?: true }) => void;
  readonly onExpress?: (message: FromExpress) => void;
  readonly onLoadError?: (reason: LoadErrorReason) => void;
  readonly onChange?: (change: CardChange) => void;
  readonly onFocus?: (field: FormField) => void;
  readonly onBlur?: (field: FormField) => void;
  readonly onEscape?: () => void;
  readonly onEnter?: () => void;
  readonly onWarning?: (message: string) => void;
};

export type CardFrameSettings = CardFrameCallbacks & {
  readonly formUrl: string;
  readonly formOrigin: string;
  readonly mountToken: string;
  readonly options?: FormOptions;
  /** The provider's express buttons, in place of the fields. */
  readonly express?: true;
  /** Name of the frame for screen readers. */
  readonly title?: string;
};

export type CardFrame = {
  readonly element: HTMLIFrameElement;
  /** Resolves with a token, or rejects with a SvcError whose code the form gave. */
  submit(): Promise<CardToken>;
  /** Call it inside the user's gesture: iOS opens the keyboard only then. */
  focus(field: FormField): void;
  update(options: FormOptions): void;
  /** Replaces a mount token that has expired. */
  setMountToken(mountToken: string): void;
  disable(isDisabled: boolean): void;
  clear(): void;
  /** Removes the frame; safe to repeat. */
  destroy(): void;
};

/** Version of the messages. The form refuses any other version with `version_mismatch`. */
const protocol = 1;
const readyWithinMs = 8_000;
const tokenWithinMs = 30_000;
/** The height of the frame before the form has reported its own, so that the layout does not shift. */
const firstHeightPx = 164;

type PendingToken = {
  readonly resolve: (token: CardToken) => void;
  readonly reject: (error: SvcError) => void;
  readonly timer: ReturnType<typeof setTimeout>;
};

/** One form per container: a second mount, as under React StrictMode, keeps what the buyer typed. */
const mounted = new WeakMap<Element, Mount>();

/** Marks the frames of card forms; copies of a frame carry the attribute too. */
const mark = 'data-svc-card-form';

/** Removes frames that came with a copied part of the page: they belong to no mount and never work. */
function removeCopies(container: Element): void {
  for (const frame of container.querySelectorAll(`iframe[${mark}]`)) {
    if (!Object.hasOwn(frame, mark)) frame.remove();
  }
}

/** The field that an error code of the form is about; undefined for any other code. */
const fieldOf = (code: string): FormField | undefined =>
  /^postal_/.test(code)
    ? 'postalCode'
    : (/^(number|expiry|cvc|name)(?=_)/.exec(code)?.[0] as FormField | undefined);

class Mount implements CardFrame {
  readonly element = document.createElement('iframe');
  /** Empty once the form has failed, so that the next mount makes a new form. */
  #formUrl: string;
  readonly #container: Element;
  #settings: CardFrameSettings;
  #port: MessagePort | null = null;
  #state: 'loading' | 'ready' | LoadErrorReason | 'destroyed' = 'loading';
  #readyTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Map<string, PendingToken>();
  #queue: ToForm[] = [];
  #isDisabled = false;
  #form: { readonly hasExpress?: true } = {};
  /** The document that was shaken hands with: a frame that is moved in the page gets another. */
  #window: Window | null = null;
  readonly #moves = new MutationObserver(() => this.#look());
  #submits = 0;

  constructor(container: Element, settings: CardFrameSettings) {
    this.#container = container;
    this.#settings = settings;
    this.#formUrl = settings.formUrl;
    const frame = this.element;
    frame.title = settings.title ?? 'Secure card form';
    frame.allow = 'payment; autofill; shared-autofill; publickey-credentials-get';
    frame.referrerPolicy = 'origin';
    frame.loading = 'eager';
    frame.setAttribute(mark, '');
    // A copied frame has the attribute but not this property.
    Reflect.set(frame, mark, true);
    // Set by property: a style attribute would be refused by a strict style-src.
    Object.assign(frame.style, {
      display: 'block',
      width: '100%',
      border: '0',
      height: `${firstHeightPx}px`,
      // The same scheme as the form's document: otherwise browsers paint an opaque background on dark
      // pages.
      colorScheme: 'light',
    });
    document.addEventListener('securitypolicyviolation', this.#onViolation);
    this.#expectReady();
    if (mayEmbed(settings.formUrl)) {
      frame.addEventListener('load', () => this.#shakeHands());
      frame.src = settings.formUrl;
    } else {
      // The frame stays empty. The error is reported after the caller has received its form.
      queueMicrotask(() => this.#fail('origin_not_allowed'));
    }
    removeCopies(container);
    container.append(frame);
  }

  isSame(settings: CardFrameSettings): boolean {
    return settings.formUrl === this.#formUrl && this.element.isConnected;
  }

  /** Keeps the form and gives it new callbacks, options and mount token. */
  adopt(settings: CardFrameSettings): void {
    const { mountToken } = this.#settings;
    this.#settings = settings;
    if (settings.mountToken !== mountToken) this.setMountToken(settings.mountToken);
    this.update(settings.options ?? {});
    if (this.#state === 'ready') queueMicrotask(() => this.#settings.onReady?.(this.#form));
  }

  submit(): Promise<CardToken> {
    const state = this.#state;
    if (state !== 'ready' && state !== 'loading') return Promise.reject(frameError(state));
    const id = `s${++this.#submits}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        if (!this.#waiting.size) this.#moves.disconnect();
        reject(frameError('unavailable'));
      }, tokenWithinMs);
      this.#waiting.set(id, { resolve, reject, timer });
      // A frame that is moved in the page loses its document, and with it any pending submit.
      for (const root of [document, this.element.getRootNode()]) {
        this.#moves.observe(root, { childList: true, subtree: true });
      }
      this.#post({ type: 'submit', id });
      this.#look();
    });
  }

  focus(field: FormField): void {
    this.element.focus();
    this.#post({ type: 'focus', field });
  }

  update(options: FormOptions): void {
    const merged = { ...this.#settings.options, ...options };
    this.#settings = { ...this.#settings, options: merged };
    this.#post({ type: 'update', options: merged });
  }

  setMountToken(mountToken: string): void {
    this.#settings = { ...this.#settings, mountToken };
    this.#post({ type: 'mountToken', mountToken });
  }

  disable(isDisabled: boolean): void {
    this.#isDisabled = isDisabled;
    this.#post({ type: 'disable', disabled: isDisabled });
  }

  clear(): void {
    this.#post({ type: 'clear' });
  }

  destroy(): void {
    if (this.#state === 'destroyed') return;
    this.#stop('destroyed');
    this.#port?.close();
    this.element.remove();
    if (mounted.get(this.#container) === this) mounted.delete(this.#container);
  }

  /** Messages wait until the form is ready: the form ignores a message that comes before `mount`. */
  #post(message: ToForm): void {
    if (this.#state === 'ready') this.#port?.postMessage(message);
    else if (this.#state === 'loading') this.#queue.push(message);
  }

  #expectReady(): void {
    clearTimeout(this.#readyTimer);
    const giveUp = () => this.#fail('blocked_by_extension_or_network');
    this.#readyTimer = setTimeout(giveUp, readyWithinMs);
  }

  /** Rejects the pending submits when the frame's document has changed. */
  #look(): void {
    if (this.#window && this.element.contentWindow !== this.#window) this.#giveUp(moved);
  }

  #giveUp(reason: string): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(frameError(reason));
    }
    this.#waiting.clear();
    this.#moves.disconnect();
  }

  /** The frame has a new document with an empty form: it receives the settings of the previous one. */
  #beginAnew(): void {
    this.#giveUp(moved);
    this.#state = 'loading';
    if (this.#isDisabled) this.#post({ type: 'disable', disabled: true });
    this.#expectReady();
    this.#settings.onChange?.({ complete: false, empty: true, brand: null, errors: [] });
  }

  /** Runs at every load of the frame: a document that reloads itself receives a new port. */
  #shakeHands(): void {
    // A form that was reported as late still works when it loads after all.
    if (!/^(loading|ready|blocked_by_extension_or_network)$/.test(this.#state)) return;
    if (this.#state === 'ready') this.#beginAnew();
    this.#window = this.element.contentWindow;
    this.#port?.close();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event: MessageEvent<FromForm>) => this.#receive(event.data);
    const hello: FormHandshake = { svc: 'mount', protocol };
    // Another document in the frame, such as an error page, does not receive the port.
    this.element.contentWindow?.postMessage(hello, this.#settings.formOrigin, [port2]);
    const { mountToken, options = {}, express } = this.#settings;
    port1.postMessage({ type: 'mount', mountToken, options, express } satisfies ToForm);
  }

  #receive(message: FromForm): void {
    const on = this.#settings;
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#readyTimer);
        this.#state = 'ready';
        this.#formUrl = on.formUrl;
        for (const queued of this.#queue.splice(0)) this.#post(queued);
        this.#form = message;
        on.onReady?.(message);
        break;
      case 'loaderror':
        this.#fail(message.reason);
        break;
      case 'height':
        if (message.px > 0)
          this.element.style.height = `${Math.min(Math.ceil(message.px), 2000)}px`;
        break;
      case 'token':
      case 'error':
        this.#answer(message);
        break;
      default:
        passToCallback(on, message);
    }
  }

  #answer(message: Extract<FromForm, { id: string }>): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (!this.#waiting.size) this.#moves.disconnect();
    clearTimeout(waiting.timer);
    if (message.type === 'token') {
      const { token, brand, lastFour } = message;
      waiting.resolve({ token, brand, lastFour });
      return;
    }
    const { code, message: text, retryable } = message;
    // Browsers may stop a cross-site frame from focusing its own field; WebKit does.
    const field = fieldOf(code);
    const { activeElement } = this.element.getRootNode() as Document | ShadowRoot;
    if (field && activeElement !== this.element) this.focus(field);
    waiting.reject(new SvcError('validation_error', code, { message: text, retryable }));
  }

  #onViolation = (event: SecurityPolicyViolationEvent): void => {
    const isFrame = /^(frame|child|default)-src$/.test(event.effectiveDirective);
    // A report-only policy blocks nothing.
    const isBlocked = isFrame && event.disposition === 'enforce';
    if (isBlocked && event.blockedURI.startsWith(this.#settings.formOrigin)) {
      this.#fail('blocked_by_csp');
    }
  };

  #fail(reason: LoadErrorReason): void {
    if (this.#state === 'destroyed') return;
    this.#stop(reason);
    this.#settings.onLoadError?.(reason);
  }

  #stop(state: LoadErrorReason | 'destroyed'): void {
    this.#state = state;
    this.#formUrl = '';
    this.#queue = [];
    clearTimeout(this.#readyTimer);
    document.removeEventListener('securitypolicyviolation', this.#onViolation);
    this.#giveUp(state);
  }
}

/** Passes a form message on to its callback. */
function passToCallback(
  on: CardFrameCallbacks,
  message: Exclude<FromForm, { type: 'ready' | 'loaderror' | 'height' | 'token' | 'error' }>,
): void {
  switch (message.type) {
    case 'change': {
      const { complete, empty, brand, errors } = message;
      on.onChange?.({ complete, empty, brand, errors });
      break;
    }
    case 'focus':
      on.onFocus?.(message.field);
      break;
    case 'blur':
      on.onBlur?.(message.field);
      break;
    case 'escape':
      on.onEscape?.();
      break;
    case 'enter':
      on.onEnter?.();
      break;
    case 'warning':
      on.onWarning?.(message.message);
      break;
    default:
      on.onExpress?.(message);
  }
}

/** The frame was moved in the page or removed from it: browsers then unload its document. */
const moved = 'form_moved';

const frameError = (code: string): SvcError =>
  new SvcError('api_error', code, {
    message: `The card form gave no token: ${code}.`,
    retryable: code === 'unavailable',
  });

/**
 * Mounts the card form. It calls `onReady`, or `onLoadError` with the reason within 8 s. A repeated mount
 * into the same container returns the existing form.
 */
export function mountCardFrame(container: Element, settings: CardFrameSettings): CardFrame {
  if (!container || !settings) {
    const message = 'mountCardFrame takes an element and its settings.';
    throw new SvcError('validation_error', 'invalid_argument', { message });
  }
  const present = mounted.get(container);
  if (present?.isSame(settings)) {
    present.adopt(settings);
    return present;
  }
  present?.destroy();
  const fresh = new Mount(container, settings);
  mounted.set(container, fresh);
  return fresh;
}
