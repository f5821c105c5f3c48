import { type Actor, appendAuditEntry } from '../../../storage/accounts/audit-entries.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import type { Change } from './record-change.ts';

const operator: Actor = {
  kind: 'operator',
  userId: null,
  credentialId: null,
  applicationId: null,
};

/** Records a change made at the service's own command line, in the transaction that makes it. */
export async function recordOperatorChange(
  tx: Tx,
  change: Change,
  ports: Pick<Ports, 'newId'>,
): Promise<void> {
  const { action, resourceType, resourceId } = change;
  await appendAuditEntry(tx, {
    ...{ action, resourceType, resourceId },
    id: ports.newId(),
    clientId: change.clientId ?? null,
    userId: change.userId ?? null,
    actor: operator,
    before: change.before ?? null,
    after: change.after ?? null,
    requestId: null,
    address: null,
    userAgent: null,
  });
}
