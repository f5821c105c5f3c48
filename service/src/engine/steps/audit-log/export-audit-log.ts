// The export of the audit log for the operator: from the newest entry to the oldest, page by page.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { listAuditRows, listServiceAuditRows } from '../../../storage/audit-log/audit-lists.ts';
import type { Ports } from '../../ports.ts';
import { showAuditEntry } from './show-audit-entry.ts';

const pageSize = 100;

/** Yields the entries of one merchant, or with `clientId` null those that belong to no merchant. */
export async function* exportAuditLog(
  { database }: Pick<Ports, 'database'>,
  asked: { readonly clientId: string | null; readonly since: Date | null },
): AsyncGenerator<AuditEntry> {
  const { clientId, since } = asked;
  const filters = since
    ? [{ field: 'createdAt', op: 'gte' as const, values: [since.toISOString()] }]
    : [];
  let cursor: string | undefined;
  do {
    const query = {
      page: 1,
      limit: pageSize,
      sortField: 'createdAt',
      sortDirection: 'DESC' as const,
      filters,
      cursor,
    };
    const page = clientId
      ? await listAuditRows(database, clientId, query)
      : await listServiceAuditRows(database, query);
    for (const row of page.rows) yield showAuditEntry(row);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
