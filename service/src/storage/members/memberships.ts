// The members of a client and their changes. Every change holds the client's lock, so that owners
// are counted after all earlier changes.

import type { Role } from '@svc/contract/rows/roles';
import { spellingsOf } from '../../domain/people/email.ts';
import { isLiveToken } from '../credentials/credential-check.ts';
import type { Tx } from '../database/database.ts';
import { defineList, type List } from '../database/lists.ts';
import { sql } from '../database/sql.ts';

export type Member = {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly activeTokens: number;
  readonly createdAt: Date;
};

export type MemberRow = {
  user_id: string;
  email: string;
  name: string | null;
  role: Role;
  active_tokens: number;
  created_at: Date;
};

const columns = `m.user_id, u.email, u.name, m.role, m.created_at,
  (select count(*)::int from api_tokens t
   where t.client_id = m.client_id and t.user_id = m.user_id
     and ${isLiveToken()}) as active_tokens`;

export const toMember = (row: MemberRow): Member => ({
  userId: row.user_id,
  email: row.email,
  name: row.name,
  role: row.role,
  activeTokens: row.active_tokens,
  createdAt: row.created_at,
});

/** Lists one page of the client's members. */
export const listMemberRows: List<MemberRow> = defineList({
  name: 'memberships.list',
  from: 'memberships m join users u on u.id = m.user_id',
  columns,
  tenant: 'm.client_id',
  key: { sql: 'm.user_id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 'm.created_at', kind: 'instant' },
    email: { sql: 'u.email', kind: 'text' },
  },
  filters: {
    role: { sql: 'm.role', kind: 'text' },
    email: { sql: 'u.email', kind: 'email' },
  },
});

// The weakest lock that suffices: payments that reference the client are not blocked.
const lockPeople = sql<{ name: string }>(
  'memberships.lock_people',
  'select c.name from clients c where c.id = $1 for no key update',
);

/** Serializes changes of a client's members; returns the client's name. */
export async function lockClientPeople(tx: Tx, clientId: string): Promise<string | undefined> {
  const [row] = await tx.query(lockPeople, [clientId]);
  return row?.name;
}

const lock = sql(
  'memberships.lock',
  'select 1 from memberships m where m.client_id = $1 and m.user_id = $2 for update',
);
const find = sql<MemberRow>(
  'memberships.find',
  `select ${columns} from memberships m join users u on u.id = m.user_id
   where m.client_id = $1 and m.user_id = $2`,
);

/**
 * Locks the member. A call that makes a token for the member waits for it, or came first and its
 * token is counted.
 */
export async function lockMember(
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<Member | undefined> {
  if ((await tx.query(lock, [clientId, userId])).length === 0) return undefined;
  const [row] = await tx.query(find, [clientId, userId]);
  return row && toMember(row);
}

const byEmail = sql<{ user_id: string }>(
  'memberships.by_email',
  `select m.user_id from memberships m join users u on u.id = m.user_id
   where m.client_id = $1 and u.email = any($2::text[])`,
);

export async function isMemberByEmail(tx: Tx, clientId: string, email: string): Promise<boolean> {
  return (await tx.query(byEmail, [clientId, spellingsOf(email)])).length > 0;
}

const ownerEmails = sql<{ email: string }>(
  'memberships.owner_emails',
  `select u.email from memberships m join users u on u.id = m.user_id and u.disabled_at is null
   where m.client_id = $1 and m.role = 'owner' order by u.email`,
);

/** Returns the addresses of the client's owners who are not disabled. */
export const listOwnerEmails = async (tx: Tx, clientId: string): Promise<string[]> =>
  (await tx.query(ownerEmails, [clientId])).map(({ email }) => email);

const anotherOwner = sql<{ user_id: string }>(
  'memberships.another_owner',
  `select m.user_id from memberships m join users u on u.id = m.user_id and u.disabled_at is null
   where m.client_id = $1 and m.role = 'owner' and m.user_id <> $2 limit 1`,
);

/** Returns whether the client has another owner who may sign in. The caller holds the client's lock. */
export async function hasAnotherOwner(tx: Tx, clientId: string, userId: string): Promise<boolean> {
  return (await tx.query(anotherOwner, [clientId, userId])).length > 0;
}

const insert = sql<{ user_id: string }>(
  'memberships.insert',
  `insert into memberships (client_id, user_id, role, created_at)
   values ($1, $2, $3, svc_clock()) on conflict do nothing returning user_id`,
);

/** Returns false when the person is a member already. */
export async function insertMembership(
  tx: Tx,
  member: { readonly clientId: string; readonly userId: string; readonly role: Role },
): Promise<boolean> {
  const { clientId, userId } = member;
  return (await tx.query(insert, [clientId, userId, member.role])).length > 0;
}

const updateRole = sql(
  'memberships.update_role',
  'update memberships set role = $3 where client_id = $1 and user_id = $2',
);

export async function updateMemberRole(
  tx: Tx,
  member: { readonly clientId: string; readonly userId: string; readonly role: Role },
): Promise<void> {
  await tx.query(updateRole, [member.clientId, member.userId, member.role]);
}

const remove = sql(
  'memberships.remove',
  'delete from memberships where client_id = $1 and user_id = $2',
);

export async function removeMembership(tx: Tx, clientId: string, userId: string): Promise<void> {
  await tx.query(remove, [clientId, userId]);
}

const activeTokens = sql<{ id: string; name: string }>(
  'memberships.active_tokens',
  `select t.id, t.name from api_tokens t
   where t.client_id = $1 and t.user_id = $2 and ${isLiveToken()}
   order by t.created_at, t.id`,
);

/** Returns the tokens that stop with the membership; the caller has locked the member. */
export const listMemberTokens = (
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<{ id: string; name: string }[]> => tx.query(activeTokens, [clientId, userId]);

const keep = sql<{ role: Role }>(
  'memberships.keep',
  'select role from memberships where client_id = $1 and user_id = $2 for share',
);

/** Keeps the membership from ending or changing before the transaction does; returns its role. */
export async function keepMembership(
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<Role | undefined> {
  const [row] = await tx.query(keep, [clientId, userId]);
  return row?.role;
}

const revokeGrants = sql<{ id: string; application_id: string }>(
  'memberships.revoke_grants',
  `update oauth_grants set revoked_at = svc_clock(), ended_by_leaving = true
   where client_id = $1 and user_id = $2 and revoked_at is null returning id, application_id`,
);

/**
 * Revokes every grant that the person gave to applications at this client. A person who joins again
 * grants anew. Access tokens that were issued get merchant_role_required until they expire. Spec:
 * Authentication 3.
 */
export async function revokeMemberGrants(
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<{ id: string; applicationId: string }[]> {
  const rows = await tx.query(revokeGrants, [clientId, userId]);
  return rows.map((row) => ({ id: row.id, applicationId: row.application_id }));
}
