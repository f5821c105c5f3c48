// One hosted card field of the replacement library, in a frame of the sandbox's origin. What is typed stays
// in this frame and its siblings: the page around them receives only states and the API's response.
import type { PaymentMethod, PaymentMethodResult, StripeElementStyle } from '@stripe/stripe-js';
import { findPrefix, isLuhnValid } from '../cards/card-digits.ts';
import type {
  BillingDetails,
  FieldHello,
  FieldKind,
  FieldOptions,
  FieldState,
  FromField,
  ToField,
} from './messages.ts';

const input = document.querySelector('input') as HTMLInputElement;
const digitsOf = (text: string) => text.replace(/\D/g, '');

/** What a sibling frame of the same card can read. */
type Sibling = { readonly group: string; readonly kind: FieldKind; readonly value: () => string };

const names: Readonly<Record<FieldKind, string>> = {
  cardNumber: 'Credit or debit card number',
  cardExpiry: 'Credit or debit card expiration date',
  cardCvc: 'Credit or debit card CVC/CVV',
};
const autocompletes = { cardNumber: 'cc-number', cardExpiry: 'cc-exp', cardCvc: 'cc-csc' } as const;
const placeholders = {
  cardNumber: '1234 1234 1234 1234',
  cardExpiry: 'MM / YY',
  cardCvc: 'CVC',
} as const;

const groupsOf = (brand: string | undefined) =>
  brand === 'amex' ? [4, 6, 5] : brand === 'diners' ? [4, 6, 9] : [4, 4, 4, 4, 3];

function formatNumber(text: string): string {
  const prefix = findPrefix(digitsOf(text));
  let rest = digitsOf(text).slice(0, Math.max(...(prefix?.lengths ?? [16])));
  const parts: string[] = [];
  for (const width of groupsOf(prefix?.brand)) {
    if (rest === '') break;
    parts.push(rest.slice(0, width));
    rest = rest.slice(width);
  }
  return parts.join(' ');
}

function formatExpiry(text: string, isDeletion: boolean): string {
  let digits = digitsOf(text);
  if (/^[2-9]/.test(digits)) digits = `0${digits}`;
  digits = digits.slice(0, 4);
  if (digits.length < 2 || (digits.length === 2 && isDeletion)) return digits;
  return `${digits.slice(0, 2)} / ${digits.slice(2)}`;
}

function checkNumber(digits: string): { complete: boolean; error: string | undefined } {
  const prefix = findPrefix(digits);
  const isFull = (prefix?.lengths ?? [16]).includes(digits.length) && digits.length >= 14;
  if (!isFull) return { complete: false, error: undefined };
  const isRight = prefix !== undefined && isLuhnValid(digits);
  return { complete: isRight, error: isRight ? undefined : 'invalid_number' };
}

function checkExpiry(text: string): { complete: boolean; error: string | undefined } {
  const digits = digitsOf(text);
  if (digits.length < 4) return { complete: false, error: undefined };
  const [month, year] = [Number(digits.slice(0, 2)), 2000 + Number(digits.slice(2))];
  const now = new Date();
  const thisYear = now.getFullYear();
  const error =
    month < 1 || month > 12
      ? 'incomplete_expiry'
      : year < thisYear
        ? 'invalid_expiry_year_past'
        : year === thisYear && month < now.getMonth() + 1
          ? 'invalid_expiry_month_past'
          : year > thisYear + 50
            ? 'invalid_expiry_year'
            : undefined;
  return { complete: error === undefined, error };
}

function checkCvc(digits: string, brand: string): { complete: boolean; error: string | undefined } {
  const complete = brand === 'amex' ? digits.length === 4 : digits.length === 3;
  return { complete, error: undefined };
}

class Field {
  readonly #hello: FieldHello;
  readonly #port: MessagePort;
  #style: StripeElementStyle;
  #brand = 'unknown';
  #hasLeft = false;
  #last = '';

  constructor(hello: FieldHello, port: MessagePort) {
    this.#hello = hello;
    this.#port = port;
    this.#style = {};
    const { kind, group } = hello;
    const sibling: Sibling = { group, kind, value: () => input.value };
    Reflect.set(window, 'cardField', sibling);
    input.setAttribute('aria-label', names[kind]);
    input.autocomplete = autocompletes[kind];
    input.name = { cardNumber: 'cardnumber', cardExpiry: 'exp-date', cardCvc: 'cvc' }[kind];
    this.#follow({ placeholder: placeholders[kind], ...hello.options });
    this.#watch();
    port.onmessage = (event: MessageEvent<ToField>) => this.#receive(event.data);
    this.#send({ type: 'ready' });
  }

