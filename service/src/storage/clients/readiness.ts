// What a merchant has already done of all that it needs before real money. Every part reads an index or a short list,
// however many payments there are.

import { rolesWith } from '@svc/contract/rows/roles';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type Readiness = {
  readonly products: number;
  readonly firstPurchaseAt: Date | null;
  readonly hasRefund: boolean;
  readonly owners: number;
  /** Addresses of people who move money or change settings, and prove who they are by a password alone. */
  readonly withoutSecondProof: readonly string[];
  readonly endpoints: number;
  readonly failingEndpoints: number;
  /** Among the newest two hundred events of each endpoint. */
  readonly lastDeliveryAt: Date | null;
};

type Row = {
  products: number;
  first_purchase_at: Date | null;
  has_refund: boolean;
  owners: number;
  without_second_proof: string[];
  endpoints: number;
  failing_endpoints: number;
  last_delivery_at: Date | null;
};

// Whoever refunds, and with them whoever changes settings.
const moneyRoles = rolesWith('refunds.make')
  .map((role) => `'${role}'`)
  .join(', ');

const find = sql<Row>(
  'clients.readiness',
  `select (select count(*)::int from products where client_id = $1 and is_active) as products,
     (select created_at from payments where client_id = $1 and type = 'purchase'
       and status in ('succeeded', 'partially_refunded', 'refunded')
       order by created_at limit 1) as first_purchase_at,
     exists (select from gateways g join payments p on p.gateway_id = g.id
       where g.client_id = $1 and p.provider_refund_id is not null and p.status <> 'refund_failed') as has_refund,
     (select count(*)::int from memberships where client_id = $1 and role = 'owner') as owners,
     (select coalesce(array_agg(u.email order by u.email), '{}') from memberships m join users u on u.id = m.user_id
       where m.client_id = $1 and m.role in (${moneyRoles}) and u.disabled_at is null and u.totp_confirmed_at is null
         and not exists (select from passkeys k where k.user_id = u.id)) as without_second_proof,
     e.endpoints, e.failing_endpoints, e.last_delivery_at
   from (select count(*)::int as endpoints, count(failing_since)::int as failing_endpoints,
       max((select max(d.finished_at) from (select state, finished_at from webhook_deliveries
           where endpoint_id = w.id order by event_id desc limit 200) d
         where d.state = 'delivered')) as last_delivery_at
     from webhook_endpoints w
     where w.client_id = $1 and w.deleted_at is null and w.is_enabled) e`,
);

export async function readReadiness(database: Database, clientId: string): Promise<Readiness> {
  const [row] = await database.read(find, [clientId]);
  if (!row) throw new Error('no answer from the database');
  return {
    products: row.products,
    firstPurchaseAt: row.first_purchase_at,
    hasRefund: row.has_refund,
    owners: row.owners,
    withoutSecondProof: row.without_second_proof,
    endpoints: row.endpoints,
    failingEndpoints: row.failing_endpoints,
    lastDeliveryAt: row.last_delivery_at,
  };
}
