import { cancelCustomerPageSubscription as row } from '@svc/contract/customers/customer-page-purchases';
import { cancelAtPeriodEnd } from '../../domain/payments/subscription.ts';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import {
  mayCancelByPage,
  showPageSubscription,
} from '../../engine/steps/customer-pages/show-page-subscription.ts';
import { changeEnd } from '../../engine/steps/subscriptions/change-end.ts';
import { readAskingTime } from '../../storage/database/clock.ts';

/**
 * Ends a subscription of the page's customer with the period that was paid; repeatable. Refuses
 * subscription_not_found, for another customer's too, and customer_page_cancel_off.
 */
export const cancelCustomerPageSubscription = implement(row)(
  async ({ subscriptionId }, caller, ports, refuse) => {
    const customer = requireCustomer(caller);
    const { clientId, userId, requestId } = customer;
    const mayCancel = await mayCancelByPage(clientId, ports);
    const request = { id: requestId, idempotencyKey: null };
    const ended = await changeEnd(
      {
        ...{ clientId, userId, subscriptionId, caller, request },
        decide(subscription, now) {
          const decided = cancelAtPeriodEnd(subscription, 'customer_requested', now);
          return decided && !mayCancel ? refuse('customer_page_cancel_off') : decided;
        },
      },
      ports,
    );
    if (!ended || ended === 'ended') return refuse('subscription_not_found');
    const now = await readAskingTime(ports.database);
    return { status: 200, body: showPageSubscription(ended, { customer, now, mayCancel }) };
  },
);
