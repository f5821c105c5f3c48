import { deleteInvitation as row } from '@svc/contract/members';
import { endInvitation, lockInvitation } from '../../storage/invitations.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { implement, refuse } from '../implement.ts';
import { lockPeople } from '../members/lock-people.ts';
import { requireServer } from '../require-server.ts';

/**
 * Takes an invitation back. Contract §6. Again, or once it ended otherwise: 204, and nothing is
 * written. Refuses, in order: merchant_role_required, invitation_not_found, merchant_role_required
 * where it invites an owner.
 */
export const deleteInvitation = implement(row)(async ({ invitationId }, caller, ports) => {
  const server = requireServer(caller, 'admin');
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
