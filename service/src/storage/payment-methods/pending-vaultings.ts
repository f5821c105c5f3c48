// Wallet methods that a payment is to save, and that the wallet has not confirmed yet. docs/decisions/wallet.md.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** A payment, paid or not yet ended, whose method is still pending. */
export type PendingVaulting = {
  readonly clientId: string;
  readonly gatewayId: string;
  readonly sessionId: string;
  readonly methodId: string;
  readonly paymentId: string;
  readonly orderId: string | null;
  readonly isPaid: boolean;
};

type Row = {
  client_id: string;
  gateway_id: string;
  session_id: string;
  method_id: string;
  payment_id: string;
  order_id: string | null;
  is_paid: boolean;
};

const columns = `p.client_id, p.gateway_id, m.session_id, m.id as method_id, p.id as payment_id,
  p.provider_intent_id as order_id,
  p.status in ('succeeded', 'partially_refunded') as is_paid`;

const toPendingVaulting = (row: Row): PendingVaulting => ({
  clientId: row.client_id,
  gatewayId: row.gateway_id,
  sessionId: row.session_id,
  methodId: row.method_id,
  paymentId: row.payment_id,
  orderId: row.order_id,
  isPaid: row.is_paid,
});

const ofCustomer = sql<Row>(
  'awaited_saves.of_customer',
  `select ${columns}
   from provider_customers c
     join payment_methods m on m.client_id = c.client_id and m.user_id = c.user_id
       and m.gateway_id = c.gateway_id and m.status = 'pending'
     join payment_method_uses u on u.client_id = m.client_id and u.payment_method_id = m.id
       and u.purpose = 'save'
     join payments p on p.client_id = u.client_id and p.id = u.payment_id
   where c.gateway_id = $1 and c.provider_customer_id = $2
     and p.status in ('pending', 'processing', 'unknown', 'succeeded', 'partially_refunded')
   order by p.created_at, p.id`,
);

/** Lists the pending saves of the wallet's customer, oldest first. */
export const listPendingOfCustomer = async (
  database: Database,
  gatewayId: string,
  providerCustomerId: string,
): Promise<PendingVaulting[]> =>
  (await database.read(ofCustomer, [gatewayId, providerCustomerId])).map(toPendingVaulting);

// Newest first, so that one that can never be read does not block the others.
const old = sql<Row>(
  'awaited_saves.old',
  `select ${columns}
   from payment_methods m
     join checkout_sessions s on s.id = m.session_id
     join payment_method_uses u on u.client_id = m.client_id and u.payment_method_id = m.id
       and u.purpose = 'save'
     join payments p on p.client_id = u.client_id and p.id = u.payment_id
   where m.status = 'pending' and m.provider = 'wallet'
     and p.status in ('succeeded', 'partially_refunded')
     and s.status = 'completed'
     and s.updated_at <= (select svc_clock()) - $1 * interval '1 millisecond'
   order by s.updated_at desc, m.id limit $2`,
);

/** Lists the pending saves whose session was completed at least `graceMs` ago. */
export const listOldPending = async (
  database: Database,
  { graceMs, limit }: { readonly graceMs: number; readonly limit: number },
): Promise<PendingVaulting[]> =>
  (await database.read(old, [graceMs, limit])).map(toPendingVaulting);

const isKept = sql<{ exists: boolean }>(
  'awaited_saves.is_kept',
  `select exists (select from payment_methods
     where gateway_id = $1 and provider_payment_method_id = $2 and status <> 'removed')`,
);

/** Returns whether a method with this provider id exists that is not removed. */
export async function isProviderMethodKept(
  database: Database,
  gatewayId: string,
  providerPaymentMethodId: string,
): Promise<boolean> {
  const [row] = await database.read(isKept, [gatewayId, providerPaymentMethodId]);
  return row?.exists === true;
}
