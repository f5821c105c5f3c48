import type { ExportSchedule } from '@svc/contract/reports/export-schedules';
import type { PaymentColumn } from '@svc/contract/reports/exports';
import { translateAuthor } from '../../../storage/people/authors.ts';
import type { ExportScheduleRow } from '../../../storage/reports/export-schedules.ts';
import { filtersAsQuery } from './write-payment-file.ts';

/** The schedule as callers see it. Additions §8, Monthly files. */
export const showExportSchedule = (row: ExportScheduleRow): ExportSchedule => ({
  id: row.id,
  object: 'export_schedule',
  clientId: row.client_id,
  of: 'payments',
  filters: filtersAsQuery(row.filters),
  columns: row.columns.split(',') as PaymentColumn[],
  style: row.style,
  nextMonth: row.month,
  nextAt: row.due_at.toISOString(),
  author: translateAuthor(row),
  createdAt: row.created_at.toISOString(),
});
