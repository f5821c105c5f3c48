import type { Role } from '@svc/contract/rows/roles';
import { isLiveToken } from '../credentials/credential-check.ts';
import { shareAnswers } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { type Query, sql } from '../database/sql.ts';

export type TokenRow = {
  readonly id: string;
  readonly userId: string;
  readonly role: Role;
  readonly scopes: readonly string[] | null;
  readonly sha256: Buffer;
  /**
   * Milliseconds until `lastUsedAt` is an hour old; zero or less when a use has to be recorded.
   * Spec: Authentication 8.
   */
  readonly useDueMs: number;
  /** False when the value is the one that a rotation replaced. */
  readonly isCurrent: boolean;
};

type FoundRow = {
  id: string;
  user_id: string;
  role: TokenRow['role'];
  scopes: string[] | null;
  sha256: Buffer;
  use_due_ms: number;
};

// The membership is joined in: a token whose owner has left the client does not authenticate.
const findBy = (name: string, value: string, more = ''): Query<FoundRow> =>
  sql<FoundRow>(
    name,
    `select t.id, t.user_id, m.role, t.scopes, t.${value} as sha256,
       coalesce(extract(epoch from t.last_used_at + interval '1 hour' - svc_clock()) * 1000,
         0)::float8 as use_due_ms
     from api_tokens t
     join memberships m on m.client_id = t.client_id and m.user_id = t.user_id
     where t.${value} = $1 and t.client_id = $2
       and ${isLiveToken()}${more}`,
  );
const findToken = findBy('find_api_token', 'token_sha256');
/** Finds a token by the value that a rotation replaced, while the overlap lasts. */
const findPrevious = findBy(
  'find_api_token_by_previous',
  'previous_sha256',
  ' and t.previous_until > svc_clock()',
);

type Credential = { readonly clientId: string; readonly tokenSha256: Buffer };

const lookUps = new WeakMap<Database, (asked: Credential) => Promise<TokenRow | undefined>>();

/**
 * Returns the live token with this digest at this client, with its owner's current role. Concurrent
 * requests with one credential share one query, which starts after all of them arrived.
 */
export function findApiToken(
  db: Database,
  clientId: string,
  tokenSha256: Buffer,
): Promise<TokenRow | undefined> {
  const lookUp =
    lookUps.get(db) ??
    shareAnswers<Credential, TokenRow | undefined>(
      (asked) => `${asked.clientId} ${asked.tokenSha256.toString('latin1')}`,
      (asked) => readToken(db, asked),
    );
  lookUps.set(db, lookUp);
  return lookUp({ clientId, tokenSha256 });
}

async function readToken(
  db: Database,
  { clientId, tokenSha256 }: Credential,
): Promise<TokenRow | undefined> {
  // The previous value is a second query, so that the usual look-up costs nothing more. A value
  // only ever changes from current to previous: a value that was current before the second query
  // was found by the first.
  const [current] = await db.read(findToken, [tokenSha256, clientId]);
  const row = current ?? (await db.read(findPrevious, [tokenSha256, clientId]))[0];
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      role: row.role,
      scopes: row.scopes,
      sha256: row.sha256,
      useDueMs: row.use_due_ms,
      isCurrent: current !== undefined,
    }
  );
}

const updateUse = sql(
  'update_api_token_use',
  `update api_tokens set last_used_at = svc_clock()
   where id = any($1::uuid[])
     and (last_used_at is null or last_used_at < svc_clock() - interval '1 hour')`,
);

/** Records that these tokens were used, at most once an hour each. */
export async function updateTokenUse(db: Database, tokenIds: readonly string[]): Promise<void> {
  await db.write(updateUse, [tokenIds]);
}
