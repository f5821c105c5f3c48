// Lists whose rows are found in a copy of the table. The copy has indexes of its own and is written after the
// table. Rows that changed since then are read from the table and replace those of the copy. One statement does
// both, so in one snapshot: page and total are those of the table, however far the copy is behind. docs/decisions/lists.md.

import { filterName } from '@svc/contract/rows/row';
import type pg from 'pg';
import type { Database } from './database.ts';
import { decodeCursor, readSortText, writeSortText } from './list-cursor.ts';
import { type BindParameter, invalidQuery, parseFilters } from './list-filters.ts';
import {
  type Column,
  type Condition,
  checkDepth,
  cursorQueryOf,
  daysText,
  type ListColumns,
  type ListQuery,
  type ListTable,
  type Page,
  toPage,
  totalText,
} from './lists.ts';

/** A copy of a list's table, with the alias `i`. A query for columns that the copy lacks reads the table. */
export type Projection = {
  readonly from: string;
  readonly tenant: string;
  readonly key: string;
  /** `sql` sorts and compares rows of the copy; `shown` is the same value in the form of the table's column. */
  readonly sorts: Readonly<Record<string, ProjectedSort>>;
  readonly filters: Readonly<Record<string, Column | Condition>>;
  /** The numbers of the copy's rows by day, for queries whose filters all have a column there. */
  readonly days: CopiedDays;
  /** Returns a cheaper count of the copy's rows for these filters; null where there is none. */
  readonly count: (asked: Asked, bind: BindParameter) => string | null;
  /**
   * Returns the select of the ids, as `id`, that may have changed since the watermark. `since` is the
   * parameter of the watermark.
   */
  readonly changed: (since: string) => string;
};

type Asked = { readonly clientId: string; readonly filters: ListQuery['filters'] };

/** A table with the number of rows of each day, with the alias `s`. */
export type CopiedDays = {
  readonly from: string;
  readonly tenant: string;
  readonly count: string;
  readonly filters: Readonly<Record<string, Column>>;
  /** The same filters for the purchase to which a refund or chargeback belongs. */
  readonly ofPurchase: Readonly<Record<string, Column>>;
};

/** A table and its copy. The copy contains every change from before the watermark. */
export type ProjectedTable = {
  readonly projection: Projection;
  readonly table: ListTable;
  readonly watermark: string;
};

export type ProjectedSort = Column & {
  readonly shown?: string;
  /** Returns SQL that turns a value of the cursor into a value of `sql`. */
  readonly read?: (value: string) => string;
};

/** Returns whether the copy has all filters of the query; otherwise the table is read. */
export const isProjected = (projection: Projection, filters: ListQuery['filters']): boolean =>
  filters.every(({ field, op }) => {
    const named = filterName(field);
    const column = Object.hasOwn(projection.filters, named) ? projection.filters[named] : undefined;
    return column !== undefined && (!('match' in column) || column.ops.includes(op));
  });

/** Returns the conditions of a query for the copy and for the table. Both use the same parameters. */
export function writeBoth(
  { projection, table }: Pick<ProjectedTable, 'projection' | 'table'>,
  { clientId, filters }: Asked,
  bind: BindParameter,
): { readonly copied: string; readonly young: string } {
  const client = `${bind(clientId)}::uuid`;
  const predicatesOver = (columns: Projection['filters']) =>
    parseFilters(columns, filters).map((predicate) => predicate.write(bind));
  return {
    copied: [`${projection.tenant} = ${client}`, ...predicatesOver(projection.filters)].join(
      ' and ',
    ),
    young: [`${table.tenant} = ${client}`, ...predicatesOver(table.filters)].join(' and '),
  };
}

/** Returns whether the table of days has a column for each of the filters. */
export const canUseDays = (
  { filters: columns }: CopiedDays,
  filters: ListQuery['filters'],
): boolean => filters.every(({ field }) => Object.hasOwn(columns, field));

/** Returns the condition for the table of days. */
export function writeDays(
  { tenant, filters: columns }: Pick<CopiedDays, 'tenant' | 'filters'>,
  { clientId, filters }: Asked,
  bind: BindParameter,
): string {
  const predicates = parseFilters(columns, filters).map((predicate) => predicate.write(bind));
  return [`${tenant} = ${bind(clientId)}::uuid`, ...predicates].join(' and ');
}

/** Reads one page from the copy and from the rows that changed since `watermark`. */
export async function listProjected<Row extends pg.QueryResultRow>(
  database: Database,
  on: ProjectedTable,
  asked: { readonly clientId: string; readonly query: ListQuery },
): Promise<Page<Row>> {
  const plan = planProjected(on, asked);
  const found = await database.read<ListColumns & Row>(plan.statement, plan.values);
  return toPage<Row>(found, plan.question, asked.query);
}

