import { createCustomerPageSetup as row } from '@svc/contract/customer-page';
import { openSetupSession } from '../card-setups/create-setup-session.ts';
import { implement } from '../implement.ts';
import { requireCustomer } from './require-customer.ts';

/**
 * Opens a setup session for the customer of the page. A bank that takes the whole window leads back
 * to the page, which is ours: no address of the merchant is involved. Refuses gateway_unavailable.
 */
export const createCustomerPageSetup = implement(row)(async (_input, caller, ports) => {
  const { clientId, userId } = requireCustomer(caller);
  const page = `${ports.settings.checkoutUrl}/m`;
  const toPage = () => ({ successUrl: page, cancelUrl: page });
  return { status: 201, body: await openSetupSession({ clientId, userId }, toPage, ports) };
});
