// Passkeys of people, and the challenges that authenticators sign.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type StoredPasskey = {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: Buffer;
  /** The public key as SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer;
  /** The COSE algorithm: -7 or -257. */
  readonly algorithm: number;
  readonly signCount: number;
  readonly transports: readonly string[];
};

export type PasskeyView = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};

type ViewRow = { id: string; name: string; created_at: Date; last_used_at: Date | null };

const toView = (row: ViewRow): PasskeyView => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

const insert = sql<ViewRow>(
  'passkeys.insert',
  `insert into passkeys (id, user_id, credential_id, public_key, algorithm, sign_count, name,
     transports, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, svc_clock())
   on conflict (credential_id) do nothing
   returning id, name, created_at, last_used_at`,
);

/** Returns undefined when the credential is known already, for any account. */
export async function insertPasskey(
  tx: Tx,
  passkey: StoredPasskey & { readonly name: string },
): Promise<PasskeyView | undefined> {
  const [row] = await tx.query(insert, [
    passkey.id,
    passkey.userId,
    passkey.credentialId,
    passkey.publicKey,
    passkey.algorithm,
    passkey.signCount,
    passkey.name,
    passkey.transports,
  ]);
  return row && toView(row);
}

const list = sql<ViewRow & { credential_id: Buffer; transports: string[] }>(
  'passkeys.list',
  `select id, name, created_at, last_used_at, credential_id, transports from passkeys
   where user_id = $1 order by id desc limit 1000`,
);

export type ListedPasskey = PasskeyView & Pick<StoredPasskey, 'credentialId' | 'transports'>;

/** Returns the person's passkeys, newest first. */
export async function findPasskeysOf(database: Database, userId: string): Promise<ListedPasskey[]> {
  return (await database.read(list, [userId])).map((row) => ({
    ...toView(row),
    credentialId: row.credential_id,
    transports: row.transports,
  }));
}

const lock = sql<{
  id: string;
  user_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  algorithm: number;
  sign_count: string;
  transports: string[];
}>(
  'passkeys.lock',
  `select p.id, p.user_id, p.credential_id, p.public_key, p.algorithm, p.sign_count, p.transports
   from passkeys p join users u on u.id = p.user_id and u.disabled_at is null
   where p.credential_id = $1 for update of p`,
);

/** Locks the passkey with this credential until the transaction ends, when its owner may sign in. */
export async function lockPasskey(
  tx: Tx,
  credentialId: Buffer,
): Promise<StoredPasskey | undefined> {
  const [row] = await tx.query(lock, [credentialId]);
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      credentialId: row.credential_id,
      publicKey: row.public_key,
      algorithm: row.algorithm,
      signCount: Number(row.sign_count),
      transports: row.transports,
    }
  );
}

const use = sql(
  'passkeys.use',
  'update passkeys set sign_count = $2, last_used_at = svc_clock() where id = $1',
);

export async function updatePasskeyUse(tx: Tx, id: string, signCount: number): Promise<void> {
  await tx.query(use, [id, signCount]);
}

const rename = sql<ViewRow & { former: string }>(
  'passkeys.rename',
  `update passkeys p set name = $3
   from (select id, name from passkeys where id = $1 and user_id = $2 for update) as former
   where p.id = former.id
   returning p.id, p.name, p.created_at, p.last_used_at, former.name as former`,
);

/** Returns the renamed passkey and its former name; undefined when the person has no such passkey. */
export async function renamePasskey(
  tx: Tx,
  { id, userId, name }: { readonly id: string; readonly userId: string; readonly name: string },
): Promise<{ passkey: PasskeyView; former: string } | undefined> {
  const [row] = await tx.query(rename, [id, userId, name]);
  return row && { passkey: toView(row), former: row.former };
}

const remove = sql<{ name: string }>(
  'passkeys.remove',
  'delete from passkeys where id = $1 and user_id = $2 returning name',
);

/** Returns the name of the removed passkey; undefined when the person has no such passkey. */
export async function removePasskey(
  tx: Tx,
  id: string,
  userId: string,
): Promise<string | undefined> {
  const [row] = await tx.query(remove, [id, userId]);
  return row?.name;
}

const count = sql<{ count: number }>(
  'passkeys.count',
  'select count(*)::int as count from passkeys where user_id = $1',
);

/** Returns how many passkeys the person has; the caller has locked the person. */
export async function countPasskeys(tx: Tx, userId: string): Promise<number> {
  const [row] = await tx.query(count, [userId]);
  return row?.count ?? 0;
}

export type ChallengePurpose = 'sign_in' | 'confirm' | 'add';

// Each insert deletes some expired challenges, because anybody may ask for one.
const insertChallenge = sql(
  'passkeys.insert_challenge',
  `with gone as (
     delete from passkey_challenges where challenge_sha256 in (
       select challenge_sha256 from passkey_challenges where expires_at < (select svc_clock())
       order by expires_at limit 10 for update skip locked))
   insert into passkey_challenges (challenge_sha256, purpose, sign_in_id, expires_at)
   values ($1, $2, $3, svc_clock() + $4 * interval '1 millisecond')`,
);

export async function insertPasskeyChallenge(
  database: Database,
  challenge: {
    readonly sha256: Buffer;
    readonly purpose: ChallengePurpose;
    /** The sign-in that asked for the challenge; null when the challenge is for signing in. */
    readonly signInId: string | null;
    readonly lifeMs: number;
  },
): Promise<void> {
  const { sha256, purpose, signInId, lifeMs } = challenge;
  await database.write(insertChallenge, [sha256, purpose, signInId, lifeMs]);
}

const takeChallenge = sql<{ is_live: boolean }>(
  'passkeys.take_challenge',
  `delete from passkey_challenges
   where challenge_sha256 = $1 and purpose = $2 and sign_in_id is not distinct from $3
   returning expires_at > svc_clock() as is_live`,
);

/**
 * Spends the challenge, whatever the check that follows returns; false when there is no such live
 * challenge.
 */
export async function takePasskeyChallenge(
  database: Database,
  challenge: {
    readonly sha256: Buffer;
    readonly purpose: ChallengePurpose;
    readonly signInId: string | null;
  },
): Promise<boolean> {
  const { sha256, purpose, signInId } = challenge;
  const [row] = await database.write(takeChallenge, [sha256, purpose, signInId]);
  return row?.is_live === true;
}
