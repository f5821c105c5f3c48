import { createCustomerPageSetup as row } from '@svc/contract/customers/customer-page';
import { customerPageAt, pageLifeMs } from '../../domain/people/customer-page.ts';
import { implement } from '../../engine/implement.ts';
import { openSetupSession } from '../../engine/runs/card-setups/open-setup-session.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';

/**
 * Opens a setup session for the customer of the page. A bank's challenge that takes the whole
 * window returns to the page, which is ours: no address of the merchant is involved, and this
 * return address marks the session as the page's. Refuses gateway_unavailable.
 */
export const createCustomerPageSetup = implement(row)(async (_input, caller, ports) => {
  const { clientId, userId, pageId } = requireCustomer(caller);
  const page = customerPageAt({ checkoutUrl: ports.settings.checkoutUrl, clientId });
  const returnUrlsFor = () => ({ successUrl: page, cancelUrl: page });
  const terms = { returnUrlsFor, lifeMs: pageLifeMs };
  const body = await openSetupSession({ clientId, userId }, terms, ports);
  await ports.database.transaction(clientId, (tx) => {
    const resource = { resourceType: 'customer', resourceId: userId };
    const after = { pageId, sessionId: body.id };
    const change = { action: 'customer_page.setup_created', ...resource, after };
    return recordChange(tx, caller, change, ports);
  });
  return { status: 201, body };
});
