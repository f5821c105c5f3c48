// What the operator of the installation reads and changes, over all clients and people. Only the
// command line reaches it.

import { spellingsOf } from '../../domain/people/email.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const insertClient = sql(
  'operator.insert_client',
  `insert into clients (id, name, is_live, api_version, created_at, updated_at)
   select $1, $2, $3, $4, now, now from (select svc_clock() as now) as clock`,
);

export async function insertClientRow(
  tx: Tx,
  client: {
    readonly id: string;
    readonly name: string;
    readonly isLive: boolean;
    readonly apiVersion: string;
  },
): Promise<void> {
  await tx.query(insertClient, [client.id, client.name, client.isLive, client.apiVersion]);
}

export type ClientView = {
  readonly id: string;
  readonly name: string;
  readonly isLive: boolean;
  readonly owners: readonly string[];
  readonly people: number;
  readonly createdAt: Date;
};

const listClients = sql<{
  id: string;
  name: string;
  is_live: boolean;
  owners: string[];
  people: number;
  created_at: Date;
}>(
  'operator.list_clients',
  `select c.id, c.name, c.is_live, c.created_at,
     coalesce(array_agg(u.email order by u.email) filter (where m.role = 'owner'), '{}') as owners,
     count(m.user_id)::int as people
   from clients c left join memberships m on m.client_id = c.id left join users u on u.id = m.user_id
   group by c.id order by c.name, c.id`,
);

export async function listAllClients(database: Database): Promise<ClientView[]> {
  return (await database.read(listClients, [])).map((row) => ({
    id: row.id,
    name: row.name,
    isLive: row.is_live,
    owners: row.owners,
    people: row.people,
    createdAt: row.created_at,
  }));
}

export type PersonView = {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly isDisabled: boolean;
  readonly clients: readonly string[];
  readonly lastSeenAt: Date | null;
};

const listPeople = sql<{
  id: string;
  email: string;
  name: string | null;
  is_disabled: boolean;
  clients: string[];
  last_seen_at: Date | null;
}>(
  'operator.list_people',
  `select u.id, u.email, u.name, u.disabled_at is not null as is_disabled,
     array(select c.name || ' (' || m.role || ')' from memberships m
       join clients c on c.id = m.client_id where m.user_id = u.id order by c.name, c.id) as clients,
     (select max(s.last_seen_at) from sign_ins s where s.user_id = u.id) as last_seen_at
   from users u order by u.email`,
);

export async function listAllPeople(database: Database): Promise<PersonView[]> {
  return (await database.read(listPeople, [])).map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    isDisabled: row.is_disabled,
    clients: row.clients,
    lastSeenAt: row.last_seen_at,
  }));
}

const lockPerson = sql<{ id: string; is_disabled: boolean }>(
  'operator.lock_person',
  `select id, disabled_at is not null as is_disabled from users where email = any($1::text[])
   for no key update`,
);

export async function lockPersonOf(
  tx: Tx,
  email: string,
): Promise<{ readonly userId: string; readonly isDisabled: boolean } | undefined> {
  const [row] = await tx.query(lockPerson, [spellingsOf(email)]);
  return row && { userId: row.id, isDisabled: row.is_disabled };
}

const setDisabled = sql(
  'operator.set_disabled',
  `update users set disabled_at = case when $2 then svc_clock() end, updated_at = svc_clock()
   where id = $1`,
);

/** Sets whether the person may sign in. The caller has locked the row. */
export async function setPersonDisabled(
  tx: Tx,
  userId: string,
  isDisabled: boolean,
): Promise<void> {
  await tx.query(setDisabled, [userId, isDisabled]);
}

const leftBehind = sql<{ name: string }>(
  'operator.left_behind',
  `select c.name from memberships m join clients c on c.id = m.client_id
   where m.user_id = $1 and m.role = 'owner' and not exists (
     select from memberships o join users u on u.id = o.user_id and u.disabled_at is null
     where o.client_id = m.client_id and o.role = 'owner' and o.user_id <> $1)
   order by c.name`,
);

/** Returns the names of the clients that would have no owner who can sign in once the person is disabled. */
export async function findLeftBehind(tx: Tx, userId: string): Promise<readonly string[]> {
  return (await tx.query(leftBehind, [userId])).map(({ name }) => name);
}
