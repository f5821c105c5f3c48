// setupSessions: save a card without a charge. The browser's `CardSetup` takes the `id` and `nonce` of the
// session that `create` returns. Spec: POST /v1/checkouts/sessions/setup.

import { readStatus } from './checkout-sessions.ts';
import type { Calls, SessionStatus } from './contract-types.ts';
import {
  assertObject,
  type CallResponse,
  missingParameter,
  pathSegment,
  type ServiceCalls,
} from './service-calls.ts';
import type { CallOptions, LastResponse } from './transport.ts';

type Create = 'POST /v1/checkouts/sessions/setup';
type GetSessionCall = 'GET /v1/checkouts/sessions/{checkoutSessionId}';

export class SetupSessions {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Opens a session for one of your customers. Send only `id` and `nonce` to the browser. */
  async create(
    params: Calls[Create]['body'],
    options?: CallOptions,
  ): Promise<CallResponse<Create>> {
    if (!params?.userId) throw missingParameter('userId', 'in the first argument');
    const path = '/v1/checkouts/sessions/setup';
    return this.#calls.ask('POST /v1/checkouts/sessions/setup', { path, body: params, options });
  }

  /** Reads the session with its nonce. */
  async retrieve(
    id: string,
    nonce: string,
    options?: CallOptions,
  ): Promise<CallResponse<GetSessionCall>> {
    const path = `/v1/checkouts/sessions/${pathSegment('id', id)}`;
    if (!nonce)
      throw missingParameter('nonce', 'from the answer of create, as the second argument');
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
