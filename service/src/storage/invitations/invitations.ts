// The table `invitations`: addresses that were invited to join a client. Only the digest of the
// mailed link is kept. Changes hold the client's lock.

import type { Role } from '@svc/contract/rows/roles';
import { spellingsOf } from '../../domain/people/email.ts';
import { invitationLifeMs } from '../../domain/people/member.ts';
import type { Database, Tx } from '../database/database.ts';
import { defineList, type List } from '../database/lists.ts';
import { intervalOf, sql } from '../database/sql.ts';

export type InvitationStatus = 'open' | 'expired' | 'replaced' | 'revoked' | 'accepted';

export type Invitation = {
  readonly id: string;
  readonly clientId: string;
  readonly email: string;
  readonly role: Role;
  readonly status: InvitationStatus;
  readonly invitedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

export type InvitationRow = {
  id: string;
  client_id: string;
  email: string;
  role: Role;
  status: InvitationStatus;
  invited_by: string | null;
  created_at: Date;
  expires_at: Date;
};

// The inviter must still be allowed to invite: otherwise a person who was removed or demoted could
// return under another name. The credential that made the invitation, a token or a consent, must
// also be valid.
const isStillMeant = `(i.invited_by is null or exists (
    select from memberships m join users u on u.id = m.user_id and u.disabled_at is null
    where m.client_id = i.client_id and m.user_id = i.invited_by
      and (m.role = 'owner' or (m.role = 'admin' and i.role <> 'owner'))))
  and (i.made_with is null
    or exists (select from api_tokens t where t.id = i.made_with and t.revoked_at is null)
    or exists (select from oauth_grants g where g.id = i.made_with and g.revoked_at is null))`;

const columns = `i.id, i.client_id, i.email, i.role,
  case when i.state <> 'open' then i.state when i.expires_at <= svc_clock() then 'expired'
    when ${isStillMeant} then 'open' else 'revoked' end
    as status, i.invited_by, i.created_at, i.expires_at`;

export const toInvitation = (row: InvitationRow): Invitation => ({
  id: row.id,
  clientId: row.client_id,
  email: row.email,
  role: row.role,
  status: row.status,
  invitedBy: row.invited_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

/** Lists one page of the client's invitations. */
export const listInvitationRows: List<InvitationRow> = defineList({
  name: 'invitations.list',
  from: 'invitations i',
  columns,
  tenant: 'i.client_id',
  key: { sql: 'i.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'i.created_at', kind: 'instant' } },
  filters: {
    email: { sql: 'i.email', kind: 'email' },
    role: { sql: 'i.role', kind: 'text' },
  },
});

const lockOpen = sql<InvitationRow>(
  'invitations.lock_open',
  `select ${columns} from invitations i
   where i.client_id = $1 and i.email = any($2::text[]) and i.state = 'open' for update`,
);

/** Locks the only invitation of the address that was not ended; it may have expired. */
export async function lockOpenInvitation(
  tx: Tx,
  clientId: string,
  email: string,
): Promise<Invitation | undefined> {
  const [row] = await tx.query(lockOpen, [clientId, spellingsOf(email)]);
  return row && toInvitation(row);
}

const countOpen = sql<{ open: number }>(
  'invitations.count_open',
  `select count(*)::int as open from invitations i
   where i.client_id = $1 and i.state = 'open' and i.expires_at > svc_clock() and ${isStillMeant}`,
);

export async function countOpenInvitations(tx: Tx, clientId: string): Promise<number> {
  const [row] = await tx.query(countOpen, [clientId]);
  return row?.open ?? 0;
}

const lockPerson = sql(
  'invitations.lock_person',
  'select 1 from users where id = $1 for no key update',
);
const nthNewest = sql<{ wait: number }>(
  'invitations.nth_newest',
  `select ceil(extract(epoch from created_at + interval '1 hour' - svc_clock()))::int as wait
   from invitations where invited_by = $1 order by created_at desc offset $2 - 1 limit 1`,
);

/**
 * Returns the seconds until the person may invite again, after `most` invitations within the hour
 * over all clients; zero or less means now. The query runs outside the transaction, which sees one
 * client only: the person's lock, held until commit, makes the count exact.
 */
export async function waitForInvitation(
  tx: Tx,
  database: Database,
  by: { readonly userId: string; readonly most: number },
): Promise<number> {
  await tx.query(lockPerson, [by.userId]);
  const [row] = await database.read(nthNewest, [by.userId, by.most]);
  return row?.wait ?? 0;
}

const insert = sql<InvitationRow>(
  'invitations.insert',
  `insert into invitations as i (id, client_id, email, role, token_sha256, state, invited_by,
     made_with, created_at, expires_at)
   select $1, $2, $3, $4, $5, 'open', $6, $7, now, now + ${intervalOf(invitationLifeMs)}
   from (select svc_clock() as now) as clock
   returning ${columns}`,
);

export async function insertInvitation(
  tx: Tx,
  invitation: {
    readonly id: string;
    readonly clientId: string;
    readonly email: string;
    readonly role: Role;
    readonly tokenSha256: Buffer;
    readonly invitedBy: string | null;
    readonly madeWith: string | null;
  },
): Promise<Invitation> {
  const { id, clientId, email, role, tokenSha256, invitedBy, madeWith } = invitation;
  const values = [id, clientId, email, role, tokenSha256, invitedBy, madeWith];
  const [row] = await tx.query(insert, values);
  return toInvitation(row as InvitationRow);
}

const lock = sql<InvitationRow>(
  'invitations.lock',
  `select ${columns} from invitations i where i.client_id = $1 and i.id = $2 for update`,
);

export async function lockInvitation(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<Invitation | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row && toInvitation(row);
}

const endOfToken = sql(
  'invitations.end_of_token',
  `update invitations set state = 'revoked', ended_at = svc_clock()
   where client_id = $1 and made_with = $2 and state = 'open'`,
);

/**
 * Revokes the open invitations that the token made. The caller has locked the token's row. No
 * client lock is taken: accepting and ending wait for each other at the invitation's own row.
 */
export async function endInvitationsOfToken(
  tx: Tx,
  token: { readonly clientId: string; readonly id: string },
): Promise<void> {
  await tx.query(endOfToken, [token.clientId, token.id]);
}

const end = sql<{ id: string }>(
  'invitations.end',
  `update invitations set state = $3, ended_at = svc_clock(), accepted_by = $4
   where client_id = $1 and id = $2 and state = 'open' returning id`,
);

/**
 * Ends a locked invitation for good, even one that can no longer be accepted; returns false when it
 * was already ended.
 */
export async function endInvitation(
  tx: Tx,
  { clientId, id }: Pick<Invitation, 'clientId' | 'id'>,
  ending:
    | { readonly state: 'revoked' | 'replaced' }
    | { readonly state: 'accepted'; readonly by: string },
): Promise<boolean> {
  const by = ending.state === 'accepted' ? ending.by : null;
  return (await tx.query(end, [clientId, id, ending.state, by])).length > 0;
}

export type OpenedInvitation = Invitation & {
  readonly clientName: string;
  readonly isLive: boolean;
  readonly invitedByEmail: string | null;
};

const findOpen = sql<
  InvitationRow & { client_name: string; is_live: boolean; invited_by_email: string | null }
>(
  'invitations.find_open',
  `select ${columns}, c.name as client_name, c.is_live, u.email as invited_by_email
   from invitations i join clients c on c.id = i.client_id
   left join users u on u.id = i.invited_by
   where i.token_sha256 = $1 and i.state = 'open' and i.expires_at > svc_clock()
     and ${isStillMeant}`,
);

/** Returns the invitation whose link has this digest, while it can be accepted. */
export async function findOpenInvitation(
  via: Tx | Database,
  tokenSha256: Buffer,
): Promise<OpenedInvitation | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(findOpen, [tokenSha256]);
  return (
    row && {
      ...toInvitation(row),
      clientName: row.client_name,
      isLive: row.is_live,
      invitedByEmail: row.invited_by_email,
    }
  );
}
