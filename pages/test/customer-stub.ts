// The part of the stub server that answers the customer's page: a list of cards that changes with the
// calls, or any response that a test sets.

import type { IncomingMessage } from 'node:http';
import type { Merchant } from '@svc/contract/checkout-sessions/checkout-sessions-parts';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { type Answer, refusal, sessionWithoutBrand } from './stub-answers.ts';

export const pageLink = 'link-of-the-merchant-in-base64url-01234567890';
export const pageToken = 'token-of-the-page-in-base64url-0123456789012';

export type StubAnswer = () => Answer | Promise<Answer>;

export class CustomerStub {
  cards: readonly PaymentMethod[] = [];
  defaultId: string | null = null;
  /** When set, the calls return these. */
  opening: StubAnswer | null = null;
  listing: StubAnswer | null = null;
  removal: StubAnswer | null = null;
  choice: StubAnswer | null = null;
  setup: StubAnswer | null = null;
  mailing: StubAnswer | null = null;
  merchant: Merchant = { name: 'Bean Shop', ...sessionWithoutBrand };
  may = { add: true, remove: true, makeDefault: true, replace: true };

  /** `session` is a new setup session, as its create call returns it. */
  async answer(
    call: string,
    given: { headers: IncomingMessage['headers']; body: Record<string, unknown> | null },
    session: unknown,
  ): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ');
    if (path.endsWith('/open')) return this.opening?.() ?? this.#open(given.body);
    if (path.endsWith('/mail-link')) return this.mailing?.() ?? { status: 202, body: null };
    if (given.headers['x-customer-page-token'] !== pageToken) {
      return refusal('customer_page_not_found');
    }
    if (path.endsWith('/setup-sessions')) {
      return this.setup?.() ?? { status: 201, body: session };
    }
    if (path.endsWith('/default')) return this.choice?.() ?? this.#choose(given.body);
    if (method === 'DELETE') return this.removal?.() ?? this.remove(path.split('/').at(-1) ?? '');
    return this.listing?.() ?? this.list();
  }

  list(): Answer {
    const { cards: data, defaultId: defaultPaymentMethodId } = this;
    return { status: 200, body: { data, defaultPaymentMethodId } };
  }

  remove(id: string): Answer {
    this.cards = this.cards.filter((card) => card.id !== id);
    if (this.defaultId === id) this.defaultId = this.cards[0]?.id ?? null;
    return { status: 204, body: null };
  }

  #open(body: Record<string, unknown> | null): Answer {
    if (body?.link !== pageLink) return refusal('customer_page_not_found');
    return {
      status: 200,
      body: {
        pageToken,
        expiresAt: new Date(Date.now() + 30 * 60_000).toISOString(),
        merchantName: this.merchant.name,
        may: this.may,
        merchant: this.merchant,
        email: 'a•••@example.com',
        livemode: false,
        returnUrl: 'https://shop.example/account',
      },
    };
  }

  #choose(body: Record<string, unknown> | null): Answer {
    this.defaultId = String(body?.paymentMethodId);
    return this.list();
  }
}
