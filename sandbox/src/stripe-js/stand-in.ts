// A replacement of the provider's browser library, for pages that are tried without the provider: hosted
// card fields in frames of the sandbox's origin, and `createPaymentMethod`. The published types of the real
// library check its names; other functions are not offered. It runs in the page as one classic script, so
// it imports only types.
import type {
  CreatePaymentMethodCardData,
  PaymentMethodResult,
  StripeCardCvcElementChangeEvent,
  StripeCardExpiryElementChangeEvent,
  StripeCardNumberElementChangeEvent,
  StripeCardNumberElementOptions,
  StripeConstructorOptions,
  StripeElementBase,
  StripeElementLocale,
  StripeElementsOptionsClientSecret,
  StripeElementsUpdateOptions,
  StripeError,
  StripeExpressCheckoutElementOptions,
} from '@stripe/stripe-js';
import { type ExpressDue, ExpressElement } from './express-element.ts';
import type { FieldHello, FieldKind, FieldState, FromField, ToField } from './messages.ts';

const script = document.currentScript as HTMLScriptElement;
const { origin } = new URL(script.src);
const framePath = '/stand-in/field.html';
/** How long after the start of loading a frame must have sent its first message. */
const readyWithinMs = 5_000;

type Change =
  | StripeCardNumberElementChangeEvent
  | StripeCardExpiryElementChangeEvent
  | StripeCardCvcElementChangeEvent;
type FieldEvent = { elementType: FieldKind } | (Change & { elementType: FieldKind });
type EventName = 'ready' | 'change' | 'focus' | 'blur' | 'escape' | 'loaderror';
type Listener = (event: never) => unknown;
type Options = Pick<StripeCardNumberElementOptions, 'style' | 'placeholder' | 'disabled'>;

/** The real library's messages for developers; buyers do not see them. */
const sentences: Readonly<Record<string, string>> = {
  incomplete_number: 'Your card number is incomplete.',
  invalid_number: 'Your card number is invalid.',
  incomplete_expiry: "Your card's expiration date is incomplete.",
  invalid_expiry_month_past: "Your card's expiration date is in the past.",
  invalid_expiry_year_past: "Your card's expiration year is in the past.",
  invalid_expiry_year: "Your card's expiration year is invalid.",
  incomplete_cvc: "Your card's security code is incomplete.",
};

class IntegrationError extends Error {
  override readonly name = 'IntegrationError';
}

const titles: Readonly<Record<FieldKind, string>> = {
  cardNumber: 'Secure card number input frame',
  cardExpiry: 'Secure expiration date input frame',
  cardCvc: 'Secure CVC input frame',
};

/** The fields of one card, made by one call of `elements()`. */
class Group {
  readonly id = `${Date.now().toString(36)}-${Math.floor(performance.now() * 1000)}`;
  readonly publishableKey: string;
  readonly fields = new Map<FieldKind, CardField>();
  readonly due: ExpressDue;
  express: ExpressElement | undefined;
  locale: StripeElementLocale | undefined;

  constructor(
    publishableKey: string,
    { locale, ...due }: ExpressDue & { locale?: StripeElementLocale | undefined },
  ) {
    this.publishableKey = publishableKey;
    this.due = due;
    this.locale = locale;
  }

  create(
    kind: FieldKind | 'expressCheckout',
    options: Options & StripeExpressCheckoutElementOptions = {},
  ): CardField | ExpressElement {
    if (kind === 'expressCheckout') {
      if (!this.due.mode) throw new IntegrationError('elements() needs a mode for this element.');
      this.express = new ExpressElement(
        { origin, publishableKey: this.publishableKey },
        this.due,
        options,
      );
      return this.express;
    }
    if (!Object.hasOwn(titles, kind)) {
      throw new IntegrationError(`The stand-in has no element of type ${kind}.`);
    }
    if (this.fields.has(kind)) {
      throw new IntegrationError(`Can only create one Element of type ${kind}.`);
    }
    const field = new CardField(this, kind, options);
    this.fields.set(kind, field);
    return field;
  }

  async update({ locale, amount, currency }: StripeElementsUpdateOptions): Promise<void> {
    this.locale = locale ?? this.locale;
    Object.assign(this.due, amount && { amount }, currency && { currency });
    this.express?.tell();
    for (const field of this.fields.values()) field.update({});
  }

  async submit(): Promise<{ error?: StripeError }> {
    return {};
  }
}

