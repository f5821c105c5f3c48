// What uses a saved card: subscriptions, defaults, payments and set-ups.

import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import { readClock } from '../../service/src/storage/database/clock.ts';
import type { Database } from '../../service/src/storage/database/database.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { insertMethodUse } from '../../service/src/storage/payment-methods/payment-method-uses.ts';
import { lockMethod } from '../../service/src/storage/payment-methods/payment-methods.ts';
import { newId } from '../../service/test/harness.ts';

const insertPayment = sql(
  'proof_detachment_payment',
  `insert into payments (id, client_id, gateway_id, provider, type, amount_minor, currency,
     capture_method, status, is_live, created_at, updated_at)
   values ($1, $2, $3, 'cardprovider', 'purchase', 1990, 'EUR', 'automatic', $4, false,
     svc_clock(), svc_clock())`,
);
const endUsing = sql(
  'proof_detachment_end_use',
  `with failed as (
     update payments set status = 'failed', event_seq = event_seq + 1, updated_at = svc_clock()
     where id = $1 returning id, client_id, event_seq)
   insert into events (id, client_id, type, resource_type, resource_id, sequence, payload, created_at)
   select $2, client_id, 'payment.failed', 'payment', id, event_seq, '{}', svc_clock() from failed`,
);

/** Inserts a payment of this status with the card and returns its id. */
export async function blockByPayment(
  database: Database,
  { id: paymentMethodId, clientId, gatewayId }: PaymentMethod,
  status: string,
): Promise<string> {
  const paymentId = newId();
  await database.transaction(clientId, async (tx) => {
    await lockMethod(tx, clientId, paymentMethodId);
    await tx.query(insertPayment, [paymentId, clientId, gatewayId, status]);
    const use = { paymentId, clientId, paymentMethodId, purpose: 'charge', subscriptionId: null };
    await insertMethodUse(tx, use as never, await readClock(tx));
  });
  return paymentId;
}

/** Ends the payment. */
export const endPayment = (database: Database, paymentId: string) =>
  database.write(endUsing, [paymentId, newId()]);

const depending = sql<{ found: string }>(
  'proof_detachment_depending',
  `with method as (
     select id from payment_methods
     where user_id = $1 and $2 in (id::text, provider_payment_method_id))
   select 'subscription ' || s.status as found from subscriptions s
     join method m on m.id = s.payment_method_id where s.status <> 'canceled'
   union all select 'default' from customers c
     join method m on m.id = c.default_payment_method_id where c.id = $1
   union all select 'payment ' || p.status from payment_method_uses u
     join method m on m.id = u.payment_method_id join payments p on p.id = u.payment_id
     where p.status in ('pending', 'processing', 'unknown')
   union all select 'setup ' || t.state from card_setups t
     join method m on m.id = t.payment_method_id
     where t.state in ('active', 'in_doubt', 'awaiting_customer')`,
);

/** Returns what depends on a card of the customer; the card is named by our id or the provider's. */
export const dependingOn = async (database: Database, userId: string, card: string) =>
  (await database.read(depending, [userId, card])).map(({ found }) => found);

const insertSubscription = sql(
  'proof_detachment_subscription',
  `insert into subscriptions (id, client_id, user_id, session_id, product_code, product_name,
     quantity, amount_minor, currency, interval_unit, provider, gateway_id, is_live, created_at,
     anchored_at, payment_method_id, status, current_period_end, next_renewal_at, canceled_at,
     cancel_reason, updated_at)
   values ($1, $2, $3, $4, 'club', 'Club', 1, 2400, 'EUR', 'month', 'cardprovider', $5, false,
     svc_clock(), svc_clock(), $6, $7, svc_clock() + make_interval(months => $8),
     case when $9 then svc_clock() + make_interval(months => $8) end,
     case when $7 = 'canceled' then svc_clock() end,
     case when $7 = 'canceled' then 'merchant_requested' end, svc_clock())`,
);

export type SubscriptionPlan = {
  readonly status: string;
  /** When it is renewed: never, unless given. */
  readonly renews?: 'now' | 'in a month';
};

/** Adds a subscription that is paid with the card, and returns its id. */
export async function addSubscription(
  database: Database,
  { id: on, clientId, userId, gatewayId }: PaymentMethod,
  { status, renews }: SubscriptionPlan,
): Promise<string> {
  const id = newId();
  const months = renews === 'now' ? 0 : 1;
  const values = [id, clientId, userId, newId(), gatewayId, on, status, months, !!renews];
  await database.write(insertSubscription, values);
  return id;
}
