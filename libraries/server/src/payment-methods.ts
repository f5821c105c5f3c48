// paymentMethods: the payment methods that customers have saved. Spec: Saved payment methods.

import { type ListOf, type ListParams, listOf } from './lists.ts';
import { type Deleted, part, type ServiceCalls } from './service-calls.ts';
import type { CallOptions } from './transport.ts';

type Listed = 'GET /v1/payment-methods';

export class PaymentMethods {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Lists saved payment methods: `{ userUuid, status: { eq: 'active' } }`. */
  list(params?: ListParams<Listed>, options?: CallOptions): ListOf<Listed> {
    return listOf<Listed>(this.#calls, { path: '/v1/payment-methods', params, options });
  }

  /**
   * Removes a payment method. Subscriptions that it pays for are moved to another one first. Repeatable: on
   * `SvcGatewayError` see `raw.retrySafe`, and keep showing the method until a later list no longer has it.
   */
  async delete(id: string, options?: CallOptions): Promise<Deleted> {
    return this.#calls.remove(`/v1/payment-methods/${part('id', id)}`, id, { options });
  }
}
