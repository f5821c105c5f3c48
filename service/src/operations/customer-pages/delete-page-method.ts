import { deleteCustomerPageMethod as row } from '@svc/contract/customers/customer-page';
import { implement } from '../../engine/implement.ts';
import {
  removePaymentMethod,
  requestOf,
} from '../../engine/runs/payment-methods/remove-payment-method.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';

/**
 * Removes a method of the page's own customer, in the same way as the merchant's detachment; another
 * customer's method is not found. Refuses in the order of deletePaymentMethod.
 */
export const deleteCustomerPageMethod = implement(row)(async (input, caller, ports) => {
  const { clientId, userId, requestId } = requireCustomer(caller);
  const request = requestOf(requestId);
  await removePaymentMethod(ports, { clientId, userId, id: input.id, request, caller });
  return { status: 204 };
});
