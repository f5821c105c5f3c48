// Chooses the payments to compare with the provider: page by page in the order of their ids, each
// statement bounded, so that the table may have any size. Chargebacks are compared with their
// purchase.

import type pg from 'pg';
import type { Payment } from '../../domain/payments/payment.ts';
import { type Database, everyClient, type Tx } from '../database/database.ts';
import { isOpen } from '../database/open-states.ts';
import { type Query, sql } from '../database/sql.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';

export type Choice = {
  /** Unsettled payments younger than this may still be under way and are left out. */
  readonly olderThanMs: number;
  /** The share of settled payments to compare, 0 to 1; drawn anew by each run. */
  readonly sample: number;
  /** Payments created before this time are left out. */
  readonly since: Date | null;
};

/** Ids from `after`, exclusive, to `until`, inclusive. */
export type IdRange = { readonly after: string; readonly until: string };

export const beforeAll = '00000000-0000-0000-0000-000000000000';
export const afterAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export type Page = {
  /** The payments to compare; the rest of the page was read and left out. */
  readonly chosen: readonly Payment[];
  readonly lookedAt: number;
  /** The last id that was read; null past the last payment of the range. */
  readonly next: string | null;
};

// The provider's balance record arrives after the movement, either soon or never.
const undated = `p.financial_effective_at is null
  and p.status in ('succeeded', 'partially_refunded', 'refunded')
  and p.updated_at > (select svc_clock()) - interval '7 days'`;
// An operator settled the payment while the provider could not be read: it is compared until the
// provider can surely be read.
const byWord = `p.failure_code = 'settled_by_operator'
  and p.updated_at > (select svc_clock()) - interval '30 days'`;
// The bank's next step is announced only by a notice; money that it gives back may arrive after the
// dispute's end.
const isMoving = `(d.closed_at is null or d.updated_at > (select svc_clock()) - interval '7 days')`;
const disputed = `exists (select from disputes d where d.payment_id = p.id and ${isMoving})`;
const isOld = `p.created_at <= (select svc_clock()) - $3 * interval '1 millisecond'`;
const unsettled = `p.status in ('pending', 'processing', 'authorized', 'unknown')`;
const isWatched = `exists (select from open_holds h where h.payment_id = p.id)
  or exists (select from payment_operations o where o.payment_id = p.id and ${isOpen()})
  or ${disputed}`;

type ChosenRow = PaymentRow & { is_chosen: boolean; until: string | null; looked_at: string };

const choose = sql<ChosenRow>(
  'reconcile.choose',
  `with page as (
     select * from payments where id > $1 and id <= $6::uuid order by id limit $2),
   span as (select (array_agg(id order by id desc))[1] as until, count(*) as looked_at from page),
   chosen as (
     select p.* from page p
     where p.type <> 'chargeback' and ($5::timestamptz is null or p.created_at >= $5)
       and case when ${unsettled} or (${undated}) or (${byWord}) then ${isOld}
         else random() < $4::double precision or (${isOld} and ${disputed}) end
       and not ($7::boolean and (${isWatched})))
   select s.until, s.looked_at, p.id is not null as is_chosen, ${paymentColumns}
   from span s left join chosen p on true order by p.id`,
);

/** Returns the page after an id. With `leavesWatched`, payments that `chooseWatched` chooses are left out. */
export async function choosePage(
  database: Database,
  { after, until }: IdRange,
  { size, choice, leavesWatched }: { size: number; choice: Choice; leavesWatched: boolean },
): Promise<Page> {
  const { olderThanMs, sample, since } = choice;
  const values = [after, size, olderThanMs, sample, since, until, leavesWatched];
  return toPage(await readInOrder(database, choose, values), size);
}

/**
 * Reads in the order of the index, whatever statistics state: sorting would read the rest of the
 * range for each page.
 */
const readInOrder = <Row extends pg.QueryResultRow>(
  database: Database,
  query: Query<Row>,
  values: readonly unknown[],
): Promise<Row[]> =>
  database.transaction(everyClient, (tx) => tx.query(query, values), ['enable_sort = off']);

