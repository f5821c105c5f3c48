import { deleteInvitation as row } from '@svc/contract/settings/members';
import { implement, refuse } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { lockPeople } from '../../engine/steps/members/lock-people.ts';
import { endInvitation, lockInvitation } from '../../storage/invitations/invitations.ts';

/**
 * Revokes an invitation. Contract §6. When it has ended already, the answer is 204 and nothing is
 * written. Refuses, in order: merchant_role_required, invitation_not_found, merchant_role_required
 * where it invites an owner.
 */
export const deleteInvitation = implement(row)(async ({ invitationId }, caller, ports) => {
  const server = requireServer(caller, row);
  const { clientId } = server;
  await ports.database.transaction(clientId, async (tx) => {
    const people = await lockPeople(tx, server);
    const invitation = await lockInvitation(tx, clientId, invitationId);
    if (!invitation) return refuse('invitation_not_found');
    const { id, email, role } = invitation;
    people.assertMay({ from: role, to: null });
    if (!(await endInvitation(tx, invitation, { state: 'revoked' }))) return;
    const change = { action: 'invitation.revoked', resourceType: 'invitation', resourceId: id };
    await recordChange(tx, caller, { ...change, before: { email, role } }, ports);
  });
  return { status: 204 };
});
