// paymentMethods: the payment methods that customers have saved. Spec: Saved payment methods.

import { type ListOf, type ListParams, listOf } from './lists.ts';
import { type Deleted, pathSegment, type ServiceCalls } from './service-calls.ts';
import type { CallOptions } from './transport.ts';

type ListMethodsCall = 'GET /v1/payment-methods';

export class PaymentMethods {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Lists saved payment methods: `{ userUuid, status: { eq: 'active' } }`. */
  list(params?: ListParams<ListMethodsCall>, options?: CallOptions): ListOf<ListMethodsCall> {
    return listOf<ListMethodsCall>(this.#calls, { path: '/v1/payment-methods', params, options });
  }

  /**
   * Removes a payment method. Subscriptions that it pays for are moved to another one first. Repeatable: on
   * `SvcGatewayError` see `raw.retrySafe`, and keep showing the method until a later list no longer has it.
   */
  async delete(id: string, options?: CallOptions): Promise<Deleted> {
    return this.#calls.remove(`/v1/payment-methods/${pathSegment('id', id)}`, id, { options });
  }
}
