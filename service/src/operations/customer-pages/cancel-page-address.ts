import { cancelCustomerPageAddress as row } from '@svc/contract/customers/customer-page-details';
import { implement } from '../../engine/implement.ts';
import { cancelAddress } from '../../engine/steps/customer-pages/ask-address.ts';
import { lockPageCustomer } from '../../engine/steps/customer-pages/lock-page-customer.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';

/** Drops the address that waits to be confirmed; its link is over. Repeatable. */
export const cancelCustomerPageAddress = implement(row)(async (_input, caller, ports) => {
  const page = requireCustomer(caller);
  await ports.database.transaction(page.clientId, async (tx) => {
    const customer = await lockPageCustomer(tx, page);
    await cancelAddress(tx, { caller, customer }, ports);
  });
  return { status: 204 };
});
