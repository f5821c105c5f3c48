import { rows } from '@svc/contract';
import { listCustomerRows, toCustomer } from '../../storage/customers.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showCustomer } from './show-customer.ts';

/** Lists the merchant's customers. Contract §2, Lists. */
export const listCustomers = implement(rows.listCustomers)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listCustomerRows(ports.database, clientId, input);
  return {
    status: 200,
    body: { data: found.map((row) => showCustomer(toCustomer(row))), ...page },
  };
});
