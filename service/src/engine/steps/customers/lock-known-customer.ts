import type { Customer } from '../../../domain/people/customer.ts';
import { findCustomer, lockCustomer } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';

/** Locks a customer of the merchant. Refuses, in order: customer_not_found, customer_forgotten. */
export async function lockKnownCustomer(
  tx: Tx,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
): Promise<Customer> {
  await lockCustomer(tx, clientId, userId);
  const customer = await findCustomer(tx, clientId, userId);
  if (!customer) return refuse('customer_not_found');
  return customer.forgottenAt ? refuse('customer_forgotten') : customer;
}
