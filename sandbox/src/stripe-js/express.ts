// The frame of the stand-in's express buttons. A press opens, in the same frame, a stand-in for the wallet's own
// sheet: the amount to be paid, a button that approves it, and a button that closes the sheet.
import type { PaymentMethod, PaymentMethodResult } from '@stripe/stripe-js';
import type { ExpressHello, FromExpressFrame, StandInWallet, ToExpressFrame } from './messages.ts';

const names: Readonly<Record<StandInWallet, string>> = {
  apple_pay: 'Apple Pay',
  google_pay: 'Google Pay',
  link: 'Link',
};

/** Only Safari offers Apple Pay. */
const offered = (Object.keys(names) as StandInWallet[]).filter(
  (method) => method !== 'apple_pay' || 'ApplePaySession' in window,
);

class Express {
  readonly #publishableKey: string;
  readonly #port: MessagePort;
  #amount: number | undefined;
  #currency: string | undefined;
  #method: StandInWallet | undefined;
  /** The checkbox in the sheet that selects a card which requires 3-D Secure. */
  readonly #asks = document.createElement('input');

  constructor({ publishableKey, theme }: ExpressHello, port: MessagePort) {
    document.body.className = theme;
    this.#publishableKey = publishableKey;
    this.#port = port;
    port.onmessage = (event: MessageEvent<ToExpressFrame>) => this.#receive(event.data);
    this.#showButtons();
    this.#send({ type: 'ready', methods: offered });
    new ResizeObserver(() => this.#tellHeight()).observe(document.body);
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#send({ type: 'escape' });
    });
  }

  #send(message: FromExpressFrame): void {
    this.#port.postMessage(message);
  }

  #tellHeight(): void {
    this.#send({ type: 'height', px: Math.ceil(document.body.getBoundingClientRect().height) });
  }

  #receive(message: ToExpressFrame): void {
    if (message.type === 'due') {
      this.#amount = message.amount;
      this.#currency = message.currency;
      if (this.#method) this.#showSheet(this.#method);
    } else if (message.type === 'open') this.#showSheet(message.method);
    else if (message.type === 'failed') this.#showButtons('The payment was not completed.');
    else void this.#create();
  }

  #showButtons(said = ''): void {
    this.#method = undefined;
    this.#asks.checked = false;
    const buttons = offered.map((method) => {
      const button = buttonOf(names[method], () => this.#send({ type: 'click', method }));
      button.className = method;
      return button;
    });
    document.body.replaceChildren(...buttons, lineOf(said));
  }

  #showSheet(method: StandInWallet): void {
    this.#method = method;
    const amount = this.#amount === undefined ? 'Keep a card' : `Pay ${this.#priceText()}`;
    const pay = buttonOf(`Approve with ${names[method]}`, () => {
      pay.disabled = true;
      this.#send({ type: 'confirm', method });
    });
    const leave = buttonOf('Cancel', () => {
      this.#showButtons();
      this.#send({ type: 'cancel' });
    });
    const label = document.createElement('label');
    this.#asks.type = 'checkbox';
    label.append(this.#asks, ' The bank asks (3-D Secure)');
    document.body.replaceChildren(lineOf(`${amount} with ${names[method]}`), label, pay, leave);
    pay.focus();
  }

  #priceText(): string {
    const currency = (this.#currency ?? '').toUpperCase();
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
    return format.format((this.#amount ?? 0) / 10 ** digits);
  }

  async #create(): Promise<void> {
    const result = await this.#ask();
    this.#send({ type: 'created', result });
    if (!result.error) this.#showButtons();
  }

  async #ask(): Promise<PaymentMethodResult> {
    const form = new URLSearchParams({
      key: this.#publishableKey,
      payment_user_agent: 'stripe.js/stand-in',
      type: 'card',
      'card[token]': `tok_express_${this.#method}${this.#asks.checked ? '_asks' : ''}`,
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

function buttonOf(text: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.addEventListener('click', onClick);
  return button;
}

function lineOf(text: string): HTMLParagraphElement {
  const line = document.createElement('p');
  line.setAttribute('role', 'status');
  line.textContent = text;
  line.hidden = text === '';
  return line;
}

window.addEventListener('message', function accept(event: MessageEvent<ExpressHello>) {
  const [port] = event.ports;
  if (event.source !== window.parent || event.data?.standIn !== 'express' || !port) return;
  window.removeEventListener('message', accept);
  new Express(event.data, port);
});
