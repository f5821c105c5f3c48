// Lists: one statement made from an allow-listed description of a table. Page and total come from
// one snapshot, so they agree. Spec: List envelope. Contract §2, Lists.

import type { Filter } from '@svc/contract/rows/row';
import type pg from 'pg';
import type { Database } from './database.ts';
import { decodeCursor, encodeCursor, readSortText, writeSortText } from './list-cursor.ts';
import {
  type BindParameter,
  type Column,
  type Condition,
  invalidQuery,
  type Predicate,
  parseFilters,
} from './list-filters.ts';

export type { Column, Condition, Predicate } from './list-filters.ts';

/**
 * The parts of a table that may be listed. This code writes all SQL texts; requests only choose
 * among the names.
 */
export type ListTable = {
  /** The prefix of the statements' names. */
  readonly name: string;
  /** Table and alias. */
  readonly from: string;
  /** The select list for the rows of one page. */
  readonly columns: string;
  /** Joins that only the rows of the page need; they refer to the rows as `page`, and give a row `more`. */
  readonly joins?: string;
  /** The column with the merchant's id. */
  readonly tenant: string;
  /** Unique within the merchant; orders rows with equal sort values. */
  readonly key: Column;
  readonly sorts: Readonly<Record<string, Column>>;
  readonly filters: Readonly<Record<string, Column | Condition>>;
  /** Even the unfiltered list walks many rows. */
  readonly isScan?: true;
  /** For tables whose rows are never deleted: the counts of closed days. */
  readonly days?: ClosedDays;
};

/** Two tables by client: the number of rows per closed day (UTC), and the end of the last closed day. */
export type ClosedDays = {
  /** Has the columns `client_id`, `day` and the one that `count` names. */
  readonly table: string;
  readonly count: string;
  /** Has the columns `client_id` and `closed_until`. */
  readonly closed: string;
  /** The sort field that the days are counted by. */
  readonly sortField: string;
};

export type ListQuery = {
  readonly page: number;
  readonly limit: number;
  readonly sortField: string;
  readonly sortDirection: 'ASC' | 'DESC';
  readonly cursor?: string | undefined;
  readonly filters: readonly Filter[];
  /** Predicates that the operation itself adds and a request cannot remove. */
  readonly within?: readonly Predicate[];
};

export type Page<Row> = {
  readonly rows: Row[];
  readonly page: number;
  readonly limit: number;
  /** The exact number of rows that match, regardless of the cursor. */
  readonly total: number;
  readonly nextCursor: string | null;
};

export type ListColumns = {
  list_total: number;
  list_text: string | null;
  list_key_text: string | null;
};

// Filtered pages are found by scanning rows; deeper pages need the cursor. Contract §2.
const deepestFiltered = 100_000;
// Up to this depth, scanning is as fast as finding the day first.
const deepestWalked = 5000;

/** Reads one page. The merchant comes first and cannot be left out. */
export type List<Row> = (
  database: Database,
  clientId: string,
  query: ListQuery,
) => Promise<Page<Row>>;

/**
 * Makes the list of a table. The list throws `invalid_query` for fields and operators that the
 * table does not offer.
 */
export const defineList =
  <Row extends pg.QueryResultRow>(table: ListTable): List<Row> =>
  async (database, clientId, query) => {
    const plan = planList(table, clientId, query);
    const found = await database.read<ListColumns & Row>(plan.statement, plan.values);
    return toPage(found, plan.question, query);
  };

/** Makes a page of the rows that a list's statement found: one row beyond the limit shows that another page follows. */
export function toPage<Row extends pg.QueryResultRow>(
  found: readonly (ListColumns & Row)[],
  question: string,
  query: ListQuery,
): Page<Row> {
  const rows = found.filter((row) => row.list_key_text !== null);
  const isMore = rows.length > query.limit;
  const shown = isMore ? rows.slice(0, query.limit) : rows;
  const last = shown.at(-1);
  return {
    rows: shown,
    page: query.page,
    limit: query.limit,
    total: found[0]?.list_total ?? 0,
    nextCursor:
      isMore && last
        ? encodeCursor(question, { value: last.list_text ?? '', key: last.list_key_text ?? '' })
        : null,
  };
}

function planList(table: ListTable, clientId: string, query: ListQuery) {
  const sort = Object.hasOwn(table.sorts, query.sortField)
    ? table.sorts[query.sortField]
    : undefined;
  if (!sort) throw invalidQuery('sortField', `There is no sort field ${query.sortField}.`);
  const predicates = [...(query.within ?? []), ...parseFilters(table.filters, query.filters)];
  checkDepth(query);
  const question = cursorQueryOf(table, clientId, { ...query, predicates });
  const after =
    query.cursor === undefined
      ? null
      : decodeCursor(question, query.cursor, { sort, key: table.key });

  const values: unknown[] = [];
  const bind: BindParameter = (value) => `$${values.push(value)}`;
  const where = [`${table.tenant} = ${bind(clientId)}::uuid`];
  for (const predicate of predicates) where.push(predicate.write(bind));
  const beyond = after
    ? `and (${sort.sql}, ${table.key.sql}) ${query.sortDirection === 'ASC' ? '>' : '<'}
        (${readSortText(sort.kind, bind(after.value))},
         ${readSortText(table.key.kind, bind(after.key))})`
    : '';
  const direction = query.sortDirection === 'ASC' ? 'asc' : 'desc';
  const isWhole = predicates.length === 0;
  const skipped = (query.page - 1) * query.limit;
  const isDeep = isWhole && skipped > deepestWalked && query.sortField === table.days?.sortField;
  const offset = bind(skipped);
  const place = isDeep && table.days ? placeText(table.days, { query, sort, offset }) : null;
  if (place) where.push(place.from);
  // One extra row shows whether another page follows.
  const bounds = `limit ${bind(query.limit + 1)}::bigint
    offset ${place?.offset ?? `${offset}::bigint`}`;
  const text = `
    with ${isWhole && table.days ? daysText(table, table.days, sort) : ''}
    matching as (${isWhole && table.days ? totalText : countText(table, where)}),
    ${place ? place.text : ''}
    page as (
      select ${table.columns}, ${sort.sql} as list_sort, ${table.key.sql} as list_key
      from ${table.from} where ${where.join(' and ')} ${beyond}
      order by ${sort.sql} ${direction}, ${table.key.sql} ${direction} ${bounds})
    select matching.total as list_total, page.*,
      ${writeSortText(sort.kind, 'page.list_sort')} as list_text,
      page.list_key::text as list_key_text${table.joins ? ', more.*' : ''}
    from matching left join page on true ${table.joins ?? ''}
    order by page.list_sort ${direction}, page.list_key ${direction}`;
  const name = statementName(table, query, { predicates, isDeep });
  // With filters the statement may read many rows to find few.
  const how = query.filters.length > 0 || table.isScan ? { isScan: true as const } : {};
  return { statement: { name, text, ...how }, values, question };
}

