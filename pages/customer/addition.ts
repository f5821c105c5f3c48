// A new card: a setup session of its own, shown with the form of the checkout page.

import { SessionAPI } from '@svc/browser/session-api';
import type { CreatedCheckoutSession } from '@svc/contract/checkout-sessions';
import type { PaymentMethod } from '@svc/contract/payment-methods';
import { Checkout } from '../checkout/checkout.ts';
import { keep } from '../checkout/keeper.ts';

export class Addition {
  readonly checkout: Checkout;
  /** The card that makes way for the new one. */
  readonly replaced: PaymentMethod | null;
  readonly #session: CreatedCheckoutSession;
  readonly #baseUrl: string;

  constructor(baseUrl: string, session: CreatedCheckoutSession, replaced: PaymentMethod | null) {
    const { id: sessionId, nonce } = session;
    this.#baseUrl = baseUrl;
    this.#session = session;
    this.replaced = replaced;
    // A bank that takes the whole window sends its buyer back to the checkout page, in this tab.
    keep('nonce', sessionId, nonce);
    this.checkout = new Checkout(baseUrl, { sessionId, nonce, from: null });
    void this.checkout.load();
  }

  /** Ends the session, whose card nobody wants any more; left alone it would end by itself. */
  abandon(): void {
    const { id, nonce } = this.#session;
    const api = new SessionAPI(this.#baseUrl);
    api.rememberSession(id, nonce);
    void api.declineSession(id, { reason: 'buyer_canceled' }).catch(() => undefined);
  }
}
