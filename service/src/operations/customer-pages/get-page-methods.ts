import {
  type CustomerPageMethods,
  getCustomerPageMethods as row,
} from '@svc/contract/customer-page';
import { findPageMethods } from '../../storage/customer-pages.ts';
import { implement } from '../implement.ts';
import { showPaymentMethod } from '../payment-methods/show-payment-method.ts';
import type { Ports } from '../ports.ts';
import { type CustomerCaller, requireCustomer } from './require-customer.ts';

/** Lists what the customer of the page may see: active methods of this merchant's customer alone. */
export const getCustomerPageMethods = implement(row)(async (_input, caller, ports) => ({
  status: 200,
  body: await showPageMethods(requireCustomer(caller), ports),
}));

/** The customer's cards as the page shows them. */
export async function showPageMethods(
  { clientId, userId }: CustomerCaller,
  ports: Ports,
): Promise<CustomerPageMethods> {
  const { methods, defaultId } = await findPageMethods(ports.database, clientId, userId);
  return { data: methods.map(showPaymentMethod), defaultPaymentMethodId: defaultId };
}
