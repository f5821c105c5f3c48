// What a customer bought, for the customer's own page: subscriptions and payments.

import type { Payment } from '../../domain/payments/payment.ts';
import type { Subscription } from '../../domain/payments/subscription.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type PaymentRow, paymentColumns, toPayment } from '../payments/payments.ts';
import {
  type SubscriptionRow,
  subscriptionColumns,
  toSubscription,
} from '../subscriptions/subscriptions.ts';

type Owner = { readonly clientId: string; readonly userId: string };

const listSubscriptions = sql<SubscriptionRow>(
  'customer_pages.subscriptions',
  `select ${subscriptionColumns} from subscriptions s
   where s.client_id = $1 and s.user_id = $2
   order by s.status = 'canceled', s.created_at desc, s.id desc limit 100`,
);

/** Lists the customer's subscriptions, those that have ended last. */
export async function listPageSubscriptions(
  database: Database,
  { clientId, userId }: Owner,
): Promise<Subscription[]> {
  return (await database.read(listSubscriptions, [clientId, userId])).map(toSubscription);
}

export type CustomerPayment = {
  readonly payment: Payment;
  readonly productNames: readonly string[];
};

// From the copy of payments, which knows them by customer, soon after each was made. A renewal has no cart.
const listPayments = sql<PaymentRow & { product_names: string[] }>(
  'customer_pages.payments',
  `select ${paymentColumns}, coalesce(
     (select array_agg(l->>'name') from checkout_sessions s, jsonb_array_elements(s.lines) l
      where s.client_id = $1 and s.id = p.session_id),
     (select array[b.product_name] from payment_method_uses u
      join subscriptions b on b.client_id = $1 and b.id = u.subscription_id
      where u.client_id = $1 and u.payment_id = coalesce(p.parent_payment_id, p.id)),
     '{}') as product_names
   from payment_index i join payments p on p.client_id = $1 and p.id = i.payment_id
   where i.client_id = $1 and i.user_id = $2 and p.is_buyer_verified
     and (p.type = 'purchase'
         and p.status in ('authorized', 'processing', 'succeeded', 'partially_refunded', 'refunded')
       or p.type = 'refund' and p.status in ('pending', 'processing', 'succeeded'))
     and ($3::uuid is null or (i.created_at, i.payment_id) < (select b.created_at, b.payment_id
       from payment_index b where b.client_id = $1 and b.user_id = $2 and b.payment_id = $3))
   order by i.created_at desc, i.payment_id desc limit $4`,
);

/** Lists payments and refunds of the customer, the newest first, as far as the merchant vouched for the buyer. */
export async function listPagePayments(
  database: Database,
  { clientId, userId }: Owner,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<CustomerPayment[]> {
  const rows = await database.read(listPayments, [clientId, userId, before, limit]);
  return rows.map((row) => ({ payment: toPayment(row), productNames: row.product_names }));
}
