// <svc-card-setup base-url session-id nonce>: CardSetup as an element. Each callback is an event of the
// element, named without `on` and in lower case. The events do not bubble.

import type { FormField } from './api/wire.ts';
import { CardSetup } from './card-setup/card-setup.ts';
import type {
  CardSetupCallbacks,
  CardSetupLooks,
  CardSetupOptions,
  SetupResult,
} from './card-setup/card-setup-types.ts';

/** The type of `document.querySelector('svc-card-setup')` once the element is defined. */
export type CardSetupElement = HTMLElement & {
  /** The attribute `base-url`. */
  baseUrl: string;
  /** The attribute `session-id`. */
  sessionId: string;
  /** The attribute `locale`. */
  locale: string;
  /** Appearance and texts. Set it before or after the element is connected. */
  options: CardSetupLooks & Pick<CardSetupOptions, 'challengeTimeoutMs' | 'styleNonce'>;
  submit(options?: { readonly signal?: AbortSignal }): Promise<SetupResult>;
  focus(field?: FormField | FocusOptions): void;
  clear(): void;
};

type Identity = Pick<CardSetupOptions, 'baseUrl' | 'sessionId' | 'nonce'>;

/** Defines the element under `name`, once. The import alone defines nothing. */
export function defineCardSetup(name = 'svc-card-setup'): void {
  if (!customElements.get(name)) customElements.define(name, describeElement());
}

const identityOf = (element: CardSetupElement): Identity => ({
  baseUrl: element.baseUrl,
  sessionId: element.sessionId,
  // Reads the property: under a content policy browsers empty the attribute, so that style sheets cannot
  // read it.
  nonce: element.nonce,
});

/** Dispatches every callback as an event of the element. */
function callbacksOf(element: HTMLElement): CardSetupCallbacks {
  const dispatch = (type: string) => (detail?: unknown) => {
    element.dispatchEvent(new CustomEvent(type, { detail }));
  };
  return {
    onReady: dispatch('ready'),
    onChange: dispatch('change'),
    onFocus: dispatch('focus'),
    onBlur: dispatch('blur'),
    onEscape: dispatch('escape'),
    onLoadError: dispatch('loaderror'),
    onSuccess: dispatch('success'),
    onDecline: dispatch('decline'),
    onError: dispatch('error'),
    onCancel: dispatch('cancel'),
    onWarning: dispatch('warning'),
  };
}

const ownNames = ['options', 'baseUrl', 'sessionId', 'nonce', 'locale'] as const;

/** Properties that were set before the element was defined hide the accessors: sets them again. */
function adoptProperties(element: CardSetupElement): void {
  for (const name of ownNames.filter((one) => Object.hasOwn(element, one))) {
    const given = element[name];
    Reflect.deleteProperty(element, name);
    Reflect.set(element, name, given);
  }
}

/**
 * Stores the value as an attribute, whose change is observed. Frameworks remove a property by setting null.
 */
function reflect(element: HTMLElement, name: string, value: string | null | undefined): void {
  if (value === null || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Defines the attributes as properties and calls `changed` when one changes. */
function describeAttributes() {
  return class extends HTMLElement {
    /** Called when an attribute or the nonce has changed. */
    changed(): void {}

    get baseUrl(): string {
      return this.getAttribute('base-url') ?? '';
    }

    set baseUrl(value: string) {
      reflect(this, 'base-url', value);
    }

    get sessionId(): string {
      return this.getAttribute('session-id') ?? '';
    }

    set sessionId(value: string) {
      reflect(this, 'session-id', value);
    }

    get locale(): string {
      return this.getAttribute('locale') ?? '';
    }

    set locale(value: string) {
      reflect(this, 'locale', value);
    }

    override get nonce(): string {
      return super.nonce;
    }

    /** The browser's own `nonce` property reports no change and updates no attribute. */
    override set nonce(value: string) {
      super.nonce = value ?? '';
      this.changed();
    }
  };
}

/** A function, because HTMLElement does not exist on a server. */
function describeElement(): CustomElementConstructor {
  return class extends describeAttributes() implements CardSetupElement {
    static readonly observedAttributes = ['base-url', 'session-id', 'nonce', 'locale'];
    #setup: CardSetup | null = null;
    #identity = '';
    #options: CardSetupElement['options'] = {};

    get options(): CardSetupElement['options'] {
      return this.#options;
    }

    set options(options: CardSetupElement['options']) {
      this.#options = options;
      this.#setup?.update(options);
    }

    connectedCallback(): void {
      adoptProperties(this);
      this.style.display ||= 'block';
      this.#show();
    }

    /** Waits for a microtask: an element that was only moved is connected again by then. */
    disconnectedCallback(): void {
      queueMicrotask(() => !this.isConnected && this.#end());
    }

    attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
      if (name === 'locale' && value) this.#setup?.update({ locale: value });
      else this.changed();
    }

    /** Waits for a microtask: frameworks set one attribute after another. */
    override changed(): void {
      queueMicrotask(() => this.isConnected && this.#show());
    }

    submit(options?: { readonly signal?: AbortSignal }): Promise<SetupResult> {
      this.#show();
      return this.#setup
        ? this.#setup.submit(options)
        : new CardSetup(identityOf(this)).submit(options);
    }

    override focus(field: FormField | FocusOptions = 'number'): void {
      this.#setup?.focus(typeof field === 'string' ? field : 'number');
    }

    clear(): void {
      this.#setup?.clear();
    }

    #show(): void {
      const identity = identityOf(this);
      const key = JSON.stringify(identity);
      const isWhole = identity.baseUrl && identity.sessionId && identity.nonce;
      if (key === this.#identity || !isWhole) return;
      this.#end();
      this.#identity = key;
      const locale = this.getAttribute('locale');
      this.#setup = new CardSetup({
        ...(locale ? { locale } : {}),
        ...this.#options,
        ...identity,
        ...callbacksOf(this),
      }).mount(this);
    }

    #end(): void {
      this.#identity = '';
      this.#setup?.destroy();
      this.#setup = null;
    }
  };
}
