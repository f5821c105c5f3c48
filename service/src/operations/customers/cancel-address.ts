import { cancelCustomerAddress as row } from '@svc/contract/customers/customers';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { cancelAddress } from '../../engine/steps/customer-pages/ask-address.ts';
import { lockKnownCustomer } from '../../engine/steps/customers/lock-known-customer.ts';

/**
 * Drops the address that waits to be confirmed, whoever asked for it; its link is over. Repeatable. Refuses, in order:
 * customer_not_found, customer_forgotten.
 */
export const cancelCustomerAddress = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  await ports.database.transaction(clientId, async (tx) => {
    const customer = await lockKnownCustomer(tx, { clientId, userId: input.customerId });
    await cancelAddress(tx, { caller, customer }, ports);
  });
  return { status: 204 };
});
