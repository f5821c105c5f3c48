import { rows } from '@svc/contract';
import { paymentColumns } from '@svc/contract/reports/exports';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { readColumns, readFileFilters } from '../../engine/steps/reports/read-file-query.ts';
import { showExportSchedule } from '../../engine/steps/reports/show-export-schedule.ts';
import { filtersAsQuery } from '../../engine/steps/reports/write-payment-file.ts';
import { insertSchedule } from '../../storage/reports/export-schedules.ts';

const row = rows.createExportSchedule;

/**
 * Has a file made by itself after each month. Additions §8, Monthly files. The same file once more returns the
 * schedule that is there. Refuses, in order: merchant_role_required, insufficient_scope, raw_card_data_forbidden, invalid_query for a
 * filter by days, export_schedule_limit_reached.
 */
export const createExportSchedule = implement(row)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller, row);
  const { clientId, userId } = server;
  const filters = readFileFilters(input, server);
  if (filters.some(({ field }) => field === 'createdAt')) {
    const message = 'Each file has the payments of its own month: leave createdAt out.';
    return refuse('invalid_query', { param: 'createdAt', message });
  }
  const columns = readColumns(input.columns, paymentColumns, server);
  const style = input.style ?? 'program';
  const added = await ports.database.transaction(clientId, async (tx) => {
    const wanted = { id: ports.newId(), clientId, userId, filters, columns, style };
    const found = await insertSchedule(tx, wanted);
    if (!found) return refuse('export_schedule_limit_reached');
    if (found.isNew) {
      const after = { of: 'payments', style, filters: filtersAsQuery(filters) };
      const resource = { resourceType: 'export_schedule', resourceId: found.row.id };
      await recordChange(tx, caller, { action: 'export.scheduled', ...resource, after }, ports);
    }
    return found.row;
  });
  return { status: 201, body: showExportSchedule(added) };
});
