import { leaveClient as row } from '@svc/contract/settings/members';
import { implement, refuse } from '../../engine/implement.ts';
import { endMembership, readAgreed } from '../../engine/steps/members/end-membership.ts';
import { lockClientPeople, lockMember } from '../../storage/members/memberships.ts';

/**
 * Ends the acting person's own membership. Contract §6. Refuses, in order: client_not_found (also
 * when the person is no member), last_owner, member_has_tokens.
 */
export const leaveClient = implement(row)(async ({ clientId, tokenIds }, caller, ports) => {
  if (caller.kind !== 'person') return refuse('sign_in_required');
  const { userId } = caller;
  await ports.database.transaction(clientId, async (tx) => {
    const clientName = (await lockClientPeople(tx, clientId)) ?? '';
    const member = await lockMember(tx, clientId, userId);
    if (!member) return refuse('client_not_found');
    const ending = {
      clientId: clientId.toLowerCase(),
      clientName,
      member,
      agreed: readAgreed(tokenIds),
    };
    await endMembership(tx, { ...ending, action: 'member.left' }, { by: caller, ports });
  });
  ports.nudge('deliver-webhooks');
  return { status: 204 };
});
