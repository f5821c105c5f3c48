// customers: those of the card provider, for merchants who use it directly beside this service. The
// service's own customers are `svc.request('POST', '/v1/customers', …)`.
// Spec: Client libraries, server library.

import type { Provider } from './provider.ts';
import type {
  CreateCustomerParams,
  ProviderCustomer,
  UpdateCustomerParams,
} from './provider-types.ts';
import { missing } from './service-calls.ts';
import type { CallOptions, LastResponse } from './transport.ts';

type Responded = Promise<ProviderCustomer & { readonly lastResponse: LastResponse }>;

export class Customers {
  readonly #provider: Provider;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** Refuses a missing email before the network. */
  async create(params: CreateCustomerParams, options?: CallOptions): Responded {
    if (typeof params?.email !== 'string' || params.email.trim() === '') {
      throw missing('email', 'in the first argument');
    }
    return this.#provider.createCustomer(params, options);
  }

  /** A deleted customer throws `api_error`, code `resource_missing`, as one that never was. */
  async retrieve(id: string, options?: CallOptions): Responded {
    return this.#provider.retrieveCustomer(id, options);
  }

  /** Changes what is named. */
  async update(id: string, params: UpdateCustomerParams, options?: CallOptions): Responded {
    return this.#provider.updateCustomer(id, params, options);
  }
}
