// Checks that the credential behind a move of money is still valid and still has the required role.
// The check runs again in the transaction that writes the intent, because a request may be delayed
// between admission and claim. It locks nothing: many requests use a token at once.

import { may, type Permission, rolesWith } from '@svc/contract/rows/roles';
import type { RequestInitiator } from '../audit-log/request-initiator.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/**
 * The condition that an API token authenticates: it is neither revoked nor expired. `table` is its
 * name in the statement, `now` an SQL expression for the clock, so that a statement can read the
 * clock once. Spec: API tokens.
 */
export const isLiveToken = (table = 't', now = 'svc_clock()'): string =>
  `${table}.revoked_at is null and (${table}.expires_at is null or ${table}.expires_at > ${now})`;

/** True for roles that may capture and release. Spec: Authentication 3. */
const leads = `m.role in (${rolesWith('holds.end')
  .map((role) => `'${role}'`)
  .join(', ')})`;

type Names = {
  readonly via: string;
  readonly credential: string;
  readonly person: string;
  readonly client: string;
  /** SQL null when this request itself read the token from the database. */
  readonly digest: string;
};

/**
 * The condition in a claim. It uses scalar subqueries, which the planner neither joins nor hashes:
 * three rows by key, however large the tables are. An API token is checked in place, and also by its
 * value when it was only recalled from memory: a value that a rotation replaced fails here, and the
 * step-by-step claim decides. Other credentials are checked by `credential_stands`.
 */
export const credentialHolds = ({ via, credential, person, client, digest }: Names): string =>
  `case when ${via} = 'token' then (select ${leads} from api_tokens t
       join memberships m on m.client_id = t.client_id and m.user_id = t.user_id
       where t.id = ${credential} and t.client_id = ${client} and t.user_id = ${person}
         and (${digest} is null or t.token_sha256 = ${digest})
         and ${isLiveToken()})
     else credential_stands(${via}, ${credential}, ${person}, ${client})
       and (select ${leads} from memberships m
         where m.client_id = ${client} and m.user_id = ${person}) end`;

export type CredentialRefusal =
  | 'authentication_required'
  | 'sign_in_required'
  | 'merchant_role_required';

const find = sql<{ stands: boolean; role: string | null }>(
  'standing.find',
  `select credential_stands($1, $2, $3, $4)
       and ($5::bytea is null or exists (select from api_tokens t where t.id = $2
         and (t.token_sha256 = $5 or (t.previous_sha256 = $5 and t.previous_until > svc_clock()))))
       as stands,
     (select role from memberships where client_id = $4 and user_id = $3) as role`,
);

type Request = {
  readonly clientId: string;
  readonly asker: RequestInitiator;
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly isUnderway: boolean;
  /** The permission that the operation requires. */
  readonly permission: Permission;
};

/**
 * Returns the code that refuses the caller now, or null when nothing has changed. What this request
 * itself wrote earlier, and finds as `known` after a lost commit, is never refused half-way.
 */
export async function findCredentialRefusal(
  tx: Tx,
  { clientId, asker, operationId, leaseOwner, isUnderway, permission }: Request,
  known: { readonly id: string; readonly leaseOwner: string | null } | undefined,
): Promise<CredentialRefusal | null> {
  const isOwn = known?.id === operationId || known?.leaseOwner === leaseOwner;
  if (isUnderway || isOwn) return null;
  const { via, tokenId, userId, recalled } = asker;
  const digest = recalled?.tokenSha256 ?? null;
  const [row] = await tx.query(find, [via, tokenId, userId, clientId, digest]);
  const mayProgram = may(row?.role, 'tokens.own');
  // The same error that the credential's next request would get.
  if (!row?.stands || (via === 'token' && !mayProgram)) {
    return via === 'person' ? 'sign_in_required' : 'authentication_required';
  }
  const mayAct = may(row.role, permission) && (via === 'person' || mayProgram);
  return mayAct ? null : 'merchant_role_required';
}
