// <svc-card-setup base-url session-id nonce>: CardSetup as an element. Its callbacks are events of the
// same names without `on`, in small letters, on the element itself; they do not bubble.

import { CardSetup } from './card-setup.ts';
import type {
  CardSetupCallbacks,
  CardSetupLooks,
  CardSetupOptions,
  SetupResult,
} from './card-setup-types.ts';
import type { FormField } from './wire.ts';

/** What `document.querySelector('svc-card-setup')` is, once defined. */
export type CardSetupElement = HTMLElement & {
  /** Looks and words; set it before the element is connected, or at any time after. */
  options: CardSetupLooks & Pick<CardSetupOptions, 'challengeTimeoutMs' | 'styleNonce'>;
  submit(wish?: { readonly signal?: AbortSignal }): Promise<SetupResult>;
  focus(field?: FormField | FocusOptions): void;
  clear(): void;
};

type Identity = Pick<CardSetupOptions, 'baseUrl' | 'sessionId' | 'nonce'>;

/** Defines the element once, under `name`; nothing is defined by the import alone. */
export function defineCardSetup(name = 'svc-card-setup'): void {
  if (!customElements.get(name)) customElements.define(name, describeElement());
}

const identityOf = (element: HTMLElement): Identity => ({
  baseUrl: element.getAttribute('base-url') ?? '',
  sessionId: element.getAttribute('session-id') ?? '',
  // The property: under a policy browsers empty the attribute, so that style sheets cannot read it.
  nonce: element.nonce,
});

/** Every callback as an event of the element. */
function tellersOf(element: HTMLElement): CardSetupCallbacks {
  const tell = (type: string) => (detail?: unknown) => {
    element.dispatchEvent(new CustomEvent(type, { detail }));
  };
  return {
    onReady: tell('ready'),
    onChange: tell('change'),
    onFocus: tell('focus'),
    onBlur: tell('blur'),
    onEscape: tell('escape'),
    onLoadError: tell('loaderror'),
    onSuccess: tell('success'),
    onDecline: tell('decline'),
    onError: tell('error'),
    onCancel: tell('cancel'),
    onWarning: tell('warning'),
  };
}

/** Options that were set before the element was defined hide the accessor. */
function takeOver(element: CardSetupElement): void {
  if (!Object.hasOwn(element, 'options')) return;
  const given = element.options;
  Reflect.deleteProperty(element, 'options');
  element.options = given;
}

/** A function, since HTMLElement is nothing on a server. */
function describeElement(): CustomElementConstructor {
  return class extends HTMLElement implements CardSetupElement {
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
      takeOver(this);
      this.style.display ||= 'block';
      this.#show();
    }

    /** In a microtask: an element that is only moved is connected again by then. */
    disconnectedCallback(): void {
      queueMicrotask(() => !this.isConnected && this.#end());
    }

    attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
      if (name === 'locale' && value) this.#setup?.update({ locale: value });
      // In a microtask: frameworks set attribute after attribute.
      else queueMicrotask(() => this.isConnected && this.#show());
    }

    submit(wish?: { readonly signal?: AbortSignal }): Promise<SetupResult> {
      this.#show();
      return this.#setup ? this.#setup.submit(wish) : new CardSetup(identityOf(this)).submit(wish);
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
        ...tellersOf(this),
      }).mount(this);
    }

    #end(): void {
      this.#identity = '';
      this.#setup?.destroy();
      this.#setup = null;
    }
  };
}
