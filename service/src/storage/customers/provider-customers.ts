// A customer's id at a provider: one per gateway, until the provider reports that it is gone. Then
// the next generation replaces it.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type Key = { readonly clientId: string; readonly userId: string; readonly gatewayId: string };

export type ProviderCustomerRow = {
  readonly customerId: string;
  /** How many ids the customer has had at the provider, this one included. */
  readonly generation: number;
};

type Row = { provider_customer_id: string; generation: number };

const find = sql<Row>(
  'provider_customers.find',
  `select provider_customer_id, generation from provider_customers
   where client_id = $1 and user_id = $2 and gateway_id = $3`,
);

/** Returns undefined while the provider does not know the customer. */
export async function findProviderCustomer(
  database: Database,
  { clientId, userId, gatewayId }: Key,
): Promise<ProviderCustomerRow | undefined> {
  const [row] = await database.read(find, [clientId, userId, gatewayId]);
  return row && { customerId: row.provider_customer_id, generation: row.generation };
}

const list = sql<{ gateway_id: string; provider_customer_id: string }>(
  'provider_customers.list',
  `select gateway_id, provider_customer_id from provider_customers
   where client_id = $1 and user_id = $2 order by gateway_id`,
);

/** Lists under which ids the providers know the customer. */
export async function listProviderCustomers(
  database: Database,
  { clientId, userId }: Omit<Key, 'gatewayId'>,
): Promise<readonly { readonly gatewayId: string; readonly customerId: string }[]> {
  const rows = await database.read(list, [clientId, userId]);
  return rows.map((row) => ({ gatewayId: row.gateway_id, customerId: row.provider_customer_id }));
}

const insert = sql<Row>(
  'provider_customers.insert',
  `with added as (
     insert into provider_customers (client_id, user_id, gateway_id, provider_customer_id, created_at)
     values ($1, $2, $3, $4, svc_clock())
     on conflict (client_id, user_id, gateway_id) do nothing
     returning provider_customer_id, generation)
   select provider_customer_id, generation from added
   union all
   select provider_customer_id, generation from provider_customers
   where client_id = $1 and user_id = $2 and gateway_id = $3
   limit 1`,
);

const replace = sql<Row>(
  'provider_customers.replace',
  `update provider_customers set provider_customer_id = $4, generation = generation + 1
   where client_id = $1 and user_id = $2 and gateway_id = $3 and generation = $5 - 1
   returning provider_customer_id, generation`,
);

/**
 * Stores the id. The first id of a generation stays: a second caller gets that one, or the one that
 * has replaced it since.
 */
export async function keepProviderCustomer(
  database: Database,
  key: Key,
  { customerId, generation }: ProviderCustomerRow,
): Promise<string> {
  const values = [key.clientId, key.userId, key.gatewayId, customerId];
  for (;;) {
    const [row] =
      generation === 1
        ? await database.write(insert, values)
        : await database.write(replace, [...values, generation]);
    if (row) return row.provider_customer_id;
    // No row came back: another transaction wrote first, and may not have committed when the statement began.
    const kept = await findProviderCustomer(database, key);
    if (kept && kept.generation >= generation) return kept.customerId;
  }
}
