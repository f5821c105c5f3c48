import { getCustomerPageSubscriptions as row } from '@svc/contract/customers/customer-page-purchases';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import {
  mayCancelByPage,
  showPageSubscription,
} from '../../engine/steps/customer-pages/show-page-subscription.ts';
import { readAskingTime } from '../../storage/database/clock.ts';
import { listPageSubscriptions } from '../../storage/subscriptions/subscription-lists.ts';

/** Lists the subscriptions of the page's customer, with what the page may do with each. */
export const getCustomerPageSubscriptions = implement(row)(async (_input, caller, ports) => {
  const customer = requireCustomer(caller);
  const subscriptions = await listPageSubscriptions(ports.database, customer);
  const now = await readAskingTime(ports.database);
  const mayCancel = await mayCancelByPage(customer.clientId, ports);
  const data = subscriptions.map((one) => showPageSubscription(one, { customer, now, mayCancel }));
  return { status: 200, body: { data } };
});
