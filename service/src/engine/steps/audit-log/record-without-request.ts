import { type Actor, appendAuditEntry } from '../../../storage/audit-log/audit-entries.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import type { Change } from './record-change.ts';

type NewId = Pick<Ports, 'newId'>;

const withoutPerson = { userId: null, credentialId: null, applicationId: null };

/** Records a change that no request made, in the transaction that makes it. */
async function recordAs(tx: Tx, actor: Actor, change: Change, ports: NewId): Promise<void> {
  const { action, resourceType, resourceId } = change;
  await appendAuditEntry(tx, {
    ...{ action, resourceType, resourceId, actor },
    id: ports.newId(),
    clientId: change.clientId ?? null,
    userId: change.userId ?? null,
    before: change.before ?? null,
    after: change.after ?? null,
    requestId: null,
    address: null,
    userAgent: null,
  });
}

/** Records a change made at the service's own command line. */
export const recordOperatorChange = (tx: Tx, change: Change, ports: NewId): Promise<void> =>
  recordAs(tx, { kind: 'operator', ...withoutPerson }, change, ports);

/** Writes an audit entry for a finding or a change of the service itself. */
export const recordOwnChange = (tx: Tx, change: Change, ports: NewId): Promise<void> =>
  recordAs(tx, { kind: 'system', ...withoutPerson }, change, ports);

/** Writes an audit entry for a change that a worker made on an earlier request of a person. */
export const recordChangeFor = (
  tx: Tx,
  userId: string,
  change: Change,
  ports: NewId,
): Promise<void> => recordAs(tx, { kind: 'person', ...withoutPerson, userId }, change, ports);
