// The table of subscriptions. The database guards which columns never change and which a renewal
// may change (`guard_subscription`). Contract §5.

import assert from 'node:assert';
import type { Payment } from '../../domain/payments/payment.ts';
import type { Subscription } from '../../domain/payments/subscription.ts';
import type { Database, Tx } from '../database/database.ts';
import { amount, column, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

export type SubscriptionRow = Record<string, unknown>;

export const externalIdOfSubscription = `(select c.external_id from customers c
  where c.client_id = s.client_id and c.id = s.user_id)`;

const subscription = rowShape<Subscription>({
  id: column('id'),
  clientId: column('client_id'),
  userId: column('user_id'),
  externalId: column('external_id', externalIdOfSubscription),
  sessionId: column('session_id'),
  productCode: column('product_code'),
  productName: column('product_name'),
  quantity: column('quantity'),
  amountMinor: amount('amount_minor'),
  currency: column('currency'),
  interval: column('interval_unit'),
  provider: column('provider'),
  gatewayId: column('gateway_id'),
  paymentMethodId: column('payment_method_id'),
  isLive: column('is_live'),
  metadata: column('metadata'),
  status: column('status'),
  anchoredAt: column('anchored_at'),
  periods: column('periods'),
  currentPeriodEnd: column('current_period_end'),
  tries: column('tries'),
  nextRenewalAt: column('next_renewal_at'),
  renewalPaymentId: column('renewal_payment_id'),
  endReason: column('end_reason'),
  canceledAt: column('canceled_at'),
  cancelReason: column('cancel_reason'),
  eventSeq: column('event_seq'),
  version: column('version'),
  createdAt: column('created_at'),
  updatedAt: column('updated_at'),
});

/** Columns of a subscription; `s` is the table's alias. */
export const subscriptionColumns = subscription.columns('s');

export const toSubscription = subscription.read;

const insert = sql<SubscriptionRow>(
  'subscriptions.insert',
  `insert into subscriptions as s (id, client_id, user_id, session_id, product_code, product_name,
     quantity, amount_minor, currency, interval_unit, provider, gateway_id, is_live, metadata,
     created_at, anchored_at, payment_method_id, status, current_period_end, next_renewal_at,
     event_seq, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16, 'active', $17,
     $17, 1, $15)
   on conflict (session_id, product_code) do nothing
   returning ${subscriptionColumns}`,
);

export type NewSubscription = Pick<
  Subscription,
  | 'id'
  | 'clientId'
  | 'userId'
  | 'sessionId'
  | 'productCode'
  | 'productName'
  | 'quantity'
  | 'amountMinor'
  | 'currency'
  | 'interval'
  | 'provider'
  | 'gatewayId'
  | 'paymentMethodId'
  | 'isLive'
  | 'metadata'
  | 'createdAt'
  | 'currentPeriodEnd'
>;

/**
 * Inserts an active subscription; its first event is written with it. Returns undefined when its
 * session has started it before.
 */
export async function insertSubscription(
  tx: Tx,
  started: NewSubscription,
): Promise<Subscription | undefined> {
  const [row] = await tx.query(insert, [
    started.id,
    started.clientId,
    started.userId,
    started.sessionId,
    started.productCode,
    started.productName,
    started.quantity,
    started.amountMinor,
    started.currency,
    started.interval,
    started.provider,
    started.gatewayId,
    started.isLive,
    started.metadata,
    started.createdAt,
    started.paymentMethodId,
    started.currentPeriodEnd,
  ]);
  return row && toSubscription(row);
}

const find = sql<SubscriptionRow>(
  'subscriptions.find',
  `select ${subscriptionColumns} from subscriptions s where s.client_id = $1 and s.id = $2`,
);

export async function findSubscription(
  via: Tx | Database,
  clientId: string,
  id: string,
): Promise<Subscription | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, id]);
  return row && toSubscription(row);
}

const lock = sql<SubscriptionRow>(
  'subscriptions.lock',
  `select ${subscriptionColumns} from subscriptions s
   where s.client_id = $1 and s.id = $2 for update`,
);

/** Locked after payment, operation and method. Read the clock in a later statement. */
export async function lockSubscription(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<Subscription | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row && toSubscription(row);
}

const update = sql<SubscriptionRow>(
  'subscriptions.update',
  `update subscriptions s set status = $3, periods = $4, current_period_end = $5, tries = $6,
     next_renewal_at = $7, renewal_payment_id = $8, canceled_at = $9, cancel_reason = $10,
     event_seq = $11, version = s.version + 1, updated_at = $12, end_reason = $13
   where s.client_id = $1 and s.id = $2
   returning ${subscriptionColumns}`,
);

/** Saves a locked subscription with its change; only the method is changed elsewhere. */
export async function updateSubscription(
  tx: Tx,
  subscription: Subscription,
  change: Partial<Subscription> & { readonly eventSeq: number; readonly updatedAt: Date },
): Promise<Subscription> {
  const next = { ...subscription, ...change };
  const [row] = await tx.query(update, [
    next.clientId,
    next.id,
    next.status,
    next.periods,
    next.currentPeriodEnd,
    next.tries,
    next.nextRenewalAt,
    next.renewalPaymentId,
    next.canceledAt,
    next.cancelReason,
    next.eventSeq,
    next.updatedAt,
    next.endReason,
  ]);
  assert(row, 'a locked subscription is updated');
  return toSubscription(row);
}

const fund = sql<SubscriptionRow>(
  'subscriptions.fund',
  `update subscriptions s set payment_method_id = $3, version = s.version + 1, updated_at = $4
   where s.client_id = $1 and s.id = $2 and s.payment_method_id is null
   returning ${subscriptionColumns}`,
);

/** Sets a locked, active method of the customer on a locked subscription that has none. */
export async function fundSubscription(
  tx: Tx,
  { clientId, id }: Subscription,
  { methodId, now }: { readonly methodId: string; readonly now: Date },
): Promise<Subscription> {
  const [row] = await tx.query(fund, [clientId, id, methodId, now]);
  assert(row, 'a locked subscription is updated');
  return toSubscription(row);
}

const setPayment = sql(
  'subscriptions.set_renewal_payment',
  `update subscriptions set renewal_payment_id = $3, version = version + 1, updated_at = $4
   where client_id = $1 and id = $2`,
);

/** Stores which payment is to pay the due period. */
export async function setRenewalPayment(
  tx: Tx,
  { clientId, id }: Subscription,
  { paymentId, now }: { readonly paymentId: string; readonly now: Date },
): Promise<void> {
  await tx.query(setPayment, [clientId, id, paymentId, now]);
}

// The wait does not grow after ten failures.
const listFailed = sql<{ failure_code: string | null }>(
  'subscriptions.list_failed_renewals',
  `select p.failure_code
   from payment_method_uses u join payments p on p.id = u.payment_id and p.client_id = $1
   where u.client_id = $1 and u.subscription_id = $2 and u.claimed_at >= $3 and p.status = 'failed'
   order by u.claimed_at desc, u.payment_id desc limit 10`,
);

/** Returns the failed renewals of the due period, newest first: ten at most. */
export async function listFailedRenewals(
  tx: Tx,
  { clientId, id, currentPeriodEnd }: Subscription,
): Promise<Pick<Payment, 'failureCode'>[]> {
  const rows = await tx.query(listFailed, [clientId, id, currentPeriodEnd]);
  return rows.map((row) => ({ failureCode: row.failure_code }));
}