/**
 * Sums the counts of the closed days and counts the open part; both come from one snapshot, so no
 * row is missed or counted twice. `$1` is the client.
 */
export const daysText = (table: ListTable, days: ClosedDays, sort: Column): string => {
  const created = table.sorts[days.sortField] ?? sort;
  return `closed as materialized (
      select coalesce((select closed_until from ${days.closed} where client_id = $1),
          '-infinity') as until,
        coalesce((select sum(${days.count}) from ${days.table} where client_id = $1), 0)
          as total),
    young as materialized (select count(*) as total from ${table.from}
      where ${table.tenant} = $1::uuid and ${created.sql} >= (select until from closed)),`;
};
export const totalText = 'select (closed.total + young.total)::int as total from closed, young';

/**
 * Finds where a deep page begins: the day, from the day counts, and how many of its rows to skip.
 * The rows of a page may continue into the following days.
 */
function placeText(
  days: ClosedDays,
  { query, sort, offset }: { query: ListQuery; sort: Column; offset: string },
): { text: string; from: string; offset: string } {
  const isUp = query.sortDirection === 'ASC';
  // In descending order, the open part comes before all closed days.
  const ahead = isUp ? '0' : '(select total from young)';
  const bound = isUp
    ? `coalesce((select day from place)::timestamp at time zone 'UTC', (select until from closed))`
    : `coalesce(((select day from place) + 1)::timestamp at time zone 'UTC',
        case when ${offset}::bigint < (select total from matching) then 'infinity'::timestamptz
          else '-infinity' end)`;
  const rest = isUp
    ? `greatest(0, ${offset}::bigint - (select total from closed)::bigint)`
    : `${offset}::bigint`;
  const text = `place as materialized (
      select day, ${offset}::bigint - before as rest
      from (select day, ${days.count} as rows, ${ahead}
          + sum(${days.count}) over (order by day ${isUp ? 'asc' : 'desc'}) - ${days.count} as before
        from ${days.table} where client_id = $1) by_day
      where before <= ${offset}::bigint and ${offset}::bigint < before + rows),
    start as materialized (select ${bound} as at,
      coalesce((select rest from place)::bigint, ${rest}) as skipped),`;
  return {
    text,
    // A bare value: row-level security keeps any other expression away from the index, because it
    // could leak a row.
    from: `${sort.sql} ${isUp ? '>=' : '<'} (select at from start)`,
    offset: '(select skipped from start)',
  };
}

const countText = (table: ListTable, where: readonly string[]): string =>
  `select count(*)::int as total from ${table.from} where ${where.join(' and ')}`;

export function checkDepth(query: ListQuery): void {
  const depth = query.page * query.limit;
  const isFiltered = query.filters.length > 0;
  if (isFiltered && depth > deepestFiltered) {
    throw invalidQuery('page', 'The page is too deep for a filtered list; follow nextCursor.');
  }
  if (!Number.isSafeInteger(depth)) throw invalidQuery('page', 'The page is out of range.');
  if (query.cursor !== undefined && query.page !== 1) {
    throw invalidQuery('page', 'Give a page or a cursor, not both.');
  }
}

/** The query that a cursor belongs to: everything that decides which rows come in which order. */
export const cursorQueryOf = (
  table: ListTable,
  clientId: string,
  query: ListQuery & { readonly predicates: readonly Predicate[] },
): string =>
  JSON.stringify([
    table.name,
    clientId.toLowerCase(),
    query.sortField,
    query.sortDirection,
    query.predicates.map(({ shape, values }) => [shape, ...values]),
  ]);

/**
 * Returns the statement's name. A name keeps the statement prepared on each connection, so only
 * frequent queries get one: no filter, or one equality. The others are parsed each time; a deep
 * page must be, because a plan without the actual numbers sorts the whole table.
 */
function statementName(
  table: ListTable,
  query: ListQuery,
  { predicates, isDeep }: { predicates: readonly Predicate[]; isDeep: boolean },
): string {
  const own = query.filters.length;
  // Merchants choose their metadata's names, so there is no limit to the number of such statements.
  if (query.filters.some(({ field }) => field.includes('.'))) return '';
  if (isDeep || own > 1 || query.filters.some(({ op }) => op !== 'eq')) return '';
  const name = [
    table.name,
    `${query.sortField}.${query.sortDirection}`,
    ...predicates.map(({ shape }) => shape),
    ...(query.cursor === undefined ? [] : ['on']),
  ].join(':');
  // PostgreSQL truncates longer names, and two with the same beginning would collide.
  return name.length <= 63 ? name : '';
}
