import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { showAuditEntry } from '../../engine/steps/audit-log/show-audit-entry.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { listAccountAuditRows } from '../../storage/audit-log/audit-lists.ts';

/** Lists the audit entries about the person's own account. Contract §6. Refuses invalid_query. */
export const listAccountAuditEntries = implement(rows.listAccountAuditEntries)(
  async (input, caller, ports) => {
    const { userId } = requirePerson(caller);
    const { rows: found, ...page } = await listAccountAuditRows(ports.database, userId, input);
    return { status: 200, body: { data: found.map(showAuditEntry), ...page } };
  },
);
