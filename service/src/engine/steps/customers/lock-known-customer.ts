import type { Customer } from '../../../domain/people/customer.ts';
import { findCustomer, lockCustomer } from '../../../storage/customers/customers.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';

type Owner = { readonly clientId: string; readonly userId: string };

/** Returns a customer of the merchant. Refuses, in order: customer_not_found, customer_forgotten. */
export async function getKnownCustomer(
  via: Database | Tx,
  { clientId, userId }: Owner,
): Promise<Customer> {
  const customer = await findCustomer(via, clientId, userId);
  if (!customer) return refuse('customer_not_found');
  return customer.forgottenAt ? refuse('customer_forgotten') : customer;
}

/** Locks a customer of the merchant. Refuses, in order: customer_not_found, customer_forgotten. */
export async function lockKnownCustomer(tx: Tx, owner: Owner): Promise<Customer> {
  await lockCustomer(tx, owner.clientId, owner.userId);
  return getKnownCustomer(tx, owner);
}
