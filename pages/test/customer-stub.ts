// The part of the stub server that answers the customer's page: a list of cards that changes with the
// calls, or any response that a test sets.

import type { IncomingMessage } from 'node:http';
import type { Merchant } from '@svc/contract/checkout-sessions/checkout-sessions-parts';
import type { CustomerPageDetails } from '@svc/contract/customers/customer-page-details';
import type {
  PagePayment,
  PageSubscription,
} from '@svc/contract/customers/customer-page-purchases';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { type Answer, refusal, savedCard, sessionWithoutBrand } from './stub-answers.ts';

export const pageLink = 'link-of-the-merchant-in-base64url-01234567890';
export const pageToken = 'token-of-the-page-in-base64url-0123456789012';

export const aPageSubscription = (given: Partial<PageSubscription> = {}): PageSubscription => ({
  id: '01990000-0000-7000-8000-0000000000c1',
  object: 'subscription',
  productName: 'Coffee club',
  quantity: 1,
  amount: 24,
  currency: 'EUR',
  interval: 'month',
  status: 'active',
  paymentMethodId: savedCard('4242').id,
  currentPeriodEnd: '2040-05-05T10:00:00.000Z',
  nextRenewalAt: '2040-05-05T10:00:00.000Z',
  cancelAt: null,
  canceledAt: null,
  may: { cancel: true, resume: false },
  ...given,
});

export const aPagePayment = (at: number, given: Partial<PagePayment> = {}): PagePayment => ({
  id: `01990000-0000-7000-8000-0000000001${String(at).padStart(2, '0')}`,
  object: 'payment',
  type: 'purchase',
  status: 'paid',
  productNames: ['Coffee club'],
  amount: 24,
  currency: 'EUR',
  paymentMethod: { type: 'card', brand: 'visa', lastFour: '4242' },
  // 6 January in Auckland, the merchant's zone in these tests.
  createdAt: '2026-01-05T20:00:00.000Z',
  hasReceipt: true,
  ...given,
});

export type StubAnswer = () => Answer | Promise<Answer>;

export class CustomerStub {
  cards: readonly PaymentMethod[] = [];
  defaultId: string | null = null;
  subscriptions: readonly PageSubscription[] = [];
  payments: readonly PagePayment[] = [];
  /** When set, the calls return these. */
  opening: StubAnswer | null = null;
  listing: StubAnswer | null = null;
  removal: StubAnswer | null = null;
  choice: StubAnswer | null = null;
  setup: StubAnswer | null = null;
  mailing: StubAnswer | null = null;
  reading: StubAnswer | null = null;
  ending: StubAnswer | null = null;
  receipt: StubAnswer | null = null;
  saving: StubAnswer | null = null;
  asking: StubAnswer | null = null;
  confirming: StubAnswer | null = null;
  details: CustomerPageDetails = {
    ...{ name: 'Ada Lovelace', email: 'a•••@example.com', language: null, pendingEmail: null },
  };
  merchant: Merchant = { name: 'Bean Shop', ...sessionWithoutBrand };
  may = {
    ...{ add: true, remove: true, makeDefault: true, replace: true, seePurchases: true },
    ...{ seeDetails: true, changeDetails: true },
  };

  /** `session` is a new setup session, as its create call returns it. */
  async answer(
    call: string,
    given: { headers: IncomingMessage['headers']; body: Record<string, unknown> | null },
    session: unknown,
  ): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ');
    if (path.endsWith('/open')) return this.opening?.() ?? this.#open(given.body);
    if (/\/(mail|request)-link$/.test(path)) return this.mailing?.() ?? { status: 202, body: null };
    if (path.endsWith('/confirm-address')) {
      const body = { email: 'n•••@new.example', merchantName: this.merchant.name };
      return this.confirming?.() ?? { status: 200, body };
    }
    if (given.headers['x-customer-page-token'] !== pageToken) {
      return refusal('customer_page_not_found');
    }
    if (path.endsWith('/setup-sessions')) {
      return this.setup?.() ?? { status: 201, body: session };
    }
    if (path.endsWith('/receipt')) {
      return this.receipt?.() ?? { status: 200, body: { url: 'https://pay.example/r/1' } };
    }
    if (path.endsWith('/details')) {
      return method === 'PATCH' ? (this.saving?.() ?? this.#save(given.body)) : this.#readDetails();
    }
    if (path.endsWith('/address')) {
      return this.asking?.() ?? this.#wait(method === 'DELETE' ? null : given.body);
    }
    const [, id = '', act] = /subscriptions\/([\w-]+)\/(\w+)/.exec(path) ?? [];
    if (act) return this.ending?.() ?? this.#change(id, act);
    if (path.endsWith('/subscriptions')) {
      return this.reading?.() ?? { status: 200, body: { data: this.subscriptions } };
    }
    if (path.includes('/payments')) return this.reading?.() ?? this.#pageOf(path);
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
        language: this.details.language,
        livemode: false,
        returnUrl: 'https://shop.example/account',
      },
    };
  }

  #change(id: string, act: string): Answer {
    const changed = this.subscriptions.find((one) => one.id === id);
    if (!changed) return refusal('subscription_not_found');
    const isEnd = act === 'cancel';
    const body: PageSubscription = {
      ...changed,
      cancelAt: isEnd ? changed.currentPeriodEnd : null,
      nextRenewalAt: isEnd ? null : changed.currentPeriodEnd,
      may: { cancel: !isEnd, resume: isEnd },
    };
    this.subscriptions = this.subscriptions.map((one) => (one.id === id ? body : one));
    return { status: 200, body };
  }

  #readDetails(): Answer {
    return this.reading?.() ?? { status: 200, body: this.details };
  }

  #save(body: Record<string, unknown> | null): Answer {
    this.details = { ...this.details, ...body };
    return { status: 200, body: this.details };
  }

  #wait(body: Record<string, unknown> | null): Answer {
    const [first = ''] = `${body?.email}`;
    const email = `${body?.email}`.replace(/^[^@]*/, `${first}•••`);
    const pendingEmail = body && { email, expiresAt: '2040-05-05T10:00:00.000Z' };
    this.details = { ...this.details, pendingEmail };
    return { status: body ? 202 : 204, body: null };
  }

  #pageOf(path: string): Answer {
    const before = new URLSearchParams(path.split('?')[1]).get('before');
    const from = this.payments.findIndex(({ id }) => id === before) + 1;
    const data = this.payments.slice(from, from + 10);
    return { status: 200, body: { data, hasMore: this.payments.length > from + 10 } };
  }

  #choose(body: Record<string, unknown> | null): Answer {
    this.defaultId = String(body?.paymentMethodId);
    return this.list();
  }
}
