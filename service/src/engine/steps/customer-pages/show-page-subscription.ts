import { rows } from '@svc/contract';
import type { PageSubscription } from '@svc/contract/customers/customer-page-purchases';
import { resume, type Subscription } from '../../../domain/payments/subscription.ts';
import { findClient } from '../../../storage/clients/clients.ts';
import type { Ports } from '../../ports.ts';
import { showSubscription } from '../subscriptions/show-subscription.ts';
import { isOpenByLink } from './open-by-link.ts';
import type { CustomerCaller } from './require-customer.ts';

type Shown = {
  readonly customer: CustomerCaller;
  readonly now: Date;
  /** Whether the merchant lets customers end subscriptions here. */
  readonly mayCancel: boolean;
};

export const mayCancelByPage = async (
  clientId: string,
  { database }: Pick<Ports, 'database'>,
): Promise<boolean> => (await findClient(database, clientId))?.customerPage.cancel === true;

/** The subscription as its customer sees it: nothing of the merchant's own, and what the page may do with it. */
export function showPageSubscription(
  subscription: Subscription,
  { customer, now, mayCancel }: Shown,
): PageSubscription {
  const shown = showSubscription(subscription);
  const isOpen = isOpenByLink(rows.cancelCustomerPageSubscription, customer.maker);
  const { endReason, status } = subscription;
  return {
    id: shown.id,
    object: 'subscription',
    productName: subscription.productName,
    quantity: shown.quantity,
    amount: shown.amount,
    currency: shown.currency,
    interval: shown.interval,
    status: shown.status,
    paymentMethodId: shown.paymentMethodId,
    currentPeriodEnd: shown.currentPeriodEnd,
    nextRenewalAt: shown.nextRenewalAt,
    cancelAt: shown.cancelAt,
    canceledAt: shown.canceledAt,
    may: {
      cancel: mayCancel && isOpen && status !== 'canceled' && endReason === null,
      resume: isOpen && endReason === 'customer_requested' && resume(subscription, now) !== 'ended',
    },
  };
}
