// The provider's express buttons, in place of the fields: Apple Pay, Google Pay and Link, as far as the
// browser offers them. The buyer's approval becomes a payment method at the provider, and this a card token.
import type {
  Stripe,
  StripeElementLocale,
  StripeElements,
  StripeElementsOptionsMode,
  StripeExpressCheckoutElement,
  StripeExpressCheckoutElementConfirmEvent,
} from '@stripe/stripe-js';
import type {
  ExpressMethod,
  FormOptions,
  LoadErrorReason,
} from '@svc/contract/vault/form-messages';
import type { Send } from './channel.ts';
import { readClaims } from './claims.ts';
import { type EnteredCard, Face } from './face.ts';
import { codeOfRefusal } from './provider-codes.ts';
import { sendMethod, type TokenAnswer } from './token-call.ts';
import * as view from './view.ts';

const methods = { applePay: 'apple_pay', googlePay: 'google_pay', link: 'link' } as const;

/** Returns the mode `setup` for a mount token without an amount: the card is saved, and nothing is due. */
function amountDueOf(mountToken: string): StripeElementsOptionsMode {
  const { amount, currency } = readClaims(mountToken);
  return amount !== undefined && currency !== undefined
    ? { mode: 'payment', amount, currency: currency.toLowerCase() }
    : { mode: 'setup' };
}

const isSameDue = (one: string, other: string): boolean => {
  const [some, others] = [readClaims(one), readClaims(other)];
  return some.amount === others.amount && some.currency === others.currency;
};

/** Black buttons cannot be seen on a dark page. */
const buttonColour = (): 'white' | 'black' =>
  document.documentElement.dataset.theme === 'dark' ? 'white' : 'black';

const totalChanged = 'checkout_session_total_changed';

export class ExpressForm extends Face {
  readonly #stripe: Stripe;
  readonly #group: StripeElements;
  #element: StripeExpressCheckoutElement;
  #colour = buttonColour();
  /** Listens to the buttons and shows them; absent before they are mounted. */
  #show: (() => void) | undefined;
  /** A wallet's sheet is open, or what the buyer approved in it is on its way. */
  #isOpen = false;
  readonly #place: HTMLElement;
  #mountToken: string;
  /** The mount token at the last press: the wallet's sheet names its amount. */
  #pressed: string;
  #isDisabled = false;

  constructor(
    options: FormOptions,
    send: Send,
    { stripe, mountToken }: { readonly stripe: Stripe; readonly mountToken: string },
  ) {
    super(options, send);
    this.#stripe = stripe;
    this.#mountToken = mountToken;
    this.#pressed = mountToken;
    this.#group = stripe.elements({
      ...amountDueOf(mountToken),
      // With this restriction Link returns a card too, the only type that the service accepts.
      allowedPaymentMethodTypes: ['card'],
      paymentMethodCreation: 'manual',
      locale: this.settings.language.code as StripeElementLocale,
    });
    this.#element = this.#create();
    this.#place = view.expressPlace();
  }

  #create(): StripeExpressCheckoutElement {
    return this.#group.create('expressCheckout', {
      buttonHeight: 48,
      buttonTheme: { applePay: this.#colour, googlePay: this.#colour },
      paymentMethods: { amazonPay: 'never', klarna: 'never', paypal: 'never' },
    });
  }

  /** Resolves once the provider has reported which buttons the browser offers. */
  async mount(onTrouble: (reason: LoadErrorReason) => void): Promise<void> {
    const offered = new Promise<readonly ExpressMethod[]>((resolve) => {
      this.#show = () => {
        const element = this.#element;
        element.on('loaderror', () => onTrouble('provider_unreachable'));
        element.on('escape', () => this.send({ type: 'escape' }));
        element.on('click', (event) => {
          if (this.#isDisabled) return event.reject();
          this.#pressed = this.#mountToken;
          this.#isOpen = true;
          event.resolve();
        });
        element.on('cancel', () => this.#closed());
        element.on('confirm', (event) => void this.#approved(event).finally(() => this.#closed()));
        element.on('ready', ({ availablePaymentMethods: found }) => {
          const names = ['applePay', 'googlePay', 'link'] as const;
          resolve(names.filter((name) => found?.[name]).map((name) => methods[name]));
        });
        element.mount(this.#place);
      };
    });
    this.#show?.();
    this.send({ type: 'express', methods: await offered });
  }

  protected override applyTheme(): void {
    super.applyTheme();
    // The constructor of `Face` calls this before the buttons exist.
    if (#place in this) this.#repaint();
  }

  /** The provider changes the colours of no button that is there: others take their place. */
  #repaint(): void {
    const colour = buttonColour();
    if (this.#isOpen || colour === this.#colour) return;
    this.#colour = colour;
    this.#element.destroy();
    this.#element = this.#create();
    this.#show?.();
  }

  #closed(): void {
    this.#isOpen = false;
    this.#repaint();
  }

  override renew(mountToken: string): void {
    if (mountToken === this.#mountToken) return;
    this.#mountToken = mountToken;
    const due = amountDueOf(mountToken);
    if (due.mode === 'payment') {
      void this.#group.update({ amount: due.amount, currency: due.currency });
    }
  }

  focus(): void {
    this.#element.focus();
  }

  disable(isDisabled: boolean): void {
    // The click handler also refuses the wallet's sheet, because the keyboard reaches a button that looks disabled.
    this.#isDisabled = isDisabled;
    this.#place.toggleAttribute('data-disabled', isDisabled);
  }

  clear(): void {}

  /** A page cannot ask for a token here: the buttons send one when the buyer has approved. */
  read(): EnteredCard {
    return { key: '', code: 'number_incomplete' };
  }

  protected check(): undefined {
    return undefined;
  }

  protected isEmpty(): boolean {
    return true;
  }

  async #approved(event: StripeExpressCheckoutElementConfirmEvent): Promise<void> {
    const answer = await this.#trade();
    if ('token' in answer) return this.send({ type: 'expressToken', token: answer.token });
    const { code } = answer;
    event.paymentFailed({ reason: 'fail' });
    const said = code === totalChanged ? 'unavailable' : code;
    this.send({ type: 'expressError', code, message: this.sentence(said) });
  }

  async #trade(): Promise<TokenAnswer> {
    const failed = { code: 'unavailable', retryable: true };
    // When the wallet's sheet names an older amount, the buyer has not approved the amount that is due now.
    if (!isSameDue(this.#pressed, this.#mountToken)) return { code: totalChanged, retryable: true };
    try {
      const checked = await this.#group.submit();
      if (checked.error) return failed;
      const { paymentMethod, error } = await this.#stripe.createPaymentMethod({
        elements: this.#group,
      });
      if (error) return codeOfRefusal(error);
      const { id, card } = paymentMethod;
      return await sendMethod(this.#mountToken, {
        paymentMethodId: id,
        brand: card?.brand ?? 'unknown',
        lastFour: card?.last4 ?? '',
      });
    } catch {
      return failed;
    }
  }
}
