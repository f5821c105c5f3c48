// customers: customers of the card provider, for merchants who also use the provider directly. For the
// service's own customers use `svc.request('POST', '/v1/customers', …)`. Spec: Client libraries, server
// library.

import type { Provider } from './provider.ts';
import type {
  CreateCustomerParams,
  ProviderCustomer,
  UpdateCustomerParams,
} from './provider-types.ts';
import { missingParameter } from './service-calls.ts';
import type { CallOptions, LastResponse } from './transport.ts';

type CustomerResponse = Promise<ProviderCustomer & { readonly lastResponse: LastResponse }>;

export class Customers {
  readonly #provider: Provider;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** Throws for a missing email before any request. */
  async create(params: CreateCustomerParams, options?: CallOptions): CustomerResponse {
    if (typeof params?.email !== 'string' || params.email.trim() === '') {
      throw missingParameter('email', 'in the first argument');
    }
    return this.#provider.createCustomer(params, options);
  }

  /** A deleted customer throws `api_error`, code `resource_missing`, as an unknown one does. */
  async retrieve(id: string, options?: CallOptions): CustomerResponse {
    return this.#provider.retrieveCustomer(id, options);
  }

  /** Changes only the fields that are given. */
  async update(id: string, params: UpdateCustomerParams, options?: CallOptions): CustomerResponse {
    return this.#provider.updateCustomer(id, params, options);
  }
}
