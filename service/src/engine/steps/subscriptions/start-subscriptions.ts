import type { Line } from '../../../domain/payments/line.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import {
  periodEnd,
  type Start,
  type Subscription,
  startsOf,
} from '../../../domain/payments/subscription.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { isBeingRemoved, lockMethod } from '../../../storage/payment-methods/payment-methods.ts';
import { insertSubscription } from '../../../storage/subscriptions/subscriptions.ts';
import type { Ports } from '../../ports.ts';
import { appendSubscriptionEvent } from './apply-to-subscription.ts';

/** The purchase: its products, buyer and gateway. */
export type Sale = Pick<
  Subscription,
  | 'clientId'
  | 'sessionId'
  | 'userId'
  | 'currency'
  | 'provider'
  | 'gatewayId'
  | 'isLive'
  | 'metadata'
> & { readonly lines: readonly Line[]; readonly now: Date; readonly ports: Pick<Ports, 'newId'> };

/** Returns the sale behind a session's payment; null where the payment has no session or no buyer. */
export function findSale(
  payment: Payment,
  sold: Pick<Sale, 'lines' | 'now' | 'ports'>,
): Sale | null {
  const { clientId, sessionId, userId, currency, provider, gatewayId, isLive, metadata } = payment;
  if (!sessionId || !userId) return null;
  const facts = { clientId, sessionId, userId, currency, provider, gatewayId, isLive, metadata };
  return { ...facts, ...sold };
}

/**
 * Starts the subscriptions of a checkout that charge again, one per product, with
 * `subscription.created`. Repeatable: a session starts each of its products once. When the method
 * cannot pay, nothing is started, and the payment stays as it is. Locks the method. Contract §5.
 * docs/decisions/wallet.md.
 */
export async function startFunded(tx: Tx, sale: Sale, methodId: string): Promise<void> {
  const starts = startsOf(sale.lines).filter(({ amountMinor }) => amountMinor > 0);
  if (starts.length === 0) return;
  const method = await lockMethod(tx, sale.clientId, methodId);
  if (method?.status !== 'active' || (await isBeingRemoved(tx, method))) return;
  for (const start of starts) await startSubscription(tx, start, { ...sale, method });
}

/**
 * Starts the subscriptions that are free now and later: they need no method, and none is stored
 * with them.
 */
export async function startFreeSubscriptions(tx: Tx, sale: Sale): Promise<void> {
  for (const start of startsOf(sale.lines)) {
    if (start.amountMinor === 0) await startSubscription(tx, start, { ...sale, method: null });
  }
}

/**
 * Starts the subscriptions that charge after a free first period, without a saved method: the
 * renewal uses what the customer has saved by then.
 */
export async function startUnfunded(tx: Tx, sale: Sale): Promise<void> {
  for (const start of startsOf(sale.lines)) {
    if (start.amountMinor > 0) await startSubscription(tx, start, { ...sale, method: null });
  }
}

async function startSubscription(
  tx: Tx,
  start: Start,
  sale: Sale & { readonly method: PaymentMethod | null },
): Promise<void> {
  const { lines: _, method, now, ports, ...bought } = sale;
  const { interval } = start;
  if (!interval) throw new Error(`product ${start.productCode} has no interval`);
  const subscription = await insertSubscription(tx, {
    ...bought,
    ...start,
    id: ports.newId(),
    userId: method?.userId ?? bought.userId,
    interval,
    paymentMethodId: method?.id ?? null,
    createdAt: now,
    currentPeriodEnd: periodEnd(now, interval, 1),
  });
  if (!subscription) return;
  const told = { event: 'subscription.created', request: null, now, ports } as const;
  await appendSubscriptionEvent(tx, subscription, told);
}
