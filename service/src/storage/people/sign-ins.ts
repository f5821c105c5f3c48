// Browsers that people are signed in with. Only the digest of the cookie is kept. Rows belong to
// the person, not to a client.

import { type SignInMethod, signInLife } from '../../domain/people/sign-in.ts';
import type { Database, Tx } from '../database/database.ts';
import { intervalOf, sql } from '../database/sql.ts';

export type VerifiedSignIn = {
  readonly signInId: string;
  readonly userId: string;
  readonly tokenSha256: Buffer;
  readonly provenAt: Date;
  /** The service's clock when the row was read. */
  readonly now: Date;
  readonly needsSecondFactor: boolean;
  /** True when this use has to be recorded. */
  readonly isUseDue: boolean;
};

const find = sql<{
  id: string;
  user_id: string;
  token_sha256: Buffer;
  proven_at: Date;
  now: Date;
  state: 'second_factor' | 'open';
  is_use_due: boolean;
}>(
  'sign_ins.find',
  `select s.id, s.user_id, s.token_sha256, s.proven_at, s.state, svc_clock() as now,
     s.state = 'open'
       and s.last_seen_at < svc_clock() - ${intervalOf(signInLife.touchMs)} as is_use_due
   from sign_ins s join users u on u.id = s.user_id and u.disabled_at is null
   where s.token_sha256 = $1 and s.state in ('second_factor', 'open')
     and s.expires_at > svc_clock()`,
);

/** Returns the live sign-in with this digest, when its owner may sign in. */
export async function findSignIn(
  database: Database,
  tokenSha256: Buffer,
): Promise<VerifiedSignIn | undefined> {
  const [row] = await database.read(find, [tokenSha256]);
  return (
    row && {
      signInId: row.id,
      userId: row.user_id,
      tokenSha256: row.token_sha256,
      provenAt: row.proven_at,
      now: row.now,
      needsSecondFactor: row.state === 'second_factor',
      isUseDue: row.is_use_due,
    }
  );
}

const stillOpen = sql(
  'sign_ins.still_open',
  `select 1 from sign_ins
   where id = $1 and user_id = $2 and state = 'open' and expires_at > svc_clock()`,
);

/** Returns whether the person's sign-in is open now. */
export async function isSignInOpen(tx: Tx, signInId: string, userId: string): Promise<boolean> {
  return (await tx.query(stillOpen, [signInId, userId])).length === 1;
}

const openUntil = `least(svc_clock() + ${intervalOf(signInLife.idleMs)},
  created_at + ${intervalOf(signInLife.mostMs)})`;

const touch = sql(
  'sign_ins.touch',
  `update sign_ins set last_seen_at = svc_clock(), expires_at = ${openUntil}
   where id = $1 and state = 'open'
     and last_seen_at < svc_clock() - ${intervalOf(signInLife.touchMs)}`,
);

/** Records that the sign-in was used just now, which extends its life. */
export async function touchSignIn(database: Database, signInId: string): Promise<void> {
  await database.write(touch, [signInId]);
}

export type NewSignIn = {
  readonly id: string;
  readonly userId: string;
  readonly tokenSha256: Buffer;
  readonly state: 'second_factor' | 'open';
  readonly method: SignInMethod;
  readonly address: string | null;
  readonly userAgent: string | null;
};

// Sign-ins that ended long ago are deleted at the person's next sign-in.
const insert = sql(
  'sign_ins.insert',
  `with gone as (
     delete from sign_ins where user_id = $2
       and coalesce(ended_at, expires_at)
         < svc_clock() - ${intervalOf(signInLife.keptMs)})
   insert into sign_ins (id, user_id, token_sha256, state, method, address, user_agent,
     proven_at, last_seen_at, created_at, expires_at)
   select $1, $2, $3, $4, $5, $6, $7, now, now, now,
     now + case $4 when 'open' then ${intervalOf(signInLife.idleMs)}
       else ${intervalOf(signInLife.secondFactorMs)} end
   from svc_clock() as now`,
);

export async function insertSignIn(tx: Tx, signIn: NewSignIn): Promise<void> {
  const { id, userId, tokenSha256, state, method, address, userAgent } = signIn;
  const browser = userAgent?.slice(0, 300) ?? null;
  await tx.query(insert, [id, userId, tokenSha256, state, method, address, browser]);
}

