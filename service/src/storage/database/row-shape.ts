// Describes how a table row maps to a domain object, as one list: it gives the columns of a select,
// the function that reads the row, and the columns that a change writes. The compiler checks it
// against the domain's type.

import { type ElementType, jsonTexts } from './array-values.ts';
import type { AskedColumn } from './asked-rows.ts';

export type Row = Record<string, unknown>;

export type Column<Value> = {
  /** Names of columns, or expressions with an alias. */
  readonly selects: readonly string[];
  read(row: Row): Value;
  /** The type with which a change writes the column; absent where none does. */
  readonly type?: ElementType;
};

/** A column whose value the driver returns in the domain's form, or an expression under that name. */
export const column = <Value>(name: string, expression?: string): Column<Value> => ({
  selects: [expression === undefined ? name : `${expression} as ${name}`],
  read: (row) => row[name] as Value,
});

/** The same for a column that changes write. */
export const written = <Value>(name: string, type: ElementType): Column<Value> => ({
  ...column<Value>(name),
  type,
});

/** A bigint, which the driver returns as text. The database keeps amounts below 2^53. */
export const amount = (name: string, expression?: string): Column<number> => ({
  ...column(name, expression),
  read: (row) => Number(row[name]),
});

export const writtenAmount = (name: string, type: ElementType): Column<number> => ({
  ...amount(name),
  type,
});

export const amountOrNull = (name: string): Column<number | null> => ({
  ...column(name),
  read: (row) => (row[name] === null ? null : Number(row[name])),
});

/** A value that is computed from several columns, or stored in another form. */
export const derived = <Value>(
  selects: readonly string[],
  read: (row: Row) => Value,
): Column<Value> => ({ selects, read });

export type Shape<Thing> = { readonly [Key in keyof Thing]-?: Column<Thing[Key]> };

/** Returns the written columns of a part of a shape, each with its value. */
export const writesOf = <Thing>(part: Partial<Shape<Thing>>): AskedColumn<Thing>[] =>
  (Object.keys(part) as (keyof Thing)[]).flatMap((key): AskedColumn<Thing>[] => {
    const { selects, type } = part[key] as Column<unknown>;
    const [name] = selects;
    if (!type || name === undefined) return [];
    return [[name, type, (thing) => (type === jsonTexts ? toJson(thing[key]) : thing[key])]];
  });

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export type RowShape<Thing> = {
  /** Returns the select list; `alias` is that of the table. */
  columns(alias: string): string;
  read(row: Row): Thing;
};

const isName = /^[a-z_0-9]+$/;

export function rowShape<Thing extends object>(shape: Shape<Thing>): RowShape<Thing> {
  const keys = Object.keys(shape) as (keyof Thing & string)[];
  const selects = keys.flatMap((key) => shape[key].selects);
  return {
    columns: (alias) =>
      selects.map((each) => (isName.test(each) ? `${alias}.${each}` : each)).join(', '),
    read(row) {
      const thing: Partial<Thing> = {};
      for (const key of keys) thing[key] = shape[key].read(row);
      return thing as Thing;
    },
  };
}
