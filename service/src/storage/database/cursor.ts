// Many rows, read a few hundred at a time by a cursor of the transaction.

import type { Filter } from '@svc/contract/rows/row';
import type pg from 'pg';
import type { Database, Tx } from './database.ts';
import { type BindParameter, parseFilters } from './list-filters.ts';
import type { ListTable } from './lists.ts';
import { type Query, sql } from './sql.ts';

// Not kept prepared: what it answers depends on the cursor that is open.
const next: Query = { name: '', text: 'fetch 200 from rows', isLong: true };
const patience = sql('cursor.patience', `set local statement_timeout = '60s'`);

/** Lets the statements of the transaction take as long as a walk over many rows needs. */
export async function allowLongReads(tx: Tx): Promise<void> {
  await tx.query(patience, []);
}

/** Opens the one cursor of the transaction, and passes the rows on in the order of the statement. */
export async function readInPieces<Row extends pg.QueryResultRow>(
  tx: Tx,
  { name, text }: Query<Row>,
  values: readonly unknown[],
  each: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  await allowLongReads(tx);
  await tx.query({ name, text: `declare rows no scroll cursor for ${text}` }, values);
  for (;;) {
    const rows = await tx.query(next as Query<Row>, []);
    if (rows.length === 0) return;
    await each(rows);
  }
}

/** The rows of one merchant's list that a file has. */
export type FileRows = { readonly clientId: string; readonly filters: readonly Filter[] };

export type ListFile<Row> = {
  /** Counts the rows, up to `most`. */
  readonly count: (via: Database | Tx, wanted: FileRows, most: number) => Promise<number>;
  /** Reads the rows and passes them on, a few hundred at a time. */
  readonly read: (
    tx: Tx,
    wanted: FileRows,
    each: (rows: readonly Row[]) => Promise<void>,
  ) => Promise<void>;
};

/** Makes the file of a list's table: all rows that match, the newest first. Throws `invalid_query` for fields that the table does not offer. */
export function defineListFile<Row extends pg.QueryResultRow>(table: ListTable): ListFile<Row> {
  const conditionOf = ({ clientId, filters }: FileRows, bind: BindParameter): string =>
    [
      `${table.tenant} = ${bind(clientId)}::uuid`,
      ...parseFilters(table.filters, filters).map((predicate) => predicate.write(bind)),
    ].join(' and ');
  const newest = table.sorts.createdAt?.sql ?? table.key.sql;
  return {
    async count(via, wanted, most) {
      const values: unknown[] = [];
      const bind: BindParameter = (value) => `$${values.push(value)}`;
      const text = `select count(*)::int as rows from (
        select from ${table.from} where ${conditionOf(wanted, bind)} limit ${bind(most)}::bigint) rows`;
      const query: Query<{ rows: number }> = { name: '', text, isScan: true };
      const [row] = await ('read' in via ? via.read(query, values) : via.query(query, values));
      return row?.rows ?? 0;
    },
    async read(tx, wanted, each) {
      const values: unknown[] = [];
      const bind: BindParameter = (value) => `$${values.push(value)}`;
      const text = `
        select page.*${table.joins ? ', more.*' : ''} from (
          select ${table.columns}, ${newest} as list_sort, ${table.key.sql} as list_key
          from ${table.from} where ${conditionOf(wanted, bind)}) page ${table.joins ?? ''}
        order by page.list_sort desc, page.list_key desc`;
      await readInPieces<Row>(tx, { name: '', text }, values, each);
    },
  };
}
