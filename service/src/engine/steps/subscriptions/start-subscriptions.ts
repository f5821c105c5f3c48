import type { Line } from '../../../domain/payments/checkout-session.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import {
  type Interval,
  periodEnd,
  type Start,
  type Subscription,
  startsOf,
} from '../../../domain/payments/subscription.ts';
import { findProduct } from '../../../storage/catalog/products.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { isBeingRemoved } from '../../../storage/payment-methods/payment-method-uses.ts';
import { lockMethod } from '../../../storage/payment-methods/payment-methods.ts';
import { insertSubscription } from '../../../storage/subscriptions/subscriptions.ts';
import type { Ports } from '../../ports.ts';
import { tellOfSubscription } from './apply-to-subscription.ts';

/** What was bought, by whom and through which gateway. */
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

/** The sale that a payment of a session is; null where nobody bought anything. */
export function saleOf(payment: Payment, sold: Pick<Sale, 'lines' | 'now' | 'ports'>): Sale | null {
  const { clientId, sessionId, userId, currency, provider, gatewayId, isLive, metadata } = payment;
  if (!sessionId || !userId) return null;
  const facts = { clientId, sessionId, userId, currency, provider, gatewayId, isLive, metadata };
  return { ...facts, ...sold };
}

/**
 * Starts what is charged again of what a checkout bought, one subscription per product, with
 * `subscription.created`. Repeatable: a session starts each of its products once. With a method that
 * cannot fund it nothing is started, and the payment stands all the same. Locks the method.
 * Contract §5. Decision 0057.
 */
export async function startFunded(tx: Tx, sale: Sale, methodId: string): Promise<void> {
  const starts = startsOf(sale.lines).filter(({ amountMinor }) => amountMinor > 0);
  if (starts.length === 0) return;
  const method = await lockMethod(tx, sale.clientId, methodId);
  if (method?.status !== 'active' || (await isBeingRemoved(tx, method))) return;
  for (const start of starts) await startSubscription(tx, start, { ...sale, method });
}

/** Starts what costs nothing, now and later: no method is needed, and none is kept for it. */
export async function startFree(tx: Tx, sale: Sale): Promise<void> {
  for (const start of startsOf(sale.lines)) {
    if (start.amountMinor === 0) await startSubscription(tx, start, { ...sale, method: null });
  }
}

/**
 * Starts what is charged again after a first period that cost nothing, with nothing on file: its
 * renewal takes what the customer has saved by then.
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
  const interval = start.interval ?? (await intervalOf(tx, sale.clientId, start.productCode));
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
  await tellOfSubscription(tx, subscription, told);
}

/** Of a cart from before its lines knew it. A product's interval never changes. */
async function intervalOf(tx: Tx, clientId: string, code: string): Promise<Interval> {
  const product = await findProduct(tx, clientId, code);
  if (!product?.interval) throw new Error(`product ${code} has no interval`);
  return product.interval;
}
