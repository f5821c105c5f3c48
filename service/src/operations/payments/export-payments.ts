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
import { sendLines } from '../../engine/steps/reports/send-lines.ts';
import type { Tx } from '../../storage/database/database.ts';
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
  const before = await measureExport(database, wanted, most + 1);
  if (before.rows > most) return say('export_too_large');
  const day = input.filters.find(({ field }) => field === 'createdAt')?.values[0]?.slice(0, 10);
  const told = { of: 'payments', style, timeZone, filters: toldOf(wanted) };
  const record = (tx: Tx, action: 'export.begun' | 'export.made', rowsOf: number) =>
    recordChange(
      tx,
      caller,
      { action, resourceType: 'client', resourceId: clientId, after: { ...told, rows: rowsOf } },
      ports,
    );
  const file: TextFile = {
    type: tableType(style),
    async write(begin) {
      // Committed before the first row: who breaks the connection off has read rows all the same.
      await database.transaction(clientId, (tx) => record(tx, 'export.begun', before.rows));
      await database.transaction(
        clientId,
        async (tx) => {
          const { rows: found, currency } = await measureExport(tx, wanted, most + 1);
          if (found > most) return say('export_too_large');
          const named = ['payments', day ?? null, currency, timeZone, `${found}-rows`];
          const send = begin(fileName(named, { style, isLive }));
          await send(tableHead(paymentHead(columns, { timeZone, currency }), style));
          await readExport(tx, wanted, (page) =>
            sendLines(send, page, (row) => tableLine(columns, paymentCells(columns, row), style)),
          );
          await record(tx, 'export.made', found);
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
  return asked.split(',').map((name, at, all) => {
    // A column given a hundred times would make a hundred times the file.
    if (all.indexOf(name) !== at) {
      const message = `The column ${name} is given twice.`;
      return refuse('invalid_query', { param: 'columns', message });
    }
    const column = paymentColumns.find((known) => known === name);
    if (column) return column;
    const message = `There is no column ${name}; there are ${paymentColumns.join(', ')}.`;
    return refuse('invalid_query', { param: 'columns', message });
  });
}
