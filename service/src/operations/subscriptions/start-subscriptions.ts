import type { Line } from '../../domain/checkout-session.ts';
import type { Payment } from '../../domain/payment.ts';
import type { PaymentMethod } from '../../domain/payment-method.ts';
import { type Interval, periodEnd, type Start, startsOf } from '../../domain/subscription.ts';
import type { Tx } from '../../storage/database.ts';
import { isBeingRemoved } from '../../storage/payment-method-uses.ts';
import { lockMethod } from '../../storage/payment-methods.ts';
import { findProduct } from '../../storage/products.ts';
import { insertSubscription } from '../../storage/subscriptions.ts';
import type { Ports } from '../ports.ts';
import { tellOfSubscription } from './apply-to-subscription.ts';

export type Started = {
  /** The purchase that succeeded. */
  readonly payment: Payment;
  readonly lines: readonly Line[];
  /** Of the method that pays the periods to come. */
  readonly methodId: string;
  readonly now: Date;
  readonly ports: Pick<Ports, 'newId'>;
};

/**
 * Starts what a checkout bought, one subscription per product, with `subscription.created`. Repeatable:
 * a session starts each of its products once. With a method that cannot fund it nothing is started, and
 * the payment stands all the same. Locks the method. Contract §5. Decision 0057.
 */
export async function startSubscriptions(tx: Tx, started: Started): Promise<void> {
  const starts = startsOf(started.lines);
  if (starts.length === 0) return;
  const method = await lockMethod(tx, started.payment.clientId, started.methodId);
  if (method?.status !== 'active' || (await isBeingRemoved(tx, method))) return;
  for (const start of starts) await startSubscription(tx, start, { ...started, method });
}

async function startSubscription(
  tx: Tx,
  start: Start,
  started: Started & { readonly method: PaymentMethod },
): Promise<void> {
  const { payment, method, now, ports } = started;
  const { clientId, sessionId } = payment;
  if (!sessionId) return;
  const interval = start.interval ?? (await intervalOf(tx, clientId, start.productCode));
  const subscription = await insertSubscription(tx, {
    ...start,
    id: ports.newId(),
    clientId,
    sessionId,
    userId: method.userId,
    currency: payment.currency,
    interval,
    provider: payment.provider,
    gatewayId: payment.gatewayId,
    paymentMethodId: method.id,
    isLive: payment.isLive,
    metadata: payment.metadata,
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
