// The calls that only this page makes, so that the library need not contain them: the buyer's coupons and
// saved cards, saving a card without a charge, and charging a card whose cart may still be missing.
// Contract §4, vault charge and card setup; §8.

import { type CheckoutSession, type ProcessAnswer, SvcError } from '@svc/browser';
import type { SetupAnswer } from '@svc/contract/customers/card-setups';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { failureOf, sleep } from './failures.ts';

const cartWithinMs = 12_000;

/** The cart of a shell, as far as the page knows it. */
type Cart = {
  /** Returns the total that the buyer sees. */
  readonly shown: () => number | undefined;
  readonly show: () => Promise<unknown>;
};

/** A refusal in the service's format. */
type RefusalFields = ConstructorParameters<typeof SvcError>[2] & { type?: string; code?: string };

export class SessionCalls {
  readonly #base: string;
  readonly #nonce: string;

  constructor(baseUrl: string, sessionId: string, nonce: string) {
    this.#base = `${baseUrl}/v1/checkouts/sessions/${sessionId}`;
    this.#nonce = nonce;
  }

  /** Sets the session's coupon codes to exactly these. */
  changeCoupons(couponCodes: readonly string[]): Promise<CheckoutSession> {
    return this.#send('PATCH', '/coupons', { couponCodes });
  }

  /** Lists the cards that the session's buyer has saved, with the one to offer first. */
  listCards(): Promise<{ data: PaymentMethod[] }> {
    return this.#send('GET', '/payment-methods');
  }

  /** Saves the card of a setup session. `chv` is the result of its challenge. */
  saveCard(token: string, chv?: string): Promise<SetupAnswer> {
    return this.#send('POST', '/card-setup', { token, ...(chv ? { chv } : {}) });
  }

  /**
   * Charges the card for the claimed buyer. While the shop's cart is missing, the service holds the charge
   * and this repeats the call; after 12 s it fails with checkout_session_claim_pending, and nothing is
   * charged. Until a total is shown it sends 0, which is the total of no cart: a cart that comes meanwhile
   * is shown before it is charged.
   */
  async chargeCard(token: string, { shown, show }: Cart): Promise<ProcessAnswer> {
    const until = Date.now() + cartWithinMs;
    for (;;) {
      const expectedTotal = shown() ?? 0;
      try {
        return await this.#send('POST', '/vault-charge', { token, expectedTotal });
      } catch (cause) {
        const { code, retryAfter } = failureOf(cause);
        const isPending = code === 'checkout_session_claim_pending';
        const isUnseen = code === 'checkout_session_total_changed' && expectedTotal === 0;
        if (!(isPending || isUnseen) || Date.now() >= until) throw cause;
        if (isUnseen) await show();
        else await sleep((retryAfter ?? 1) * 1_000);
      }
    }
  }

  async #send<T>(method: string, path: string, body?: unknown): Promise<T> {
    let response: Response | undefined;
    let answer: unknown;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(body ? { 'content-type': 'application/json' } : {}),
          'x-checkout-session-token': this.#nonce,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.timeout(60_000),
      });
      answer = await response.json();
    } catch (cause) {
      // Includes a response that broke off: what the service did is not known.
      const code = response ? 'invalid_response' : 'network_error';
      throw new SvcError('api_error', code, { message: String(cause), retryable: true });
    }
    if (response.ok) return answer as T;
    const fields = (answer ?? {}) as RefusalFields;
    const retryAfter = Number(response.headers.get('retry-after')) || undefined;
    const { status } = response;
    throw new SvcError('api_error', fields.code ?? null, { ...fields, status, retryAfter });
  }
}