  #send(message: FromField): void {
    this.#port.postMessage(message);
  }

  #follow({ style, placeholder, disabled, locale }: FieldOptions): void {
    if (placeholder !== undefined) input.placeholder = placeholder;
    if (disabled !== undefined) input.disabled = disabled;
    if (locale) {
      document.documentElement.lang = locale;
      document.documentElement.dir = /^(ar|he|fa)/.test(locale) ? 'rtl' : 'ltr';
    }
    if (style) this.#style = style;
    this.#paint(false);
  }

  #paint(isInvalid: boolean): void {
    const { base = {}, invalid = {} } = this.#style;
    const { color, fontFamily, fontSize, fontVariant, fontWeight, letterSpacing } = base;
    const faint = base['::placeholder']?.color;
    const look = { fontFamily, fontSize, fontVariant, letterSpacing, fontWeight };
    for (const [name, value] of Object.entries(look)) {
      if (value !== undefined) Reflect.set(input.style, name, String(value));
    }
    input.style.color = (isInvalid ? invalid.color : undefined) ?? color ?? '';
    if (faint) document.documentElement.style.setProperty('--faint', faint);
    input.setAttribute('aria-invalid', String(isInvalid));
  }

  #watch(): void {
    input.addEventListener('input', (event) => {
      const isDeletion = event instanceof InputEvent && event.inputType.startsWith('delete');
      this.#format(isDeletion);
      this.#hasLeft = false;
      this.#tell();
    });
    input.addEventListener('focus', () => this.#send({ type: 'focus' }));
    input.addEventListener('blur', () => {
      this.#hasLeft = input.value !== '';
      this.#tell();
      this.#send({ type: 'blur' });
    });
    input.addEventListener('keydown', ({ key, repeat }) => {
      if (key === 'Escape') this.#send({ type: 'escape' });
      if (key === 'Enter' && !repeat) this.#send({ type: 'enter' });
    });
  }

  #format(isDeletion: boolean): void {
    const { kind } = this.#hello;
    const { value, selectionStart } = input;
    const atEnd = (selectionStart ?? value.length) >= value.length;
    const before = digitsOf(value.slice(0, selectionStart ?? value.length)).length;
    const text =
      kind === 'cardNumber'
        ? formatNumber(value)
        : kind === 'cardExpiry'
          ? formatExpiry(value, isDeletion)
          : digitsOf(value).slice(0, this.#brand === 'amex' ? 4 : 3);
    if (text === value) return;
    input.value = text;
    if (atEnd || document.activeElement !== input) return;
    let at = 0;
    for (let seen = 0; at < text.length && seen < before; at++)
      if (/\d/.test(text[at] ?? '')) seen++;
    input.setSelectionRange(at, at);
  }

  #state(): FieldState {
    const { kind } = this.#hello;
    const digits = digitsOf(input.value);
    const checked =
      kind === 'cardNumber'
        ? checkNumber(digits)
        : kind === 'cardExpiry'
          ? checkExpiry(input.value)
          : checkCvc(digits, this.#brand);
    const short = { cardNumber: 'number', cardExpiry: 'expiry', cardCvc: 'cvc' }[kind];
    const isLeftShort = this.#hasLeft && !checked.complete && !checked.error;
    const error = isLeftShort ? `incomplete_${short}` : checked.error;
    const brand = kind === 'cardNumber' ? (findPrefix(digits)?.brand ?? 'unknown') : this.#brand;
    return { empty: input.value === '', complete: checked.complete, error, brand };
  }

  #tell(): void {
    const state = this.#state();
    this.#paint(state.error !== undefined);
    const text = JSON.stringify(state);
    if (text !== this.#last) this.#send({ type: 'change', state });
    this.#last = text;
  }

  #receive(message: ToField): void {
    if (message.type === 'update') this.#follow(message.options);
    else if (message.type === 'focus') input.focus();
    else if (message.type === 'blur') input.blur();
    else if (message.type === 'create') void this.#create(message.id, message.billing);
    else if (message.type === 'brand') {
      this.#brand = message.brand;
      this.#format(false);
      this.#tell();
    } else {
      input.value = '';
      this.#hasLeft = false;
      this.#tell();
    }
  }

  async #create(id: number, billing: BillingDetails): Promise<void> {
    this.#send({ type: 'created', id, result: await this.#ask(billing) });
  }

  /** Reads the value of another frame of the same card. */
  #valueOf(kind: FieldKind): string {
    for (let at = 0; at < window.parent.length; at++) {
      try {
        const { cardField } = window.parent[at] as unknown as { cardField?: Sibling };
        if (cardField?.group === this.#hello.group && cardField.kind === kind) {
          return cardField.value();
        }
      } catch {
        // The frame has another origin and cannot be read.
      }
    }
    return '';
  }

  async #ask({ name, postalCode }: BillingDetails): Promise<PaymentMethodResult> {
    const expiry = digitsOf(this.#valueOf('cardExpiry'));
    const form = new URLSearchParams({
      key: this.#hello.publishableKey,
      payment_user_agent: 'stripe.js/stand-in',
      type: 'card',
      'card[number]': digitsOf(input.value),
      'card[exp_month]': String(Number(expiry.slice(0, 2))),
      'card[exp_year]': String(2000 + Number(expiry.slice(2))),
      'card[cvc]': digitsOf(this.#valueOf('cardCvc')),
      ...(name ? { 'billing_details[name]': name } : {}),
      ...(postalCode ? { 'billing_details[address][postal_code]': postalCode } : {}),
    });
    try {
      const answer = await fetch('/v1/payment_methods', {
        method: 'POST',
        body: form,
      });
      const body = (await answer.json()) as PaymentMethodResult | PaymentMethod;
      if (answer.ok) return { paymentMethod: body as PaymentMethod };
      return { error: (body as Extract<PaymentMethodResult, { error: object }>).error };
    } catch {
      const message = 'We are experiencing issues connecting to our payments provider.';
      return { error: { type: 'api_connection_error', message } };
    }
  }
}

window.addEventListener('message', function accept(event: MessageEvent<FieldHello>) {
  const [port] = event.ports;
  if (event.source !== window.parent || event.data?.standIn !== 'field' || !port) return;
  window.removeEventListener('message', accept);
  new Field(event.data, port);
});