const countText = (
  { projection, table }: ProjectedTable,
  { copied, young, copiedCount }: ReturnType<typeof writeBoth> & { readonly copiedCount: string },
): string => `
  select ((${copiedCount})
    - (select count(*) from changed c join ${projection.from} on ${projection.key} = c.id
        where ${copied})
    + (select count(*) from changed c join ${table.from} on ${table.key.sql} = c.id
        where ${young}))::int as total`;

/** Returns the count of the copy's rows: by days, by what the copy counts with less work, or one by one. */
function writeCount(
  { projection }: ProjectedTable,
  asked: Asked,
  { copied, bind }: { readonly copied: string; readonly bind: BindParameter },
): string {
  const { days } = projection;
  if (canUseDays(days, asked.filters))
    return `select coalesce(sum(s.${days.count}), 0) from ${days.from} where ${writeDays(days, asked, bind)}`;
  return projection.count(asked, bind) ?? `select count(*) from ${projection.from} where ${copied}`;
}

function planProjected(
  on: ProjectedTable,
  { clientId, query }: { readonly clientId: string; readonly query: ListQuery },
) {
  const { projection, table, watermark } = on;
  const sort = table.sorts[query.sortField];
  const copiedSort = projection.sorts[query.sortField];
  if (!sort || !copiedSort) {
    throw invalidQuery('sortField', `There is no sort field ${query.sortField}.`);
  }
  checkDepth(query);
  const predicates = parseFilters(table.filters, query.filters);
  const question = cursorQueryOf(table, clientId, { ...query, predicates });
  const after =
    query.cursor === undefined
      ? null
      : decodeCursor(question, query.cursor, { sort, key: table.key });

  const values: unknown[] = [];
  const bind: BindParameter = (value) => `$${values.push(value)}`;
  const asked = { clientId, filters: query.filters };
  const { copied, young } = writeBoth(on, asked, bind);
  const direction = query.sortDirection === 'ASC' ? 'asc' : 'desc';
  const beyond = query.sortDirection === 'ASC' ? '>' : '<';
  const value = after && readSortText(sort.kind, bind(after.value));
  const key = after && readSortText(table.key.kind, bind(after.key));
  const read = copiedSort.read ?? ((text: string) => text);
  const beyondCopied = after
    ? `and (${copiedSort.sql}, ${projection.key}) ${beyond} (${read(`${value}`)}, ${key})`
    : '';
  const beyondYoung = after
    ? `and (${sort.sql}, ${table.key.sql}) ${beyond} (${value}, ${key})`
    : '';
  const skipped = bind((query.page - 1) * query.limit);
  const most = bind(query.page * query.limit + 1);
  const isKept = `${projection.key} not in (select id from changed)`;
  const isWhole = query.filters.length === 0 && table.days;
  const text = `
    with ${isWhole ? daysText(table, isWhole, sort) : ''}
    changed as materialized (${projection.changed(bind(watermark))}),
    matching as (${isWhole ? totalText : countText(on, { copied, young, copiedCount: writeCount(on, asked, { copied, bind }) })}),
    both_sides as (
      (select ${copiedSort.shown ?? copiedSort.sql} as list_sort, ${projection.key} as list_key
       from ${projection.from} where ${copied} and ${isKept} ${beyondCopied}
       order by ${copiedSort.sql} ${direction}, ${projection.key} ${direction}
       limit ${most}::bigint)
      union all
      (select ${sort.sql}, ${table.key.sql}
       from changed c join ${table.from} on ${table.key.sql} = c.id
       where ${young} ${beyondYoung}
       order by 1 ${direction}, 2 ${direction} limit ${most}::bigint)),
    chosen as materialized (
      select list_sort, list_key from both_sides
      order by list_sort ${direction}, list_key ${direction}
      limit ${bind(query.limit + 1)}::bigint offset ${skipped}::bigint),
    page as (
      select ${table.columns}, chosen.list_sort, chosen.list_key
      from chosen join ${table.from} on ${table.key.sql} = chosen.list_key)
    select matching.total as list_total, page.*,
      ${writeSortText(sort.kind, 'page.list_sort')} as list_text,
      page.list_key::text as list_key_text${table.joins ? ', more.*' : ''}
    from matching left join page on true ${table.joins ?? ''}
    order by page.list_sort ${direction}, page.list_key ${direction}`;
  return { statement: { name: '', text, isScan: true as const }, values, question };
}
