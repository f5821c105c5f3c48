import { rows } from '@svc/contract';
import { findCustomer } from '../../storage/customers.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showCustomer } from './show-customer.ts';

/** Reads one customer; another merchant's is as good as missing. Refuses customer_not_found. */
export const getCustomer = implement(rows.getCustomer)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const customer = await findCustomer(ports.database, clientId, input.customerId);
  if (!customer) return refuse('customer_not_found');
  return { status: 200, body: showCustomer(customer) };
});
