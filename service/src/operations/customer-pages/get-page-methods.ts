import { getCustomerPageMethods as row } from '@svc/contract/customers/customer-page';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { showPageMethods } from '../../engine/steps/customer-pages/show-page-methods.ts';

/** Lists what the customer of the page may see: the active methods of this merchant's customer only. */
export const getCustomerPageMethods = implement(row)(async (_input, caller, ports) => ({
  status: 200,
  body: await showPageMethods(requireCustomer(caller), ports),
}));