const lockHalf = sql<{ user_id: string }>(
  'sign_ins.lock_half',
  `select user_id from sign_ins
   where id = $1 and state = 'second_factor' and expires_at > svc_clock() for update`,
);

/** Returns the person whose sign-in waits for its second factor; undefined when it does not wait. */
export async function lockHalfSignIn(tx: Tx, signInId: string): Promise<string | undefined> {
  const [row] = await tx.query(lockHalf, [signInId]);
  return row?.user_id;
}

const renew = sql<{ proven_at: Date }>(
  'sign_ins.renew',
  `update sign_ins set token_sha256 = $2, state = 'open', method = coalesce($3, method),
     proven_at = svc_clock(), last_seen_at = svc_clock(), expires_at = ${openUntil}
   where id = $1 and state in ('second_factor', 'open') and expires_at > svc_clock()
   returning proven_at`,
);

/**
 * Opens the sign-in under a new cookie after a proof was given; the former cookie stops working.
 * Returns the time of the proof, or undefined when the sign-in has ended. A null method keeps the
 * method as it is.
 */
export async function renewSignIn(
  tx: Tx,
  signInId: string,
  given: { readonly tokenSha256: Buffer; readonly method: SignInMethod | null },
): Promise<Date | undefined> {
  const [row] = await tx.query(renew, [signInId, given.tokenSha256, given.method]);
  return row?.proven_at;
}

const end = sql<{ id: string }>(
  'sign_ins.end',
  `update sign_ins set state = 'ended', ended_at = svc_clock()
   where id = $1 and state in ('second_factor', 'open') and expires_at > svc_clock()
     and user_id = $2
   returning id`,
);

/** Ends one of the person's sign-ins; returns false when no such live sign-in exists. */
export async function endSignInOf(tx: Tx, signInId: string, userId: string): Promise<boolean> {
  return (await tx.query(end, [signInId, userId])).length === 1;
}

const endAll = sql<{ id: string }>(
  'sign_ins.end_all',
  `update sign_ins set state = 'ended', ended_at = svc_clock()
   where user_id = $1 and state in ('second_factor', 'open') and expires_at > svc_clock()
     and ($2::uuid is null or id <> $2)
   returning id`,
);

/** Ends all of the person's sign-ins except `keptId`; returns their ids. */
export async function endSignInsOf(
  tx: Tx,
  userId: string,
  keptId: string | null,
): Promise<string[]> {
  return (await tx.query(endAll, [userId, keptId])).map(({ id }) => id);
}

export type SignInView = {
  readonly id: string;
  readonly method: SignInMethod;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly provenAt: Date;
  readonly expiresAt: Date;
};

type ViewRow = {
  id: string;
  method: SignInMethod;
  address: string | null;
  user_agent: string | null;
  created_at: Date;
  last_seen_at: Date;
  proven_at: Date;
  expires_at: Date;
};

const list = sql<ViewRow>(
  'sign_ins.list',
  `select id, method, address, user_agent, created_at, last_seen_at, proven_at, expires_at
   from sign_ins where user_id = $1 and state = 'open' and expires_at > svc_clock()
   order by last_seen_at desc, id desc limit 100`,
);

/** Returns where the person is signed in now, the last seen first. */
export async function findSignInsOf(database: Database, userId: string): Promise<SignInView[]> {
  return (await database.read(list, [userId])).map((row) => ({
    id: row.id,
    method: row.method,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    provenAt: row.proven_at,
    expiresAt: row.expires_at,
  }));
}

const moveAlong = sql(
  'sign_ins.move_along',
  `update sign_ins set
     created_at = created_at + make_interval(secs => $2),
     last_seen_at = last_seen_at + make_interval(secs => $2),
     expires_at = expires_at + make_interval(secs => $2)
   where id = $1`,
);

/**
 * Moves a sign-in's times with the sandbox's clock, by `seconds`: the person who moves the clock did not
 * leave meanwhile. The proof of identity keeps its time.
 */
export async function moveSignInAlong(
  database: Database,
  signInId: string,
  seconds: number,
): Promise<void> {
  await database.write(moveAlong, [signInId, seconds]);
}
