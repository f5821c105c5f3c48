// Removes what is older than the operator keeps it. A batch is one statement that commits by itself and touches
// only rows that have ended: no call of a buyer or merchant waits for it. One process at a time removes rows of a
// kind. docs/operating/retention.md.

import type { KeptKind } from '../../domain/protocol/retention.ts';
import { type Database, everyClient } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const skipLocked = ' for update skip locked';

/** Parts of a statement; `old` has the keys of what goes. */
type Removal = {
  /**
   * Reads from one row of `clock`, with `more` at its end. A subquery of its own, because only there the order of an
   * index counts as the order of the rows; and it compares with bare columns, because row-level security keeps other
   * expressions away from indexes.
   */
  readonly old: (more: string) => string;
  /** Ends with `gone`. */
  readonly gone: string;
  /** The tables that lose bytes, and the size of what each row loses. */
  readonly loses: readonly {
    readonly table: string;
    readonly from: string;
    readonly size: string;
  }[];
  /** Set where rows stay and only lose a column: the next batch goes on after the last one looked at. */
  readonly staysById?: true;
};

/**
 * The smallest id of its time. An id is made before its row: no row is younger than its id. There is no id before 1970,
 * where a hundred years ago lies.
 */
const idAt = (instant: string): string =>
  `rpad(lpad(to_hex((greatest(extract(epoch from ${instant}), 0) * 1000)::bigint), 12, '0'), 32, '0')::uuid`;

const isOver = (payment: string): string =>
  `${payment}.status not in ('pending', 'processing', 'authorized', 'unknown')`;

const nil = '00000000-0000-0000-0000-000000000000';

const removals: Readonly<Record<KeptKind, Removal>> = {
  // An operation lasts a day at most, unless a person has to decide: then its answer stays.
  answers: {
    old: (more) => `
      select o.id, o.response_status < 300 and o.state in ('succeeded', 'failed') and o.finished_at < clock.cut
          and o.response_body is not null
          and exists (select from payments p where p.id = o.payment_id and ${isOver('p')}) as is_over
      from payment_operations o where o.id > clock.reached and o.id < clock.day_before_id
      order by o.id ${more}`,
    gone: `gone as (update payment_operations o set response_body = null from old
      where o.id = old.id and old.is_over returning 1)`,
    loses: [
      {
        table: 'payment_operations',
        from: 'old join payment_operations t on t.id = old.id and old.is_over',
        size: 'pg_column_size(t.response_body)',
      },
    ],
    staysById: true,
  },
  attempts: {
    old: (more) => `
      select a.operation_id, a.epoch, a.attempt from operation_attempts a
      where a.operation_id < clock.cut_id
        and exists (select from payment_operations o join payments p on p.id = o.payment_id
          where o.id = a.operation_id and o.state in ('succeeded', 'failed') and o.finished_at < clock.cut
            and ${isOver('p')} offset 0)
      order by a.operation_id, a.epoch, a.attempt ${more}`,
    gone: `gone as (delete from operation_attempts a using old where a.operation_id = old.operation_id
      and a.epoch = old.epoch and a.attempt = old.attempt returning 1)`,
    loses: [
      {
        table: 'operation_attempts',
        from: 'old join operation_attempts t using (operation_id, epoch, attempt)',
        size: 'pg_column_size(t.*)',
      },
    ],
  },
  // A delivery goes with all of its attempts at once: `svc audit` expects a delivery's attempts, and some of them are
  // much older than its end.
  deliveries: {
    old: (more) => `
      select d.endpoint_id, d.event_id from webhook_endpoints e
      cross join lateral (
        select d.endpoint_id, d.event_id from webhook_deliveries d
        where d.endpoint_id = e.id and d.event_id < clock.cut_id and d.state <> 'pending'
          and d.finished_at < clock.cut
        order by d.event_id ${more}) d
      ${more.replace(skipLocked, '')}`,
    gone: `attempts as (delete from webhook_attempts a using old
        where a.event_id = old.event_id and a.endpoint_id = old.endpoint_id),
      gone as (delete from webhook_deliveries d using old
        where d.endpoint_id = old.endpoint_id and d.event_id = old.event_id returning 1)`,
    loses: [
      {
        table: 'webhook_deliveries',
        from: 'old join webhook_deliveries t using (endpoint_id, event_id)',
        size: 'pg_column_size(t.*)',
      },
      {
        table: 'webhook_attempts',
        from: 'old join webhook_attempts t using (endpoint_id, event_id)',
        size: 'pg_column_size(t.*)',
      },
    ],
  },
  // That an event happened stays, with its number: only its text goes.
  events: {
    old: (more) => `
      select v.id, v.created_at < clock.cut and v.payload <> ''
          and not exists (select from payments p where p.id = v.resource_id and not ${isOver('p')})
          and not exists (select from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
            where w.client_id = v.client_id and d.resource_id = v.resource_id and d.sequence = v.sequence
              and d.event_id = v.id and d.state = 'pending') as is_over
      from events v where v.id > clock.reached and v.id < clock.day_before_id
      order by v.id ${more}`,
    gone: `gone as (update events v set payload = '' from old where v.id = old.id and old.is_over returning 1)`,
    loses: [
      {
        table: 'events',
        from: 'old join events t on t.id = old.id and old.is_over',
        size: 'pg_column_size(t.payload)',
      },
    ],
    staysById: true,
  },
  notices: {
    old: (more) => `
      select i.gateway_id, i.notice_id from provider_inbox i
      where i.processed_at < clock.cut order by i.processed_at ${more}`,
    gone: `gone as (delete from provider_inbox i using old
      where i.gateway_id = old.gateway_id and i.notice_id = old.notice_id returning 1)`,
    loses: [
      {
        table: 'provider_inbox',
        from: 'old join provider_inbox t using (gateway_id, notice_id)',
        size: 'pg_column_size(t.*)',
      },
    ],
  },
  // Sessions with attempts are kept, because their payments refer to them. The orders go first, since their guard
  // looks at their session: counting them puts them there.
  sessions: {
    old: (more) => `
      select s.id from checkout_sessions s
      where s.status in ('expired', 'canceled') and s.mode = 'payment' and s.payment_id is null
        and s.expires_at < clock.cut
      order by s.expires_at ${more}`,
    gone: `orders as (delete from wallet_orders where session_id in (select id from old) returning id),
      gone as (delete from checkout_sessions
        where id in (select id from old) and (select count(*) from orders) >= 0 returning 1)`,
    loses: [
      {
        table: 'checkout_sessions',
        from: 'old join checkout_sessions t using (id)',
        size: 'pg_column_size(t.*)',
      },
      {
        table: 'wallet_orders',
        from: 'old join wallet_orders t on t.session_id = old.id',
        size: 'pg_column_size(t.*)',
      },
    ],
  },
};

