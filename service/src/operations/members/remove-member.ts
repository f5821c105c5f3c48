import { removeMember as row } from '@svc/contract/settings/members';
import { implement, refuse } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { queueMail } from '../../engine/steps/mails/queue-mail.ts';
import { composeRemoval } from '../../engine/steps/members/compose-removal.ts';
import { endMembership, readAgreed } from '../../engine/steps/members/end-membership.ts';
import { lockPeople } from '../../engine/steps/members/lock-people.ts';
import { lockMember } from '../../storage/members/memberships.ts';

/**
 * Removes a member, with the member's API tokens and consents at this client, before it answers.
 * Contract §6. Refuses, in order: merchant_role_required, member_not_found, merchant_role_required
 * again for an owner, last_owner, member_has_tokens.
 */
export const removeMember = implement(row)(async ({ userId, tokenIds }, caller, ports) => {
  const server = requireServer(caller, row);
  const { clientId } = server;
  await ports.database.transaction(clientId, async (tx) => {
    const people = await lockPeople(tx, server);
    const member = await lockMember(tx, clientId, userId);
    if (!member) return refuse('member_not_found');
    people.assertMay({ from: member.role, to: null });
    const { clientName } = people;
    const ending = { clientId, clientName, member, agreed: readAgreed(tokenIds) };
    const made = { by: caller, ports };
    await endMembership(tx, { ...ending, action: 'member.removed' }, made);
    const mail = { ...composeRemoval(clientName), to: member.email, clientId };
    await queueMail(tx, { ...mail, kind: 'member_removed' }, ports);
  });
  ports.nudge('deliver-webhooks');
  return { status: 204 };
});
