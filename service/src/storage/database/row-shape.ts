// What a row of a table is in the domain, as one list: it gives the columns of a select and the object
// that a row is read as, and the compiler compares it with the domain's type.

export type Row = Record<string, unknown>;

export type Column<Value> = {
  /** Names of columns, or expressions with a name. */
  readonly selects: readonly string[];
  read(row: Row): Value;
};

/** A column whose value the driver gives as the domain has it, or an expression under that name. */
export const column = <Value>(name: string, expression?: string): Column<Value> => ({
  selects: [expression === undefined ? name : `${expression} as ${name}`],
  read: (row) => row[name] as Value,
});

/** A bigint, which the driver gives as text. Amounts stay below 2^53 by the database's own rule. */
export const amount = (name: string, expression?: string): Column<number> => ({
  ...column(name, expression),
  read: (row) => Number(row[name]),
});

export const amountOrNull = (name: string): Column<number | null> => ({
  ...column(name),
  read: (row) => (row[name] === null ? null : Number(row[name])),
});

/** A value that several columns make, or one that is stored in another form. */
export const derived = <Value>(
  selects: readonly string[],
  read: (row: Row) => Value,
): Column<Value> => ({ selects, read });

export type RowShape<Thing> = {
  /** The select list; `alias` is that of the table. */
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
