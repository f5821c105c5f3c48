import { updateCustomerPageDetails as row } from '@svc/contract/customers/customer-page-details';
import { implement } from '../../engine/implement.ts';
import { lockPageCustomer } from '../../engine/steps/customer-pages/lock-page-customer.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { showPageDetails } from '../../engine/steps/customer-pages/show-page-details.ts';
import { recordUpdate } from '../../engine/steps/customers/record-update.ts';
import { updateCustomer } from '../../storage/customers/customers.ts';

/** Changes name and language of the page's customer, as far as they are given and are others than before. */
export const updateCustomerPageDetails = implement(row)(async ({ body }, caller, ports) => {
  const page = requireCustomer(caller);
  return ports.database.transaction(page.clientId, async (tx) => {
    const customer = await lockPageCustomer(tx, page);
    const { name = customer.name, language = customer.language } = body;
    const fields = [
      ...(name === customer.name ? [] : (['name'] as const)),
      ...(language === customer.language ? [] : (['language'] as const)),
    ];
    if (fields.length === 0) return { status: 200, body: await showPageDetails(tx, customer) };
    const saved = await updateCustomer(tx, { ...customer, name, language });
    await recordUpdate(tx, { caller, customer: saved, fields }, ports);
    return { status: 200, body: await showPageDetails(tx, saved) };
  });
});
