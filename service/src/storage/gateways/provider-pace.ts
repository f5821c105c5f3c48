// The tables `provider_pace` and `provider_holdups`: what all processes together send to a
// provider's account, and what each of them holds back. Both are unlogged, because after a crash of
// the server nothing in them matters; so their writes wait for no disk. They use the real time, for
// the provider counts by it. docs/decisions/pace.md.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type Wish = {
  readonly accountId: string;
  readonly endpoint: string;
  readonly count: number;
  readonly gapMs: number;
  readonly burstMs: number;
  readonly aheadMs: number;
  readonly pauseMs?: number;
};

const ms = (value: string): string => `(${value} * interval '1 millisecond')`;
const now = 'statement_timestamp()';
/** The turns that have begun to be counted: unused ones of a quiet time are worth the burst. */
const base = `greatest(p.next_at, ${now})`;
const granted = `greatest(0, least($3::int, floor(
  extract(epoch from ${now} + ${ms('$6::float8')} + ${ms('$5::float8')} - ${base}) * 1000 / $4::float8)::int + 1))`;

const take = sql<{ granted: number; after_ms: number }>(
  'provider_pace.take',
  `insert into provider_pace as p (account_id, endpoint, granted, next_at)
   values ($1, $2, $3, ${now} + ${ms('$3::int * $4::float8')} + ${ms('$7::float8')})
   on conflict (account_id, endpoint) do update set granted = ${granted},
     next_at = greatest(${base} + ${ms(`${granted} * $4::float8`)},
       case when $7::float8 > 0 then ${now} + ${ms('$7::float8')} end)
   returning granted, (extract(epoch from next_at - ${now}) * 1000)::float8 as after_ms`,
);

/**
 * Takes turns of one limit: `next_at` is when the turn after the last taken one would come if none
 * had been saved up.
 */
export async function takePaceShare(
  database: Database,
  { accountId, endpoint, count, gapMs, burstMs, aheadMs, pauseMs = 0 }: Wish,
): Promise<{ count: number; inMs: number; againMs: number }> {
  const values = [accountId, endpoint, count, gapMs, burstMs, aheadMs, pauseMs];
  const [row] = await database.write(take, values);
  const afterMs = (row?.after_ms ?? 0) - burstMs;
  const taken = row?.granted ?? 0;
  return { count: taken, inMs: afterMs - taken * gapMs, againMs: afterMs - aheadMs };
}

const tell = sql(
  'provider_pace.tell',
  `insert into provider_holdups as h (process_id, account_id, waiting, longest_ms, factor, told_at)
   values ($1, $2, $3, $4, $5, now())
   on conflict (process_id, account_id) do update
     set waiting = $3, longest_ms = $4, factor = $5, told_at = now()`,
);

const forget = sql(
  'provider_pace.forget',
  `with quiet as (delete from provider_pace where next_at < now() - interval '1 hour')
   delete from provider_holdups where told_at < now() - interval '1 day'`,
);

export type ReportedHoldup = {
  readonly accountId: string;
  readonly waiting: number;
  readonly longestMs: number;
  readonly factor: number;
};

/** Stores how many calls a process holds back; deletes entries that have ended. */
export async function tellHoldup(
  database: Database,
  processId: string,
  { accountId, waiting, longestMs, factor }: ReportedHoldup,
): Promise<void> {
  await database.write(tell, [processId, accountId, waiting, Math.round(longestMs), factor]);
  if (waiting === 0) await database.write(forget, []);
}

export type AccountHoldup = ReportedHoldup & {
  /** Operations that go on when their turn comes, and whose requests were answered before. */
  readonly postponed: number;
  /** When a process last told of a wait. */
  readonly toldAt: Date | null;
};

type Row = {
  account_id: string;
  waiting: number;
  longest_ms: number;
  factor: number;
  postponed: number;
  told_at: Date | null;
};

// A process that waits says so every second; one that says nothing for ten has died.
const isLive = "told_at > now() - interval '10 s'";
const ofLive = (value: string): string => `coalesce(${value} filter (where ${isLive}), 0)::int`;

const list = sql<Row>(
  'provider_pace.list',
  `with told as (
     select account_id, max(told_at) as told_at, ${ofLive('sum(waiting)')} as waiting,
       ${ofLive('max(longest_ms)')} as longest_ms,
       coalesce(min(factor) filter (where ${isLive}), 1)::float8 as factor
     from provider_holdups group by account_id),
   postponed as (
     select g.account_id, count(*)::int as postponed,
       (extract(epoch from svc_clock() - min(o.first_sent_at)) * 1000)::int as longest_ms
     from payment_operations o join payments p on p.id = o.payment_id
       join gateways g on g.id = p.gateway_id
     where o.state in ('active', 'awaiting_customer') and o.lease_until is null
       and o.last_error_code = 'held_back'
     group by g.account_id)
   select coalesce(t.account_id, o.account_id) as account_id, coalesce(t.waiting, 0) as waiting,
     greatest(t.longest_ms, o.longest_ms, 0) as longest_ms, coalesce(t.factor, 1) as factor,
     coalesce(o.postponed, 0) as postponed, t.told_at
   from told t full join postponed o on o.account_id = t.account_id`,
  { isScan: true },
);

/** Returns, for each account of which something is known, what is held back in all processes. */
export async function listHoldups(database: Database): Promise<AccountHoldup[]> {
  const rows = await database.read(list, []);
  return rows.map((row) => ({
    accountId: row.account_id,
    waiting: row.waiting,
    longestMs: row.longest_ms,
    factor: row.factor,
    postponed: row.postponed,
    toldAt: row.told_at,
  }));
}
