// One at a time changes a customer's default method: the provider is asked between two transactions.
// Decision 0054.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** Whose default, and who changes it. */
export type DefaultLease = {
  readonly clientId: string;
  readonly userId: string;
  /** A UUID of this change alone. */
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

/** False while somebody else has it; undefined where there is no such customer. */
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

/** Whether nobody has taken it over. Locks the customer. */
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

/** Nothing when somebody has taken it over. */
export async function giveDefaultLease(
  database: Database,
  { clientId, userId, owner }: DefaultLease,
): Promise<void> {
  await database.write(give, [clientId, userId, owner]);
}
