// Values that callers filter and sort by, and the predicates made from them. Contract §2, Lists.

import assert from 'node:assert';
import { type Filter, filterName, operators as plainOperators } from '@svc/contract/rows/row';
import { instantOf } from '@svc/contract/values/instants';
import { spellingsOf } from '../../domain/people/email.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';

/** `email` is text that is compared and ordered ignoring case. */
export type Kind = 'uuid' | 'text' | 'email' | 'boolean' | 'instant' | 'decimal';

/** An SQL expression over a table, written in this code; no part of a request ever enters it. */
export type Column = {
  readonly sql: string;
  readonly kind: Kind;
  /** Writes a comparison its own way; `value` is the place of one value, or of an array for `in`. */
  readonly compare?: (op: Filter['op'], value: string) => string;
  /** Writes the condition that an email address begins with the value, where an index can answer it. */
  readonly beginsWith?: (value: string) => string;
};

/**
 * A condition that is more than a comparison with a column: it matches rows for which one of the
 * values is true.
 */
export type Condition = {
  readonly kind: Kind;
  readonly ops: readonly Filter['op'][];
  /** Writes the condition, given the parameter with the array of values and the requested field. */
  readonly match: (values: string, given: Filter, bind: BindParameter) => string;
  /** Converts a value to its form in the database, when callers write another form. */
  readonly read?: (value: string) => string;
};

/** Adds a parameter to the statement and returns its placeholder, such as `$3`. */
export type BindParameter = (value: unknown) => string;

/** A condition on the rows. Its text depends on `shape` alone; `values` become parameters. */
export type Predicate = {
  readonly shape: string;
  readonly values: readonly string[];
  write(bind: BindParameter): string;
};

const sqlTypes: Readonly<Record<Kind, string>> = {
  uuid: 'uuid',
  text: 'text',
  email: 'text',
  boolean: 'boolean',
  instant: 'timestamptz',
  decimal: 'numeric',
};

const operators = {
  eq: '=',
  ne: 'is distinct from',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
} as const;

const patterns: Readonly<Record<Kind, RegExp>> = {
  uuid: uuidPattern,
  // PostgreSQL's text cannot contain NUL.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is kept out
  text: /^[^\u0000]{0,1000}$/u,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is kept out
  email: /^[^\u0000]{0,1000}$/u,
  boolean: /^(true|false)$/,
  // PostgreSQL has no year 0.
  instant: /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  decimal: /^-?\d{1,15}(\.\d{1,10})?$/,
};

/** Returns true for text that the database reads as a value of that kind. */
export function isValidOfKind(kind: Kind, value: string): boolean {
  if (!patterns[kind].test(value)) return false;
  return kind !== 'instant' || instantOf(value) === value;
}

export const invalidQuery = (param: string, message: string): Refusal =>
  new Refusal('invalid_query', { param, message });

/**
 * Turns filters into predicates in a fixed order, so that equal queries give equal texts. Throws
 * `invalid_query` for an unknown field, a value of the wrong kind, or a repeated filter.
 */
export function parseFilters(
  columns: Readonly<Record<string, Column | Condition>>,
  filters: readonly Filter[],
): Predicate[] {
  const seen = new Set<string>();
  return filters
    .flatMap((filter) => {
      const named = filterName(filter.field);
      const column = Object.hasOwn(columns, named) ? columns[named] : undefined;
      const shape = `${filter.field}.${filter.op}`;
      const param = `${filter.field}[${filter.op}]`;
      if (!column) throw invalidQuery(param, `There is no filter ${filter.field}.`);
      if (seen.has(shape)) throw invalidQuery(param, `The filter ${param} is given twice.`);
      seen.add(shape);
      checkValues(column, filter, param);
      if ('match' in column) {
        const write = (bind: BindParameter) => writeCondition(column, filter, bind);
        return { shape, values: filter.values, write };
      }
      return filterAllSpellings(column, filter).map((spelled) => ({
        shape: `${spelled.field}.${spelled.op}`,
        values: spelled.values,
        write: (bind: BindParameter) => writeFilter(column, spelled, bind),
      }));
    })
    .sort((a, b) => (a.shape < b.shape ? -1 : 1));
}

