import { rows } from '@svc/contract';
import { mostRows, mostRowsOfSmallExport } from '@svc/contract/reports/export-limits';
import { may } from '@svc/contract/rows/roles';
import type { TextFile } from '@svc/contract/rows/row';
import { tableType } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { readFileQuery } from '../../engine/steps/reports/read-file-query.ts';
import {
  fileFacts,
  paymentFileName,
  writePaymentFile,
} from '../../engine/steps/reports/write-payment-file.ts';
import type { Tx } from '../../storage/database/database.ts';
import { measureExport } from '../../storage/reports/payment-export.ts';

/**
 * A file of the payments that the list's filters select, all read at one moment. Additions §8.
 * Refuses, in order: invalid_query, export_too_large.
 */
export const exportPayments = implement(rows.exportPayments)(
  async (input, caller, ports, refuse) => {
    const { database } = ports;
    const { clientId, role } = requireServer(caller);
    const most = may(role, 'exports.large') ? mostRows : mostRowsOfSmallExport;
    const wantedFile = await readFileQuery(input, clientId, database);
    const before = await measureExport(database, wantedFile.wanted, most + 1);
    if (before.rows > most) return refuse('export_too_large');
    const record = (tx: Tx, action: 'export.begun' | 'export.made', count: number) => {
      const after = { ...fileFacts(wantedFile), rows: count };
      const change = { action, resourceType: 'client', resourceId: clientId, after };
      return recordChange(tx, caller, change, ports);
    };
    const file: TextFile = {
      type: tableType(wantedFile.style),
      async write(begin) {
        // Committed before the first row, because a caller who breaks the connection has read rows too.
        await database.transaction(clientId, (tx) => record(tx, 'export.begun', before.rows));
        await database.transaction(
          clientId,
          async (tx) => {
            const found = await measureExport(tx, wantedFile.wanted, most + 1);
            if (found.rows > most) return refuse('export_too_large');
            const send = begin(paymentFileName(wantedFile, found));
            await writePaymentFile(tx, { ...wantedFile, currency: found.currency }, { send });
            await record(tx, 'export.made', found.rows);
          },
          ["transaction_isolation = 'repeatable read'"],
        );
      },
    };
    return { status: 200, file };
  },
);
