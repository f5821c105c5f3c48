// One-time links that were mailed to the address of an account. Only digests are kept.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type NewAccountLink = {
  readonly id: string;
  readonly userId: string;
  readonly linkSha256: Buffer;
  readonly lifeMs: number;
  /** So many in an hour, and one more when none works any longer; null for the operator's own. */
  readonly mostAnHour: number | null;
};

// What is over for a day goes with the person's next link.
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

/** Until when it works; undefined where the person had too many. The person is locked. */
export async function insertAccountLink(tx: Tx, link: NewAccountLink): Promise<Date | undefined> {
  const { id, userId, linkSha256, lifeMs, mostAnHour } = link;
  const [row] = await tx.query(insert, [id, userId, linkSha256, lifeMs, mostAnHour]);
  return row?.expires_at;
}

const find = sql<{ user_id: string }>(
  'account_links.find',
  'select user_id from account_links where link_sha256 = $1 and expires_at > svc_clock()',
);

/** Whose link it is; undefined when it is unknown or over. */
export async function findAccountLink(
  database: Database,
  linkSha256: Buffer,
): Promise<string | undefined> {
  const [row] = await database.read(find, [linkSha256]);
  return row?.user_id;
}

const lock = sql<{ user_id: string }>(
  'account_links.lock',
  `select user_id from account_links
   where link_sha256 = $1 and expires_at > svc_clock() for update`,
);

/** The same, held until the transaction ends. */
export async function lockAccountLink(tx: Tx, linkSha256: Buffer): Promise<string | undefined> {
  const [row] = await tx.query(lock, [linkSha256]);
  return row?.user_id;
}

const end = sql(
  'account_links.end',
  `update account_links set expires_at = svc_clock()
   where user_id = $1 and expires_at > svc_clock()`,
);

/** Every link of the person is dead. */
export async function endAccountLinks(tx: Tx, userId: string): Promise<void> {
  await tx.query(end, [userId]);
}
