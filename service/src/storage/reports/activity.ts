// The movements of each hour, day, week or month of a time zone, by currency, and how attempts
// ended.

import type { AttemptGrouping } from '@svc/contract/reports/reports';
import type { Reader } from '../database/reads.ts';
import { sql } from '../database/sql.ts';
import { anyCode, listedCode, wasPaid } from '../payment-index/kept-sums.ts';
import { type MovementSums, movementSums, movements } from '../payment-index/movements.ts';
import {
  type GroupSums,
  readKeptAttempts,
  readKeptGroups,
  readKeptMovements,
} from './kept-spans.ts';

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

/** A span and where each of its buckets begins. */
export type Buckets = Span & { readonly starts: readonly Date[] };

/** Returns the buckets that have movements, in the order of time. */
export async function readActivity(database: Reader, span: Buckets): Promise<ActivityRow[]> {
  const kept = await readKeptMovements(database, span);
  if (kept) return kept.flatMap((row) => atStart(row, span));
  const { clientId, from, to, interval, timeZone } = span;
  return database.read(read, [clientId, from, to, interval, timeZone]);
}

const atStart = <Row extends { readonly part: number }>(row: Row, { starts }: Buckets) => {
  const at = starts[row.part - 1];
  return at ? [{ ...row, starts_at: at }] : [];
};

const readSums = sql<MovementSums & { currency: string }>(
  'reports.activity_sums',
  `select m.currency, ${movementSums} from ${movements}
   where m.booked_at >= $2 and m.booked_at < $3 group by 1 order by 1`,
);

/** The movements of a span added up, by currency. */
export async function readMovementSums(
  database: Reader,
  { clientId, from, to }: Pick<Span, 'clientId' | 'from' | 'to'>,
): Promise<(MovementSums & { currency: string })[]> {
  const kept = await readKeptMovements(database, { clientId, from, to, starts: [] });
  return kept ?? database.read(readSums, [clientId, from, to]);
}

export type AttemptRow = {
  readonly currency: string;
  readonly starts_at: Date;
  readonly succeeded: string;
  readonly failed: string;
};

// Attempts are counted by the time at which they began, as the list of payments shows them.
const tried = `p.client_id = $1 and p.type = 'purchase' and p.created_at >= $2 and p.created_at < $3`;
const counted = `count(*) filter (where ${wasPaid('p')})::text as succeeded,
     count(*) filter (where p.status = 'failed')::text as failed`;

const attempts = sql<AttemptRow>(
  'reports.attempts',
  `select p.currency, ${bucketOf('p.created_at')} as starts_at, ${counted}
   from payments p where ${tried} group by 1, 2 order by 1, 2`,
);
const attemptSums = sql<Omit<AttemptRow, 'starts_at'>>(
  'reports.attempt_sums',
  `select p.currency, ${counted} from payments p where ${tried} group by 1 order by 1`,
);

/** How attempts to pay ended, by the time at which they began. */
export async function readAttempts(database: Reader, span: Buckets): Promise<AttemptRow[]> {
  const kept = await readKeptAttempts(database, span);
  if (kept) return kept.flatMap((row) => atStart(row, span));
  const { clientId, from, to, interval, timeZone } = span;
  return database.read(attempts, [clientId, from, to, interval, timeZone]);
}

/** The attempts of a span added up, by currency. */
export async function readAttemptSums(
  database: Reader,
  { clientId, from, to }: Pick<Span, 'clientId' | 'from' | 'to'>,
): Promise<Omit<AttemptRow, 'starts_at'>[]> {
  const kept = await readKeptAttempts(database, { clientId, from, to, starts: [] });
  return kept ?? database.read(attemptSums, [clientId, from, to]);
}

const product = `(select s.lines -> 0 ->> 'code' from checkout_sessions s
    where s.id = p.session_id and s.client_id = p.client_id)`;
const card = { brand: `p.card ->> 'brand'`, country: `p.card ->> 'country'` };

