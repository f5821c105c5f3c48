// Closed days: how many payments each client had per day, so that totals and deep pages need no
// counting. Performance: Lists. docs/decisions/lists.md.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

// Days end an hour late: hardly any payment is written that long after it got its time.
const closedUntil = `date_trunc('day', svc_clock() - interval '1 hour', 'UTC')`;

const findOpen = sql<{ client_id: string }>(
  'payment_days.find_open',
  `with bound as materialized (select ${closedUntil} as until),
   since as materialized (
     select c.id, coalesce(d.closed_until, '-infinity') as since
     from clients c left join payment_days_closed d on d.client_id = c.id)
   select c.id as client_id from bound cross join since c
   where exists (select from payments p where p.client_id = c.id
     and p.created_at >= c.since and p.created_at < bound.until)
   order by c.id limit $1`,
);

/** Lists clients with payments on days that have ended and are not closed. */
export async function findOpenDays(database: Database, limit: number): Promise<string[]> {
  const rows = await database.read(findOpen, [limit]);
  return rows.map((row) => row.client_id);
}

const patience = sql('payment_days.patience', `set local lock_timeout = '250ms'`);
const lock = sql(
  'payment_days.lock',
  'select pg_advisory_xact_lock(hashtextextended($1::uuid::text, 12))',
);
// One step covers this many payments and the rest of their last day, so that no statement takes long.
const close = sql<{ closed_until: Date }>(
  'payment_days.close',
  `with bound as materialized (select ${closedUntil} as until,
     coalesce((select closed_until from payment_days_closed where client_id = $1), '-infinity')
       as since),
   step as materialized (
     select least(bound.until, coalesce((
       select date_trunc('day', p.created_at, 'UTC') + interval '1 day' from payments p
       where p.client_id = $1 and p.created_at >= bound.since
       order by p.created_at offset $2 limit 1), bound.until)) as until
     from bound),
   counted as (
     insert into payment_days as d (client_id, day, payments)
     select $1, (p.created_at at time zone 'UTC')::date, count(*)
     from bound cross join step join payments p
       on p.client_id = $1 and p.created_at >= bound.since and p.created_at < step.until
     group by 2
     on conflict (client_id, day) do update set payments = d.payments + excluded.payments)
   insert into payment_days_closed as c (client_id, closed_until)
   select $1, step.until from bound, step where step.until > bound.since
   on conflict (client_id) do update set closed_until = excluded.closed_until
   returning closed_until`,
);

/**
 * Closes days of the client, at most `step` payments and the rest of their last day. It waits for
 * transactions that are writing a payment of the client, and blocks new ones: hence the short lock
 * timeout, after which it fails and is tried again later.
 */
export async function closeDays(tx: Tx, clientId: string, step: number): Promise<Date | undefined> {
  await tx.query(patience, []);
  await tx.query(lock, [clientId]);
  // A statement of its own: its snapshot includes what was committed while it waited for the lock.
  const [row] = await tx.query(close, [clientId, step]);
  return row?.closed_until;
}
