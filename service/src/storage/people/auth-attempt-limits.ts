// Limits how often somebody may try to prove who they are, counted over all processes. A try is
// taken before the proof is checked, so that concurrent tries cannot all pass, and is given back
// when the proof was right.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type AuthAttemptLimit = { readonly most: number; readonly windowMs: number };

// Each call deletes a few expired rows, so the table holds about one window of tries.
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

/** Takes a try. Returns null, or the seconds to wait when no try is left. */
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

/** Resets the count of tries for the key. */
export async function forgetAuthAttempts(tx: Tx, keySha256: Buffer): Promise<void> {
  await tx.query(forget, [keySha256]);
}

const giveBack = sql(
  'proof_budgets.give_back',
  'update proof_budgets set tried = tried - 1 where key_sha256 = $1 and tried > 0',
);

/** Gives a try back, because the proof was right or was never checked. */
export async function giveBackAuthAttempt(database: Database, keySha256: Buffer): Promise<void> {
  await database.write(giveBack, [keySha256]);
}