const mostNames = 200;
// Some twenty codes in each of some hundred countries, so that sums over a page are of all groups.
const mostPairs = 2000;

type Names = { readonly name: string; readonly second?: keyof typeof card };

const groupBy = (grouping: AttemptGrouping, { name, second }: Names) =>
  sql<GroupSums>(
    `reports.attempts_by_${grouping.toLowerCase()}`,
    `select p.currency, ${name} as name,${second ? ` ${card[second]} as ${second},` : ''}
       count(*)::text as attempts, ${counted},
       coalesce(sum(p.captured_minor) filter (where ${wasPaid('p')}), 0)::text as succeeded_minor
     from payments p where ${tried} and ($4::text is null or p.currency = $4)
     group by 1, 2${second ? ', 3' : ''}
     order by count(*) desc, 2 nulls last limit ${second ? mostPairs : mostNames}`,
  );
const grouped: Readonly<Record<AttemptGrouping, ReturnType<typeof groupBy>>> = {
  declineCode: groupBy('declineCode', { name: anyCode('p') }),
  brand: groupBy('brand', { name: card.brand }),
  country: groupBy('country', { name: card.country }),
  product: groupBy('product', { name: product }),
  declineCodeBrand: groupBy('declineCodeBrand', { name: listedCode('p'), second: 'brand' }),
  declineCodeCountry: groupBy('declineCodeCountry', { name: listedCode('p'), second: 'country' }),
};

/** Returns how attempts ended by the chosen grouping, the most frequent group first. */
export async function readGroups(
  database: Reader,
  { clientId, from, to }: Pick<Span, 'clientId' | 'from' | 'to'>,
  { by, currency }: { readonly by: AttemptGrouping; readonly currency: string | undefined },
): Promise<GroupSums[]> {
  const found =
    (await readKeptGroups(database, { clientId, from, to }, { by, currency })) ??
    (await database.read(grouped[by], [clientId, from, to, currency ?? null]));
  return found.sort(compareGroups).slice(0, isOfPairs(by) ? mostPairs : mostNames);
}

const isOfPairs = (by: AttemptGrouping): boolean =>
  by === 'declineCodeBrand' || by === 'declineCodeCountry';

/** The most frequent first, those without a name last. */
function compareGroups(a: GroupSums, b: GroupSums): number {
  const keyOf = ({ name, brand, country, currency }: GroupSums) =>
    [name ?? '\uffff', brand ?? country ?? '\uffff', currency].join('\n');
  return Number(b.attempts) - Number(a.attempts) || (keyOf(a) < keyOf(b) ? -1 : 1);
}

// By the zone's clock. One more than the clock shows until the end: it may have been put back.
const buckets = sql<{ starts_at: Date }>(
  'reports.buckets',
  `select distinct b.starts_at
   from (select ${bucketOf('$2::timestamptz')} as first) f,
     generate_series(date_trunc($4::text, $2::timestamptz at time zone $5::text),
       ($3::timestamptz at time zone $5::text) + ('1 ' || $4)::interval, ('1 ' || $4)::interval) g,
     lateral (select first_instant(g, $5::text) as starts_at) b
   where $1::uuid is not null and b.starts_at >= f.first and b.starts_at < $3 order by 1`,
);
// The hour that the clock shows twice is two hours.
const hours = sql<{ starts_at: Date }>(
  'reports.hours',
  `select distinct ${bucketOf('g')} as starts_at
   from generate_series(${bucketOf('$2::timestamptz')}, $3::timestamptz - interval '1 ms',
     interval '1 hour') g
   where $1::uuid is not null and $4::text is not null order by 1`,
);

/** Returns the time at which each bucket of the span begins. */
export async function readBuckets(database: Reader, span: Span): Promise<Date[]> {
  const { clientId, from, to, interval, timeZone } = span;
  const query = interval === 'hour' ? hours : buckets;
  const rows = await database.read(query, [clientId, from, to, interval, timeZone]);
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
