import { rows } from '@svc/contract';
import {
  mostRows,
  mostRowsOfSmallExport,
  type PaymentColumn,
  paymentColumns,
} from '@svc/contract/exports';
import { may } from '@svc/contract/roles';
import type { Filter, TextFile } from '@svc/contract/row';
import { fileName, tableHead, tableLine, tableType } from '../../domain/reports/table-file.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { writtenOut } from '../../engine/steps/payments/written-out.ts';
import { paymentCells, paymentHead } from '../../engine/steps/reports/payment-cells.ts';
import { readReportZone } from '../../engine/steps/reports/report-zone.ts';
import { measureExport, readExport } from '../../storage/reports/payment-export.ts';

/**
 * A file of the payments that the list's filters select, all read at one moment. Additions §8.
 * Refuses, in order: invalid_query, export_too_large.
 */
export const exportPayments = implement(rows.exportPayments)(async (input, caller, ports, say) => {
  const { database } = ports;
  const { clientId, role } = requireServer(caller);
  const most = may(role, 'exports.large') ? mostRows : mostRowsOfSmallExport;
  const { style = 'program' } = input;
  const columns = readColumns(input.columns);
  const { timeZone, isLive } = await readReportZone(database, clientId, input.timeZone);
  const wanted = { clientId, filters: writtenOut(input), timeZone };
  const { rows: found, currency } = await measureExport(database, wanted, most + 1);
  if (found > most) return say('export_too_large');
  const head = paymentHead(columns, { timeZone, currency });
  const day = input.filters.find(({ field }) => field === 'createdAt')?.values[0]?.slice(0, 10);
  const file: TextFile = {
    name: fileName(['payments', day ?? null, currency, timeZone, `${found}-rows`], {
      style,
      isLive,
    }),
    type: tableType(style),
    async write(send) {
      await send(tableHead(head, style));
      await database.transaction(
        clientId,
        async (tx) => {
          await readExport(tx, wanted, (page) =>
            send(page.map((row) => tableLine(columns, paymentCells(columns, row), style)).join('')),
          );
          const after = { of: 'payments', rows: found, style, timeZone, filters: toldOf(wanted) };
          const made = { action: 'export.made', resourceType: 'client', resourceId: clientId };
          await recordChange(tx, caller, { ...made, after }, ports);
        },
        ["transaction_isolation = 'repeatable read'"],
      );
    },
  };
  return { status: 200, file };
});

/** The filters of the file as the audit log shows them: `status[eq]=failed`. */
const toldOf = ({ filters }: { readonly filters: readonly Filter[] }): string =>
  filters.map(({ field, op, values }) => `${field}[${op}]=${values.join(',')}`).join('&');

function readColumns(asked: string | undefined): readonly PaymentColumn[] {
  if (asked === undefined) return paymentColumns;
  return asked.split(',').map((name) => {
    const column = paymentColumns.find((known) => known === name);
    if (column) return column;
    const message = `There is no column ${name}; there are ${paymentColumns.join(', ')}.`;
    return refuse('invalid_query', { param: 'columns', message });
  });
}
