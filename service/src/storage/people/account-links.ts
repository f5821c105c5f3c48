// One-time links that were mailed to the address of an account. Only digests are kept.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type NewAccountLink = {
  readonly id: string;
  readonly userId: string;
  readonly linkSha256: Buffer;
  readonly lifeMs: number;
  /**
   * The most links that an account may get in an hour, plus one more when none of them works any
   * longer; null means no limit, for the operator.
   */
  readonly mostAnHour: number | null;
};

// Links that expired more than a day ago are deleted when the person gets the next link.
const insert = sql<{ expires_at: Date }>(
  'account_links.insert',
  `with gone as (
     delete from account_links where user_id = $2 and expires_at < svc_clock() - interval '1 day')
   insert into account_links (id, user_id, link_sha256, created_at, expires_at)
   select $1, $2, $3, svc_clock(), svc_clock() + $4 * interval '1 millisecond'
   where $5::int is null
     or (select count(*) from account_links
       where user_id = $2 and created_at > svc_clock() - interval '1 hour') < $5
     or not exists (select from account_links where user_id = $2 and expires_at > svc_clock())
   returning expires_at`,
);

/**
 * Returns when the link expires, or undefined when the person already had too many links. The
 * caller has locked the person.
 */
export async function insertAccountLink(tx: Tx, link: NewAccountLink): Promise<Date | undefined> {
  const { id, userId, linkSha256, lifeMs, mostAnHour } = link;
  const [row] = await tx.query(insert, [id, userId, linkSha256, lifeMs, mostAnHour]);
  return row?.expires_at;
}

const find = sql<{ user_id: string }>(
  'account_links.find',
  'select user_id from account_links where link_sha256 = $1 and expires_at > svc_clock()',
);

/** Returns the id of the link's owner, or undefined when the link is unknown or expired. */
export async function findAccountLink(
  database: Database,
  linkSha256: Buffer,
): Promise<string | undefined> {
  const [row] = await database.read(find, [linkSha256]);
  return row?.user_id;
}

const findOwner = sql<{ email: string }>(
  'account_links.find_owner',
  `select u.email from account_links l join users u on u.id = l.user_id where l.link_sha256 = $1`,
);

/** Returns the address of a link's owner, also of a link that is used or expired. */
export async function findLinkOwner(
  database: Database,
  linkSha256: Buffer,
): Promise<string | undefined> {
  const [row] = await database.read(findOwner, [linkSha256]);
  return row?.email;
}

const lock = sql<{ user_id: string }>(
  'account_links.lock',
  `select user_id from account_links
   where link_sha256 = $1 and expires_at > svc_clock() for update`,
);

/** Does the same as `findAccountLink` and holds the link until the transaction ends. */
export async function lockAccountLink(tx: Tx, linkSha256: Buffer): Promise<string | undefined> {
  const [row] = await tx.query(lock, [linkSha256]);
  return row?.user_id;
}

const end = sql(
  'account_links.end',
  `update account_links set expires_at = svc_clock()
   where user_id = $1 and expires_at > svc_clock()`,
);

/** Expires every link of the person. */
export async function endAccountLinks(tx: Tx, userId: string): Promise<void> {
  await tx.query(end, [userId]);
}