const clockOf = (kind: KeptKind): string => `clock as materialized (
  select cut, ${idAt('cut')} as cut_id, ${idAt("cut - interval '1 day'")} as day_before_id,
    coalesce((select reached from retention where kind = '${kind}'), '${nil}') as reached
  from (select moment.now - $1::int * interval '1 day' as cut from (select svc_clock() as now) moment) day`;

/** Rows of a batch at most. In the text, so that the plan is one for few rows. */
const mostRemoved = 200;
/** Rows that are counted at most. */
const mostCounted = 1_000_000;

/** `removed_before` commits with what it tells of. */
function sweepOf(kind: KeptKind): string {
  const { old, gone, staysById } = removals[kind];
  const more = `limit ${mostRemoved}${staysById ? '' : skipLocked}`;
  const reached = staysById ? '(select id from old order by id desc limit 1)' : 'null::uuid';
  return `with turn as materialized (
      select pg_try_advisory_xact_lock(hashtextextended('retention ${kind}', 12)) as is_mine),
    ${clockOf(kind)} cross join turn where turn.is_mine),
    old as materialized (select found.* from clock cross join lateral (${old(more)}) found limit $2::int),
    ${gone},
    counted as (select (select count(*) from old) as looked, (select count(*) from gone) as removed),
    noted as (
      insert into retention as r (kind, removed_before, removed, reached)
      select '${kind}', clock.cut, counted.removed, ${reached} from clock, counted where counted.looked > 0
      on conflict (kind) do update set removed_before = greatest(r.removed_before, excluded.removed_before),
        removed = r.removed + excluded.removed, reached = coalesce(excluded.reached, r.reached))
    select turn.is_mine, counted.looked::int as looked, counted.removed::int as removed from turn, counted`;
}

function countOf(kind: KeptKind): string {
  const { old, loses } = removals[kind];
  const sums = loses.map(
    ({ table, from, size }) =>
      `select '${table}' as name, count(*)::int as rows, coalesce(sum(${size}), 0)::float8 as bytes from ${from}`,
  );
  return `with ${clockOf(kind)}),
    old as materialized (
      select found.* from clock cross join lateral (${old(`limit ${mostCounted}`)}) found)
    select lost.*, clock.cut from clock, (${sums.join(' union all ')}) lost`;
}

type Sweep = { is_mine: boolean; looked: number; removed: number };
type Count = { name: string; rows: number; bytes: number; cut: Date };

const statementsOf = (kind: KeptKind) => ({
  sweep: sql<Sweep>(`retention.sweep_${kind}`, sweepOf(kind)),
  count: sql<Count>(`retention.count_${kind}`, countOf(kind), { isLong: true }),
});

const statements: Readonly<Record<KeptKind, ReturnType<typeof statementsOf>>> = {
  answers: statementsOf('answers'),
  attempts: statementsOf('attempts'),
  deliveries: statementsOf('deliveries'),
  events: statementsOf('events'),
  notices: statementsOf('notices'),
  sessions: statementsOf('sessions'),
};

export type Age = { readonly kind: KeptKind; readonly days: number };

export type Batch = {
  readonly removed: number;
  /** False once nothing older is left; `busy` while another process removes rows of the kind. */
  readonly isMore: boolean | 'busy';
};

/** Removes at most `most` rows of a kind that ended so many days ago, and never more than a batch. */
export async function removeOld(
  database: Database,
  { kind, days }: Age,
  most: number = mostRemoved,
): Promise<Batch> {
  // Forces the plan that reads a batch in the order of an index: with old statistics PostgreSQL would rather sort
  // all old rows for each batch.
  const [row] = await database.transaction(
    everyClient,
    (tx) => tx.query(statements[kind].sweep, [days, most]),
    ['enable_sort = off'],
  );
  if (!row?.is_mine) return { removed: 0, isMore: 'busy' };
  return { removed: row.removed, isMore: row.looked >= most };
}

export type OldRows = {
  readonly kind: KeptKind;
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
  /** Rows that ended before this time are removed. */
  readonly before: Date;
};

/** Counts the rows that would be removed, up to a million, and their bytes, with one line for each table. */
export async function countOld(database: Database, { kind, days }: Age): Promise<OldRows[]> {
  const rows = await database.transaction(
    everyClient,
    (tx) => tx.query(statements[kind].count, [days]),
    ['statement_timeout = 60000'],
  );
  return rows.map(({ name, rows: found, bytes, cut }) => ({
    kind,
    table: name,
    rows: found,
    bytes,
    before: cut,
  }));
}
