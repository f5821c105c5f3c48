// How often somebody may try to prove to be a person, counted for all processes together. A try is
// taken before it is judged, so that many at once do not pass together, and given back when right.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type AuthAttemptLimit = { readonly most: number; readonly windowMs: number };

// A few that are over go each time: the table holds a window's worth.
const take = sql<{ tried: number }>(
  'proof_budgets.take',
  `with gone as (
     delete from proof_budgets where key_sha256 in (
       select key_sha256 from proof_budgets where ends_at < (select svc_clock()) and key_sha256 <> $1
       order by ends_at limit 5 for update skip locked))
   insert into proof_budgets as b (key_sha256, tried, ends_at)
   values ($1, 1, svc_clock() + $3 * interval '1 millisecond')
   on conflict (key_sha256) do update set
     tried = case when b.ends_at <= svc_clock() then 1 else b.tried + 1 end,
     ends_at = case when b.ends_at <= svc_clock() then excluded.ends_at else b.ends_at end
   where b.tried < $2 or b.ends_at <= svc_clock()
   returning tried`,
);

const wait = sql<{ seconds: number }>(
  'proof_budgets.wait',
  `select greatest(1, ceil(extract(epoch from ends_at - svc_clock())))::int as seconds
   from proof_budgets where key_sha256 = $1`,
);

/** Takes a try; answers how many seconds to wait where none is left, else null. */
export async function takeAuthAttempt(
  database: Database,
  keySha256: Buffer,
  { most, windowMs }: AuthAttemptLimit,
): Promise<number | null> {
  const taken = await database.write(take, [keySha256, most, windowMs]);
  if (taken.length > 0) return null;
  const [row] = await database.read(wait, [keySha256]);
  return row?.seconds ?? 1;
}

const forget = sql('proof_budgets.forget', 'delete from proof_budgets where key_sha256 = $1');

/** All tries of the key begin anew. */
export async function forgetAuthAttempts(tx: Tx, keySha256: Buffer): Promise<void> {
  await tx.query(forget, [keySha256]);
}

const giveBack = sql(
  'proof_budgets.give_back',
  'update proof_budgets set tried = tried - 1 where key_sha256 = $1 and tried > 0',
);

/** The try was right, or came to nothing. */
export async function giveBackAuthAttempt(database: Database, keySha256: Buffer): Promise<void> {
  await database.write(giveBack, [keySha256]);
}
