import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showExport } from '../../engine/steps/reports/show-export.ts';
import { findExport } from '../../storage/reports/kept-exports.ts';

/** How far a kept file is. Additions §8, Kept files. Refuses export_not_found. */
export const getExport = implement(rows.getExport)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const found = await findExport(ports.database, clientId, input.exportId);
  if (!found) return refuse('export_not_found');
  return { status: 200, body: showExport(found) };
});
