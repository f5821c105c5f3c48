// Reads sums of a span from what the copy of payments keeps. A span seldom begins and ends with a full quarter of an
// hour, or a full day: the sums of the nearest full ones are read, and the rows between them and the span's ends are
// added or subtracted. What changed since the copy was written is read from the payments, so the sums are exact.
// docs/decisions/reports.md.

import type { AttemptGrouping } from '@svc/contract/reports/reports';
import type pg from 'pg';
import type { Reader } from '../database/reads.ts';
import type { Query } from '../database/sql.ts';
import {
  addAttempts,
  addGroup,
  attemptSumNames,
  groupSumNames,
  type KeptGrouping,
  keptGroupings,
  quarterMs,
} from '../payment-index/kept-sums.ts';
import {
  addMovements,
  type MovementSums,
  movementSumNames,
  movementsOf,
  notInLedger,
} from '../payment-index/movements.ts';
import { findWatermark } from '../payment-index/payment-projection.ts';

const dayMs = 86_400_000;

export type Sought = {
  readonly clientId: string;
  readonly from: Date;
  readonly to: Date;
  /** Where each part of the span begins; the first one may begin before the span. */
  readonly starts: readonly Date[];
};

const isQuarter = (at: Date): boolean => at.getTime() % quarterMs === 0;

/** Whether every part begins at a quarter of an hour. In former years some zones had other offsets. */
const beginsAtQuarters = ({ starts }: Pick<Sought, 'starts'>): boolean => starts.every(isQuarter);

/**
 * Returns the full units nearest to the span, and the two ranges between them and its ends, each with its weight: 1 to
 * add the range, -1 to subtract it.
 */
function measure({ from, to }: Pick<Sought, 'from' | 'to'>, unitMs: number) {
  const nearest = (at: Date) => new Date(Math.round(at.getTime() / unitMs) * unitMs);
  const [lower, upper] = [nearest(from), nearest(to)];
  const begin = lower >= from ? [from, lower, 1] : [lower, from, -1];
  const end = upper <= to ? [upper, to, 1] : [to, upper, -1];
  return { lower, upper, between: [...begin, ...end] };
}

/** The payments that changed since the watermark $4, which the copy may not have. */
export const changed = `changed as materialized (
    select distinct h.payment_id as id from payment_history h where h.txid >= $4::bigint)`;
const sumNames = (names: readonly string[], alias: string): string =>
  names.map((name) => `sum(${alias}.${name}) as ${name}`).join(', ');
const asText = (names: readonly string[]): string =>
  names.map((name) => `sum(parts.${name})::text as ${name}`).join(', ');

/** $1 client, $2 from, $3 to, $4 watermark, $5 and $6 the whole units, $7 to $12 what lies between. */
const within = (column: string, place: number): string =>
  `${column} >= $${place}::timestamptz and ${column} < $${place + 1}::timestamptz`;

/**
 * Selects the rows that correct the sums: those of the copy in the two ranges, with their weights; those of the copy
 * that have changed since, with weight -1; and the same payments as they are now, with weight 1.
 */
const rowsBeside = (given: {
  readonly columns: string;
  readonly copy: string;
  readonly fresh: string;
  readonly at: string;
  readonly id: string;
}): string => {
  const { columns, copy, fresh, at, id } = given;
  return `
    select ${columns}, $9::int as weight from ${copy} and ${within(at, 7)}
    union all select ${columns}, $12::int from ${copy} and ${within(at, 10)}
    union all select ${columns}, -1 from ${copy} and ${within(at, 2)} and ${id} in (select id from changed)
    union all select ${columns}, 1 from ${fresh} and ${within(at, 2)}`;
};

