import type { CustomerPageMethods } from '@svc/contract/customers/customer-page';
import { findPageMethods } from '../../../storage/customers/customer-pages.ts';
import type { Ports } from '../../ports.ts';
import { showPaymentMethod } from '../payment-methods/show-payment-method.ts';
import type { CustomerCaller } from './require-customer.ts';

/** Lists the customer's cards as the page shows them. */
export async function showPageMethods(
  { clientId, userId }: CustomerCaller,
  ports: Ports,
): Promise<CustomerPageMethods> {
  const { methods, defaultId } = await findPageMethods(ports.database, clientId, userId);
  return { data: methods.map(showPaymentMethod), defaultPaymentMethodId: defaultId };
}
