// The card form with the provider's hosted fields: number, expiry and security code are typed into frames
// of the provider, which report only states. This document has the provider make a payment method of them
// and exchanges it for a token.

import type {
  Stripe,
  StripeCardCvcElement,
  StripeCardExpiryElement,
  StripeCardNumberElement,
  StripeElementLocale,
  StripeElements,
} from '@stripe/stripe-js';
import { brands } from '@svc/contract/vault/card-number';
import type {
  FormErrorCode,
  FormField,
  FormOptions,
  LoadErrorReason,
} from '@svc/contract/vault/form-messages';
import type { Send } from './channel.ts';
import { checkName, checkPostalCode } from './checks.ts';
import { type EnteredCard, Face } from './face.ts';
import { codeOfEvent, codeOfRefusal } from './provider-codes.ts';
import { elementStyle } from './provider-style.ts';
import { sendMethod, type TokenAnswer } from './token-call.ts';
import * as view from './view.ts';

type HostedField = 'number' | 'expiry' | 'cvc';
const hostedFields: readonly HostedField[] = ['number', 'expiry', 'cvc'];
const isHosted = (field: FormField): field is HostedField =>
  (hostedFields as readonly string[]).includes(field);

type Elements = {
  readonly number: StripeCardNumberElement;
  readonly expiry: StripeCardExpiryElement;
  readonly cvc: StripeCardCvcElement;
};

/** The last state of a field that the provider reported. */
type FieldState = {
  readonly isEmpty: boolean;
  readonly isComplete: boolean;
  /** The form's own code; undefined while the provider finds nothing wrong. */
  readonly code: FormErrorCode | undefined;
};

const untouched: FieldState = { isEmpty: true, isComplete: false, code: undefined };
const incomplete = {
  number: 'number_incomplete',
  expiry: 'expiry_incomplete',
  cvc: 'cvc_incomplete',
} as const;

type Change = {
  readonly empty: boolean;
  readonly complete: boolean;
  readonly error: { readonly code: string } | undefined;
};

export class ProviderForm extends Face {
  readonly #stripe: Stripe;
  readonly #group: StripeElements;
  readonly #elements: Elements;
  readonly #states = new Map<HostedField, FieldState>();
  /** Counts the edits. The count identifies a card, because this document never sees the card itself. */
  #edits = 0;

