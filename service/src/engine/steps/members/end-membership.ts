import type { Tx } from '../../../storage/database/database.ts';
import {
  hasAnotherOwner,
  type Member,
  removeMembership,
} from '../../../storage/members/memberships.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { endCredentials } from './end-credentials.ts';
import { notifyOwners } from './notify-owners.ts';

/** Reads the token ids of a query parameter. */
export const readAgreed = (tokenIds: string | undefined): ReadonlySet<string> =>
  new Set(tokenIds?.toLowerCase().split(','));

type EndRequest = {
  readonly clientId: string;
  readonly clientName: string;
  readonly member: Member;
  /** Ids of the tokens that the caller has agreed to revoke. */
  readonly agreed: ReadonlySet<string>;
  readonly action: 'member.removed' | 'member.left';
};

/**
 * Ends the membership of a locked member under the client's lock, and its credentials. Refuses
 * last_owner, then member_has_tokens unless every active token was named.
 * Every owner is told where the member was one.
 */
export async function endMembership(
  tx: Tx,
  { clientId, clientName, member, agreed, action }: EndRequest,
  { by, ports }: { readonly by: Caller; readonly ports: Ports },
): Promise<void> {
  const { userId, role, email } = member;
  if (role === 'owner' && !(await hasAnotherOwner(tx, clientId, userId))) {
    return refuse('last_owner');
  }
  const ended = await endCredentials(tx, { clientId, userId, agreed }, { by, ports });
  await removeMembership(tx, clientId, userId);
  const change = {
    action,
    resourceType: 'member',
    resourceId: userId,
    userId,
    clientId,
    before: { role, email, ...ended },
  };
  await recordChange(tx, by, change, ports);
  await notifyOwners(tx, { clientId, clientName, email, from: role, to: null }, { by, ports });
}
