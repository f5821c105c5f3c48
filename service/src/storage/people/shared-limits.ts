// The table `shared_limits`: how many tokens of a limit remain to all processes together, by the real time. It is
// unlogged: after a crash of the server counting starts afresh.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type Takes = {
  readonly keySha256: Buffer;
  readonly count: number;
  readonly burst: number;
  readonly perSecond: number;
};

// In the order of the keys, so that two processes never wait for each other. Each call deletes a few counts that
// are full again by now, so the table holds about one window of takes.
const tell = sql<{ key: string; tokens: number }>(
  'shared_limits.tell',
  `with gone as (
     delete from shared_limits where key_sha256 in (
       select key_sha256 from shared_limits where key_sha256 <> all($1::bytea[])
         and told_at < now() - (burst - tokens) / per_second * interval '1 second'
       limit 5 for update skip locked))
   insert into shared_limits as s (key_sha256, tokens, burst, per_second, told_at)
   select key, burst - taken, burst, per_second, now()
   from unnest($1::bytea[], $2::float8[], $3::float8[], $4::float8[]) t (key, taken, burst, per_second)
   order by key
   on conflict (key_sha256) do update set
     tokens = least(excluded.burst, s.tokens
         + extract(epoch from excluded.told_at - s.told_at) * excluded.per_second)
       - (excluded.burst - excluded.tokens),
     burst = excluded.burst, per_second = excluded.per_second, told_at = excluded.told_at
   returning encode(key_sha256, 'hex') as key, tokens`,
);

/** Stores what a process took of some limits; returns how many tokens remain of each, by hexadecimal key. */
export async function tellTakes(
  database: Database,
  takes: readonly Takes[],
): Promise<ReadonlyMap<string, number>> {
  const column = <K extends keyof Takes>(name: K) => takes.map((one) => one[name]);
  const values = [column('keySha256'), column('count'), column('burst'), column('perSecond')];
  const rows = await database.write(tell, values);
  return new Map(rows.map(({ key, tokens }) => [key, tokens]));
}
