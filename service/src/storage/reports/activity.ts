// The movements of each hour, day, week or month of a time zone, by currency, and how attempts
// ended.

import type { AttemptGrouping } from '@svc/contract/reports/reports';
import type { Reader } from '../database/reads.ts';
import { sql } from '../database/sql.ts';
import { type MovementSums, movementSums, movements } from '../payment-index/movements.ts';

export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

export type Span = {
  readonly clientId: string;
  readonly from: Date;
  readonly to: Date;
  readonly timeZone: string;
  readonly interval: Interval;
};

export type ActivityRow = MovementSums & { readonly currency: string; readonly starts_at: Date };

// A bucket begins at a full hour, day, week or month of the zone's clock: a day has 23, 24 or 25
// hours.
const bucketOf = (instant: string): string => `begin_of($4::text, ${instant}, $5::text)`;

const read = sql<ActivityRow>(
  'reports.activity',
  `select m.currency, ${bucketOf('m.booked_at')} as starts_at, ${movementSums}
   from ${movements} where m.booked_at >= $2 and m.booked_at < $3
   group by 1, 2 order by 1, 2`,
);

/** Returns the buckets that have movements, in the order of time. */
export const readActivity = (database: Reader, span: Span): Promise<ActivityRow[]> => {
  const { clientId, from, to, interval, timeZone } = span;
  return database.read(read, [clientId, from, to, interval, timeZone]);
};

const readSums = sql<MovementSums & { currency: string }>(
  'reports.activity_sums',
  `select m.currency, ${movementSums} from ${movements}
   where m.booked_at >= $2 and m.booked_at < $3 group by 1 order by 1`,
);

/** The movements of a span added up, by currency. */
export const readMovementSums = (
  database: Reader,
  { clientId, from, to }: Pick<Span, 'clientId' | 'from' | 'to'>,
): Promise<(MovementSums & { currency: string })[]> =>
  database.read(readSums, [clientId, from, to]);

export type AttemptRow = {
  readonly currency: string;
  readonly starts_at: Date;
  readonly succeeded: string;
  readonly failed: string;
};

// Attempts are counted by the time at which they began, as the list of payments shows them.
const tried = `p.client_id = $1 and p.type = 'purchase' and p.created_at >= $2 and p.created_at < $3`;
const wasPaid = `p.status in ('authorized', 'succeeded', 'refunded', 'partially_refunded', 'voided')`;

const attempts = sql<AttemptRow>(
  'reports.attempts',
  `select p.currency, ${bucketOf('p.created_at')} as starts_at,
     count(*) filter (where ${wasPaid})::text as succeeded,
     count(*) filter (where p.status = 'failed')::text as failed
   from payments p where ${tried} group by 1, 2 order by 1, 2`,
);

/** How attempts to pay ended, by the time at which they began. */
export const readAttempts = (database: Reader, span: Span): Promise<AttemptRow[]> => {
  const { clientId, from, to, interval, timeZone } = span;
  return database.read(attempts, [clientId, from, to, interval, timeZone]);
};

export type GroupRow = {
  readonly currency: string;
  readonly name: string | null;
  /** The second name, in groupings that have one. */
  readonly brand?: string | null;
  readonly country?: string | null;
  readonly succeeded: string;
  readonly failed: string;
  readonly succeeded_minor: string;
};

const product = `(select s.lines -> 0 ->> 'code' from checkout_sessions s
    where s.id = p.session_id and s.client_id = p.client_id)`;
const card = { brand: `p.card ->> 'brand'`, country: `p.card ->> 'country'` };
// The list of payments filters by this column, so each count is that of a list.
const listedCode = `case when p.status = 'failed' then p.decline_code end`;

const mostNames = 200;
// Some twenty codes in each of some hundred countries, so that sums over a page are of all groups.
const mostPairs = 2000;

type Names = { readonly name: string; readonly second?: keyof typeof card };

const groupBy = (grouping: AttemptGrouping, { name, second }: Names) =>
  sql<GroupRow>(
    `reports.attempts_by_${grouping.toLowerCase()}`,
    `select p.currency, ${name} as name,${second ? ` ${card[second]} as ${second},` : ''}
       count(*) filter (where ${wasPaid})::text as succeeded,
       count(*) filter (where p.status = 'failed')::text as failed,
       coalesce(sum(p.captured_minor) filter (where ${wasPaid}), 0)::text as succeeded_minor
     from payments p where ${tried} and ($4::text is null or p.currency = $4)
     group by 1, 2${second ? ', 3' : ''} order by count(*) desc, 2 nulls last
     limit ${second ? mostPairs : mostNames}`,
  );
const grouped: Readonly<Record<AttemptGrouping, ReturnType<typeof groupBy>>> = {
  declineCode: groupBy('declineCode', {
    name: `case when p.status = 'failed' then coalesce(p.decline_code, p.failure_code) end`,
  }),
  brand: groupBy('brand', { name: card.brand }),
  country: groupBy('country', { name: card.country }),
  product: groupBy('product', { name: product }),
  declineCodeBrand: groupBy('declineCodeBrand', { name: listedCode, second: 'brand' }),
  declineCodeCountry: groupBy('declineCodeCountry', { name: listedCode, second: 'country' }),
};

/** Returns how attempts ended by the chosen grouping, the most frequent group first. */
export const readGroups = (
  database: Reader,
  { clientId, from, to }: Pick<Span, 'clientId' | 'from' | 'to'>,
  { by, currency }: { readonly by: AttemptGrouping; readonly currency: string | undefined },
): Promise<GroupRow[]> => database.read(grouped[by], [clientId, from, to, currency ?? null]);

// One row per hour, so that every bucket of a zone has at least one row, whatever its length.
const buckets = sql<{ starts_at: Date }>(
  'reports.buckets',
  `select distinct ${bucketOf('g')} as starts_at
   from generate_series(${bucketOf('$2::timestamptz')}, $3::timestamptz - interval '1 ms',
     interval '1 hour') g
   where $1::uuid is not null order by 1`,
);

/** Returns the time at which each bucket of the span begins. */
export async function readBuckets(database: Reader, span: Span): Promise<Date[]> {
  const { clientId, from, to, interval, timeZone } = span;
  const rows = await database.read(buckets, [clientId, from, to, interval, timeZone]);
  return rows.map((row) => row.starts_at);
}

const periodBefore = sql<{ starts_at: Date }>(
  'reports.period_before',
  `select first_instant(w.f - (w.t - w.f), $3) as starts_at
   from (select $1::timestamptz at time zone $3::text as f,
     $2::timestamptz at time zone $3::text as t) w`,
);

/**
 * Returns the start of the period before: it ends where the span begins, and is as long by the
 * zone's clock.
 */
export async function readPeriodBefore(
  database: Reader,
  { from, to, timeZone }: Pick<Span, 'from' | 'to' | 'timeZone'>,
): Promise<Date> {
  const [row] = await database.read(periodBefore, [from, to, timeZone]);
  return row?.starts_at ?? from;
}
