// A stub server for the pages' tests: it returns what a test sets, in the contract's shapes, and serves the
// built page with its policy, and a frame page on an origin of its own that exchanges the card form's
// messages. It makes no decisions of its own.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { CheckoutSession } from '@svc/contract/checkout-sessions';
import { CustomerStub, pageLink } from './customer-stub.ts';
import { framePage } from './frame-stub.ts';
import {
  type Answer,
  attempt,
  clientId,
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

const dist = join(import.meta.dirname, '../dist');

export class WireStub {
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
  frameSource = '';
  /** An additional report-only policy of the page. */
  reportOnly = '';
  /** The source of the merchant's logo in the page's policy. */
  logoSource = '';
  pageOrigin = '';
  formOrigin = '';
  bankOrigin = '';
  tokensGiven = 0;
  readonly #servers: Server[] = [];

  async start(): Promise<this> {
    this.pageOrigin = await this.#listen('localhost', (q, s) => this.#servePage(q, s));
    this.formOrigin = await this.#listen('127.0.0.1', (q, s) => this.#serveForm(q, s));
    this.bankOrigin = await this.#listen('127.0.0.1', (q, s) => this.#serveBank(q, s));
    return this;
  }

  /** The address to which a shop sends its buyer. */
  get url(): string {
    return `${this.pageOrigin}/c/${sessionId}#${nonce}`;
  }

  /** The address to which a merchant sends its customer. */
  get customerUrl(): string {
    return `${this.pageOrigin}/m/${clientId}#${pageLink}`;
  }

  calls(path: RegExp): ReceivedRequest[] {
    return this.received.filter(({ url }) => path.test(url));
  }

  stop(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  async #listen(
    host: string,
    serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Promise<string> {
    const server = createServer((request, response) => void serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    this.#servers.push(server);
    return `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  #standing(isRead: boolean): StubStatus {
    const [next = { status: 'open' as const }] = this.standings;
    if (isRead && this.standings.length > 1) this.standings.shift();
    return next;
  }

  #sessionBody(): CheckoutSession {
    const { status, attempt: latest = null, authorizationExpiresAt = null } = this.#standing(false);
    const line = { overrideAmount: null, currency: 'EUR', interval: null };
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
      products: [
        { code: 'coffee-beans', name: 'Coffee beans', quantity: 2, totalAmount: 29.8, ...line },
        { code: 'mug', name: 'Mug', quantity: 1, totalAmount: 19.9, ...line },
      ],
      couponCodes: [],
      couponsAccepted: false,
      cardsAccepted: true,
      subscriptionExists: false,
      merchant: { name: 'Bean Shop', ...sessionWithoutBrand },
      totals: { subtotal: 49.7, discount: 0, total: 49.7, currency: 'EUR' },
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
        paymentId: isPaid ? paymentId : null,
        paymentMethodId: null,
        authorizationExpiresAt,
        latestTransactionAttempt: latest,
      },
    };
  }

  async #servePage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/';
    const page = /^\/c\//.test(url) ? 'checkout' : /^\/m([/?]|$)/.test(url) ? 'customer' : null;
    if (page) {
      const bytes = readFileSync(join(dist, page, 'index.html'));
      response.writeHead(200, { 'content-type': 'text/html', ...this.#policy(page) }).end(bytes);
      return;
    }
    if (url.startsWith('/assets/')) {
      const type = url.endsWith('.js') ? 'text/javascript' : 'text/css';
      response.writeHead(200, { 'content-type': type }).end(readFileSync(join(dist, url)));
      return;
    }
    const body = await bodyOf(request);
    const { method = 'GET', headers } = request;
    this.received.push({ method, url, headers, body });
    const isCustomer = url.startsWith('/v1/customer-page/');
    const answer = isCustomer
      ? await this.customer.answer(
          `${method} ${url}`,
          { headers, body },
          {
            ...this.#sessionBody(),
            nonce,
          },
        )
      : await this.#answer(url, headers, body);
    if (answer === 'break off') {
      // After the headers, because a browser silently repeats a request whose kept connection was just
      // closed.
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{', () => request.socket.destroy());
      return;
    }
    const type = { 'content-type': 'application/json' };
    response.writeHead(answer.status, { ...type, ...answer.headers });
    response.end(answer.status === 204 ? undefined : JSON.stringify(answer.body));
  }

  async #answer(
    url: string,
    headers: IncomingMessage['headers'],
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

  #policy(page: 'checkout' | 'customer'): Record<string, string> {
    const policy = {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': `'self' data: ${this.logoSource}`.trim(),
      'font-src': "'self'",
      'connect-src': "'self'",
      'frame-src': this.frameSource || `'self' ${this.formOrigin} ${this.bankOrigin}`,
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': page === 'checkout' ? "'self'" : "'none'",
      'require-trusted-types-for': "'script'",
    };
    const text = Object.entries(policy).map(([name, value]) => `${name} ${value}`);
    const reporting = this.reportOnly
      ? { 'content-security-policy-report-only': this.reportOnly }
      : {};
    const fixed = { 'content-security-policy': text.join('; '), 'cache-control': 'no-store' };
    return { ...fixed, ...reporting };
  }

  async #serveForm(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.formOrigin);
    const pages: Record<string, string> = {
      '/form/1': framePage,
      '/thanks': '<title>Thanks</title><h1>The shop</h1>',
      '/cart': '<title>Cart</title>',
    };
    const text = pages[pathname];
    response.writeHead(text ? 200 : 404, { 'content-type': 'text/html' }).end(text);
  }

  /** Shows the bank's page, and sends the buyer back as the provider does. */
  async #serveBank(_request: IncomingMessage, response: ServerResponse): Promise<void> {
    const back = `${this.pageOrigin}/c/${sessionId}?payment_intent=pi_1&redirect_status=succeeded`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(bankPage(back));
  }
}

async function answerInTurn(
  answers: (Answer | (() => Answer | Promise<Answer>))[],
): Promise<Answer> {
  const [next = success('succeeded')] = answers;
  if (answers.length > 1) answers.shift();
  return typeof next === 'function' ? next() : next;
}

const bankPage = (back: string) => `<!doctype html><html lang="en"><head><title>Bank</title></head>
<body><main><h1>Your bank</h1><a href="${back}">Approve</a></main></body></html>`;

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : null;
}
