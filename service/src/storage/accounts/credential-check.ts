// Whether the credential behind a move of money stands at this moment, and with the role it takes: read
// once more where the intent is written, for a request may be held up between its admission and its
// claim. Nothing is locked: a token is used by many at once. Reliability §5.3.

import { isLeader, leaderRoles } from '../../domain/people/member.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { isLiveToken } from './live-token.ts';
import type { RequestInitiator } from './request-initiator.ts';

/** Of a current owner or admin. Spec: Authentication 3. */
const leads = `m.role in (${leaderRoles.map((role) => `'${role}'`).join(', ')})`;

type Names = {
  readonly via: string;
  readonly credential: string;
  readonly person: string;
  readonly client: string;
  /** SQL null where the value itself was read for this request. */
  readonly digest: string;
};

/**
 * The condition in a claim. Scalar subqueries, which the planner neither joins nor hashes: three
 * rows by their keys, whatever the tables hold. The usual credential is looked up in place; by its
 * value too, where that was only recalled: one that was replaced goes the long way.
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
};

/**
 * What the asker is refused with by now; null where nothing has changed. What the request itself wrote
 * before, and finds as `known` where a commit was lost, is never half refused.
 */
export async function findCredentialRefusal(
  tx: Tx,
  { clientId, asker, operationId, leaseOwner, isUnderway }: Request,
  known: { readonly id: string; readonly leaseOwner: string | null } | undefined,
): Promise<CredentialRefusal | null> {
  const isOwn = known?.id === operationId || known?.leaseOwner === leaseOwner;
  if (isUnderway || isOwn) return null;
  const { via, tokenId, userId, recalled } = asker;
  const digest = recalled?.tokenSha256 ?? null;
  const [row] = await tx.query(find, [via, tokenId, userId, clientId, digest]);
  const isMember = row?.role != null;
  // As the same credential would be answered at its next request.
  if (!row?.stands || (via === 'token' && !isMember)) {
    return via === 'person' ? 'sign_in_required' : 'authentication_required';
  }
  return isLeader(row.role) ? null : 'merchant_role_required';
}
