// Starts the renewal of one subscription: payment, operation and use of its method in one
// transaction, before the provider is called. One renewal at a time per subscription.

import { createHash } from 'node:crypto';
import type { Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { isRefusedForGood } from '../../domain/payments/renewal-failures.ts';
import {
  type EndReason,
  renewalMetadata,
  type Subscription,
} from '../../domain/payments/subscription.ts';
import { readClock } from '../database/clock.ts';
import type { Database, Tx } from '../database/database.ts';
import { isRenewedHere } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';
import {
  isBeingRemoved,
  listUsableMethods,
  lockMethod,
} from '../payment-methods/payment-methods.ts';
import { claimMethodUse } from '../payments/attempt-methods.ts';
import { insertOperation } from '../payments/payment-operations.ts';
import { insertPurchase } from '../payments/payments.ts';
import {
  findSubscription,
  fundSubscription,
  lockSubscription,
  setRenewalPayment,
} from './subscriptions.ts';

export type DueRenewal = {
  readonly clientId: string;
  readonly subscriptionId: string;
  /** Null when the customer has no method, or the period costs nothing. */
  readonly paymentMethodId: string | null;
};

// A subscription whose method is being removed waits for the result of the detachment, unless it is to end.
const listDue = sql<{ client_id: string; id: string; payment_method_id: string | null }>(
  'renewals.list_due',
  `select s.client_id, s.id, s.payment_method_id from subscriptions s
   where s.next_renewal_at <= (select svc_clock()) and s.renewal_payment_id is null
     and s.status in ('active', 'past_due')
     and (s.end_reason is not null or not exists (select from payment_method_detachments r
       where r.client_id = s.client_id and r.payment_method_id = s.payment_method_id
       and r.state = 'running')
       and ${isRenewedHere('s')})
   order by s.next_renewal_at limit $1`,
);

/** Lists subscriptions to charge or to end now, the longest due first. */
export async function listDueRenewals(database: Database, limit: number): Promise<DueRenewal[]> {
  const rows = await database.read(listDue, [limit]);
  return rows.map((row) => ({
    clientId: row.client_id,
    subscriptionId: row.id,
    paymentMethodId: row.payment_method_id,
  }));
}

export type RenewalRequest = DueRenewal & {
  readonly paymentId: string;
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
};

export type RenewalClaim =
  | {
      readonly kind: 'claimed';
      readonly payment: Payment;
      readonly operation: Operation;
      readonly now: Date;
    }
  /** Nothing can be charged: the bank said never to try this card again, or the customer has no method. */
  | { readonly kind: 'refused_card'; readonly subscription: Subscription; readonly now: Date }
  /** The period that was paid is over, and it was to end with that. */
  | {
      readonly kind: 'over';
      readonly subscription: Subscription & { readonly endReason: EndReason };
      readonly now: Date;
    }
  /** The period costs nothing. */
  | { readonly kind: 'free'; readonly subscription: Subscription; readonly now: Date };

/**
 * Claims under the locks of method and subscription, in this order. Returns undefined when there is
 * nothing left to do: another process did it, or the method has changed or is being removed.
 */
export async function claimRenewal(
  tx: Tx,
  request: RenewalRequest,
): Promise<RenewalClaim | undefined> {
  const { clientId, subscriptionId } = request;
  if (request.paymentMethodId === null) return claimUnfunded(tx, request);
  const method = await lockMethod(tx, clientId, request.paymentMethodId);
  const subscription = await lockSubscription(tx, clientId, subscriptionId);
  if (!method || !subscription || subscription.paymentMethodId !== method.id) return undefined;
  const now = await readClock(tx);
  if (!isDue(subscription, now)) return undefined;
  if (isToEnd(subscription)) return { kind: 'over', subscription, now };
  if (method.status !== 'active') return undefined;
  if (await isBeingRemoved(tx, method)) return undefined;
  if (await isCardRefused(tx, subscription)) return { kind: 'refused_card', subscription, now };
  return startRenewal(tx, { subscription, method }, { ...request, now });
}

/**
 * Claims the renewal of a subscription without a payment method. When the period costs something, a method that
 * the customer has saved since then is attached and pays from now on; a free period needs none.
 */
async function claimUnfunded(tx: Tx, request: RenewalRequest): Promise<RenewalClaim | undefined> {
  const { clientId, subscriptionId } = request;
  const known = await findSubscription(tx, clientId, subscriptionId);
  if (!known || known.paymentMethodId !== null) return undefined;
  const [offered] = known.amountMinor > 0 ? await listUsableMethods(tx, known) : [];
  const method = offered && (await lockMethod(tx, clientId, offered.id));
  const subscription = await lockSubscription(tx, clientId, subscriptionId);
  const now = await readClock(tx);
  if (!subscription || subscription.paymentMethodId !== null) return undefined;
  if (!isDue(subscription, now)) return undefined;
  if (isToEnd(subscription)) return { kind: 'over', subscription, now };
  if (subscription.amountMinor === 0) return { kind: 'free', subscription, now };
  if (!method) return { kind: 'refused_card', subscription, now };
  if (method.status !== 'active' || (await isBeingRemoved(tx, method))) return undefined;
  const funded = await fundSubscription(tx, subscription, { methodId: method.id, now });
  return startRenewal(tx, { subscription: funded, method }, { ...request, now });
}

const isDue = ({ status, nextRenewalAt, renewalPaymentId }: Subscription, now: Date): boolean =>
  (status === 'active' || status === 'past_due') &&
  renewalPaymentId === null &&
  nextRenewalAt !== null &&
  nextRenewalAt <= now;

const isToEnd = (of: Subscription): of is Subscription & { readonly endReason: EndReason } =>
  of.endReason !== null;

const findLast = sql<{
  payment_method_id: string;
  status: string;
  decline_code: string | null;
  decline_advice: string | null;
}>(
  'renewals.find_last',
  `select u.payment_method_id, p.status, p.decline_code, p.decline_advice
   from payment_method_uses u join payments p on p.id = u.payment_id and p.client_id = $1
   where u.client_id = $1 and u.subscription_id = $2
   order by u.claimed_at desc, u.payment_id desc limit 1`,
);

async function isCardRefused(tx: Tx, subscription: Subscription): Promise<boolean> {
  const { clientId, id, paymentMethodId } = subscription;
  const [last] = await tx.query(findLast, [clientId, id]);
  return (
    last?.status === 'failed' &&
    last.payment_method_id === paymentMethodId &&
    isRefusedForGood(last.decline_code, last.decline_advice)
  );
}

const findBuyer = sql<{ email: string; external_id: string | null }>(
  'renewals.find_buyer',
  'select email, external_id from customers where client_id = $1 and id = $2',
);

async function startRenewal(
  tx: Tx,
  { subscription, method }: { subscription: Subscription; method: PaymentMethod },
  request: RenewalRequest & { readonly now: Date },
): Promise<RenewalClaim> {
  const { clientId, id: subscriptionId, userId, amountMinor } = subscription;
  const { paymentId, operationId, leaseOwner, leaseMs, now } = request;
  const [customer] = await tx.query(findBuyer, [clientId, userId]);
  const bare = await insertPurchase(tx, {
    id: paymentId,
    clientId,
    sessionId: null,
    userId,
    externalId: customer?.external_id ?? null,
    email: customer?.email ?? null,
    isBuyerVerified: true,
    provider: subscription.provider,
    gatewayId: method.gatewayId,
    amountMinor,
    currency: subscription.currency,
    captureMethod: 'automatic',
    metadata: renewalMetadata(subscription),
    reference: null,
    isLive: subscription.isLive,
    createdAt: now,
  });
  const operation = await insertOperation(tx, {
    id: operationId,
    clientId,
    paymentId,
    kind: 'authorize',
    amountMinor,
    leaseOwner,
    leaseUntil: new Date(now.getTime() + leaseMs),
    now,
    idempotencyKey: null,
    rawSha256: null,
    canonSha256: createHash('sha256').update(`renewal\n${paymentId}`).digest(),
    cardTokenSha256: null,
    requestId: null,
  });
  if (!operation) throw new Error('a new payment has no other operation');
  const use = { paymentMethodId: method.id, purpose: 'renewal', subscriptionId, now } as const;
  const payment = await claimMethodUse(tx, bare, use);
  if (!payment) throw new Error(`subscription ${subscriptionId}: its method cannot pay`);
  await setRenewalPayment(tx, subscription, { paymentId, now });
  return { kind: 'claimed', payment, operation, now };
}
