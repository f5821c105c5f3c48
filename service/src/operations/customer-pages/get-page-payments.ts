import { getCustomerPagePayments as row } from '@svc/contract/customers/customer-page-purchases';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { showPagePayment } from '../../engine/steps/customer-pages/show-page-payment.ts';
import { listPagePayments } from '../../storage/payments/payment-details.ts';

/**
 * Lists payments and refunds of the page's customer, as far as the merchant vouched for the buyer: a stranger may
 * have named the same id in a session of their own.
 */
export const getCustomerPagePayments = implement(row)(async (input, caller, ports) => {
  const { limit, before = null } = input;
  const customer = requireCustomer(caller);
  const found = await listPagePayments(ports.database, customer, { before, limit: limit + 1 });
  const data = found.slice(0, limit).map(showPagePayment);
  return { status: 200, body: { data, hasMore: found.length > limit } };
});
