// checkoutSessions: the merchant's own view of its checkout sessions, with its credential and no nonce.
// Contract §3; additions §3, Sessions of a merchant.

import type { Calls } from './contract-types.ts';
import { type ListOf, type ListParams, listOf } from './lists.ts';
import { type CallResponse, pathSegment, type ServiceCalls } from './service-calls.ts';
import type { CallOptions } from './transport.ts';

type Retrieve = 'GET /v1/checkout-sessions/{sessionId}';
type Update = 'PATCH /v1/checkout-sessions/{sessionId}';
type Expire = 'POST /v1/checkout-sessions/{sessionId}/expire';

export class MerchantSessions {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Reads a session with every attempt to pay it. */
  async retrieve(sessionId: string, options?: CallOptions): Promise<CallResponse<Retrieve>> {
    const path = pathOf(sessionId);
    return this.#calls.ask('GET /v1/checkout-sessions/{sessionId}', { path, options });
  }

  /** Lists the sessions of the last 30 days, newest first. */
  list(
    params?: ListParams<'GET /v1/checkout-sessions'>,
    options?: CallOptions,
  ): ListOf<'GET /v1/checkout-sessions'> {
    const path = '/v1/checkout-sessions';
    return listOf<'GET /v1/checkout-sessions'>(this.#calls, { path, params, options });
  }

  /**
   * Changes the cart, the metadata or the end of an open session. An open page shows the new total. Throws
   * `checkout_attempt_in_progress` once the buyer pays.
   */
  async update(
    sessionId: string,
    params: Calls[Update]['body'],
    options?: CallOptions,
  ): Promise<CallResponse<Update>> {
    const path = pathOf(sessionId);
    return this.#calls.ask('PATCH /v1/checkout-sessions/{sessionId}', {
      path,
      body: params,
      options,
    });
  }

  /** Ends an open session before its time; repeatable. */
  async expire(sessionId: string, options?: CallOptions): Promise<CallResponse<Expire>> {
    const path = `${pathOf(sessionId)}/expire`;
    return this.#calls.ask('POST /v1/checkout-sessions/{sessionId}/expire', { path, options });
  }
}

const pathOf = (sessionId: string): string =>
  `/v1/checkout-sessions/${pathSegment('sessionId', sessionId)}`;
