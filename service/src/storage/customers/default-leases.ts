// Serializes changes of a customer's default method, because the provider is called between two
// transactions. docs/decisions/saved-cards.md.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** The customer whose default changes, and the change that holds the lease. */
export type DefaultLease = {
  readonly clientId: string;
  readonly userId: string;
  /** A UUID that identifies this change. */
  readonly owner: string;
};

const take = sql<{ is_taken: boolean }>(
  'customers.take_default_lease',
  `with taken as (
     update customers
     set default_lease_owner = $3,
       default_lease_until = (select svc_clock()) + make_interval(secs => $4::float8 / 1000)
     where client_id = $1 and id = $2
       and (default_lease_owner is null or default_lease_until <= (select svc_clock()))
     returning 1)
   select exists (select from taken) as is_taken from customers where client_id = $1 and id = $2`,
);

/** Takes the lease. Returns false while another change holds it, undefined when there is no such customer. */
export async function takeDefaultLease(
  database: Database,
  { clientId, userId, owner }: DefaultLease,
  leaseMs: number,
): Promise<boolean | undefined> {
  const [row] = await database.write(take, [clientId, userId, owner, leaseMs]);
  return row?.is_taken;
}

const held = sql<{ held: boolean }>(
  'customers.held_default_lease',
  `select true as held from customers
   where client_id = $1 and id = $2 and default_lease_owner = $3 for update`,
);

/** Returns whether this change still holds the lease. Locks the customer. */
export async function isDefaultLeaseHeld(
  tx: Tx,
  { clientId, userId, owner }: DefaultLease,
): Promise<boolean> {
  return (await tx.query(held, [clientId, userId, owner])).length === 1;
}

const give = sql(
  'customers.give_default_lease',
  `update customers set default_lease_owner = null, default_lease_until = null
   where client_id = $1 and id = $2 and default_lease_owner = $3`,
);

/** Gives the lease back; does nothing when another change has taken it over. */
export async function giveDefaultLease(
  database: Database,
  { clientId, userId, owner }: DefaultLease,
): Promise<void> {
  await database.write(give, [clientId, userId, owner]);
}
