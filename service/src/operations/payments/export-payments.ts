import { rows } from '@svc/contract';
import { mostRows } from '@svc/contract/reports/export-limits';
import type { TextFile } from '@svc/contract/rows/row';
import { tableType } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { readFileQuery } from '../../engine/steps/reports/read-file-query.ts';
import { mostRowsFor, takeInBulk } from '../../engine/steps/reports/take-in-bulk.ts';
import {
  fileFacts,
  paymentFileName,
  writePaymentFile,
} from '../../engine/steps/reports/write-payment-file.ts';
import { measureExport } from '../../storage/reports/payment-export.ts';

/**
 * A file of the payments that the list's filters select, all read at one moment. Additions §8.
 * Refuses, in order: invalid_query, insufficient_scope, export_too_large, recent_sign_in_required.
 */
export const exportPayments = implement(rows.exportPayments)(
  async (input, caller, ports, refuse) => {
    const { database } = ports;
    const server = requireServer(caller);
    const { clientId } = server;
    const most = mostRowsFor(rows.exportPayments, server) ?? mostRows;
    const wantedFile = await readFileQuery(input, server, database);
    const before = await measureExport(database, wantedFile.wanted, most + 1);
    const facts = fileFacts(wantedFile);
    const change = { resourceType: 'client', resourceId: clientId, after: facts };
    const file: TextFile = {
      type: tableType(wantedFile.style),
      async write(begin) {
        await database.transaction(
          clientId,
          async (tx) => {
            const found = await measureExport(tx, wantedFile.wanted, most + 1);
            if (found.rows > most) return refuse('export_too_large');
            const send = begin(paymentFileName(wantedFile, found));
            await writePaymentFile(tx, { ...wantedFile, currency: found.currency }, { send });
            const after = { ...facts, rows: found.rows };
            await recordChange(tx, caller, { ...change, action: 'export.made', after }, ports);
          },
          ["transaction_isolation = 'repeatable read'"],
        );
      },
    };
    const taken = { caller: server, rows: before.rows, change, file };
    return { status: 200, file: takeInBulk(rows.exportPayments, taken, ports) };
  },
);
