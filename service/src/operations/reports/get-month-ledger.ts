import { rows } from '@svc/contract';
import type { TextFile } from '@svc/contract/rows/row';
import { fileName, tableHead, tableLine, tableType } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import {
  ledgerCells,
  ledgerColumns,
  ledgerFields,
  ledgerHead,
} from '../../engine/steps/reports/ledger-lines.ts';
import { findMonth } from '../../engine/steps/reports/month-span.ts';
import { readReportZone } from '../../engine/steps/reports/report-zone.ts';
import { sendLines } from '../../engine/steps/reports/send-lines.ts';
import { takeInBulk } from '../../engine/steps/reports/take-in-bulk.ts';
import { countLedger, readClosedLines, readLedger } from '../../storage/reports/months.ts';

const row = rows.getMonthLedger;

/**
 * Returns the movements of a month, one line each: the stored lines of a closed month; those of an
 * open month are read at one moment. Additions §8. Refuses, in order: invalid_query,
 * export_too_large, recent_sign_in_required.
 */
export const getMonthLedger = implement(row)(async (input, caller, ports) => {
  const server = requireServer(caller);
  const { clientId } = server;
  const { database } = ports;
  const { month, style = 'program' } = input;
  const currency = input.currency ?? null;
  const zone = await readReportZone(database, clientId, input.timeZone);
  const found = await findMonth(database, clientId, { month, timeZone: zone.timeZone });
  const { closing, span, timeZone } = found;
  const columns = closing?.columns ?? ledgerColumns;
  const named = ['ledger', month, currency, timeZone, closing ? 'closed' : null];
  const file: TextFile = {
    type: tableType(style),
    async write(begin) {
      const start = async () => {
        const send = begin(fileName(named, { style, isLive: zone.isLive }));
        await send(tableHead(ledgerHead(columns, { timeZone, currency }), style));
        return (lines: readonly (readonly string[])[]) =>
          sendLines(send, lines, (fields) =>
            tableLine(columns, ledgerCells(columns, fields), style),
          );
      };
      if (closing) {
        const write = await start();
        await readClosedLines(database, { clientId, closingId: closing.id, currency }, write);
        return;
      }
      await database.transaction(
        clientId,
        async (tx) => {
          const write = await start();
          await readLedger(tx, span, { timeZone, currency }, (found) =>
            write(found.map(ledgerFields)),
          );
        },
        ["transaction_isolation = 'repeatable read'"],
      );
    },
  };
  const count = await countLedger(database, { span, closingId: closing?.id ?? null, currency });
  const after = { month, currency, timeZone, style };
  const change = { resourceType: 'month', resourceId: closing?.id ?? month, after };
  const taken = { caller: server, rows: count, change, file };
  return { status: 200, file: takeInBulk(row, taken, ports) };
});
