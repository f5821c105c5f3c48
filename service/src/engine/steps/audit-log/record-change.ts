import { type Actor, appendAuditEntry } from '../../../storage/audit-log/audit-entries.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';

/** An audit entry's description of a change. It never contains a secret nor a digest of one. */
export type Change = {
  /** In the form noun.verb_in_past, such as `member.role_changed`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** The person whose account or membership the change is about. */
  readonly userId?: string;
  /**
   * The client that the entry belongs to, where the caller has none; a change to a person's own
   * account belongs to no client.
   */
  readonly clientId?: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
};

const actors = { token: 'api_token', oauth: 'oauth', person: 'person' } as const;

function actorOf(caller: Caller): Actor {
  if (caller.kind === 'server') {
    const { via, userId, tokenId, applicationId = null } = caller;
    return { kind: actors[via], userId, credentialId: tokenId, applicationId };
  }
  if (caller.kind === 'person') {
    const { userId, signInId } = caller;
    return { kind: 'person', userId, credentialId: signInId, applicationId: null };
  }
  if (caller.kind === 'customer') {
    const { maker, pageId, userId: customerId } = caller;
    const { userId = null } = maker ?? {};
    return { kind: 'customer', userId, credentialId: pageId, applicationId: null, customerId };
  }
  return { kind: 'anonymous', userId: null, credentialId: null, applicationId: null };
}

/** Writes the change into the audit log, in the transaction that makes it. Contract §6. */
export async function recordChange(
  tx: Tx,
  caller: Caller,
  change: Change,
  ports: Pick<Ports, 'newId'>,
): Promise<void> {
  const ofCaller = 'clientId' in caller ? caller.clientId : null;
  await appendAuditEntry(tx, {
    id: ports.newId(),
    clientId: change.clientId ?? ofCaller,
    userId: change.userId ?? null,
    actor: actorOf(caller),
    action: change.action,
    resourceType: change.resourceType,
    resourceId: change.resourceId,
    before: change.before ?? null,
    after: change.after ?? null,
    requestId: caller.requestId,
    address: caller.address ?? null,
    userAgent: caller.userAgent ?? null,
  });
}
