import type { Customer } from '../../../domain/people/customer.ts';
import { findCustomer, lockCustomer } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';
import type { CustomerCaller } from './require-customer.ts';

/** Locks the page's customer. Refuses customer_page_not_found when the customer was forgotten meanwhile. */
export async function lockPageCustomer(
  tx: Tx,
  { clientId, userId }: CustomerCaller,
): Promise<Customer> {
  const isForgotten = await lockCustomer(tx, clientId, userId);
  const customer = await findCustomer(tx, clientId, userId);
  return customer && !isForgotten ? customer : refuse('customer_page_not_found');
}
