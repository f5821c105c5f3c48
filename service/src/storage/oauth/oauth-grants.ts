// The grants that people gave to applications at their clients, and the person an access token acts for.

import type { Role } from '@svc/contract/rows/roles';
import { shareAnswers } from '../database/batch.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type AccessRow = {
  readonly grantId: string;
  readonly applicationId: string;
  readonly userId: string;
  readonly clientId: string;
  /** Null once the person has left the client. */
  readonly role: Role | null;
  readonly scopes: readonly string[];
  /** True when the token was issued for /mcp alone. RFC 8707. */
  readonly isForAgents: boolean;
  readonly sha256: Buffer;
};

// The grant, the person, the application and the membership are joined in: when one of them ends,
// the token is rejected at the next request, and a scope that the application lost, its tokens lose
// too. The token of a person who left is found without a role until it expires; after the person
// joins again it is not found.
const findAccess = sql<{
  grant_id: string;
  application_id: string;
  user_id: string;
  client_id: string;
  role: AccessRow['role'];
  scopes: string[];
  agents_only: boolean;
  id_sha256: Buffer;
}>(
  'oauth_records.find_access',
  `select g.id as grant_id, g.application_id, g.user_id, g.client_id, m.role, r.id_sha256,
     r.agents_only,
     case when a.id is null then r.scopes
       else array(select s from unnest(r.scopes) s where s = any (a.scopes)) end as scopes
   from oauth_records r
   join oauth_grants g on g.id = r.grant_id and g.client_id = r.client_id
   join users u on u.id = g.user_id
   left join memberships m on m.client_id = g.client_id and m.user_id = g.user_id
   left join applications a on a.id = g.made_application_id and a.removed_at is null
   where r.id_sha256 = $1 and r.model = 'AccessToken' and r.consumed_at is null
     and r.expires_at > svc_clock() and u.disabled_at is null
     and (g.revoked_at is null or (g.ended_by_leaving and m.user_id is null))
     and (g.made_application_id is null or a.id is not null)`,
);

const lookUps = new WeakMap<Database, (sha256: Buffer) => Promise<AccessRow | undefined>>();

/**
 * Returns the live access token with this digest. Concurrent requests with one token share one
 * query, which starts after all of them arrived.
 */
export function findAccessToken(db: Database, sha256: Buffer): Promise<AccessRow | undefined> {
  const lookUp =
    lookUps.get(db) ??
    shareAnswers<Buffer, AccessRow | undefined>(
      (asked) => asked.toString('latin1'),
      (asked) => readAccess(db, asked),
    );
  lookUps.set(db, lookUp);
  return lookUp(sha256);
}

async function readAccess(db: Database, sha256: Buffer): Promise<AccessRow | undefined> {
  const [row] = await db.read(findAccess, [sha256]);
  return (
    row && {
      grantId: row.grant_id,
      applicationId: row.application_id,
      userId: row.user_id,
      clientId: row.client_id,
      role: row.role,
      scopes: row.scopes,
      isForAgents: row.agents_only,
      sha256: row.id_sha256,
    }
  );
}

export type NewGrant = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly applicationId: string;
  /** False where the id is the address of a metadata document. */
  readonly isMade: boolean;
  readonly applicationName: string;
  readonly scopes: readonly string[];
  /** Seconds until the grant expires when no first token was fetched. */
  readonly lifeSeconds: number;
};

const insert = sql(
  'oauth_grants.insert',
  `insert into oauth_grants (id, client_id, user_id, application_id, made_application_id,
     application_name, scopes, created_at, expires_at)
   select $1, $2, $3, $4::text, case when $5 then ($4::text)::uuid end, $6, $7, c.now,
     c.now + make_interval(secs => $8)
   from (select svc_clock() as now) c`,
);

export async function insertGrant(tx: Tx, grant: NewGrant): Promise<void> {
  await tx.query(insert, [
    grant.id,
    grant.clientId,
    grant.userId,
    grant.applicationId,
    grant.isMade,
    grant.applicationName,
    grant.scopes,
    grant.lifeSeconds,
  ]);
}

export type Grant = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly applicationId: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly now: Date;
};

