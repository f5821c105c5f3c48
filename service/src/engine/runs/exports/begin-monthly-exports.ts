// Begins the files of months that have ended: one for each schedule and month. Additions §8, Monthly files;
// docs/decisions/reports.md.

import type { Filter } from '@svc/contract/rows/row';
import {
  type DueSchedule,
  listDueSchedules,
  takeDueMonth,
} from '../../../storage/reports/export-schedules.ts';
import { insertMonthlyExport } from '../../../storage/reports/kept-exports.ts';
import type { Ports } from '../../ports.ts';
import { recordOwnChange } from '../../steps/audit-log/record-without-request.ts';
import { fileFacts } from '../../steps/reports/write-payment-file.ts';

type Pass = {
  readonly onError: (clientId: string, error: unknown) => void;
};

const step = 50;

/**
 * Makes one pass; returns how many files it began. The month is taken in the transaction that adds its file, so
 * that each has one file, however many processes look and however often they are stopped. A service that was
 * down for months takes one after the other.
 */
export async function beginMonthlyExports(
  ports: Pick<Ports, 'database' | 'newId'>,
  { onError }: Pass,
): Promise<number> {
  let begun = 0;
  for (const { id, client_id: clientId } of await listDueSchedules(ports.database, step)) {
    try {
      if (await beginMonth(clientId, id, ports)) begun += 1;
    } catch (error) {
      onError(clientId, error);
    }
  }
  return begun;
}

const beginMonth = (
  clientId: string,
  scheduleId: string,
  ports: Pick<Ports, 'database' | 'newId'>,
): Promise<boolean> =>
  ports.database.transaction(clientId, async (tx) => {
    const due = await takeDueMonth(tx, clientId, scheduleId);
    if (!due) return false;
    const { style, month, author_id: userId, time_zone: timeZone } = due;
    const filters = [...due.filters, ...daysOf(due)];
    const id = ports.newId();
    const columns = due.columns.split(',');
    const file = { filters, columns, style, timeZone, mostRows: null, month };
    await insertMonthlyExport(tx, { id, clientId, userId, ...file });
    const after = { ...fileFacts({ wanted: { clientId, filters, timeZone }, style }), month };
    const change = { action: 'export.begun', resourceType: 'export', resourceId: id };
    await recordOwnChange(tx, { ...change, clientId, after }, ports);
    return true;
  });

const daysOf = ({ begins_at, ends_at }: DueSchedule): Filter[] => [
  { field: 'createdAt', op: 'gte', values: [begins_at.toISOString()] },
  { field: 'createdAt', op: 'lt', values: [ends_at.toISOString()] },
];