/**
 * Spells an address in each way in which it may have been stored; the shape of the query tells the spellings apart.
 * PostgreSQL would find another person's address for one with İ, which it makes an i.
 */
function filterAllSpellings({ kind }: Column, given: Filter): Filter[] {
  if (kind !== 'email') return [given];
  const filter = { ...given, values: given.values.map((one) => one.replaceAll('İ', 'i\u0307')) };
  if (!['eq', 'in', 'ne'].includes(filter.op)) return [filter];
  const values = filter.values.flatMap(spellingsOf);
  if (values.length === filter.values.length) return [filter];
  if (filter.op === 'ne') return values.map((value) => ({ ...filter, values: [value] }));
  return [{ ...filter, op: 'in', values }];
}

/** Returns the key within the metadata: `order` for the field `metadata.order`. */
export const metadataKey = ({ field }: Filter): string => field.slice('metadata.'.length);

const emailOps: readonly Filter['op'][] = [...plainOperators, 'startsWith'];
const opsOf = (column: Column | Condition): readonly Filter['op'][] => {
  if ('match' in column) return column.ops;
  return column.kind === 'email' ? emailOps : plainOperators;
};

function checkValues(column: Column | Condition, filter: Filter, param: string): void {
  const isCountRight =
    filter.op === 'in'
      ? filter.values.length > 0 && filter.values.length <= 100
      : filter.values.length === 1;
  if (!isCountRight)
    throw invalidQuery(param, `The filter ${param} takes another number of values.`);
  if (!opsOf(column).includes(filter.op)) {
    throw invalidQuery(param, `There is no operator ${String(filter.op)}.`);
  }
  if (!filter.values.every((value) => isValidOfKind(column.kind, value))) {
    throw invalidQuery(param, `The value of ${param} is not valid.`);
  }
}

function writeCondition(condition: Condition, filter: Filter, bind: BindParameter): string {
  const { read, kind } = condition;
  const values = read ? filter.values.map(read) : filter.values;
  return condition.match(`${bind(values)}::${sqlTypes[kind]}[]`, filter, bind);
}

function writeFilter(column: Column, filter: Filter, bind: BindParameter): string {
  const type = sqlTypes[column.kind];
  if (column.compare) {
    return filter.op === 'in'
      ? column.compare('in', `${bind(filter.values)}::${type}[]`)
      : column.compare(filter.op, `${bind(filter.values[0])}::${type}`);
  }
  if (column.kind === 'instant') return writeInstant(column.sql, filter, bind);
  if (column.kind === 'email') return writeEmail(column, filter, bind);
  if (filter.op === 'in') return `${column.sql} = any(${bind(filter.values)}::${type}[])`;
  const value = `${bind(filter.values[0])}::${type}`;
  // Compares by code point, so that the result does not depend on the server's locale. Equality
  // does not: an index of the default collation would not serve it.
  const { op } = filter;
  assert(op !== 'startsWith', 'only conditions and emails begin with a text');
  const isOrder = filter.op !== 'eq' && filter.op !== 'ne';
  const collation = column.kind === 'text' && isOrder ? ' collate "C"' : '';
  return `${column.sql}${collation} ${operators[op]} ${value}`;
}

/** The condition that the text begins with the value, ignoring case. */
const startsWith = (sql: string, value: string): string =>
  `starts_with(lower(${sql}) collate "C", lower(${value}::text))`;

export const textOps: readonly Filter['op'][] = ['eq', 'in', 'startsWith'];

/**
 * Selects the ids of the client's customers whose name or email address is one of the values, or begins with
 * the first, ignoring case. Of a name each word of the value begins a word, in any order, and accents do not
 * count. `client` is the place of the client's id.
 */
