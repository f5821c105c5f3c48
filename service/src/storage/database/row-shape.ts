// Describes how a table row maps to a domain object, as one list: it gives the columns of a select
// and the function that reads the row, and the compiler checks it against the domain's type.

export type Row = Record<string, unknown>;

export type Column<Value> = {
  /** Names of columns, or expressions with an alias. */
  readonly selects: readonly string[];
  read(row: Row): Value;
};

/** A column whose value the driver returns in the domain's form, or an expression under that name. */
export const column = <Value>(name: string, expression?: string): Column<Value> => ({
  selects: [expression === undefined ? name : `${expression} as ${name}`],
  read: (row) => row[name] as Value,
});

/** A bigint, which the driver returns as text. The database keeps amounts below 2^53. */
export const amount = (name: string, expression?: string): Column<number> => ({
  ...column(name, expression),
  read: (row) => Number(row[name]),
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

export type RowShape<Thing> = {
  /** Returns the select list; `alias` is that of the table. */
  columns(alias: string): string;
  read(row: Row): Thing;
};

const isName = /^[a-z_0-9]+$/;

export function rowShape<Thing extends object>(
  shape: {
    readonly [Key in keyof Thing]-?: Column<Thing[Key]>;
  },
): RowShape<Thing> {
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