const movementsText = (isOpen: boolean): string => `
  with ${changed},
  beside as (${rowsBeside({
    columns: 'm.booked_at, m.currency, m.kind, m.change_minor, m.fee_minor',
    copy: `payment_movements m where m.client_id = $1::uuid ${isOpen ? 'and not m.is_closed' : ''}`,
    fresh: `${movementsOf('p.client_id = $1::uuid and p.id in (select id from changed)')}
      where ${isOpen ? notInLedger : 'true'}`,
    at: 'm.booked_at',
    id: 'm.payment_id',
  })}),
  parts as (
    select width_bucket(s.starts_at, $13::timestamptz[]) as part, s.currency,
      ${sumNames(['movements', ...movementSumNames], 's')}
    from movement_sums s where s.client_id = $1::uuid and ${within('s.starts_at', 5)}
      ${isOpen ? 'and not s.is_closed' : ''} group by 1, 2
    union all
    select width_bucket(m.booked_at, $13::timestamptz[]), m.currency, sum(m.weight),
      ${addMovements('m.weight')} from beside m group by 1, 2)
  select s.*, ${isOpen ? openIsKept : 'true'} as is_kept from (select true) one left join (
    select part, currency, ${asText(movementSumNames)} from parts
    group by 1, 2 having sum(movements) > 0) s on true
  order by currency, part`;

/** False while lines of a closed month still count as open. */
const openIsKept = `not exists (select from summed_closings c
  where c.client_id = $1::uuid and c.lines < c.of_lines)`;

type PartRow = { readonly part: number; readonly currency: string };
type SumRow = MovementSums & PartRow;
type Answer = { readonly is_kept: boolean; readonly currency: string | null };

// Without a name, so that each is planned for its watermark: few payments have changed since.
const asScan = <Row extends pg.QueryResultRow>(text: string): Query<Row> => ({
  name: '',
  text,
  isScan: true,
});
const movementSums = asScan<Answer & SumRow>(movementsText(false));
const openSums = asScan<Answer & SumRow>(movementsText(true));

/** Reads the sums of each part; undefined where they are not kept for such a span, or not yet. */
async function readParts<Row extends pg.QueryResultRow>(
  database: Reader,
  sought: Sought,
  { query, unitMs, more }: { query: Query<Row>; unitMs: number; more: readonly unknown[] },
): Promise<Row[] | undefined> {
  if (!beginsAtQuarters(sought)) return undefined;
  const watermark = await findWatermark(database);
  if (watermark === undefined) return undefined;
  const { clientId, from, to } = sought;
  const { lower, upper, between } = measure(sought, unitMs);
  return database.read(query, [clientId, from, to, watermark, lower, upper, ...between, ...more]);
}

/** The movements of each part of the span, by currency; of those in no closed ledger alone with `isOpen`. */
export async function readKeptMovements(
  database: Reader,
  sought: Sought,
  { isOpen = false } = {},
): Promise<SumRow[] | undefined> {
  const query = isOpen ? openSums : movementSums;
  const found = await readParts(database, sought, {
    query,
    unitMs: quarterMs,
    more: [sought.starts],
  });
  if (!found?.every(({ is_kept: isKept }) => isKept)) return undefined;
  return found.filter(({ currency }) => currency !== null);
}

const attemptColumns = `i.created_at, i.currency, i.status, i.decline_code, i.failure_code, i.brand,
  i.card_country, i.captured_minor`;
const freshAttempts = `(
  select p.id as payment_id, p.client_id, p.type, p.created_at, p.currency, p.status, p.decline_code,
    p.failure_code, p.card ->> 'brand' as brand, p.card ->> 'country' as card_country, p.captured_minor
  from payments p where p.client_id = $1::uuid and p.id in (select id from changed)) i`;
const attemptsBeside = rowsBeside({
  columns: attemptColumns,
  copy: `payment_index i where i.client_id = $1::uuid and i.type = 'purchase'`,
  fresh: `${freshAttempts} where i.type = 'purchase'`,
  at: 'i.created_at',
  id: 'i.payment_id',
});

