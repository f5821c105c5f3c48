import assert from 'node:assert';
import type pg from 'pg';

/** A named prepared statement and the shape of its rows. */
export type Query<Row extends pg.QueryResultRow = pg.QueryResultRow> = {
  readonly name: string;
  readonly text: string;
  /** The statement finds rows by key, whatever the values: it is planned once for each connection. */
  readonly isByKeys?: true;
  /** Walks many rows: on sockets apart, so that those who look one row up do not wait behind it. */
  readonly isScan?: true;
  /** May take a minute: its transaction sets the same for the server. */
  readonly isLong?: true;
  readonly row?: Row;
};

/** Runs one writing statement, which commits by itself. */
export type Writing = {
  write<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
};

const names = new Set<string>();

/**
 * Writes an interval for use in a statement. In seconds, because PostgreSQL 14 reads no more than
 * 24 days in ms.
 */
export const intervalOf = (ms: number): string => `interval '${ms / 1000} s'`;

/** Registers a statement. A name belongs to one text, because the server keeps it prepared. */
export function sql<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  how: Pick<Query, 'isByKeys' | 'isLong' | 'isScan'> = {},
): Query<Row> {
  assert(!names.has(name), `statement ${name} is defined twice`);
  assert(name.length <= 63, `statement name ${name} is too long`);
  assert(!/interval '\d{10}/.test(text), `statement ${name} has an interval beyond PostgreSQL 14`);
  names.add(name);
  return { name, text, ...how };
}
