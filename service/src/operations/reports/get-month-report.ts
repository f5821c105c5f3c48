import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { findMonth } from '../../engine/steps/reports/month-span.ts';
import { readReportZone } from '../../engine/steps/reports/report-zone.ts';
import { showMonth } from '../../engine/steps/reports/show-month.ts';

/**
 * Adds up a month: as it was closed or, while it is open, as it is now. Additions §8. Refuses
 * invalid_query.
 */
export const getMonthReport = implement(rows.getMonthReport)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { month, currency } = input;
  const { timeZone } = await readReportZone(ports.database, clientId, input.timeZone);
  const found = await findMonth(ports.database, clientId, { month, timeZone });
  return { status: 200, body: await showMonth(ports.database, month, { found, currency }) };
});
