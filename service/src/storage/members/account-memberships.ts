// The clients that a person belongs to, and the person's role there.

import type { Role } from '@svc/contract/rows/roles';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const role = sql<{ role: Role }>(
  'account_memberships.role',
  `select m.role from memberships m join users u on u.id = m.user_id and u.disabled_at is null
   where m.client_id = $1 and m.user_id = $2`,
);

/** Returns the person's current role; undefined when the person is no member or may not sign in. */
export async function findRoleOf(
  database: Database,
  clientId: string,
  userId: string,
): Promise<Role | undefined> {
  const [row] = await database.read(role, [clientId, userId]);
  return row?.role;
}

const present = sql<{ role: Role }>(
  'memberships.role',
  'select m.role from memberships m where m.client_id = $1 and m.user_id = $2',
);

/** Returns the role as it is now; without a lock it may change before the transaction ends. */
export async function findRoleIn(
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<Role | undefined> {
  const [row] = await tx.query(present, [clientId, userId]);
  return row?.role;
}

export type OwnMembership = {
  readonly clientId: string;
  readonly name: string;
  readonly role: Role;
  readonly isLive: boolean;
  readonly timeZone: string;
  /** Names of those who may sign in, else their addresses; five at most. */
  readonly owners: readonly string[];
};

const list = sql<{
  client_id: string;
  name: string;
  role: Role;
  is_live: boolean;
  time_zone: string;
  owners: string[];
}>(
  'account_memberships.list',
  `select m.client_id, c.name, m.role, c.is_live, c.time_zone, array(
     select coalesce(nullif(u.name, ''), u.email) from memberships o
     join users u on u.id = o.user_id and u.disabled_at is null
     where o.client_id = m.client_id and o.role = 'owner' order by o.created_at, u.id limit 5)
     as owners
   from memberships m join clients c on c.id = m.client_id
   where m.user_id = $1 order by c.name, c.id limit 1000`,
);

/** Returns every client that the person belongs to, sorted by name. */
export async function findMembershipsOf(
  database: Database,
  userId: string,
): Promise<OwnMembership[]> {
  return (await database.read(list, [userId])).map((row) => ({
    clientId: row.client_id,
    name: row.name,
    role: row.role,
    isLive: row.is_live,
    timeZone: row.time_zone,
    owners: row.owners,
  }));
}
