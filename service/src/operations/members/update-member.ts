import { may } from '@svc/contract/rows/roles';
import { updateMember as row } from '@svc/contract/settings/members';
import { implement, refuse } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { endCredentials } from '../../engine/steps/members/end-credentials.ts';
import { lockPeople } from '../../engine/steps/members/lock-people.ts';
import { notifyOwners } from '../../engine/steps/members/notify-owners.ts';
import { showMember } from '../../engine/steps/members/show-member.ts';
import {
  hasAnotherOwner,
  lockMember,
  updateMemberRole,
} from '../../storage/members/memberships.ts';
import { postponeDigest } from '../../storage/notifications/notifications.ts';

/**
 * Changes a member's role, from the member's next request on. Contract §6. Refuses, in order:
 * merchant_role_required, member_not_found, merchant_role_required where an owner is concerned, and of
 * a program that makes one, last_owner, member_has_tokens where the new role has none. Every owner is told
 * where an owner is made or changed. The role that it is already: nothing is written.
 */
export const updateMember = implement(row)(async ({ userId, body }, caller, ports) => {
  const server = requireServer(caller, row);
  const { clientId } = server;
  const { role, tokenIds = [] } = body;
  const member = await ports.database.transaction(clientId, async (tx) => {
    const people = await lockPeople(tx, server);
    const found = await lockMember(tx, clientId, userId);
    if (!found) return refuse('member_not_found');
    people.assertMay({ from: found.role, to: role });
    if (found.role === role) return found;
    const isOwnerLess = found.role === 'owner';
    if (isOwnerLess && !(await hasAnotherOwner(tx, clientId, found.userId))) {
      return refuse('last_owner');
    }
    const agreed = new Set(tokenIds.map((id) => id.toLowerCase()));
    const ended = may(role, 'tokens.own')
      ? {}
      : await endCredentials(tx, { clientId, userId: found.userId, agreed }, { by: caller, ports });
    await updateMemberRole(tx, { clientId, userId: found.userId, role });
    // The new role may be one that reads the figures each morning.
    await postponeDigest(tx, { clientId, userId: found.userId });
    const change = {
      action: 'member.role_changed',
      resourceType: 'member',
      resourceId: found.userId,
      userId: found.userId,
      before: { role: found.role, ...ended },
      after: { role },
    };
    await recordChange(tx, caller, change, ports);
    const { email, role: from } = found;
    const told = { clientId, clientName: people.clientName, email, from, to: role };
    await notifyOwners(tx, told, { by: caller, ports });
    return { ...found, role, activeTokens: may(role, 'tokens.own') ? found.activeTokens : 0 };
  });
  ports.nudge('deliver-webhooks');
  return { status: 200, body: showMember(member, server.userId) };
});
