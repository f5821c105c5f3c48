import { resumeCustomerPageSubscription as row } from '@svc/contract/customers/customer-page-purchases';
import { resume } from '../../domain/payments/subscription.ts';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import {
  mayCancelByPage,
  showPageSubscription,
} from '../../engine/steps/customer-pages/show-page-subscription.ts';
import { changeEnd } from '../../engine/steps/subscriptions/change-end.ts';
import { readAskingTime } from '../../storage/database/clock.ts';

/**
 * Takes back the end that the page's customer has planned; repeatable. Refuses subscription_not_found, for another
 * customer's too, subscription_ended, and subscription_end_by_merchant for an end that the merchant has planned.
 */
export const resumeCustomerPageSubscription = implement(row)(
  async ({ subscriptionId }, caller, ports, refuse) => {
    const customer = requireCustomer(caller);
    const { clientId, userId, requestId } = customer;
    const request = { id: requestId, idempotencyKey: null };
    const resumed = await changeEnd(
      {
        ...{ clientId, userId, subscriptionId, caller, request },
        decide(subscription, now) {
          const decided = resume(subscription, now);
          const isMerchants = subscription.endReason === 'merchant_requested';
          if (isMerchants && decided !== 'ended') return refuse('subscription_end_by_merchant');
          return decided;
        },
      },
      ports,
    );
    if (!resumed) return refuse('subscription_not_found');
    if (resumed === 'ended') return refuse('subscription_ended');
    const now = await readAskingTime(ports.database);
    const mayCancel = await mayCancelByPage(clientId, ports);
    return { status: 200, body: showPageSubscription(resumed, { customer, now, mayCancel }) };
  },
);