class CardField implements StripeElementBase {
  readonly kind: FieldKind;
  readonly group: Group;
  #options: Options;
  #container: HTMLElement | undefined;
  #port: MessagePort | undefined;
  #isReady = false;
  #readyTimer: ReturnType<typeof setTimeout> | undefined;
  #queue: ToField[] = [];
  #asked = 0;
  state: FieldState = { empty: true, complete: false, error: undefined, brand: 'unknown' };
  readonly #listeners = new Map<EventName, Set<Listener>>();
  readonly #creating = new Map<number, (result: PaymentMethodResult) => void>();
  readonly #focusByLabel = (event: Event) => {
    event.preventDefault();
    this.focus();
  };

  constructor(group: Group, kind: FieldKind, options: Options) {
    this.group = group;
    this.kind = kind;
    this.#options = options;
  }

  mount(domElement: string | HTMLElement): void {
    const container =
      typeof domElement === 'string' ? document.querySelector<HTMLElement>(domElement) : domElement;
    if (!container) {
      throw new IntegrationError(
        `The selector you specified (${domElement}) applies to no element.`,
      );
    }
    this.unmount();
    this.#container = container;
    const frame = document.createElement('iframe');
    frame.title = titles[this.kind];
    frame.allow = 'payment *; publickey-credentials-get *';
    Object.assign(frame.style, {
      display: 'block',
      width: '100%',
      height: '1.2em',
      border: '0',
      colorScheme: 'light only',
    });
    frame.addEventListener('load', () => this.#shakeHands(frame));
    frame.src = origin + framePath;
    container.classList.add('StripeElement');
    container.replaceChildren(frame);
    this.#showClasses(false);
    for (const label of this.#labels()) label.addEventListener('click', this.#focusByLabel);
  }

  on(name: EventName, listener: Listener): this {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return this;
  }

  off(name: EventName, listener?: Listener): this {
    if (listener) this.#listeners.get(name)?.delete(listener);
    else this.#listeners.delete(name);
    return this;
  }

  update(options: Partial<Options>): void {
    this.#options = { ...this.#options, ...options };
    this.#post({ type: 'update', options: this.#told() });
  }

  focus(): void {
    this.#container?.querySelector('iframe')?.focus();
    this.#post({ type: 'focus' });
  }

  blur(): void {
    this.#post({ type: 'blur' });
  }

  clear(): void {
    this.#post({ type: 'clear' });
  }

  unmount(): void {
    clearTimeout(this.#readyTimer);
    for (const label of this.#labels()) label.removeEventListener('click', this.#focusByLabel);
    this.#container?.replaceChildren();
    this.#container?.classList.remove('StripeElement');
    this.#container = undefined;
    this.#port?.close();
    this.#port = undefined;
    this.#isReady = false;
    this.#queue = [];
  }

  destroy(): void {
    this.unmount();
    this.#listeners.clear();
    this.group.fields.delete(this.kind);
  }

  /** Only for the number's field: returns what the API returned to its frame. */
  createPaymentMethod(details: CreatePaymentMethodCardData): Promise<PaymentMethodResult> {
    if (!this.#isReady) {
      throw new IntegrationError(
        'We could not retrieve data from the specified Element. ' +
          'Please make sure the Element you are attempting to use is still mounted.',
      );
    }
    for (const kind of ['cardNumber', 'cardExpiry', 'cardCvc'] as const) {
      const code = this.group.fields.get(kind)?.wrong();
      if (code) return Promise.resolve({ error: validationError(code) });
    }
    const { name, address } = details.billing_details ?? {};
    const id = ++this.#asked;
    const billing = {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof address === 'object' && address?.postal_code
        ? { postalCode: address.postal_code }
        : {}),
    };
    return new Promise((resolve) => {
      this.#creating.set(id, resolve);
      this.#post({ type: 'create', id, billing });
    });
  }

  /** Returns the real library's code for why the field cannot be sent; undefined when it can. */
  wrong(): string | undefined {
    const { complete, error } = this.state;
    if (complete) return undefined;
    const { kind } = this;
    const short = kind === 'cardNumber' ? 'number' : kind === 'cardExpiry' ? 'expiry' : 'cvc';
    return error ?? `incomplete_${short}`;
  }

  #told() {
    const { locale } = this.group;
    const { style, placeholder, disabled } = this.#options;
    return {
      ...(style ? { style } : {}),
      ...(placeholder === undefined ? {} : { placeholder }),
      ...(disabled === undefined ? {} : { disabled }),
      ...(locale ? { locale } : {}),
    };
  }

  #labels(): Iterable<HTMLLabelElement> {
    const id = this.#container?.id;
    return id ? document.querySelectorAll<HTMLLabelElement>(`label[for="${CSS.escape(id)}"]`) : [];
  }

  #shakeHands(frame: HTMLIFrameElement): void {
    const { port1, port2 } = new MessageChannel();
    this.#port?.close();
    this.#port = port1;
    port1.onmessage = (event: MessageEvent<FromField>) => this.#receive(event.data);
    const { kind, group } = this;
    const hello: FieldHello = {
      standIn: 'field',
      kind,
      group: group.id,
      publishableKey: group.publishableKey,
      options: this.#told(),
    };
    frame.contentWindow?.postMessage(hello, origin, [port2]);
    const error: StripeError = {
      type: 'api_connection_error',
      message: 'The frame of the field could not be loaded.',
    };
    // The real library reports it only for this field.
    if (kind !== 'cardNumber') return;
    this.#readyTimer = setTimeout(() => this.#emit('loaderror', { error }), readyWithinMs);
  }

  /** Messages wait until the frame is ready. */
  #post(message: ToField): void {
    if (this.#isReady) this.#port?.postMessage(message);
    else this.#queue.push(message);
  }

  #receive(message: FromField): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#readyTimer);
        this.#isReady = true;
        for (const queued of this.#queue.splice(0)) this.#post(queued);
        this.#emit('ready');
        break;
      case 'change':
        this.#changed(message.state);
        break;
      case 'created':
        this.#creating.get(message.id)?.(message.result);
        this.#creating.delete(message.id);
        break;
      case 'enter':
        this.#container?.closest('form')?.requestSubmit();
        break;
      default:
        if (message.type !== 'escape') this.#showClasses(message.type === 'focus');
        this.#emit(message.type);
    }
  }

  #changed(state: FieldState): void {
    const isOtherBrand = state.brand !== this.state.brand;
    this.state = state;
    if (this.kind === 'cardNumber' && isOtherBrand) {
      this.group.fields.get('cardCvc')?.tellBrand(state.brand);
    }
    this.#showClasses(this.#container?.classList.contains('StripeElement--focus') ?? false);
    const { empty, complete, error } = state;
    const common = { empty, complete, error: error ? validationError(error) : undefined };
    const brand = state.brand as StripeCardNumberElementChangeEvent['brand'];
    this.#emit('change', this.kind === 'cardNumber' ? { ...common, brand } : common);
  }

  tellBrand(brand: string): void {
    this.#post({ type: 'brand', brand });
  }

  #showClasses(isFocused: boolean): void {
    const { empty, complete, error } = this.state;
    const classes = { empty, complete, focus: isFocused, invalid: error !== undefined };
    for (const [name, isOn] of Object.entries(classes)) {
      this.#container?.classList.toggle(`StripeElement--${name}`, isOn);
    }
  }

  #emit(name: EventName, more: object = {}): void {
    const event = { elementType: this.kind, ...more } as FieldEvent;
    for (const listener of this.#listeners.get(name) ?? []) listener(event as never);
  }
}

const validationError = (code: string) => ({
  type: 'validation_error' as const,
  code,
  message: sentences[code] ?? code,
});

function Stripe(publishableKey: string, _options?: StripeConstructorOptions) {
  if (!/^pk_\w+$/.test(publishableKey ?? '')) {
    throw new IntegrationError(
      'Please call Stripe() with your publishable key. You used an empty string, or a secret key.',
    );
  }
  return {
    elements(options: Pick<StripeElementsOptionsClientSecret, 'locale'> & ExpressDue = {}) {
      return new Group(publishableKey, options);
    },
    async createPaymentMethod(
      details: Omit<CreatePaymentMethodCardData, 'card'> & { card: unknown; elements?: unknown },
    ): Promise<PaymentMethodResult> {
      const { card, elements } = details;
      if (elements instanceof Group && elements.express) return elements.express.createMethod();
      if (details.type !== 'card' || !(card instanceof CardField) || card.kind !== 'cardNumber') {
        throw new IntegrationError('The stand-in takes { type: "card", card: cardNumberElement }.');
      }
      return card.createPaymentMethod(details as CreatePaymentMethodCardData);
    },
  };
}

Object.assign(Stripe, { version: 'stand-in' });
Reflect.set(globalThis, 'Stripe', Stripe);