export const customersBy = (
  kind: 'name' | 'email',
  client: string,
  { values, op }: { readonly values: string; readonly op: Filter['op'] },
): string => {
  if (op === 'startsWith' && kind === 'name') return customersNamed(client, `(${values})[1]`);
  const first = `'email:' || lower((${values})[1])`;
  const isMeant =
    op === 'startsWith'
      ? `n.word >= ${first} and n.word < ${first} || chr(1114111)`
      : `n.word = any(array(select '${kind}:' || lower(v) from unnest(${values}) v))`;
  return `(select n.customer_id from customer_words n where n.client_id = ${client} and ${isMeant})`;
};

/** The longest word is looked up in the index; the others are compared with the names that it finds. */
function customersNamed(client: string, value: string): string {
  const typed = `folded_name(${value})`;
  const word = `'part:' || (select coalesce(max(w collate "C"), '') from (
    select w from unnest(string_to_array(${typed}, ' ')) w order by length(w) desc limit 1) longest)`;
  return `(select n.customer_id from customer_words n
    where n.client_id = ${client} and n.word >= ${word} and n.word < ${word} || chr(1114111)
      and (strpos(${typed}, ' ') = 0 or exists (
        select from customers named where named.client_id = n.client_id and named.id = n.customer_id
          and not exists (select from unnest(string_to_array(${typed}, ' ')) w
            where strpos(' ' || folded_name(named.name), ' ' || w) = 0))))`;
}

/**
 * The present name of the customer who paid the payment `alias`, as SQL: a scalar subquery, so that each row looks it up by key
 * however many rows the planner expects. Nobody vouched for another buyer, who may have typed this customer's id.
 */
export const payerNameOf = (alias: string): string =>
  `case when ${alias}.is_buyer_verified then (
    select c.name from customers c where c.client_id = ${alias}.client_id and c.id = ${alias}.user_id) end`;

/** An instant to sort by: rows without one come last in ascending order and first in descending order. */
export const nullsLast = (sql: string): string =>
  `coalesce(${sql}, '9999-12-31T23:59:59.999Z'::timestamptz)`;

/** The database lower-cases both sides, so that no letter is folded in two ways. */
function writeEmail(
  { sql, beginsWith }: Column,
  { op, values }: Filter,
  bind: BindParameter,
): string {
  if (op === 'in') {
    return `lower(${sql}) = any(array(select lower(v) from unnest(${bind(values)}::text[]) v))`;
  }
  if (op === 'startsWith') {
    const value = bind(values[0]);
    return beginsWith?.(`${value}::text`) ?? startsWith(sql, value);
  }
  const collation = op === 'eq' || op === 'ne' ? '' : ' collate "C"';
  return `lower(${sql})${collation} ${operators[op]} lower(${bind(values[0])}::text)`;
}

/**
 * Compares instants as callers see them, cut to milliseconds: `createdAt[eq]` with the `createdAt`
 * of a response finds that row, although the database keeps microseconds.
 */
function writeInstant(sql: string, filter: Filter, bind: BindParameter): string {
  if (filter.op === 'in') {
    return `date_trunc('milliseconds', ${sql}) = any(${bind(filter.values)}::timestamptz[])`;
  }
  const start = `${bind(filter.values[0])}::timestamptz`;
  const end = `(${start} + interval '1 millisecond')`;
  switch (filter.op) {
    case 'eq':
      return `(${sql} >= ${start} and ${sql} < ${end})`;
    case 'ne':
      return `(${sql} < ${start} or ${sql} >= ${end})`;
    case 'gt':
      return `${sql} >= ${end}`;
    case 'gte':
      return `${sql} >= ${start}`;
    case 'lt':
      return `${sql} < ${start}`;
    case 'lte':
      return `${sql} < ${end}`;
    default:
      return assert.fail(`instants have no ${filter.op}`);
  }
}
