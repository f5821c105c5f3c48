import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showCustomer } from '../../engine/steps/customers/show-customer.ts';
import { listCustomerRows } from '../../storage/customers/customer-lists.ts';
import { toCustomer } from '../../storage/customers/customers.ts';

/** Lists the merchant's customers. Contract §2, Lists. */
export const listCustomers = implement(rows.listCustomers)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listCustomerRows(ports.database, clientId, input);
  return {
    status: 200,
    body: { data: found.map((row) => showCustomer(toCustomer(row))), ...page },
  };
});
