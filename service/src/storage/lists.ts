// Lists: one statement made from an allow-listed description of a table. Page and total come from
// one snapshot, so they agree. Spec: List envelope. Contract §2, Lists.

import assert from 'node:assert';
import type { Filter } from '@svc/contract/row';
import type pg from 'pg';
import type { Database } from './database.ts';
import { decodeCursor, encodeCursor, readSortText, writeSortText } from './list-cursor.ts';
import {
  type Bind,
  type Column,
  invalidQuery,
  type Predicate,
  parseFilters,
} from './list-filters.ts';

export type { Column, Predicate } from './list-filters.ts';

/** What of a table may be listed. All texts are ours; requests only choose among the names. */
export type ListTable = {
  /** Start of the statements' names. */
  readonly name: string;
  /** Table and alias. */
  readonly from: string;
  /** What is selected for the rows of one page. */
  readonly columns: string;
  /** Joins that only the rows of the page need; its rows are `page`. */
  readonly joins?: string;
  /** The column that holds the merchant. */
  readonly tenant: string;
  /** Unique within the merchant; settles ties. */
  readonly key: Column;
  readonly sorts: Readonly<Record<string, Column>>;
  readonly filters: Readonly<Record<string, Column>>;
};

export type ListQuery = {
  readonly page: number;
  readonly limit: number;
  readonly sortField: string;
  readonly sortDirection: 'ASC' | 'DESC';
  readonly cursor?: string | undefined;
  readonly filters: readonly Filter[];
  /** Predicates of the operation's own, which a request cannot lift. */
  readonly within?: readonly Predicate[];
};

export type Page<Row> = {
  readonly rows: Row[];
  readonly page: number;
  readonly limit: number;
  /** Exact number of rows that match, cursor aside. */
  readonly total: number;
  readonly nextCursor: string | null;
};

type Listed = { list_total: number; list_text: string | null; list_key_text: string | null };

// Filters find their rows by walking; deeper pages are for the cursor. Contract §2.
const deepestFiltered = 100_000;

/** Reads one page. The merchant comes first and cannot be left out. */
export type List<Row> = (
  database: Database,
  clientId: string,
  query: ListQuery,
) => Promise<Page<Row>>;

/** Makes the list of a table. Refuses `invalid_query` for what the table does not offer. */
export const defineList =
  <Row extends pg.QueryResultRow>(table: ListTable): List<Row> =>
  async (database, clientId, query) => {
    const plan = planList(table, clientId, query);
    const found = await database.read<Listed & Row>(plan.statement, plan.values);
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
          ? encodeCursor(plan.question, {
              value: last.list_text ?? '',
              key: last.list_key_text ?? '',
            })
          : null,
    };
  };

function planList(table: ListTable, clientId: string, query: ListQuery) {
  const sort = Object.hasOwn(table.sorts, query.sortField)
    ? table.sorts[query.sortField]
    : undefined;
  if (!sort) throw invalidQuery('sortField', `There is no sort field ${query.sortField}.`);
  const predicates = [...(query.within ?? []), ...parseFilters(table.filters, query.filters)];
  checkDepth(query);
  const question = questionOf(table, clientId, { ...query, predicates });
  const after =
    query.cursor === undefined
      ? null
      : decodeCursor(question, query.cursor, { sort, key: table.key });

  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const where = [`${table.tenant} = ${bind(clientId)}::uuid`];
  for (const predicate of predicates) where.push(predicate.write(bind));
  const beyond = after
    ? `and (${sort.sql}, ${table.key.sql}) ${query.sortDirection === 'ASC' ? '>' : '<'}
        (${readSortText(sort.kind, bind(after.value))},
         ${readSortText(table.key.kind, bind(after.key))})`
    : '';
  const direction = query.sortDirection === 'ASC' ? 'asc' : 'desc';
  // One row more than asked for says whether another page follows.
  const bounds = `limit ${bind(query.limit + 1)}::bigint
    offset ${bind((query.page - 1) * query.limit)}::bigint`;
  const text = `
    with matching as (${countText(table, where)}),
    page as (
      select ${table.columns}, ${sort.sql} as list_sort, ${table.key.sql} as list_key
      from ${table.from} where ${where.join(' and ')} ${beyond}
      order by ${sort.sql} ${direction}, ${table.key.sql} ${direction} ${bounds})
    select matching.total as list_total, page.*,
      ${writeSortText(sort.kind, 'page.list_sort')} as list_text,
      page.list_key::text as list_key_text${table.joins ? ', more.*' : ''}
    from matching left join page on true ${table.joins ?? ''}
    order by page.list_sort ${direction}, page.list_key ${direction}`;
  return { statement: { name: statementName(table, query, predicates), text }, values, question };
}

/** In a place of its own: sums of closed days can stand here where nothing is filtered. */
const countText = (table: ListTable, where: readonly string[]): string =>
  `select count(*)::int as total from ${table.from} where ${where.join(' and ')}`;

function checkDepth(query: ListQuery): void {
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

/** What a cursor belongs to: everything that decides which rows come in which order. */
const questionOf = (
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
 * A name keeps the statement prepared on each connection for good, so only what is asked again and
 * again gets one: no filter, or one equality. The rest is parsed each time.
 */
function statementName(
  table: ListTable,
  query: ListQuery,
  predicates: readonly Predicate[],
): string {
  const own = query.filters.length;
  if (own > 1 || query.filters.some(({ op }) => op !== 'eq')) return '';
  const name = [
    table.name,
    `${query.sortField}.${query.sortDirection}`,
    ...predicates.map(({ shape }) => shape),
    ...(query.cursor === undefined ? [] : ['on']),
  ].join(':');
  assert(name.length <= 63, `statement name ${name} is too long`);
  return name;
}
