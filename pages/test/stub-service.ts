// The service as the pages see it: it returns what a test sets, in the contract's shapes, and makes no
// decisions of its own. A page without a browser reaches it by `fetch`; wire-stub.ts serves it to a browser.

import type { CheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { CustomerStub } from './customer-stub.ts';
import {
  type Answer,
  attempt,
  nonce,
  paymentId,
  type ReceivedRequest,
  refusal,
  type StubStatus,
  savedAnswer,
  sessionId,
  sessionWithoutBrand,
  success,
  userId,
} from './stub-answers.ts';

export class StubService {
  readonly received: ReceivedRequest[] = [];
  /** Changes to the session that every test starts from. */
  session: Partial<CheckoutSession> = {};
  /** Responses of the process call in turn; the last one stays. */
  process: (Answer | (() => Answer | Promise<Answer>))[] = [success('succeeded')];
  /** Response of the read of saved cards. */
  cards: () => Answer | Promise<Answer> = () => ({ status: 200, body: { data: [] } });
  /** Responses of the card setup in turn; the last one stays. */
  setups: (Answer | (() => Answer | Promise<Answer>))[] = [savedAnswer];
  /** The session's states, one per read of the status; the last one stays. */
  standings: StubStatus[] = [{ status: 'open' }];
  /** Lets a test delay the response to a read of the status. */
  beforeStatus: (url: string) => Promise<void> = async () => {};
  /** The same for a read of the session. */
  beforeSession: () => Promise<void> = async () => {};
  /** Response of the decline call. */
  decline: () => Answer = () => {
    this.standings = [{ status: 'open', attempt: attempt('CANCELED', 'authentication_canceled') }];
    return { status: 200, body: this.#statusBody() };
  };
  /** Response of a change of coupons, after which the session has the body's codes. */
  coupons: (codes: readonly string[]) => Answer | Promise<Answer> = (codes) => {
    this.session = { ...this.session, couponCodes: codes.map((code) => code.toUpperCase()) };
    return { status: 200, body: this.#sessionBody() };
  };
  readonly customer = new CustomerStub();
  /** When set, reads of the session return this. */
  sessionAnswer: Answer | null = null;
  /** The behaviour of the card form, as the query of its address. */
  form = '';
  pageOrigin = 'https://pay.example';
  formOrigin = 'https://card.example';
  bankOrigin = 'https://bank.example';

  calls(path: RegExp): ReceivedRequest[] {
    return this.received.filter(({ url }) => path.test(url));
  }

  /** Takes the place of a browser's `fetch`. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const { method = 'GET', body } = init;
    const answer = await this.answer({
      method,
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: body ? JSON.parse(String(body)) : null,
    });
    if (answer === 'break off') return new Response(brokenBody());
    const { status, headers } = answer;
    const text = status === 204 ? null : JSON.stringify(answer.body);
    return new Response(text, { status, headers: headers ?? {} });
  };

  async answer(request: ReceivedRequest): Promise<Answer> {
    this.received.push(request);
    const { method, url, headers, body } = request;
    if (!url.startsWith('/v1/customer-page/')) return this.#answer(url, headers, body);
    const session = { ...this.#sessionBody(), nonce };
    return this.customer.answer(`${method} ${url}`, { headers, body }, session);
  }

  #standing(isRead: boolean): StubStatus {
    const [next = { status: 'open' as const }] = this.standings;
    if (isRead && this.standings.length > 1) this.standings.shift();
    return next;
  }

  #sessionBody(): CheckoutSession {
    const { status, attempt: latest = null, authorizationExpiresAt = null } = this.#standing(false);
    const own = { description: null, imageUrl: null, reference: null };
    const line = { ...own, overrideAmount: null, currency: 'EUR', interval: null };
    return {
      id: sessionId,
      uuid: sessionId,
      object: 'checkout.session',
      status,
      checkoutMode: 'payment',
      captureMethod: 'automatic',
      currency: 'EUR',
      account: { country: null },
      accountData: { userId, externalId: null, email: 'ada@example.com' },
      buyerVerified: false,
      guest: false,
      products: [
        { code: 'coffee-beans', name: 'Coffee beans', quantity: 2, totalAmount: 29.8, ...line },
        { code: 'mug', name: 'Mug', quantity: 1, totalAmount: 19.9, ...line },
      ],
      couponCodes: [],
      couponsAccepted: false,
      couponsByMerchantOnly: false,
      cardsAccepted: true,
      subscriptionExists: false,
      cancelOnPage: true,
      merchant: { name: 'Bean Shop', ...sessionWithoutBrand },
      totals: { subtotal: 49.7, discount: 0, total: 49.7, currency: 'EUR' },
      cartVersion: 0,
      gateways: { cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' } },
      vault: {
        formUrl: `${this.formOrigin}/form/1?${this.form}`,
        formOrigin: this.formOrigin,
        mountToken: `svcm_${this.received.length}`,
        expiresAt: '2099-01-01T00:00:00.000Z',
        fields: ['number', 'expiry', 'cvc'],
      },
      url: null,
      successUrl: `${this.formOrigin}/thanks?order=7`,
      cancelUrl: `${this.formOrigin}/cart`,
      paymentId: status === 'completed' || status === 'authorized' ? paymentId : null,
      authorizationExpiresAt,
      latestTransactionAttempt: latest,
      reference: null,
      metadata: {},
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      createdAt: '2026-01-05T10:00:00.000Z',
      ...this.session,
    };
  }

  #statusBody(): unknown {
    const { status, attempt: latest = null, authorizationExpiresAt = null } = this.#standing(true);
    const isPaid = status === 'completed' || status === 'authorized';
    return {
      data: {
        uuid: sessionId,
        status,
        cartVersion: this.session.cartVersion ?? 0,
        paymentId: isPaid ? paymentId : null,
        paymentMethodId: null,
        authorizationExpiresAt,
        latestTransactionAttempt: latest,
      },
    };
  }

  async #answer(
    url: string,
    headers: ReceivedRequest['headers'],
    body: ReceivedRequest['body'],
  ): Promise<Answer> {
    if (headers['x-checkout-session-token'] !== nonce) return refusal('checkout_session_not_found');
    if (url.includes('/status')) {
      await this.beforeStatus(url);
      return { status: 200, body: this.#statusBody() };
    }
    if (url.endsWith('/decline')) return this.decline();
    if (url.endsWith('/coupons')) return this.coupons((body?.couponCodes ?? []) as string[]);
    if (/\/(process|vault-charge)$/.test(url)) return answerInTurn(this.process);
    if (url.endsWith('/card-setup')) return answerInTurn(this.setups);
    if (url.endsWith('/payment-methods')) return this.cards();
    await this.beforeSession();
    return this.sessionAnswer ?? { status: 200, body: this.#sessionBody() };
  }
}

async function answerInTurn(
  answers: (Answer | (() => Answer | Promise<Answer>))[],
): Promise<Answer> {
  const [next = success('succeeded')] = answers;
  if (answers.length > 1) answers.shift();
  return typeof next === 'function' ? next() : next;
}

const brokenBody = () =>
  new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) });
