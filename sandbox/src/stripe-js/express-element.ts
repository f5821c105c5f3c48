// The express checkout element of the stand-in: buttons in a frame of the sandbox's origin, and in it what a
// wallet would show. Served as one script with stand-in.ts.
import type {
  PaymentMethodResult,
  StripeElementsOptionsMode,
  StripeExpressCheckoutElementConfirmEvent,
  StripeExpressCheckoutElementOptions,
  StripeExpressCheckoutElementReadyEvent,
} from '@stripe/stripe-js';
import type { ExpressHello, FromExpressFrame, StandInWallet, ToExpressFrame } from './messages.ts';

export type ExpressDue = {
  mode?: StripeElementsOptionsMode['mode'] | undefined;
  amount?: number | undefined;
  currency?: string | undefined;
};

type EventName =
  | 'ready'
  | 'click'
  | 'confirm'
  | 'cancel'
  | 'focus'
  | 'blur'
  | 'escape'
  | 'loaderror';
type Listener = (event: never) => unknown;

export class ExpressElement {
  readonly #origin: string;
  readonly #publishableKey: string;
  readonly #due: ExpressDue;
  readonly #theme: ExpressHello['theme'];
  readonly #listeners = new Map<EventName, Set<Listener>>();
  readonly #frame = document.createElement('iframe');
  #port: MessagePort | undefined;
  #created: ((result: PaymentMethodResult) => void) | undefined;

  constructor(
    { origin, publishableKey }: { origin: string; publishableKey: string },
    due: ExpressDue,
    options: StripeExpressCheckoutElementOptions,
  ) {
    this.#origin = origin;
    this.#publishableKey = publishableKey;
    this.#due = due;
    this.#theme = options.buttonTheme?.googlePay ?? 'black';
  }

  mount(domElement: HTMLElement): void {
    const frame = this.#frame;
    frame.title = 'Secure express checkout frame';
    frame.allow = 'payment *';
    const style = { display: 'block', width: '100%', height: '48px', border: '0' };
    Object.assign(frame.style, { ...style, colorScheme: 'light only' });
    frame.addEventListener('load', () => this.#shakeHands());
    frame.src = `${this.#origin}/stand-in/express.html`;
    domElement.replaceChildren(frame);
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

  update(): this {
    return this;
  }

  focus(): void {
    this.#frame.focus();
  }

  unmount(): void {
    this.#frame.remove();
    this.#port?.close();
  }

  destroy(): void {
    this.unmount();
    this.#listeners.clear();
  }

  /** Sends the amount that is due now to the frame. */
  tell(): void {
    const { amount, currency } = this.#due;
    this.#post({ type: 'due', amount, currency });
  }

  /** Creates the payment method that the buyer approved, and returns the API's response. */
  createMethod(): Promise<PaymentMethodResult> {
    return new Promise((resolve) => {
      this.#created = resolve;
      this.#post({ type: 'create' });
    });
  }

  #post(message: ToExpressFrame): void {
    this.#port?.postMessage(message);
  }

  #shakeHands(): void {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event: MessageEvent<FromExpressFrame>) => this.#receive(event.data);
    const [publishableKey, theme] = [this.#publishableKey, this.#theme];
    const hello: ExpressHello = { standIn: 'express', publishableKey, theme };
    this.#frame.contentWindow?.postMessage(hello, this.#origin, [port2]);
    this.tell();
  }

  #receive(message: FromExpressFrame): void {
    switch (message.type) {
      case 'ready': {
        const offersWalletNamed = (name: StandInWallet) => message.methods.includes(name);
        const event: Omit<StripeExpressCheckoutElementReadyEvent, 'elementType'> = {
          availablePaymentMethods: {
            amazonPay: false,
            applePay: offersWalletNamed('apple_pay'),
            googlePay: offersWalletNamed('google_pay'),
            klarna: false,
            link: offersWalletNamed('link'),
            paypal: false,
          },
        };
        this.#emit('ready', event);
        break;
      }
      case 'click':
        this.#emit('click', {
          expressPaymentType: message.method,
          resolve: () => this.#post({ type: 'open', method: message.method }),
          reject: () => undefined,
        });
        break;
      case 'height':
        this.#frame.style.height = `${message.px}px`;
        break;
      case 'confirm': {
        const event: Omit<StripeExpressCheckoutElementConfirmEvent, 'elementType'> = {
          expressPaymentType: message.method,
          paymentFailed: () => this.#post({ type: 'failed' }),
        };
        this.#emit('confirm', event);
        break;
      }
      case 'created':
        this.#created?.(message.result);
        break;
      default:
        this.#emit(message.type);
    }
  }

  #emit(name: EventName, more: object = {}): void {
    const event = { elementType: 'expressCheckout', ...more };
    for (const listener of this.#listeners.get(name) ?? []) listener(event as never);
  }
}
