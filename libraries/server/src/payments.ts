// payments, with the merchant's credential. The specification has capture and cancel as REST calls:
// `svc.request('PUT', `/v1/payments/${id}/capture`, {}, { idempotencyKey })`. Contract §2.

import type { Calls } from './contract-types.ts';
import { type ListOf, type ListParams, listOf } from './lists.ts';
import { type CallResponse, pathSegment, type ServiceCalls } from './service-calls.ts';
import type { CallOptions } from './transport.ts';

type Refund = 'POST /v1/payments/{paymentId}/refunds';

export class Payments {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Reads a payment: a purchase, a refund or a chargeback. */
  async retrieve(
    paymentId: string,
    options?: CallOptions,
  ): Promise<CallResponse<'GET /v1/payments/{paymentId}'>> {
    const path = `/v1/payments/${pathSegment('paymentId', paymentId)}`;
    return this.#calls.ask('GET /v1/payments/{paymentId}', { path, options });
  }

  /** Lists payments, newest first. */
  list(params?: ListParams<'GET /v1/payments'>, options?: CallOptions): ListOf<'GET /v1/payments'> {
    return listOf<'GET /v1/payments'>(this.#calls, { path: '/v1/payments', params, options });
  }

  /**
   * Refunds `amount` in major units, or all that is left when it is absent. Returns the refund. Pass an
   * idempotency key of your own and the same one with every retry: a key that the library makes is lost
   * after the call.
   */
  async refund(
    paymentId: string,
    params: Calls[Refund]['body'] = {},
    options?: CallOptions,
  ): Promise<CallResponse<Refund>> {
    return this.#calls.ask('POST /v1/payments/{paymentId}/refunds', {
      path: `/v1/payments/${pathSegment('paymentId', paymentId)}/refunds`,
      body: params,
      options,
    });
  }
}
