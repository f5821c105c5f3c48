import { shareAnswers } from './batch.ts';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

export type TokenRow = {
  readonly id: string;
  readonly userId: string;
  readonly role: 'owner' | 'admin' | 'member';
  readonly scopes: readonly string[] | null;
  readonly sha256: Buffer;
  /** True when `lastUsedAt` is unset or over an hour old. Spec: Authentication 8. */
  readonly isUseDue: boolean;
};

// The membership is joined in: a token whose owner has left the client does not authenticate.
const findToken = sql<{
  id: string;
  user_id: string;
  role: TokenRow['role'];
  scopes: string[] | null;
  token_sha256: Buffer;
  is_use_due: boolean;
}>(
  'find_api_token',
  `select t.id, t.user_id, m.role, t.scopes, t.token_sha256,
     t.last_used_at is null or t.last_used_at < svc_clock() - interval '1 hour' as is_use_due
   from api_tokens t
   join memberships m on m.client_id = t.client_id and m.user_id = t.user_id
   where t.token_sha256 = $1 and t.client_id = $2 and t.revoked_at is null
     and (t.expires_at is null or t.expires_at > svc_clock())`,
);

type Credential = { readonly clientId: string; readonly tokenSha256: Buffer };

const lookUps = new WeakMap<Database, (asked: Credential) => Promise<TokenRow | undefined>>();

/**
 * The live token with this digest at this client, with its owner's role of now. Requests that come
 * at once with one credential share a reading that begins after all of them came.
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
  const [row] = await db.read(findToken, [tokenSha256, clientId]);
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      role: row.role,
      scopes: row.scopes,
      sha256: row.token_sha256,
      isUseDue: row.is_use_due,
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
