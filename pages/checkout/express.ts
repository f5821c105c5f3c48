// The express buttons: Apple Pay, Google Pay and Link, in a second frame of the card form. They are a script of
// their own, which is loaded once the card form has reported that there are such buttons. docs/decisions/card-form.md.

import { type CardFrame, mountCardFrame } from '@svc/browser/card-frame';
import type { Appearance, ExpressMethod, FromExpress } from '@svc/contract/vault/form-messages';
import type { Checkout } from './state/checkout.ts';
import { takeExpressResult } from './state/express-payment.ts';
import { isSetup, isShell, mayPay } from './state/view.ts';
import type { Language } from './texts/index.ts';

/** Product names, which are the same in every language. */
const names: Readonly<Record<ExpressMethod, string>> = {
  apple_pay: 'Apple Pay',
  google_pay: 'Google Pay',
  link: 'Link',
};
const titleOf = (methods: readonly string[]): string =>
  methods.map((method) => names[method as ExpressMethod]).join(', ');

/**
 * Chromium sends no clicks to a frame that was hidden and did not repaint since. Enabling the buttons this much
 * later makes the frame repaint.
 */
const shownAgainMs = 200;

const darkness = matchMedia('(prefers-color-scheme: dark)');

type Shown = {
  readonly checkout: Checkout;
  readonly language: Language;
  readonly appearance: () => Appearance;
};

/** Shows the buttons at their place in the panel that contains `host`, the card form. */
export function showExpress(host: Element, shown: Shown): void {
  const place = host.closest('section')?.querySelector('.express');
  if (place) new Express(host, place, shown);
}

class Express {
  readonly #host: Element;
  readonly #place: Element;
  readonly #shown: Shown;
  readonly #unwatch: (() => void)[] = [];
  #frame: CardFrame | null = null;
  #mountToken = '';
  #isOffered = true;
  #isKnown = false;

  constructor(host: Element, place: Element, shown: Shown) {
    this.#host = host;
    this.#place = place;
    this.#shown = shown;
    const { session, view, coupons } = shown.checkout;
    const update = () => this.#update();
    for (const each of [session, view, coupons.isBusy]) this.#unwatch.push(each.subscribe(update));
    const repaint = () => this.#frame?.update({ appearance: shown.appearance() });
    darkness.addEventListener('change', repaint);
    this.#unwatch.push(() => darkness.removeEventListener('change', repaint));
  }

  /**
   * Returns the mount token while an amount is due or a card is to be saved. A shell has no amount before its
   * claim.
   */
  #mountTokenNow(): string | undefined {
    const session = this.#shown.checkout.session.value;
    const isDue = isSetup(session) || (session?.totals?.total && !isShell(session));
    return isDue ? session?.vault?.mountToken : undefined;
  }

  #update(): void {
    if (!this.#host.isConnected) {
      this.#stop();
      return;
    }
    const { view, coupons } = this.#shown.checkout;
    const mountToken = this.#mountTokenNow();
    this.#place.toggleAttribute('data-shown', mountToken !== undefined && this.#isKnown);
    if (!mountToken || !this.#isOffered) return;
    if (!this.#frame) this.#mount();
    // Before the buttons are enabled, so that the wallet's sheet names the amount that the page shows.
    else if (mountToken !== this.#mountToken) this.#frame.setMountToken(mountToken);
    this.#mountToken = mountToken;
    const isBlocked = () => !mayPay(view.value) || coupons.isBusy.value;
    if (isBlocked()) this.#frame?.disable(true);
    else setTimeout(() => this.#frame?.disable(isBlocked()), shownAgainMs);
  }

  #mount(): void {
    const { checkout, language, appearance } = this.#shown;
    const vault = checkout.session.value?.vault;
    if (!vault) return;
    this.#frame = mountCardFrame(this.#place, {
      ...vault,
      express: true,
      title: titleOf(Object.keys(names)),
      options: { appearance: appearance(), locale: language.code },
      onExpress: (message) => this.#onMessage(message),
      // Not an error for the buyer, who can pay with the card form.
      onLoadError: () => this.#offer([]),
    });
  }

  #onMessage(message: FromExpress): void {
    if (message.type === 'express') this.#offer(message.methods);
    else {
      const setMountToken = (mountToken: string) => this.#frame?.setMountToken(mountToken);
      void takeExpressResult(this.#shown.checkout, message, setMountToken);
    }
  }

  #offer(methods: readonly ExpressMethod[]): void {
    this.#isOffered = methods.length > 0;
    if (!this.#isOffered) this.#unmount();
    else {
      this.#isKnown = true;
      if (this.#frame) this.#frame.element.title = titleOf(methods);
    }
    this.#update();
  }

  #unmount(): void {
    this.#frame?.destroy();
    this.#frame = null;
    this.#place.removeAttribute('data-shown');
  }

  #stop(): void {
    for (const end of this.#unwatch) end();
    this.#unmount();
  }
}
