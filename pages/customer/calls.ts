// The API calls of this page.

import type { CreatedCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import type {
  CustomerPageMethods,
  OpenedCustomerPage,
} from '@svc/contract/customers/customer-page';
import type {
  CustomerPageAddress,
  CustomerPageDetails,
} from '@svc/contract/customers/customer-page-details';
import type {
  PagePayments,
  PageSubscription,
} from '@svc/contract/customers/customer-page-purchases';

/** A refusal in the service's format. Spec: Payment-method deletion. */
type RefusalBody = {
  readonly code?: string | null;
  readonly requestId?: string;
  readonly resolution?: string;
  readonly retrySafe?: boolean;
};

/** A call that did not succeed. Status 0: no response came, and the outcome is not known. */
export class CallFailure extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  /** What to do after a failed removal. */
  readonly resolution: string | null;
  readonly retrySafe: boolean | null;

  constructor(status: number, refused: RefusalBody) {
    super(refused.code ?? 'refused');
    this.status = status;
    this.code = refused.code ?? null;
    this.requestId = refused.requestId ?? null;
    this.resolution = refused.resolution ?? null;
    this.retrySafe = refused.retrySafe ?? null;
  }
}

/** Turns anything that was thrown into a CallFailure. */
export const failureOf = (cause: unknown): CallFailure =>
  cause instanceof CallFailure ? cause : new CallFailure(0, { code: 'page_error' });

export const isPageOver = ({ code }: CallFailure): boolean =>
  /^customer_page_(not_found|token_required)$/.test(code ?? '');

export class CustomerCalls {
  readonly #base: string;
  #token = '';

  constructor(baseUrl: string) {
    this.#base = `${baseUrl}/v1/customer-page`;
  }

  open(link: string): Promise<OpenedCustomerPage> {
    return this.#send('POST', '/open', { link });
  }

  /** Mails another link to the customer whom this one was mailed to. */
  mailLink(link: string): Promise<null> {
    return this.#send('POST', '/mail-link', { link });
  }

  /** Mails links to an address; says nothing of whether anybody has it. */
  requestLink(clientId: string, email: string): Promise<null> {
    return this.#send('POST', '/request-link', { clientId, email });
  }

  use(pageToken: string): void {
    this.#token = pageToken;
  }

  list(): Promise<CustomerPageMethods> {
    return this.#send('GET', '/payment-methods');
  }

  remove(id: string): Promise<null> {
    return this.#send('DELETE', `/payment-methods/${encodeURIComponent(id)}`);
  }

  makeDefault(paymentMethodId: string): Promise<CustomerPageMethods> {
    return this.#send('PATCH', '/default', { paymentMethodId });
  }

  openSetup(): Promise<CreatedCheckoutSession> {
    return this.#send('POST', '/setup-sessions', {});
  }

  subscriptions(): Promise<{ readonly data: readonly PageSubscription[] }> {
    return this.#send('GET', '/subscriptions');
  }

  endSubscription(id: string): Promise<PageSubscription> {
    return this.#send('POST', `/subscriptions/${encodeURIComponent(id)}/cancel`, {});
  }

  resumeSubscription(id: string): Promise<PageSubscription> {
    return this.#send('POST', `/subscriptions/${encodeURIComponent(id)}/resume`, {});
  }

  /** Ten payments, the newest, or those before one. */
  payments(before: string | null): Promise<PagePayments> {
    return this.#send('GET', `/payments${before ? `?before=${encodeURIComponent(before)}` : ''}`);
  }

  receipt(id: string): Promise<{ readonly url: string }> {
    return this.#send('GET', `/payments/${encodeURIComponent(id)}/receipt`);
  }

  details(): Promise<CustomerPageDetails> {
    return this.#send('GET', '/details');
  }

  changeDetails(
    changed: Partial<Pick<CustomerPageDetails, 'name' | 'language'>>,
  ): Promise<CustomerPageDetails> {
    return this.#send('PATCH', '/details', changed);
  }

  /** Mails another address a link that makes it the customer's. */
  requestAddress(email: string): Promise<null> {
    return this.#send('POST', '/address', { email });
  }

  dropAddress(): Promise<null> {
    return this.#send('DELETE', '/address');
  }

  confirmAddress(link: string): Promise<CustomerPageAddress> {
    return this.#send('POST', '/confirm-address', { link });
  }

  async #send<T>(method: string, path: string, body?: unknown): Promise<T> {
    let response: Response;
    let answer: unknown = null;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(this.#token ? { 'x-customer-page-token': this.#token } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.timeout(60_000),
      });
      if (response.status !== 204 && response.status !== 202) answer = await response.json();
    } catch {
      throw new CallFailure(0, { code: 'not_answered' });
    }
    if (response.ok) return answer as T;
    throw new CallFailure(response.status, (answer ?? {}) as RefusalBody);
  }
}
