import { rows } from '@svc/contract';
import type { TextFile } from '@svc/contract/rows/row';
import { tableType } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { mayReadNames, requireServer } from '../../engine/require-server.ts';
import { nameColumn } from '../../engine/steps/reports/read-file-query.ts';
import { sendText } from '../../engine/steps/reports/send-lines.ts';
import { takeInBulk } from '../../engine/steps/reports/take-in-bulk.ts';
import { findChunk, findExport } from '../../storage/reports/kept-exports.ts';
import { unpackChunk } from '../../storage/reports/packed-chunks.ts';

/**
 * The kept file, piece by piece. Additions §8, Kept files. Refuses, in order: export_not_found, insufficient_scope,
 * export_not_ready, export_too_large, recent_sign_in_required.
 */
export const getExportFile = implement(rows.getExportFile)(async (input, caller, ports, refuse) => {
  const { database } = ports;
  const server = requireServer(caller);
  const { clientId } = server;
  const found = await findExport(database, clientId, input.exportId);
  if (!found) return refuse('export_not_found');
  if (found.columns.split(',').includes(nameColumn) && !mayReadNames(server)) {
    const message = `The file has the column ${nameColumn}, which needs the scope customers:read.`;
    return refuse('insufficient_scope', { message });
  }
  const { id, style, chunks, file_name: name } = found;
  if (found.status !== 'ready' || name === null) return refuse('export_not_ready');
  const file: TextFile = {
    type: tableType(style),
    isKept: true,
    async write(begin) {
      const send = begin(name);
      for (let number = 0; number < chunks; number += 1) {
        const chunk = await findChunk(database, { clientId, id }, number);
        if (!chunk) throw new Error(`export ${id} was deleted while it was read`);
        await sendText(send, await unpackChunk({ clientId, id, number }, chunk, ports.sealed));
      }
    },
  };
  const change = { resourceType: 'export', resourceId: id, after: { fileName: name } };
  const taken = { caller: server, rows: Number(found.rows_total), change, file };
  return { status: 200, file: takeInBulk(rows.getExportFile, taken, ports) };
});
