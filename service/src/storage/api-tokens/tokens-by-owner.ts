// API tokens as their owners manage them. Every statement names client and owner: another owner's
// token is not found. Spec: API tokens. Contract §6.

import { may } from '@svc/contract/rows/roles';
import type { ApiToken } from '../../domain/people/api-token.ts';
import { spellingsOf } from '../../domain/people/email.ts';
import { isLiveToken } from '../credentials/credential-check.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** The owner of the tokens, and the client they belong to. */
export type Owner = { readonly clientId: string; readonly userId: string };

type OwnRow = {
  id: string;
  client_id: string;
  user_id: string;
  name: string;
  description: string | null;
  scopes: ApiToken['scopes'];
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
};

const columns = `id, client_id, user_id, name, description, scopes, created_at, last_used_at,
  expires_at, revoked_at`;

const toToken = (row: OwnRow): ApiToken => ({
  id: row.id,
  clientId: row.client_id,
  userId: row.user_id,
  name: row.name,
  description: row.description,
  scopes: row.scopes,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

const isActive = isLiveToken('api_tokens');

const list = sql<OwnRow>(
  'own_tokens.list',
  `select ${columns} from api_tokens where client_id = $1 and user_id = $2 and ${isActive}
   order by created_at, id`,
);

/** Lists the active tokens, oldest first. */
export async function listOwnTokens(
  database: Database,
  { clientId, userId }: Owner,
): Promise<ApiToken[]> {
  return (await database.read(list, [clientId, userId])).map(toToken);
}

const find = sql<OwnRow>(
  'own_tokens.find',
  `select ${columns} from api_tokens
   where client_id = $1 and user_id = $2 and id = $3 and ${isActive}`,
);

/** Returns the token if it is active. */
export async function findOwnToken(
  database: Database,
  { clientId, userId }: Owner,
  id: string,
): Promise<ApiToken | undefined> {
  const [row] = await database.read(find, [clientId, userId, id]);
  return row && toToken(row);
}

const lock = sql<OwnRow>(
  'own_tokens.lock',
  `select ${columns} from api_tokens where client_id = $1 and user_id = $2 and id = $3
   for no key update`,
);

/** Locks the token, in whatever state. */
export async function lockOwnToken(
  tx: Tx,
  { clientId, userId }: Owner,
  id: string,
): Promise<ApiToken | undefined> {
  const [row] = await tx.query(lock, [clientId, userId, id]);
  return row && toToken(row);
}

const lockOwner = sql<{ role: string }>(
  'own_tokens.lock_owner',
  `select m.role from memberships m join users u on u.id = m.user_id and u.disabled_at is null
   where m.client_id = $1 and m.user_id = $2 for key share of m`,
);
const lockMaking = sql(
  'own_tokens.lock_making',
  "select pg_advisory_xact_lock(hashtextextended('api_tokens ' || $1::text, 0))",
);

/**
 * Lets a user make one token at a time, and keeps the membership from ending or changing meanwhile;
 * false where there is none any more, its role has no tokens, or the person was disabled.
 */
export async function lockMaker(tx: Tx, { clientId, userId }: Owner): Promise<boolean> {
  await tx.query(lockMaking, [userId]);
  const [owner] = await tx.query(lockOwner, [clientId, userId]);
  return may(owner?.role, 'tokens.own');
}

const count = sql<{ active: number }>(
  'own_tokens.count',
  `select count(*)::int as active from api_tokens
   where client_id = $1 and user_id = $2 and ${isActive}`,
);

export async function countOwnTokens(tx: Tx, { clientId, userId }: Owner): Promise<number> {
  const [row] = await tx.query(count, [clientId, userId]);
  return row?.active ?? 0;
}

const nthNewest = sql<{ at: Date | null }>(
  'own_tokens.nth_newest',
  'select nth_newest_api_token($1, $2) as at',
);

/** Returns when the user's nth newest token was made, over all clients; null when there are fewer. */
export async function findNthNewest(tx: Tx, userId: string, nth: number): Promise<Date | null> {
  const [row] = await tx.query(nthNewest, [userId, nth]);
  return row?.at ?? null;
}

const insert = sql(
  'own_tokens.insert',
  `insert into api_tokens (id, client_id, user_id, name, description, scopes, token_sha256,
     created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

export async function insertOwnToken(tx: Tx, token: ApiToken, sha256: Buffer): Promise<void> {
  await tx.query(insert, [
    token.id,
    token.clientId,
    token.userId,
    token.name,
    token.description,
    token.scopes,
    sha256,
    token.createdAt,
    token.expiresAt,
  ]);
}

const replaceValue = sql(
  'own_tokens.replace_value',
  `update api_tokens set token_sha256 = $3,
     previous_sha256 = case when $4::integer > 0 then token_sha256 end,
     previous_until = case when $4::integer > 0 then $5::timestamptz + $4 * interval '1 second' end
   where client_id = $1 and id = $2`,
);

/** Gives a locked token another value; the previous value stays valid for `overlapSeconds`. */
export async function replaceTokenValue(
  tx: Tx,
  token: ApiToken,
  value: { readonly sha256: Buffer; readonly overlapSeconds: number; readonly now: Date },
): Promise<void> {
  const { sha256, overlapSeconds, now } = value;
  await tx.query(replaceValue, [token.clientId, token.id, sha256, overlapSeconds, now]);
}

const revoke = sql(
  'own_tokens.revoke',
  'update api_tokens set revoked_at = $3 where client_id = $1 and id = $2 and revoked_at is null',
);

export async function markTokenRevoked(tx: Tx, token: ApiToken, now: Date): Promise<void> {
  await tx.query(revoke, [token.clientId, token.id, now]);
}

const lastSequence = sql<{ last: number | null }>(
  'own_tokens.last_sequence',
  'select max(sequence) as last from events where client_id = $1 and resource_id = $2',
);

/**
 * Returns the number of the next event about a locked token: tokens that the operator made have no
 * event yet.
 */
export async function nextTokenSequence(tx: Tx, token: ApiToken): Promise<number> {
  const [row] = await tx.query(lastSequence, [token.clientId, token.id]);
  return (row?.last ?? 0) + 1;
}

export type TokenView = Pick<
  ApiToken,
  'id' | 'clientId' | 'name' | 'lastUsedAt' | 'expiresAt' | 'scopes'
> & { readonly email: string };

const listAll = sql<OwnRow & { email: string }>(
  'own_tokens.list_all',
  `select t.id, t.client_id, t.user_id, t.name, t.description, t.scopes, t.created_at,
     t.last_used_at, t.expires_at, t.revoked_at, u.email
   from api_tokens t
   join memberships m on m.client_id = t.client_id and m.user_id = t.user_id
   join users u on u.id = t.user_id
   where ($1::uuid is null or t.client_id = $1) and ${isLiveToken()}
   order by t.client_id, t.created_at, t.id`,
);

/** Lists the tokens that authenticate now, over all clients or at one. Only the operator uses it. */
export async function listAllTokens(
  database: Database,
  clientId: string | null,
): Promise<TokenView[]> {
  const rows = await database.read(listAll, [clientId]);
  return rows.map((row) => ({ ...toToken(row), email: row.email }));
}

const findOwner = sql<{ id: string }>(
  'own_tokens.find_owner',
  'select id from users where email = any($1::text[])',
);

export async function findTokenOwner(
  database: Database,
  email: string,
): Promise<string | undefined> {
  return (await database.read(findOwner, [spellingsOf(email)]))[0]?.id;
}

const lockAny = sql<OwnRow>(
  'own_tokens.lock_any',
  `select ${columns} from api_tokens where id = $1 for no key update`,
);

/** Locks the token, whoever owns it. Only the operator uses it. */
export async function lockTokenOf(tx: Tx, id: string): Promise<ApiToken | undefined> {
  const [row] = await tx.query(lockAny, [id]);
  return row && toToken(row);
}

const lockAll = sql<OwnRow>(
  'own_tokens.lock_all',
  `select ${columns} from api_tokens where user_id = $1 and ${isActive}
   order by id for no key update`,
);

/**
 * Locks the active tokens of a person at all clients, and keeps the person from making more. Only
 * the operator uses it.
 */
export async function lockTokensOfPerson(tx: Tx, userId: string): Promise<ApiToken[]> {
  await tx.query(lockMaking, [userId]);
  return (await tx.query(lockAll, [userId])).map(toToken);
}
