import { hash } from 'node:crypto';
import { roleWords } from '@svc/contract/rows/roles';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  endInvitation,
  type Invitation,
  insertInvitation,
  lockOpenInvitation,
} from '../../../storage/invitations/invitations.ts';
import type { Ports, Role } from '../../ports.ts';
import type { Change } from '../audit-log/record-change.ts';

/** The link in the mail. Its secret is in the fragment, which browsers send to no server. */
const invitationUrl = (baseUrl: string, link: string): string =>
  `${baseUrl}/account/invitation#${link}`;

export const digestOfLink = (link: string): Buffer => hash('sha256', link, 'buffer');

type InvitationRequest = {
  readonly clientId: string;
  readonly email: string;
  readonly role: Role;
  /** The person who invites; null for the operator. */
  readonly invitedBy: string | null;
  /**
   * The API token or consent that the invitation is made with; the invitation ends with it. Absent
   * for people and the operator.
   */
  readonly madeWith?: string;
};

type InvitationPorts = {
  readonly ports: Pick<Ports, 'newId' | 'randomBytes' | 'settings'>;
  /** Writes an entry of the audit log with the inviter as its actor. */
  record(change: Change): Promise<void>;
};

/**
 * Creates the one open invitation of an address, under the client's lock; an earlier invitation is
 * replaced. Only the caller gets its link.
 */
export async function invite(
  tx: Tx,
  wish: InvitationRequest,
  { ports, record }: InvitationPorts,
): Promise<{ invitation: Invitation; url: string }> {
  const link = ports.randomBytes(32).toString('base64url');
  const { clientId, email, role } = wish;
  const about = { resourceType: 'invitation', clientId };
  const former = await lockOpenInvitation(tx, clientId, email);
  if (former) {
    await endInvitation(tx, former, { state: 'replaced' });
    const change = { ...about, action: 'invitation.replaced', resourceId: former.id };
    await record({ ...change, before: { email, role: former.role } });
  }
  const tokenSha256 = digestOfLink(link);
  const invitation = await insertInvitation(tx, {
    ...wish,
    madeWith: wish.madeWith ?? null,
    id: ports.newId(),
    tokenSha256,
  });
  const change = { ...about, action: 'invitation.created', resourceId: invitation.id };
  await record({ ...change, after: { email, role } });
  return { invitation, url: invitationUrl(ports.settings.baseUrl, link) };
}

/** What the invited address reads. */
export function composeInvitation(about: {
  readonly clientName: string;
  readonly role: Role;
  readonly inviter: string;
  readonly url: string;
}): MailWords {
  const name = quotedName(about.clientName);
  return {
    subject: `Join ${name} on Svc`,
    text: `${quotedName(about.inviter)} invites you to ${name} on Svc with the role ${roleWords[about.role].name}.

Open this link within seven days. It works once, and a newer invitation replaces it.

${about.url}

If you did not expect this, leave it: nothing happens without you.

Svc`,
  };
}
