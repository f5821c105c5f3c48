import { createInvitation as row } from '@svc/contract/settings/members';
import {
  mostInvitationsAnHour,
  mostOpenInvitations,
  normalizeEmail,
} from '../../domain/people/member.ts';
import { createsOnce } from '../../engine/create-once.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { type Change, recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { composeInvitation, invite } from '../../engine/steps/invitations/invite.ts';
import { showInvitation } from '../../engine/steps/invitations/show-invitation.ts';
import { queueMail } from '../../engine/steps/mails/queue-mail.ts';
import { lockPeople } from '../../engine/steps/members/lock-people.ts';
import type { Tx } from '../../storage/database/database.ts';
import {
  countOpenInvitations,
  lockOpenInvitation,
  waitForInvitation,
} from '../../storage/invitations/invitations.ts';
import { findEmailOf } from '../../storage/invitations/invited-people.ts';
import { isMemberByEmail } from '../../storage/members/memberships.ts';

/**
 * Invites an address. The link is only mailed to the address, and nobody learns whether the address
 * has an account. An invitation made by a program ends with its credential. Contract §6. Refuses,
 * in order: merchant_role_required, also for a program that invites an owner and where an open
 * invitation of an owner would end; already_a_member, rate_limited.
 */
export const createInvitation = implement(row)(
  createsOnce(async ({ body }, caller, ports) => {
    const server = requireServer(caller, row);
    const { clientId, userId } = server;
    const { role } = body;
    const email = normalizeEmail(body.email);
    const invitation = await ports.database.transaction(clientId, async (tx) => {
      const people = await lockPeople(tx, server);
      people.assertMay({ from: null, to: role });
      const former = await lockOpenInvitation(tx, clientId, email);
      // A new invitation ends the former one, which needs the same right as revoking it.
      if (former?.status === 'open') people.assertMay({ from: former.role, to: null });
      if (await isMemberByEmail(tx, clientId, email)) return refuse('already_a_member');
      await refuseTooMany(tx, server, ports);
      const record = (change: Change) => recordChange(tx, caller, change, ports);
      const program = server.via === 'person' ? {} : { madeWith: server.tokenId };
      const wish = { clientId, email, role, invitedBy: userId, ...program };
      const made = await invite(tx, wish, { ports, record });
      if ((await countOpenInvitations(tx, clientId)) > mostOpenInvitations) return refuseFull();
      const inviter = (await findEmailOf(tx, userId)) ?? '';
      const words = composeInvitation({ ...people, role, inviter, url: made.url });
      await queueMail(tx, { ...words, to: email, kind: 'invitation', clientId }, ports);
      return made.invitation;
    });
    return { status: 201, body: showInvitation(invitation) };
  }),
);

async function refuseTooMany(tx: Tx, { userId }: ServerCaller, ports: Ports): Promise<void> {
  const by = { userId, most: mostInvitationsAnHour };
  const retryAfter = await waitForInvitation(tx, ports.database, by);
  if (retryAfter <= 0) return;
  refuse('rate_limited', {
    retryAfter,
    message: `You sent ${mostInvitationsAnHour} invitations within an hour. Wait, then try again.`,
  });
}

const refuseFull = (): never =>
  refuse('rate_limited', {
    retryAfter: 3600,
    retryable: false,
    message: `${mostOpenInvitations} invitations are open. Take one back, or wait for an answer.`,
  });
