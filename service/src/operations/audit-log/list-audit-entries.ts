import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showAuditEntry } from '../../engine/steps/audit-log/show-audit-entry.ts';
import { listAuditRows } from '../../storage/audit-log/audit-lists.ts';

/** Lists the merchant's audit entries. Contract §6. Refuses merchant_role_required, invalid_query. */
export const listAuditEntries = implement(rows.listAuditEntries)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller, rows.listAuditEntries);
  const { rows: found, ...page } = await listAuditRows(ports.database, clientId, input);
  return { status: 200, body: { data: found.map(showAuditEntry), ...page } };
});
