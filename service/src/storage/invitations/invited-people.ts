// People as a mailed invitation link finds them: with an account, or new.

import { spellingsOf } from '../../domain/people/email.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type JoiningPerson = {
  readonly userId: string;
  readonly name: string | null;
  /** True when the account has a way to sign in already: the link alone must not add another. */
  readonly canSignIn: boolean;
  readonly isDisabled: boolean;
};

const lockByEmail = sql<{
  id: string;
  name: string | null;
  can_sign_in: boolean;
  is_disabled: boolean;
}>(
  'joining.lock_by_email',
  `select u.id, u.name, u.disabled_at is not null as is_disabled,
     u.password_hash is not null or exists (select from passkeys p where p.user_id = u.id)
       as can_sign_in
   from users u where u.email = any($1::text[]) for no key update of u`,
);

/** Call it in a transaction without a client: inside one, people's sign-in data is hidden. */
export async function lockPersonByEmail(tx: Tx, email: string): Promise<JoiningPerson | undefined> {
  const [row] = await tx.query(lockByEmail, [spellingsOf(email)]);
  return (
    row && {
      userId: row.id,
      name: row.name,
      canSignIn: row.can_sign_in,
      isDisabled: row.is_disabled,
    }
  );
}

const insert = sql(
  'joining.insert',
  `insert into users (id, email, name, created_at) select $1, $2, $3, svc_clock()
   where not exists (select from users u where u.email = any($4::text[]))
   on conflict (email) do nothing`,
);

/** Makes sure that an account with this address exists, in whichever spelling. */
export async function ensurePerson(
  tx: Tx,
  person: { readonly newId: string; readonly email: string; readonly name: string | null },
): Promise<void> {
  const { newId, email, name } = person;
  await tx.query(insert, [newId, email, name, spellingsOf(email)]);
}

const givePassword = sql(
  'joining.give_password',
  `update users set password_hash = $2, name = coalesce($3, name), updated_at = now,
     password_changed_at = now, email_proven_at = coalesce(email_proven_at, now)
   from (select svc_clock() as now) as clock where id = $1`,
);

/** Sets the first password of a locked person. The link has proven that the person reads the address. */
export async function giveFirstPassword(
  tx: Tx,
  given: { readonly userId: string; readonly passwordHash: string; readonly name: string | null },
): Promise<void> {
  await tx.query(givePassword, [given.userId, given.passwordHash, given.name]);
}

const proveAddress = sql(
  'joining.prove_address',
  'update users set email_proven_at = svc_clock() where id = $1 and email_proven_at is null',
);

export async function proveAddressOf(tx: Tx, userId: string): Promise<void> {
  await tx.query(proveAddress, [userId]);
}

const findEmail = sql<{ email: string }>(
  'joining.find_email',
  'select email from users where id = $1',
);

export async function findEmailOf(via: Tx | Database, userId: string): Promise<string | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(findEmail, [userId]);
  return row?.email;
}
