import { getCustomerPageDetails as row } from '@svc/contract/customers/customer-page-details';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { showPageDetails } from '../../engine/steps/customer-pages/show-page-details.ts';
import { findCustomer } from '../../storage/customers/customers.ts';

/** Tells name, language and masked addresses of the page's customer. */
export const getCustomerPageDetails = implement(row)(async (_input, caller, { database }) => {
  const { clientId, userId } = requireCustomer(caller);
  const customer = await findCustomer(database, clientId, userId);
  if (!customer) throw new Error('the page has a customer');
  return { status: 200, body: await showPageDetails(database, customer) };
});
