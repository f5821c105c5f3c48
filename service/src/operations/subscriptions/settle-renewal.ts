import type { Payment } from '../../domain/payment.ts';
import { delayTry, failTry, isCardsFault, renew } from '../../domain/subscription.ts';
import type { Tx } from '../../storage/database.ts';
import { lockSubscription } from '../../storage/subscriptions.ts';
import type { Ports } from '../ports.ts';
import { applyToSubscription } from './apply-to-subscription.ts';

export type SettledRenewal = {
  /** As it was. */
  readonly payment: Payment;
  readonly next: Payment;
  readonly subscriptionId: string;
  readonly now: Date;
  readonly ports: Pick<Ports, 'newId'>;
};

/**
 * What the end of a renewal's payment means for its subscription. While the payment is open or in
 * doubt nothing moves, and no other charge for the period begins. One that was cancelled meanwhile
 * stays so. Called under the locks of payment, operation and method.
 */
export async function settleRenewal(tx: Tx, settled: SettledRenewal): Promise<void> {
  const { payment, next, subscriptionId, now, ports } = settled;
  if (next.status !== 'succeeded' && next.status !== 'failed') return;
  const subscription = await lockSubscription(tx, payment.clientId, subscriptionId);
  if (subscription?.renewalPaymentId !== payment.id || subscription.status === 'canceled') return;
  const decide = next.status === 'succeeded' ? renew : isCardsFault(next) ? failTry : delayTry;
  await applyToSubscription(tx, subscription, {
    ...decide(subscription, now),
    request: null,
    now,
    ports,
  });
}
