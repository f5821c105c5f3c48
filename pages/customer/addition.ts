// A new card: a setup session of its own, shown with the form of the checkout page.

import { SessionAPI } from '@svc/browser/session-api';
import type { CreatedCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { Checkout } from '../checkout/state/checkout.ts';
import { keepValue } from '../checkout/state/keeper.ts';

export class Addition {
  readonly checkout: Checkout;
  /** The card that the new one replaces. */
  readonly replaced: PaymentMethod | null;
  readonly #api: SessionAPI;
  readonly #id: string;

  constructor(baseUrl: string, session: CreatedCheckoutSession, replaced: PaymentMethod | null) {
    const { id: sessionId, nonce } = session;
    this.#api = new SessionAPI(baseUrl);
    this.#api.rememberSession(sessionId, nonce);
    this.#id = sessionId;
    this.replaced = replaced;
    // A bank that takes over the whole window sends its buyer back to the checkout page in this tab.
    keepValue('nonce', sessionId, nonce);
    this.checkout = new Checkout(baseUrl, { sessionId, nonce, from: null });
    void this.checkout.load();
  }

  /** Cancels the session, whose card is not wanted any more. Otherwise it would expire by itself. */
  abandon(): void {
    void this.#api.declineSession(this.#id, { reason: 'buyer_canceled' }).catch(() => undefined);
  }
}
