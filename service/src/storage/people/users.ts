// People. They belong to no client: their memberships state where they belong. Each statement names
// the person, or the address that was typed.

import { spellingsOf } from '../../domain/people/email.ts';
import { normalizeEmail } from '../../domain/people/member.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** The proofs that a person needs to sign in. */
export type UserProofs = {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  /** A PHC string; null until the person has chosen a password. */
  readonly passwordHash: string | null;
  readonly totpSecretSealed: Buffer | null;
  readonly hasTotp: boolean;
};

type ProofRow = {
  id: string;
  email: string;
  name: string | null;
  password_hash: string | null;
  totp_secret_sealed: Buffer | null;
  has_totp: boolean;
};

const proofColumns = `id, email, name, password_hash, totp_secret_sealed,
  totp_confirmed_at is not null as has_totp`;

const toUserProofs = (row: ProofRow): UserProofs => ({
  id: row.id,
  email: row.email,
  name: row.name,
  passwordHash: row.password_hash,
  totpSecretSealed: row.totp_secret_sealed,
  hasTotp: row.has_totp,
});

const byEmail = sql<ProofRow>(
  'users.by_email',
  `select ${proofColumns} from users where email = any($1::text[]) and disabled_at is null`,
);

/** Returns the person who may sign in with this address, ignoring case. */
export async function findUserByEmail(
  database: Database,
  email: string,
): Promise<UserProofs | undefined> {
  const [row] = await database.read(byEmail, [spellingsOf(normalizeEmail(email))]);
  return row && toUserProofs(row);
}

const byId = sql<ProofRow>(
  'users.by_id',
  `select ${proofColumns} from users where id = $1 and disabled_at is null`,
);

export async function findUser(
  database: Database,
  userId: string,
): Promise<UserProofs | undefined> {
  const [row] = await database.read(byId, [userId]);
  return row && toUserProofs(row);
}

const lock = sql<ProofRow>(
  'users.lock',
  `select ${proofColumns} from users where id = $1 and disabled_at is null
   for no key update`,
);

/**
 * Locks the person until the transaction ends, so that proofs change one after the other. Sign-ins
 * can be added meanwhile.
 */
export async function lockUser(tx: Tx, userId: string): Promise<UserProofs | undefined> {
  const [row] = await tx.query(lock, [userId]);
  return row && toUserProofs(row);
}

export type AccountView = {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly emailProvenAt: Date | null;
  readonly hasPassword: boolean;
  readonly passwordChangedAt: Date | null;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  readonly passkeyCount: number;
  readonly provenAt: Date;
  readonly createdAt: Date;
};

const account = sql<{
  id: string;
  email: string;
  name: string | null;
  email_proven_at: Date | null;
  has_password: boolean;
  password_changed_at: Date | null;
  has_totp: boolean;
  codes_left: number;
  passkeys: number;
  proven_at: Date;
  created_at: Date;
}>(
  'users.account',
  `select u.id, u.email, u.name, u.email_proven_at, u.password_hash is not null as has_password,
     u.password_changed_at, u.totp_confirmed_at is not null as has_totp, u.created_at, s.proven_at,
     (select count(*)::int from recovery_codes r where r.user_id = u.id and r.used_at is null)
       as codes_left,
     (select count(*)::int from passkeys p where p.user_id = u.id) as passkeys
   from users u join sign_ins s on s.user_id = u.id and s.id = $2
   where u.id = $1`,
);

/** Returns the person's account as the person sees it from this sign-in. */
export async function findAccount(
  database: Database,
  userId: string,
  signInId: string,
): Promise<AccountView | undefined> {
  const [row] = await database.read(account, [userId, signInId]);
  return (
    row && {
      id: row.id,
      email: row.email,
      name: row.name,
      emailProvenAt: row.email_proven_at,
      hasPassword: row.has_password,
      passwordChangedAt: row.password_changed_at,
      hasTotp: row.has_totp,
      recoveryCodesLeft: row.codes_left,
      passkeyCount: row.passkeys,
      provenAt: row.proven_at,
      createdAt: row.created_at,
    }
  );
}

const rename = sql(
  'users.rename',
  'update users set name = $2, updated_at = svc_clock() where id = $1',
);

export async function updateUserName(tx: Tx, userId: string, name: string | null): Promise<void> {
  await tx.query(rename, [userId, name]);
}

const setPassword = sql(
  'users.set_password',
  `update users set password_hash = $2, password_changed_at = svc_clock(), updated_at = svc_clock(),
     email_proven_at = case when $3 then coalesce(email_proven_at, svc_clock())
       else email_proven_at end
   where id = $1`,
);

/** Sets a new password; `provesEmail` is true when a mailed link led to it. */
export async function updatePassword(
  tx: Tx,
  userId: string,
  given: { readonly passwordHash: string; readonly provesEmail: boolean },
): Promise<void> {
  await tx.query(setPassword, [userId, given.passwordHash, given.provesEmail]);
}

const rehash = sql(
  'users.rehash_password',
  'update users set password_hash = $3 where id = $1 and password_hash = $2',
);

/** Stores the same password hashed at another cost, unless the password was changed meanwhile. */
export async function updatePasswordHash(
  tx: Tx,
  userId: string,
  given: { readonly former: string; readonly next: string },
): Promise<void> {
  await tx.query(rehash, [userId, given.former, given.next]);
}

const setSecret = sql(
  'users.set_totp_secret',
  `update users set totp_secret_sealed = $2, totp_last_step = 0, updated_at = svc_clock()
   where id = $1 and totp_confirmed_at is null`,
);

/** Stores an authenticator's secret that is not confirmed yet. */
export async function updateTotpSecret(tx: Tx, userId: string, sealed: Buffer): Promise<void> {
  await tx.query(setSecret, [userId, sealed]);
}

const takeStep = sql<{ id: string }>(
  'users.take_totp_step',
  `update users set totp_last_step = $2 where id = $1 and totp_last_step < $2 returning id`,
);

/**
 * Uses up the code of a time step; returns false when the code of this step, or of a later one, was
 * used before.
 */
export async function takeTotpStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  return (await tx.query(takeStep, [userId, step])).length === 1;
}

const confirmTotp = sql(
  'users.confirm_totp',
  'update users set totp_confirmed_at = svc_clock(), updated_at = svc_clock() where id = $1',
);

export async function updateTotpConfirmed(tx: Tx, userId: string): Promise<void> {
  await tx.query(confirmTotp, [userId]);
}

const clearTotp = sql(
  'users.clear_totp',
  `update users set totp_secret_sealed = null, totp_confirmed_at = null, totp_last_step = 0,
     updated_at = svc_clock() where id = $1`,
);

export async function removeTotp(tx: Tx, userId: string): Promise<void> {
  await tx.query(clearTotp, [userId]);
}
