// Many rows, read a few hundred at a time by a cursor of the transaction.

import type pg from 'pg';
import type { Tx } from './database.ts';
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
