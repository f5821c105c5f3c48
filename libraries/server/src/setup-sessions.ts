// setupSessions: save a card without a charge. The browser's `CardSetup` takes the `id` and `nonce` of the
// session that `create` returns. Spec: POST /v1/checkouts/sessions/setup.

import { readStatus } from './checkout-sessions.ts';
import type { Calls, SessionStatus } from './contract-types.ts';
import { type Answered, assertObject, missing, part, type ServiceCalls } from './service-calls.ts';
import type { CallOptions, LastResponse } from './transport.ts';

type Create = 'POST /v1/checkouts/sessions/setup';
type Read = 'GET /v1/checkouts/sessions/{checkoutSessionId}';

export class SetupSessions {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Opens a session for one of your customers. Send only `id` and `nonce` to the browser. */
  async create(params: Calls[Create]['body'], options?: CallOptions): Promise<Answered<Create>> {
    if (!params?.userId) throw missing('userId', 'in the first argument');
    const path = '/v1/checkouts/sessions/setup';
    return this.#calls.ask('POST /v1/checkouts/sessions/setup', { path, body: params, options });
  }

  /** Reads the session with its nonce. */
  async retrieve(id: string, nonce: string, options?: CallOptions): Promise<Answered<Read>> {
    const path = `/v1/checkouts/sessions/${part('id', id)}`;
    if (!nonce) throw missing('nonce', 'from the answer of create, as the second argument');
    return this.#calls.ask('GET /v1/checkouts/sessions/{checkoutSessionId}', {
      path,
      nonce,
      options,
    });
  }

  /** Reads the session's status. The card is saved once `paymentMethodId` is there, and not before. */
  async getStatus(
    id: string,
    nonce: string,
    options: CallOptions & { wait?: number } = {},
  ): Promise<SessionStatus & { readonly lastResponse: LastResponse }> {
    assertObject('options', options);
    return readStatus(this.#calls, { sessionId: id, nonce, ...options });
  }
}
