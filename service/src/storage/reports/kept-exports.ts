// The tables `exports` and `export_chunks`: files of payments that a worker makes. Additions §8, Kept files.

import {
  type ExportFailure,
  type ExportStatus,
  mostKeptFiles,
  mostUnfinishedFiles,
} from '@svc/contract/reports/exports';
import type { Filter } from '@svc/contract/rows/row';
import type { TableStyle } from '../../domain/reports/table-file.ts';
import type { Database, Tx } from '../database/database.ts';
import { defineList, type ListQuery, type Page } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { type AuthoredRow, joinAuthor } from '../people/authors.ts';

export type ExportFileRow = AuthoredRow & {
  readonly id: string;
  readonly client_id: string;
  readonly status: ExportStatus;
  readonly filters: readonly Filter[];
  /** Names of columns with commas between them. */
  readonly columns: string;
  readonly style: TableStyle;
  readonly time_zone: string;
  readonly rows_total: string | null;
  readonly rows_written: string;
  readonly chunks: number;
  readonly bytes: string;
  readonly file_name: string | null;
  readonly failure: ExportFailure | null;
  /** `2026-11`: the month of a file that was made by itself. */
  readonly month: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly kept_until: Date | null;
};

const columns = `e.id, e.client_id, e.author_id, e.status, e.filters, e.columns, e.style, e.time_zone,
  e.rows_total::text, e.rows_written::text, e.chunks, e.bytes::text, e.file_name, e.failure,
  e.created_at, e.started_at, e.finished_at, e.kept_until, to_char(e.month, 'YYYY-MM') as month`;

const isUnfinished = `e.status in ('waiting', 'running')`;

const listRows = defineList<ExportFileRow>({
  name: 'exports.list',
  from: 'exports e',
  columns,
  joins: `left ${joinAuthor('page')}`,
  tenant: 'e.client_id',
  key: { sql: 'e.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'e.created_at', kind: 'instant' } },
  filters: {
    status: { sql: 'e.status', kind: 'text' },
    createdAt: { sql: 'e.created_at', kind: 'instant' },
  },
});

export const listExportRows = (
  database: Database,
  clientId: string,
  query: ListQuery,
): Promise<Page<ExportFileRow>> => listRows(database, clientId, query);

const find = sql<ExportFileRow>(
  'exports.find',
  `select ${columns}, more.* from exports e ${joinAuthor('e')} where e.client_id = $1 and e.id = $2`,
);

export async function findExport(
  database: Database,
  clientId: string,
  id: string,
): Promise<ExportFileRow | undefined> {
  const [row] = await database.read(find, [clientId, id]);
  return row;
}

const lockMaking = sql(
  'exports.lock_making',
  "select pg_advisory_xact_lock(hashtextextended('exports ' || $1::text, 0))",
);

/** Locks the making of the merchant's files until the transaction ends. */
export async function lockExports(tx: Tx, clientId: string): Promise<void> {
  await tx.query(lockMaking, [clientId]);
}

const count = sql<{ kept: number; unfinished: number }>(
  'exports.count',
  `select count(*)::int as kept, count(*) filter (where ${isUnfinished})::int as unfinished
   from exports e where e.client_id = $1`,
);

export type NewExport = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly filters: readonly Filter[];
  readonly columns: readonly string[];
  readonly style: TableStyle;
  readonly timeZone: string;
  readonly mostRows: number | null;
};

const findSame = sql<ExportFileRow>(
  'exports.find_same',
  `select ${columns}, more.* from exports e ${joinAuthor('e')}
   where e.client_id = $1 and e.author_id = $2 and e.filters = $3::jsonb and e.columns = $4
     and e.style = $5 and e.time_zone = $6 and e.most_rows is not distinct from $7::bigint
     and ${isUnfinished} limit 1`,
);

const insert = sql<ExportFileRow>(
  'exports.insert',
  `with e as (
     insert into exports (client_id, author_id, filters, columns, style, time_zone, most_rows, id,
       created_at)
     values ($1, $2, $3::jsonb, $4, $5, $6, $7, $8, svc_clock()) returning *)
   select ${columns}, more.* from e ${joinAuthor('e')}`,
);

type AddedExport =
  | { readonly row: ExportFileRow; readonly isNew: boolean }
  /** As many files are being made, or are kept, as are permitted. */
  | { readonly limit: 'unfinished' | 'kept' };

/**
 * Adds a file to be made. Returns the unfinished one when the same person asked for the same file just before,
 * and the limit that is reached when the merchant has as many files as are permitted.
 */
export async function insertExport(tx: Tx, wanted: NewExport): Promise<AddedExport> {
  const { clientId, userId, style, timeZone, mostRows } = wanted;
  await lockExports(tx, clientId);
  const filters = JSON.stringify(wanted.filters);
  const columnNames = wanted.columns.join();
  const file = [clientId, userId, filters, columnNames, style, timeZone, mostRows];
  const [same] = await tx.query(findSame, file);
  if (same) return { row: same, isNew: false };
  const [counts] = await tx.query(count, [clientId]);
  const { kept = 0, unfinished = 0 } = counts ?? {};
  if (unfinished >= mostUnfinishedFiles) return { limit: 'unfinished' };
  if (kept >= mostKeptFiles) return { limit: 'kept' };
  const [row] = await tx.query(insert, [...file, wanted.id]);
  if (!row) throw new Error('a file has its author');
  return { row, isNew: true };
}

const insertMonthly = sql(
  'exports.insert_monthly',
  `insert into exports (id, client_id, author_id, filters, columns, style, time_zone, most_rows,
     month, created_at)
   values ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, ($9 || '-01')::date, svc_clock())`,
);

/** Adds the file of a month, beside the files that people may keep. */
export async function insertMonthlyExport(
  tx: Tx,
  wanted: NewExport & { readonly month: string },
): Promise<void> {
  const { id, clientId, userId, style, timeZone, mostRows, month } = wanted;
  const file = [JSON.stringify(wanted.filters), wanted.columns.join(), style, timeZone, mostRows];
  await tx.query(insertMonthly, [id, clientId, userId, ...file, month]);
}

const remove = sql(
  'exports.delete',
  'delete from exports where client_id = $1 and id = $2 returning true as is_deleted',
);

/**
 * Deletes a file with its record; a worker that makes it stops at its next chunk. Returns false when it was
 * deleted before.
 */
export async function deleteExportRow(tx: Tx, clientId: string, id: string): Promise<boolean> {
  return (await tx.query(remove, [clientId, id])).length > 0;
}

const readChunk = sql<{ sealed: Buffer }>(
  'exports.read_chunk',
  `select sealed from export_chunks where client_id = $1 and export_id = $2 and number = $3`,
);

/** Returns undefined for a chunk of a file that was deleted meanwhile. */
export async function findChunk(
  database: Database,
  { clientId, id }: { readonly clientId: string; readonly id: string },
  number: number,
): Promise<Buffer | undefined> {
  const [row] = await database.read(readChunk, [clientId, id, number]);
  return row?.sealed;
}
