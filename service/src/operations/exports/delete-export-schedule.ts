import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { filtersAsQuery } from '../../engine/steps/reports/write-payment-file.ts';
import { deleteSchedule } from '../../storage/reports/export-schedules.ts';

const row = rows.deleteExportSchedule;

/**
 * Ends the making of a file each month; a file that was begun is made all the same. Additions §8, Monthly files.
 * Refuses, in order: merchant_role_required, export_schedule_not_found.
 */
export const deleteExportSchedule = implement(row)(
  async ({ exportScheduleId: id }, caller, ports, refuse) => {
    const { clientId } = requireServer(caller, row);
    await ports.database.transaction(clientId, async (tx) => {
      const ended = await deleteSchedule(tx, clientId, id);
      if (!ended) return refuse('export_schedule_not_found');
      const { style, filters, month } = ended;
      const before = { of: 'payments', style, filters: filtersAsQuery(filters), nextMonth: month };
      const resource = { resourceType: 'export_schedule', resourceId: id };
      await recordChange(tx, caller, { action: 'export.unscheduled', ...resource, before }, ports);
    });
    return { status: 204 };
  },
);
