// Who a customer is at a provider. One per gateway, for life.

import type { Database } from './database.ts';
import { sql } from './sql.ts';

type Key = { readonly clientId: string; readonly userId: string; readonly gatewayId: string };

const find = sql<{ provider_customer_id: string }>(
  'provider_customers.find',
  `select provider_customer_id from provider_customers
   where client_id = $1 and user_id = $2 and gateway_id = $3`,
);

/** Undefined while the provider does not know the customer. */
export async function findProviderCustomer(
  database: Database,
  { clientId, userId, gatewayId }: Key,
): Promise<string | undefined> {
  const [row] = await database.read(find, [clientId, userId, gatewayId]);
  return row?.provider_customer_id;
}

const insert = sql<{ provider_customer_id: string }>(
  'provider_customers.insert',
  `with added as (
     insert into provider_customers (client_id, user_id, gateway_id, provider_customer_id, created_at)
     values ($1, $2, $3, $4, svc_clock())
     on conflict (client_id, user_id, gateway_id) do nothing
     returning provider_customer_id)
   select provider_customer_id from added
   union all
   select provider_customer_id from provider_customers
   where client_id = $1 and user_id = $2 and gateway_id = $3
   limit 1`,
);

/** The first one stays: who comes second gets it. */
export async function keepProviderCustomer(
  database: Database,
  key: Key,
  providerCustomerId: string,
): Promise<string> {
  const values = [key.clientId, key.userId, key.gatewayId, providerCustomerId];
  for (;;) {
    const [row] = await database.write(insert, values);
    // Nothing at all: the other one had not committed when the statement began.
    if (row) return row.provider_customer_id;
  }
}
