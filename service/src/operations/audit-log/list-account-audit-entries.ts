import { rows } from '@svc/contract';
import { listAccountAuditRows } from '../../storage/audit-lists.ts';
import { implement } from '../implement.ts';
import { requirePerson } from '../people/require-person.ts';
import { showAuditEntry } from './show-audit-entry.ts';

/** Lists what happened to the person's own account. Contract §6. Refuses invalid_query. */
export const listAccountAuditEntries = implement(rows.listAccountAuditEntries)(
  async (input, caller, ports) => {
    const { userId } = requirePerson(caller);
    const { rows: found, ...page } = await listAccountAuditRows(ports.database, userId, input);
    return { status: 200, body: { data: found.map(showAuditEntry), ...page } };
  },
);