  constructor(options: FormOptions, send: Send, stripe: Stripe) {
    super(options, send);
    this.#stripe = stripe;
    this.#group = stripe.elements({ locale: this.#locale() });
    const fieldGiven = (field: HostedField) => this.#given(field);
    this.#elements = {
      number: this.#group.create('cardNumber', { ...fieldGiven('number'), disableLink: true }),
      expiry: this.#group.create('cardExpiry', fieldGiven('expiry')),
      cvc: this.#group.create('cardCvc', fieldGiven('cvc')),
    };
    this.#watch();
  }

  /** Mounts the fields in their places. Resolves when all three can be typed into. */
  async mount(onTrouble: (reason: LoadErrorReason) => void): Promise<void> {
    const { number, expiry, cvc } = this.#elements;
    const ready = [
      new Promise<void>((resolve) => number.on('ready', () => resolve())),
      new Promise<void>((resolve) => expiry.on('ready', () => resolve())),
      new Promise<void>((resolve) => cvc.on('ready', () => resolve())),
    ];
    // The provider reports load errors only of the number field. The other fields run into the time limit.
    number.on('loaderror', () => onTrouble('provider_unreachable'));
    for (const field of hostedFields) this.#elements[field].mount(view.placeOf(field));
    await Promise.all(ready);
  }

  override get hasExpress(): boolean {
    return true;
  }

  focus(field: FormField): void {
    if (isHosted(field)) this.#elements[field].focus();
    else view.inputOf(field).focus();
  }

  override update(options: FormOptions): void {
    super.update(options);
    void this.#group.update({ locale: this.#locale() });
  }

  disable(isDisabled: boolean): void {
    for (const field of view.allFields) {
      if (isHosted(field)) this.#elements[field].update({ disabled: isDisabled });
      else view.inputOf(field).disabled = isDisabled;
      view.placeOf(field).toggleAttribute('data-disabled', isDisabled);
    }
  }

  clear(): void {
    for (const field of view.allFields) {
      if (isHosted(field)) this.#elements[field].clear();
      else view.inputOf(field).value = '';
    }
    this.errors.clear();
    this.showErrors();
    this.tellChange();
  }

  read(): EnteredCard {
    const code = this.checkAll();
    const edits = this.#edits;
    const key = `${edits} ${code ?? ''}`;
    if (code) return { key, code };
    return {
      key,
      trade: (mountToken) => this.#trade(mountToken),
      holds: () => this.#edits === edits,
    };
  }

  protected check(field: FormField): FormErrorCode | undefined {
    if (!this.settings.fields.includes(field)) return undefined;
    if (field === 'name') return checkName(view.inputOf(field).value);
    if (field === 'postalCode') return checkPostalCode(view.inputOf(field).value);
    const { isComplete, code } = this.#stateOf(field);
    if (field === 'number' && this.#isForeignBrand(isComplete)) return 'brand_unsupported';
    return code ?? (isComplete ? undefined : incomplete[field]);
  }

  protected isEmpty(field: FormField): boolean {
    return isHosted(field) ? this.#stateOf(field).isEmpty : view.inputOf(field).value === '';
  }

  protected override applyTheme(): void {
    super.applyTheme();
    // The constructor of `Face` calls this before the fields exist.
    if (!(#elements in this)) return;
    for (const field of hostedFields) this.#elements[field].update(this.#given(field));
  }

  #stateOf(field: HostedField): FieldState {
    return this.#states.get(field) ?? untouched;
  }

  /** A recognised brand is checked at once, an unknown one only when the number is complete. */
  #isForeignBrand(isComplete: boolean): boolean {
    const accepted = this.settings.brands;
    if (!accepted) return false;
    return this.brand ? !accepted.includes(this.brand.brand) : isComplete;
  }

  #locale(): StripeElementLocale {
    return this.settings.language.code as StripeElementLocale;
  }

  #given(field: HostedField) {
    const { placeholder = '' } = view.placeOf(field).dataset;
    return { style: elementStyle(), placeholder };
  }

  #watch(): void {
    const { number, expiry, cvc } = this.#elements;
    number.on('change', (event) => {
      this.showBrand(brands.find(({ brand }) => brand === event.brand));
      this.#changed('number', event);
      this.#showPlaceholder('cvc');
    });
    expiry.on('change', (event) => this.#changed('expiry', event));
    cvc.on('change', (event) => this.#changed('cvc', event));
    number.on('focus', () => this.#enter('number'));
    expiry.on('focus', () => this.#enter('expiry'));
    cvc.on('focus', () => this.#enter('cvc'));
    number.on('blur', () => this.#leave('number'));
    expiry.on('blur', () => this.#leave('expiry'));
    cvc.on('blur', () => this.#leave('cvc'));
    number.on('escape', () => this.send({ type: 'escape' }));
    expiry.on('escape', () => this.send({ type: 'escape' }));
    cvc.on('escape', () => this.send({ type: 'escape' }));
    // Enter in a provider's frame submits the form around it.
    view.formElement().addEventListener('submit', () => this.send({ type: 'enter' }));
    for (const field of ['name', 'postalCode'] as const) this.#watchOwn(field);
  }

  #watchOwn(field: 'name' | 'postalCode'): void {
    const input = view.inputOf(field);
    input.addEventListener('input', () => {
      this.#edits += 1;
      this.forgive();
      this.tellChange();
    });
    input.addEventListener('focus', () => this.entered(field));
    input.addEventListener('blur', () => this.left(field));
  }

  #changed(field: HostedField, { empty, complete, error }: Change): void {
    this.#edits += 1;
    const code = error && codeOfEvent(field, error.code);
    this.#states.set(field, { isEmpty: empty, isComplete: complete, code });
    this.forgive();
    this.tellChange();
    if (this.settings.autoAdvance && complete && this.check(field) === undefined) {
      if (field === 'number') this.focus('expiry');
      if (field === 'expiry') this.focus('cvc');
    }
  }

  #showPlaceholder(field: HostedField): void {
    const { placeholder = '' } = view.placeOf(field).dataset;
    this.#elements[field].update({ placeholder });
  }

  #enter(field: HostedField): void {
    view.placeOf(field).toggleAttribute('data-focused', true);
    this.entered(field);
  }

  #leave(field: HostedField): void {
    view.placeOf(field).toggleAttribute('data-focused', false);
    this.left(field);
  }

  async #trade(mountToken: string): Promise<TokenAnswer> {
    const { fields } = this.settings;
    const textOf = (field: 'name' | 'postalCode') => view.inputOf(field).value.trim();
    try {
      const { paymentMethod, error } = await this.#stripe.createPaymentMethod({
        type: 'card',
        card: this.#elements.number,
        billing_details: {
          ...(fields.includes('name') ? { name: textOf('name') } : {}),
          ...(fields.includes('postalCode')
            ? { address: { postal_code: textOf('postalCode') } }
            : {}),
        },
      });
      if (error) return codeOfRefusal(error);
      const { id, card } = paymentMethod;
      return sendMethod(mountToken, {
        paymentMethodId: id,
        brand: card?.brand ?? 'unknown',
        lastFour: card?.last4 ?? '',
      });
    } catch {
      // The library throws when its frames were removed from the page.
      return { code: 'unavailable', retryable: true };
    }
  }
}
