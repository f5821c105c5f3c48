import type { Customer as WireCustomer } from '@svc/contract/customers/customers';
import type { Customer } from '../../../domain/people/customer.ts';

/** A customer as the merchant sees it. Contract §5. */
export const showCustomer = (customer: Customer): WireCustomer => ({
  id: customer.id,
  externalId: customer.externalId,
  object: 'customer',
  clientId: customer.clientId,
  email: customer.email,
  name: customer.name,
  country: customer.country,
  language: customer.language,
  metadata: customer.metadata,
  defaultPaymentMethodId: customer.defaultPaymentMethodId,
  createdAt: customer.createdAt.toISOString(),
  updatedAt: customer.updatedAt.toISOString(),
  forgottenAt: customer.forgottenAt?.toISOString() ?? null,
});
