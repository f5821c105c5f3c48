import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showCustomer } from '../../engine/steps/customers/show-customer.ts';
import { findCustomer } from '../../storage/customers/customers.ts';

/** Reads one customer. Refuses customer_not_found, another merchant's too. */
export const getCustomer = implement(rows.getCustomer)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const customer = await findCustomer(ports.database, clientId, input.customerId);
  if (!customer) return refuse('customer_not_found');
  return { status: 200, body: showCustomer(customer) };
});