function toPage(rows: readonly ChosenRow[], size: number): Page {
  const lookedAt = Number(rows[0]?.looked_at ?? 0);
  return {
    chosen: rows.filter((row) => row.is_chosen).map(toPayment),
    lookedAt,
    next: lookedAt < size ? null : (rows[0]?.until ?? null),
  };
}

// Each list is read in the order of its index, and no more than needed: payments have no index of
// unsettled rows, because each payment would pay for it twice.
const watchedPayments = (limit: string) => {
  const lists = [
    'open_holds h where true',
    `payment_operations h where ${isOpen('h')}`,
    'disputes h where h.closed_at is null',
    `disputes h where h.updated_at > (select svc_clock()) - interval '7 days'`,
  ];
  const inRange = 'h.payment_id > $1 and h.payment_id <= $2::uuid';
  return lists
    .map((list) => `(select h.payment_id from ${list} and ${inRange} ${limit})`)
    .join('\n     union ');
};

const findWatched = sql<ChosenRow>(
  'reconcile.choose_watched',
  `with watched as materialized (
     select payment_id from (
     ${watchedPayments('order by h.payment_id limit $4')}) as lists
     order by payment_id limit $4),
   span as (
     select (array_agg(payment_id order by payment_id desc))[1] as until, count(*) as looked_at
     from watched),
   chosen as (
     select p.* from watched w
     cross join lateral (select * from payments where id = w.payment_id limit 1) as p
     where p.type <> 'chargeback' and ($5::timestamptz is null or p.created_at >= $5) and ${isOld})
   select s.until, s.looked_at, p.id is not null as is_chosen, ${paymentColumns}
   from span s left join chosen p on true order by p.id`,
);

/**
 * Chooses holds, payments and refunds with an open operation, and purchases whose dispute may still
 * change.
 */
export async function chooseWatched(
  database: Database,
  { after, until }: IdRange,
  { size, choice }: { size: number; choice: Pick<Choice, 'olderThanMs' | 'since'> },
): Promise<Page> {
  const { olderThanMs, since } = choice;
  const values = [after, until, olderThanMs, size, since];
  return toPage(await readInOrder(database, findWatched, values), size);
}

const longer = sql('reconcile.longer', `set local statement_timeout = '60s'`);
const countWatchedIn = sql<{ count: string }>(
  'reconcile.count_watched',
  `select count(*) from (${watchedPayments('')}) as watched`,
);

/** Counts the payments of the range that `chooseWatched` would choose. */
export async function countWatched(database: Database, { after, until }: IdRange): Promise<number> {
  return countRows(database, (tx) => tx.query(countWatchedIn, [after, until]));
}

const count = sql<{ count: string }>(
  'reconcile.count',
  'select count(*) from (select from payments where id > $1 limit $2) as payments',
);

/** Returns how many payments follow an id, up to `most`. */
export async function countPayments(
  database: Database,
  after: string,
  most: number | null,
): Promise<number> {
  return countRows(database, (tx) => tx.query(count, [after, most]));
}

async function countRows(
  database: Database,
  read: (tx: Tx) => Promise<{ count: string }[]>,
): Promise<number> {
  const [row] = await database.transaction(everyClient, async (tx) => {
    await tx.query(longer, []);
    return read(tx);
  });
  return Number(row?.count ?? 0);
}

// Ids contain real time, and the sandbox's clock is never behind it; clocks of machines may differ
// by minutes.
const findStart = sql<{ start: string }>(
  'reconcile.find_start',
  `select rpad(lpad(to_hex((greatest(0, extract(epoch from $1::timestamptz - shift
     - interval '1 hour')) * 1000)::bigint), 12, '0'), 32, '0')::uuid::text as start
   from clock_shift`,
);

/** Returns an id that is before those of all payments created since then. */
export async function findStartOf(database: Database, since: Date | null): Promise<string> {
  if (since === null) return beforeAll;
  return (await database.read(findStart, [since]))[0]?.start ?? beforeAll;
}

const findNewest = sql<{ id: string }>(
  'reconcile.find_newest',
  'select id from payments order by id desc offset $1 limit 1',
);

/** Returns the id after which the newest `newest` payments begin. */
export async function findStartOfNewest(database: Database, newest: number): Promise<string> {
  return (await readInOrder(database, findNewest, [newest]))[0]?.id ?? beforeAll;
}
