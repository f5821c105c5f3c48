import { lookAtInvitation as row } from '@svc/contract/settings/members';
import { isSameEmail } from '../../domain/people/email.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { digestOfLink } from '../../engine/steps/invitations/invite.ts';
import { findOpenInvitation } from '../../storage/invitations/invitations.ts';
import { findEmailOf } from '../../storage/invitations/invited-people.ts';

/** Reads what a mailed link invites to; it changes nothing. Contract §6. Refuses link_not_found. */
export const lookAtInvitation = implement(row)(async ({ body }, caller, ports) => {
  const found = await findOpenInvitation(ports.database, digestOfLink(body.link));
  if (!found) return refuse('link_not_found');
  const own = caller.kind === 'person' ? await findEmailOf(ports.database, caller.userId) : null;
  return {
    status: 200,
    body: {
      merchantName: found.clientName,
      livemode: found.isLive,
      role: found.role,
      email: found.email,
      invitedBy: found.invitedByEmail,
      expiresAt: found.expiresAt.toISOString(),
      isYours: isSameEmail(own, found.email),
    },
  };
});
