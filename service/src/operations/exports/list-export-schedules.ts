import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showExportSchedule } from '../../engine/steps/reports/show-export-schedule.ts';
import { listScheduleRows } from '../../storage/reports/export-schedules.ts';

/** Lists the files that are made each month. Additions §8, Monthly files. */
export const listExportSchedules = implement(rows.listExportSchedules)(
  async (input, caller, ports) => {
    const { clientId } = requireServer(caller);
    const { rows: found, ...page } = await listScheduleRows(ports.database, clientId, input);
    return { status: 200, body: { data: found.map(showExportSchedule), ...page } };
  },
);
