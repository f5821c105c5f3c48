import { getCustomerPageMethods as row } from '@svc/contract/customer-page';
import { findPageMethods } from '../../storage/customer-pages.ts';
import { implement } from '../implement.ts';
import { showPaymentMethod } from '../payment-methods/show-payment-method.ts';
import { requireCustomer } from './require-customer.ts';

/** Lists what the customer of the page may see: active methods of this merchant's customer alone. */
export const getCustomerPageMethods = implement(row)(async (_input, caller, ports) => {
  const { clientId, userId } = requireCustomer(caller);
  const { methods, defaultId } = await findPageMethods(ports.database, clientId, userId);
  return {
    status: 200,
    body: { data: methods.map(showPaymentMethod), defaultPaymentMethodId: defaultId },
  };
});
