import { updateCustomerPageDefault as row } from '@svc/contract/customers/customer-page';
import type { Customer } from '../../domain/people/customer.ts';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { showPageMethods } from '../../engine/steps/customer-pages/show-page-methods.ts';
import { changeDefaultMethod } from '../../engine/steps/customers/change-default-method.ts';
import { recordUpdate } from '../../engine/steps/customers/record-update.ts';
import type { Tx } from '../../storage/database/database.ts';

/**
 * Makes a method of the page's customer the default, at the provider first. Refuses, in order:
 * payment_method_not_found, gateway_unavailable, gateway_outcome_unknown.
 */
export const updateCustomerPageDefault = implement(row)(async ({ body }, caller, ports, refuse) => {
  const customer = requireCustomer(caller);
  const { clientId, userId } = customer;
  const methodId = body.paymentMethodId.toLowerCase();
  const fields = ['defaultPaymentMethodId'] as const;
  const record = (tx: Tx, saved: Customer) =>
    recordUpdate(tx, { caller, customer: saved, fields }, ports);
  const changed = await changeDefaultMethod({ clientId, userId, methodId, record }, ports);
  if (changed.kind === 'changed') {
    return { status: 200, body: await showPageMethods(customer, ports) };
  }
  // A page belongs to a customer, customers are never deleted, and who is forgotten loses the page and the methods.
  if (changed.code === 'customer_not_found') throw new Error('the page has a customer');
  if (changed.code === 'customer_forgotten') return refuse('payment_method_not_found');
  return refuse(changed.code, changed.facts);
});
