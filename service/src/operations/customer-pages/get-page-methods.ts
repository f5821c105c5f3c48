import {
  type CustomerPageMethods,
  getCustomerPageMethods as row,
} from '@svc/contract/customer-page';
import { implement } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import {
  type CustomerCaller,
  requireCustomer,
} from '../../engine/steps/customer-pages/require-customer.ts';
import { showPaymentMethod } from '../../engine/steps/payment-methods/show-payment-method.ts';
import { findPageMethods } from '../../storage/customers/customer-pages.ts';

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
