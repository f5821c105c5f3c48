import assert from 'node:assert';
import type pg from 'pg';

/** A named prepared statement and the shape of its rows. */
export type Query<Row extends pg.QueryResultRow = pg.QueryResultRow> = {
  readonly name: string;
  readonly text: string;
  /** Rows are found by keys, whatever the values: planned once for each connection. */
  readonly isByKeys?: true;
  readonly row?: Row;
};

/** One writing statement, committed by itself. */
export type Writing = {
  write<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
};

const names = new Set<string>();

/** An interval as it stands in a statement. In seconds: PostgreSQL 14 reads no more than 24 days in ms. */
export const intervalOf = (ms: number): string => `interval '${ms / 1000} s'`;

/** Registers a statement; a name stands for one text, because the server keeps it prepared. */
export function sql<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  how: Pick<Query, 'isByKeys'> = {},
): Query<Row> {
  assert(!names.has(name), `statement ${name} is defined twice`);
  assert(name.length <= 63, `statement name ${name} is too long`);
  assert(!/interval '\d{10}/.test(text), `statement ${name} has an interval beyond PostgreSQL 14`);
  names.add(name);
  return { name, text, ...how };
}
