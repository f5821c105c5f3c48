import type { Invitation as WireInvitation } from '@svc/contract/settings/members';
import type { Invitation } from '../../../storage/invitations/invitations.ts';

/** The invitation as the merchant's people see it, without its link. Contract §6. */
export const showInvitation = (invitation: Invitation): WireInvitation => ({
  object: 'invitation',
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  invitedBy: invitation.invitedBy,
  createdAt: invitation.createdAt.toISOString(),
  expiresAt: invitation.expiresAt.toISOString(),
});
