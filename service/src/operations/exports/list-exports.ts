import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showExport } from '../../engine/steps/reports/show-export.ts';
import { listExportRows } from '../../storage/reports/kept-exports.ts';

/** Lists the merchant's kept files and those being made. Additions §8, Kept files. */
export const listExports = implement(rows.listExports)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listExportRows(ports.database, clientId, input);
  return { status: 200, body: { data: found.map(showExport), ...page } };
});
