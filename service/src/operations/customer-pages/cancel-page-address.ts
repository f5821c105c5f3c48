import { cancelCustomerPageAddress as row } from '@svc/contract/customers/customer-page-details';
import { implement } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { lockPageCustomer } from '../../engine/steps/customer-pages/lock-page-customer.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { dropWaitingAddress } from '../../storage/customers/customer-addresses.ts';

/** Drops the address that waits to be confirmed; its link is over. Repeatable. */
export const cancelCustomerPageAddress = implement(row)(async (_input, caller, ports) => {
  const page = requireCustomer(caller);
  await ports.database.transaction(page.clientId, async (tx) => {
    await lockPageCustomer(tx, page);
    const addressId = await dropWaitingAddress(tx, page);
    if (!addressId) return;
    const resource = { resourceType: 'customer', resourceId: page.userId };
    const change = { action: 'customer_page.address_canceled', ...resource, after: { addressId } };
    await recordChange(tx, caller, change, ports);
  });
  return { status: 204 };
});