// A grant of a disabled person or of a removed application does not count.
const find = sql<{
  id: string;
  client_id: string;
  user_id: string;
  application_id: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date;
  now: Date;
}>(
  'oauth_grants.find',
  `select g.id, g.client_id, g.user_id, g.application_id, g.scopes, g.created_at, g.expires_at,
     svc_clock() as now
   from oauth_grants g
   join users u on u.id = g.user_id and u.disabled_at is null
   left join applications a on a.id = g.made_application_id and a.removed_at is null
   where g.id = $1 and g.revoked_at is null and g.expires_at > svc_clock()
     and (g.made_application_id is null or a.id is not null)`,
);

/** Returns the grant while it is valid. */
export async function findGrant(db: Database, id: string): Promise<Grant | undefined> {
  const [row] = await db.read(find, [id]);
  return (
    row && {
      id: row.id,
      clientId: row.client_id,
      userId: row.user_id,
      applicationId: row.application_id,
      scopes: row.scopes,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      now: row.now,
    }
  );
}

const extend = sql(
  'oauth_grants.extend',
  `update oauth_grants set last_used_at = svc_clock(),
     expires_at = greatest(expires_at, svc_clock() + make_interval(secs => $2))
   where id = $1 and revoked_at is null`,
);

/** Extends the grant for as long as the token that was issued for it lives. */
export async function extendGrant(
  via: Tx | Database,
  id: string,
  lifeSeconds: number,
): Promise<void> {
  const run = 'query' in via ? via.query : via.write;
  await run(extend, [id, lifeSeconds]);
}

const revoke = sql<{ client_id: string; user_id: string; application_id: string }>(
  'oauth_grants.revoke',
  `update oauth_grants set revoked_at = svc_clock() where id = $1 and revoked_at is null
   returning client_id, user_id, application_id`,
);

/** Revokes the grant and with it all its tokens; returns undefined when it had already ended. */
export async function revokeGrant(
  tx: Tx,
  id: string,
): Promise<{ clientId: string; userId: string; applicationId: string } | undefined> {
  const [row] = await tx.query(revoke, [id]);
  return row && { clientId: row.client_id, userId: row.user_id, applicationId: row.application_id };
}

const granter = sql<{ email: string; name: string | null }>(
  'oauth_grants.granter',
  'select email, name from users where id = $1 and disabled_at is null',
);

/** Returns the person who gives the consent; undefined when the account is disabled. */
export async function findGranter(
  db: Database,
  userId: string,
): Promise<{ email: string; name: string | null } | undefined> {
  const [row] = await db.read(granter, [userId]);
  return row && { email: row.email, name: row.name };
}

export type Consent = {
  readonly id: string;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
};

// A grant whose token was never fetched gives nobody access, so it is not shown.
const isStanding = `g.revoked_at is null and g.last_used_at is not null
  and g.expires_at > svc_clock()
  and not exists (select from applications a
    where a.id = g.made_application_id and a.removed_at is not null)`;

const listConsents = sql<{
  id: string;
  application_id: string;
  application_name: string;
  client_id: string;
  client_name: string;
  scopes: string[];
  created_at: Date;
  last_used_at: Date;
}>(
  'oauth_grants.list_consents',
  `select g.id, g.application_id, g.application_name, g.client_id, c.name as client_name, g.scopes,
     g.created_at, g.last_used_at
   from oauth_grants g join clients c on c.id = g.client_id
   where g.user_id = $1 and ${isStanding} order by g.id desc limit 1000`,
);

/** Returns the consents that the person gave and that applications use, newest first. */
export async function findConsentsOf(db: Database, userId: string): Promise<Consent[]> {
  return (await db.read(listConsents, [userId])).map((row) => ({
    id: row.id,
    applicationId: row.application_id,
    applicationName: row.application_name,
    clientId: row.client_id,
    clientName: row.client_name,
    scopes: row.scopes,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

const consentClient = sql<{ client_id: string }>(
  'oauth_grants.consent_client',
  `select g.client_id from oauth_grants g where g.id = $1 and g.user_id = $2 and ${isStanding}`,
);

/** Returns the client at which the person gave the consent; undefined for somebody else's consent. */
export async function findConsentClient(
  db: Database,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<string | undefined> {
  const [row] = await db.read(consentClient, [id, userId]);
  return row?.client_id;
}
