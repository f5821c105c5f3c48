import { rows } from '@svc/contract';
import { listAuditRows } from '../../storage/audit-lists.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showAuditEntry } from './show-audit-entry.ts';

/** Lists who did what at the merchant. Contract §6. Refuses merchant_role_required, invalid_query. */
export const listAuditEntries = implement(rows.listAuditEntries)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller, 'admin');
  const { rows: found, ...page } = await listAuditRows(ports.database, clientId, input);
  return { status: 200, body: { data: found.map(showAuditEntry), ...page } };
});
