// The parameters of a statement as one list of columns. It gives the row source of the statement
// for one request and for many, and the values of both: a column is added in one place.

import { arrayValue, type ElementType } from './array-values.ts';

export type AskedColumn<Ask> = readonly [
  name: string,
  type: ElementType,
  value: (ask: Ask) => unknown,
];

export type AskedRows<Ask> = {
  /** A row source called `a`: one row of plain parameters. */
  readonly one: string;
  /** A row source called `a`: parameters that are arrays, one for each column. */
  readonly many: string;
  /** Like `many`, with the position of each request, from 1, as `place`. */
  readonly manyInOrder: string;
  valuesOf(ask: Ask): unknown[];
  arraysOf(asks: readonly Ask[]): Buffer[];
};

/** The columns' names, each after `prefix`. */
export const namesOf = (columns: readonly AskedColumn<never>[], prefix = ''): string =>
  columns.map(([name]) => `${prefix}${name}`).join(', ');

/** Parameters for the columns' values, counted from `first`. */
export const placesOf = (columns: readonly AskedColumn<never>[], first: number): string =>
  columns.map((_, at) => `$${first + at}`).join(', ');

/** Assigns parameters, counted from `first`. */
export const setParameters = (columns: readonly AskedColumn<never>[], first: number): string =>
  columns.map(([name], at) => `${name} = $${first + at}`).join(', ');

/** Assigns the columns of the same names of another row. */
export const setFrom = (columns: readonly AskedColumn<never>[], row: string): string =>
  columns
    .map(([name, { storedAs }]) => `${name} = ${row}.${name}${storedAs ? `::${storedAs}` : ''}`)
    .join(', ');

export const valuesOf = <Ask>(columns: readonly AskedColumn<Ask>[], ask: Ask): unknown[] =>
  columns.map(([, , value]) => plainValue(value(ask)));

/** The same columns of a part of what is asked. */
export const columnsOf = <Ask, Part>(
  part: (ask: Ask) => Part,
  columns: readonly AskedColumn<Part>[],
): AskedColumn<Ask>[] =>
  columns.map(([name, type, value]) => [name, type, (ask) => value(part(ask))]);

// The driver would write an instant in the local time zone, at ten times the cost.
const plainValue = (value: unknown): unknown =>
  value instanceof Date ? value.toISOString() : value;

export function askedRows<Ask>(columns: readonly AskedColumn<Ask>[]): AskedRows<Ask> {
  const named = columns.map(([name, { sqlName }], at) => `$${at + 1}::${sqlName} as ${name}`);
  const arrays = columns.map(([, { sqlName }], at) => `$${at + 1}::${sqlName}[]`);
  const names = columns.map(([name]) => name);
  return {
    one: `(select ${named.join(', ')}) a`,
    many: `unnest(${arrays.join(', ')}) as a(${names.join(', ')})`,
    manyInOrder: `unnest(${arrays.join(', ')}) with ordinality as a(${names.join(', ')}, place)`,
    valuesOf: (ask) => valuesOf(columns, ask),
    arraysOf: (asks) => columns.map(([, type, value]) => arrayValue(type, asks.map(value))),
  };
}
