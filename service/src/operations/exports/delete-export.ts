import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { requireFileOwner } from '../../engine/steps/reports/show-export.ts';
import { deleteExportRow, findExport } from '../../storage/reports/kept-exports.ts';

/**
 * Stops the making of a file, or deletes a kept one. Additions §8, Kept files. Refuses, in order:
 * export_not_found, merchant_role_required.
 */
export const deleteExport = implement(rows.deleteExport)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller);
  const { clientId } = server;
  const found = await findExport(ports.database, clientId, input.exportId);
  if (!found) return refuse('export_not_found');
  requireFileOwner(found, server);
  await ports.database.transaction(clientId, async (tx) => {
    // Of two calls at once only one deletes the file and writes the audit entry.
    if (!(await deleteExportRow(tx, clientId, found.id))) return refuse('export_not_found');
    const before = { status: found.status, fileName: found.file_name };
    const change = { action: 'export.deleted', resourceType: 'export', resourceId: found.id };
    await recordChange(tx, caller, { ...change, before }, ports);
  });
  return { status: 204 };
});
