// The service as the library sees it in its tests: it returns what a test sets. Without a browser it is reached by
// `fetch`; test-fixture.ts serves it to a merchant's page.

import { errorType } from '@svc/contract/errors/error-types';
import { type ErrorCode, errorEntry } from '@svc/contract/errors/errors';

export const sessionId = '01990000-0000-7000-8000-00000000c0de';
export const nonce = 'nonce-of-the-session-in-base64url-0123456789';
export const methodId = '01990000-0000-7000-8000-000000000bee';

export type StubbedResponse =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | 'break off';
export type ReceivedRequest = {
  readonly method: string;
  readonly url: string;
  readonly text: string;
  /** The header x-user-id, decoded. */
  readonly userId: string | null;
};
type Attempt = { id: string; result: string; declineCode: string | null; createdAt: string };
export type SessionState = {
  readonly status: string;
  readonly attempt?: Attempt;
  readonly paymentMethodId?: string;
  readonly paymentId?: string;
};

type Buyer = { readonly userId: string; readonly externalId?: string | null };

export const decodedId = (header: string | null | undefined): string | null =>
  header === null || header === undefined ? null : decodeURIComponent(header);

export const attempt = (result: string, declineCode: string | null = null, id = 'a1'): Attempt => ({
  id,
  result,
  declineCode,
  createdAt: '2026-01-05T10:00:00.000Z',
});

export function refusal(code: ErrorCode, more: object = {}): StubbedResponse {
  const { status, message, retryable = false } = errorEntry(code);
  const fixed = { requestId: 'req_01J8Z6Q4W3', docUrl: `/docs#${code}` };
  const body = { type: errorType(status), code, message, status, retryable, ...fixed, ...more };
  return { status, body };
}

const answerOfType = (type: string, more: object = {}): StubbedResponse => ({
  status: type === 'processing' ? 202 : 200,
  body: { type, sessionId, paymentMethodId: null, redirectUrl: null, ...more },
});
export const savedCardAnswer = answerOfType('success', { paymentMethodId: methodId });
export const processingAnswer = answerOfType('processing');
export const verifiedState: SessionState = { status: 'completed', paymentMethodId: methodId };
export const challengeState: SessionState = {
  status: 'requires_action',
  attempt: attempt('REQUIRES_ACTION', null),
};

export class StubService {
  received: ReceivedRequest[] = [];
  session: object = {};
  /** Returned in turn; the last one is repeated. */
  setups: (StubbedResponse | (() => StubbedResponse | Promise<StubbedResponse>))[] = [
    savedCardAnswer,
  ];
  standings: SessionState[] = [{ status: 'open' }];
  sessions: StubbedResponse[] = [];
  decline: () => StubbedResponse = () => {
    this.standings = [{ status: 'open', attempt: attempt('CANCELED', 'authentication_canceled') }];
    return this.#status();
  };
  /** How the card form behaves, as the query of its address. */
  form = '';
  shop = 'https://shop.example';
  api = 'https://pay.example';
  forms = 'https://card.example';
  bank = 'https://bank.example';

  /** Where the bank sends its buyer: a page of the service, which no merchant may frame. */
  get returnUrl(): string {
    return `${this.api}/c/${sessionId}`;
  }

  challenge(url: string | null = `${this.bank}/question`): StubbedResponse {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const fixed = { kind: 'redirect', clientSecret: null, returnUrl: this.returnUrl, expiresAt };
    return answerOfType('3ds_required', { challenge: { ...fixed, url } });
  }

  calls(path: RegExp): ReceivedRequest[] {
    return this.received.filter(({ method, url }) => method !== 'OPTIONS' && path.test(url));
  }
  handedOver(): { token: string; chv?: string }[] {
    return this.calls(/card-setup$/).map(({ text }) => JSON.parse(text));
  }
  /** The bodies of the process calls. */
  payments(): { chv?: string }[] {
    return this.calls(/process$/).map(({ text }) => JSON.parse(text));
  }
  declines(): { reason: string; attemptId?: string }[] {
    return this.calls(/decline$/).map(({ text }) => JSON.parse(text));
  }

  /** Takes the place of a browser's `fetch`. A status that may wait for a change is held for ten seconds. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const { method = 'GET', body, signal } = init;
    const headers = new Headers(init.headers);
    const userId = decodedId(headers.get('x-user-id'));
    const request = { method, url: pathname + search, text: String(body ?? ''), userId };
    const isKnown = headers.get('x-checkout-session-token') === nonce;
    const answer = await Promise.race([this.#answerInTime(request, isKnown), untilAborted(signal)]);
    if (answer === 'break off') throw new TypeError('Failed to fetch');
    const { status, headers: given = {} } = answer;
    return new Response(JSON.stringify(answer.body), { status, headers: given });
  };

  async #answerInTime(request: ReceivedRequest, isKnown: boolean): Promise<StubbedResponse> {
    this.received.push(request);
    if (/wait=[1-9]/.test(request.url)) await new Promise((end) => setTimeout(end, 10_000));
    return this.answer(request, isKnown);
  }

  async answer({ url, userId }: ReceivedRequest, isKnown: boolean): Promise<StubbedResponse> {
    if (!isKnown) return refusal('checkout_session_not_found');
    const { accountData } = this.session as { accountData?: Buyer };
    const buyer = accountData && (accountData.externalId ?? accountData.userId);
    const isStranger = /process$/.test(url) && buyer !== undefined && userId !== buyer;
    return isStranger ? refusal('buyer_mismatch') : this.#answer(url);
  }

  async #answer(url: string): Promise<StubbedResponse> {
    if (url.includes('/status')) return this.#status();
    if (url.endsWith('/decline')) return this.decline();
    if (/\/(card-setup|process)$/.test(url)) {
      const [next = savedCardAnswer] = this.setups;
      if (this.setups.length > 1) this.setups.shift();
      return typeof next === 'function' ? next() : next;
    }
    return this.sessions.shift() ?? { status: 200, body: this.#session() };
  }

  #session(): object {
    const [{ status, attempt: latest = null } = { status: 'open' }] = this.standings;
    return {
      id: sessionId,
      status,
      checkoutMode: 'setup',
      latestTransactionAttempt: latest,
      vault: {
        formUrl: `${this.forms}/form/1?${this.form}`,
        formOrigin: this.forms,
        mountToken: `svcm_${this.received.length}`,
        expiresAt: '2099-01-01T00:00:00.000Z',
        fields: ['number', 'expiry', 'cvc'],
      },
      ...this.session,
    };
  }

  #status(): StubbedResponse {
    const [standing = { status: 'open' }] = this.standings;
    if (this.standings.length > 1) this.standings.shift();
    const { status, attempt: latest = null, paymentMethodId = null, paymentId = null } = standing;
    const fixed = { uuid: sessionId, paymentId, authorizationExpiresAt: null, cartVersion: 0 };
    const data = { ...fixed, status, latestTransactionAttempt: latest, paymentMethodId };
    return { status: 200, body: { data } };
  }
}

const untilAborted = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
