import type { Tx } from './database.ts';
import { sql } from './sql.ts';

const upsert = sql(
  'customers.attach',
  `insert into customers (client_id, id, email, country, created_at, updated_at)
   values ($1, $2, $3, $4, svc_clock(), svc_clock())
   on conflict (client_id, id) do update
     set email = excluded.email, country = coalesce(excluded.country, customers.country),
       updated_at = excluded.updated_at
   where customers.email <> excluded.email or customers.country is distinct from excluded.country`,
);

const lock = sql(
  'customers.lock',
  'select 1 from customers where client_id = $1 and id = $2 for update',
);

/**
 * Creates or refreshes the buyer under its row lock, the buyer-identity lock of contract §3. Only
 * for a buyer that the merchant vouches for: an anonymous session never changes a customer.
 */
export async function attachCustomer(
  tx: Tx,
  customer: { clientId: string; userId: string; email: string; country: string | null },
): Promise<void> {
  await tx.query(upsert, [customer.clientId, customer.userId, customer.email, customer.country]);
  await tx.query(lock, [customer.clientId, customer.userId]);
}

/** The buyer-identity lock alone: a buyer that nobody vouches for changes no customer. */
export async function lockCustomer(tx: Tx, clientId: string, userId: string): Promise<void> {
  await tx.query(lock, [clientId, userId]);
}
