import { getCustomerAddress as row } from '@svc/contract/customers/customers';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { findWaitingAddress } from '../../storage/customers/customer-addresses.ts';
import { findCustomer } from '../../storage/customers/customers.ts';

/** The customer's address, and the one that waits to be confirmed. Refuses customer_not_found. */
export const getCustomerAddress = implement(row)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const customer = await findCustomer(ports.database, clientId, input.customerId);
  if (!customer) return refuse('customer_not_found');
  const owner = { clientId, userId: customer.id };
  const waiting = customer.forgottenAt
    ? undefined
    : await findWaitingAddress(ports.database, owner);
  const pendingEmail = waiting
    ? { email: waiting.email, expiresAt: waiting.expiresAt.toISOString() }
    : null;
  return { status: 200, body: { email: customer.email, pendingEmail } };
});