type AttemptSums = PartRow & { readonly succeeded: string; readonly failed: string };
const attemptSums = asScan<AttemptSums>(
  `with ${changed},
  beside as (${attemptsBeside}),
  parts as (
    select width_bucket(s.starts_at, $13::timestamptz[]) as part, s.currency,
      ${sumNames(attemptSumNames, 's')}
    from attempt_sums s where s.client_id = $1::uuid and ${within('s.starts_at', 5)} group by 1, 2
    union all
    select width_bucket(i.created_at, $13::timestamptz[]), i.currency, ${addAttempts}
    from beside i group by 1, 2)
  select part, currency, ${asText(attemptSumNames)} from parts
  group by 1, 2 having sum(attempts) > 0 order by 2, 1`,
);

/** How the attempts of each part of the span ended, by currency. */
export const readKeptAttempts = (
  database: Reader,
  sought: Sought,
): Promise<AttemptSums[] | undefined> =>
  readParts(database, sought, { query: attemptSums, unitMs: quarterMs, more: [sought.starts] });

type KeptGroup = {
  readonly grouping: KeptGrouping;
  /** The columns of the answer. */
  readonly shown: string;
};
/** Groups by brand or country are those with a code, added up. Products are not kept. */
const groups: Partial<Readonly<Record<AttemptGrouping, KeptGroup>>> = {
  declineCode: { grouping: 'declineCode', shown: 'name' },
  declineCodeBrand: { grouping: 'declineCodeBrand', shown: 'name, second as brand' },
  declineCodeCountry: { grouping: 'declineCodeCountry', shown: 'name, second as country' },
  brand: { grouping: 'declineCodeBrand', shown: 'second as name' },
  country: { grouping: 'declineCodeCountry', shown: 'second as name' },
};

const groupText = ({ grouping, shown }: KeptGroup): string => {
  const [name, second] = keptGroupings[grouping]('i');
  return `with ${changed},
  beside as (${attemptsBeside}),
  parts as (
    select s.currency, s.name, s.second, ${sumNames(groupSumNames, 's')}
    from attempt_group_sums s
    where s.client_id = $1::uuid and s.grouping_name = '${grouping}'
      and s.day >= ($5::timestamptz at time zone 'UTC')::date
      and s.day < ($6::timestamptz at time zone 'UTC')::date
    group by 1, 2, 3
    union all
    select i.currency, coalesce(${name}, ''), coalesce(${second}, ''), ${addGroup}
    from beside i group by 1, 2, 3),
  named as (
    select currency, nullif(name, '') as name, nullif(second, '') as second, ${sumNames(groupSumNames, 'parts')}
    from parts where $13::text is null or currency = $13 group by 1, 2, 3),
  shown as (select currency, ${shown}, attempts, succeeded, failed, succeeded_minor from named)
  select currency, ${shown.replaceAll('second as ', '')}, ${asText(groupSumNames).replaceAll('parts.', 'shown.')}
  from shown group by currency, ${shown.replaceAll('second as ', '')} having sum(attempts) > 0`;
};

export type GroupSums = {
  readonly currency: string;
  readonly name: string | null;
  /** The second name, in groupings that have one. */
  readonly brand?: string | null;
  readonly country?: string | null;
  readonly attempts: string;
  readonly succeeded: string;
  readonly failed: string;
  readonly succeeded_minor: string;
};

const groupQueries = new Map(
  Object.entries(groups).map(([name, kept]) => [name, asScan<GroupSums>(groupText(kept))]),
);

/** How the attempts of the span ended in groups, in no order; undefined where such groups are not kept. */
export async function readKeptGroups(
  database: Reader,
  span: Pick<Sought, 'clientId' | 'from' | 'to'>,
  { by, currency }: { readonly by: AttemptGrouping; readonly currency: string | undefined },
): Promise<GroupSums[] | undefined> {
  const query = groupQueries.get(by);
  if (!query) return undefined;
  const more = [currency ?? null];
  return readParts(database, { ...span, starts: [] }, { query, unitMs: dayMs, more });
}
