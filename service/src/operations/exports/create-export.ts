import { rows } from '@svc/contract';
import { keptDays, mostKeptFiles, mostUnfinishedFiles } from '@svc/contract/reports/exports';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { readFileQuery } from '../../engine/steps/reports/read-file-query.ts';
import { showExport } from '../../engine/steps/reports/show-export.ts';
import { mostRowsFor } from '../../engine/steps/reports/take-in-bulk.ts';
import { fileFacts } from '../../engine/steps/reports/write-payment-file.ts';
import { insertExport } from '../../storage/reports/kept-exports.ts';
import { measureExport } from '../../storage/reports/payment-export.ts';

const limitWords = {
  unfinished: `${mostUnfinishedFiles} files are being made, which is the most at once. Wait until one is ready, or delete one that is being made.`,
  kept: `${mostKeptFiles} files are kept, which is the most. Delete one first; each is deleted ${keptDays} days after it was made.`,
} as const;

/**
 * Has a file of payments made by a worker. Additions §8, Kept files. The same request by the same person returns
 * the file of the first one until that is finished. Refuses, in order: invalid_query, insufficient_scope,
 * export_too_large, export_limit_reached.
 */
export const createExport = implement(rows.createExport)(async (input, caller, ports, refuse) => {
  const { database } = ports;
  const server = requireServer(caller);
  const { clientId, userId } = server;
  const { wanted, columns, style } = await readFileQuery(input, server, database);
  const mostRows = mostRowsFor(rows.getExportFile, server);
  if (mostRows !== null) {
    const { rows: found } = await measureExport(database, wanted, mostRows + 1);
    if (found > mostRows) return refuse('export_too_large');
  }
  const added = await database.transaction(clientId, async (tx) => {
    const { filters, timeZone } = wanted;
    const file = { filters, timeZone, columns, style, mostRows };
    const found = await insertExport(tx, { id: ports.newId(), clientId, userId, ...file });
    if ('limit' in found) {
      return refuse('export_limit_reached', { message: limitWords[found.limit] });
    }
    if (found.isNew) {
      const change = { action: 'export.begun', resourceType: 'export', resourceId: found.row.id };
      await recordChange(tx, caller, { ...change, after: fileFacts({ wanted, style }) }, ports);
    }
    return found.row;
  });
  ports.nudge('make-exports');
  return { status: 202, body: showExport(added) };
});
