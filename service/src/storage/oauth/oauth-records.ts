// Tokens, codes and interactions of the OAuth flows, found by the digest of their value.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type OauthModel =
  | 'AccessToken'
  | 'AuthorizationCode'
  | 'DeviceCode'
  | 'Interaction'
  | 'RefreshToken';

export type OauthRecord = {
  readonly idSha256: Buffer;
  readonly payloadSealed: Buffer;
  readonly grantId: string | null;
  readonly isConsumed: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The service's clock when the record was read. */
  readonly now: Date;
};

export type NewOauthRecord = {
  readonly idSha256: Buffer;
  readonly model: OauthModel;
  readonly grantId: string | null;
  /** The scopes of an access token; null for every other model. */
  readonly scopes: readonly string[] | null;
  /** True for an access token for /mcp alone. RFC 8707. */
  readonly isForAgents: boolean;
  readonly userCodeDigest: Buffer | null;
  readonly payloadSealed: Buffer;
  readonly lifeSeconds: number;
};

// Nothing is written when the grant was revoked meanwhile, so it gets no further token. Refresh
// tokens expire 90 days after the consent, however often they were used.
const upsert = sql<{ id_sha256: Buffer }>(
  'oauth_records.upsert',
  `insert into oauth_records (id_sha256, model, grant_id, client_id, scopes,
     user_code_digest, payload_sealed, agents_only, created_at, expires_at)
   select $1, $2, g.id, g.client_id, $4, $5, $6, $8, c.now,
     case when $2 = 'RefreshToken'
       then least(c.now + make_interval(secs => $7), g.created_at + interval '90 days')
       else c.now + make_interval(secs => $7) end
   from (select svc_clock() as now) c
   left join oauth_grants g on g.id = $3 and g.revoked_at is null
   where $3::uuid is null or g.id is not null
   on conflict (id_sha256) do update set grant_id = excluded.grant_id,
     client_id = excluded.client_id, payload_sealed = excluded.payload_sealed,
     expires_at = excluded.expires_at
   returning id_sha256`,
);

/** Inserts or replaces the record. Returns false, and writes nothing, when its grant was revoked. */
export async function upsertOauthRecord(
  via: Tx | Database,
  record: NewOauthRecord,
): Promise<boolean> {
  const run = 'query' in via ? via.query : via.write;
  const rows = await run(upsert, [
    record.idSha256,
    record.model,
    record.grantId,
    record.scopes,
    record.userCodeDigest,
    record.payloadSealed,
    record.lifeSeconds,
    record.isForAgents,
  ]);
  return rows.length > 0;
}

type Row = {
  id_sha256: Buffer;
  payload_sealed: Buffer;
  grant_id: string | null;
  is_consumed: boolean;
  created_at: Date;
  expires_at: Date;
  now: Date;
};

const found = `select id_sha256, payload_sealed, grant_id, consumed_at is not null as is_consumed,
     created_at, expires_at, svc_clock() as now from oauth_records`;
const byId = sql<Row>(
  'oauth_records.find',
  `${found} where id_sha256 = $2 and model = $1 and expires_at > svc_clock()`,
);
const byUserCode = sql<Row>(
  'oauth_records.find_by_user_code',
  `${found} where user_code_digest = $2 and model = $1 and expires_at > svc_clock()`,
);
const queries = { id: byId, userCode: byUserCode };

/** Returns a record that has not expired, found by the digest of its value or of one of its other names. */
export async function findOauthRecord(
  db: Database,
  model: OauthModel,
  name: { readonly by: keyof typeof queries; readonly digest: Buffer },
): Promise<OauthRecord | undefined> {
  const [row] = await db.read(queries[name.by], [model, name.digest]);
  return (
    row && {
      idSha256: row.id_sha256,
      payloadSealed: row.payload_sealed,
      grantId: row.grant_id,
      isConsumed: row.is_consumed,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      now: row.now,
    }
  );
}

const consume = sql<{ id_sha256: Buffer }>(
  'oauth_records.consume',
  `update oauth_records set consumed_at = svc_clock()
   where id_sha256 = $1 and consumed_at is null returning id_sha256`,
);

/** Marks the record as used; returns false when it was used before or does not exist. */
export async function consumeOauthRecord(tx: Tx, idSha256: Buffer): Promise<boolean> {
  return (await tx.query(consume, [idSha256])).length > 0;
}

const isThere = sql('oauth_records.is_there', 'select 1 from oauth_records where id_sha256 = $1');

export async function isOauthRecord(tx: Tx, idSha256: Buffer): Promise<boolean> {
  return (await tx.query(isThere, [idSha256])).length > 0;
}

const decide = sql<{ id_sha256: Buffer }>(
  'oauth_records.decide',
  `update oauth_records set decided_at = svc_clock()
   where id_sha256 = $1 and model in ('Interaction', 'DeviceCode') and decided_at is null
     and expires_at > svc_clock()
   returning id_sha256`,
);

/** Takes the one decision about a waiting request; returns false when it was taken before, or has expired. */
export async function takeDecision(tx: Tx, idSha256: Buffer): Promise<boolean> {
  return (await tx.query(decide, [idSha256])).length > 0;
}

const remove = sql('oauth_records.delete', 'delete from oauth_records where id_sha256 = $1');

export async function deleteOauthRecord(db: Database, idSha256: Buffer): Promise<void> {
  await db.write(remove, [idSha256]);
}

// A used refresh token is kept until it would have expired: a caller who presents it again ends the
// whole family.
const sweepRecords = sql<{ id_sha256: Buffer }>(
  'oauth_records.sweep',
  `delete from oauth_records where id_sha256 in (
     select id_sha256 from oauth_records where expires_at < (select svc_clock()) - interval '1 hour'
     order by expires_at limit $1 for update skip locked)
   returning id_sha256`,
);
const sweepGrants = sql<{ id: string }>(
  'oauth_grants.sweep',
  `delete from oauth_grants where id in (
     select id from oauth_grants where expires_at < (select svc_clock()) - interval '30 days'
     order by expires_at limit $1 for update skip locked)
   returning id`,
);

/** Deletes expired records and grants, at most `limit` of each; returns how many. */
export async function sweepOauth(db: Database, limit: number): Promise<number> {
  const records = await db.write(sweepRecords, [limit]);
  const grants = await db.write(sweepGrants, [limit]);
  return records.length + grants.length;
}
