import type { Export, PaymentColumn } from '@svc/contract/reports/exports';
import { may } from '@svc/contract/rows/roles';
import { lacksRole } from '../../../domain/people/lacks-role.ts';
import { translateAuthor } from '../../../storage/people/authors.ts';
import type { ExportFileRow } from '../../../storage/reports/kept-exports.ts';
import type { ServerCaller } from '../../require-server.ts';
import { filtersAsQuery } from './write-payment-file.ts';

/** The kept file as callers see it. Additions §8, Kept files. */
export const showExport = (row: ExportFileRow): Export => ({
  id: row.id,
  object: 'export',
  clientId: row.client_id,
  of: 'payments',
  status: row.status,
  filters: filtersAsQuery(row.filters),
  columns: row.columns.split(',') as PaymentColumn[],
  style: row.style,
  timeZone: row.time_zone,
  rows: Number(row.rows_written),
  rowsTotal: row.rows_total === null ? null : Number(row.rows_total),
  bytes: row.status === 'ready' ? Number(row.bytes) : null,
  fileName: row.file_name,
  month: row.month,
  failure: row.failure,
  author: translateAuthor(row),
  createdAt: row.created_at.toISOString(),
  startedAt: row.started_at?.toISOString() ?? null,
  finishedAt: row.finished_at?.toISOString() ?? null,
  keptUntil: row.kept_until?.toISOString() ?? null,
});

/** Throws merchant_role_required for a person who is neither the author nor may make large ones. */
export function requireFileOwner(row: ExportFileRow, { role, userId }: ServerCaller): void {
  if (row.author_id === userId || may(role, 'exports.large')) return;
  throw lacksRole('exports.large');
}
