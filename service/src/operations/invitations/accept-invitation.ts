// Joining a client by a mailed link. Whoever has the link can read the address's mail: a person
// without any way to sign in gets one, everybody else signs in first.

import { acceptInvitation as row } from '@svc/contract/settings/members';
import { isSameEmail } from '../../domain/people/email.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { digestOfLink } from '../../engine/steps/invitations/invite.ts';
import { notifyOwners } from '../../engine/steps/members/notify-owners.ts';
import { openSignIn } from '../../engine/steps/people/open-sign-in.ts';
import { hashPassword, refuseWeakPassword } from '../../engine/steps/people/password-hash.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';
import {
  endInvitation,
  findOpenInvitation,
  lockInvitation,
  type OpenedInvitation,
} from '../../storage/invitations/invitations.ts';
import {
  ensurePerson,
  findEmailOf,
  giveFirstPassword,
  type JoiningPerson,
  lockPersonByEmail,
  proveAddressOf,
} from '../../storage/invitations/invited-people.ts';
import { insertMembership, lockClientPeople } from '../../storage/members/memberships.ts';

type Newcomer = { readonly name: string | null; readonly passwordHash: string };
type JoinResult = { readonly cookie: string | null };

/**
 * Accepts an invitation, once. Contract §6. A person who is signed in with the invited address
 * joins. Otherwise name and password create the account and open a sign-in. Refuses, in order:
 * link_not_found, sign_in_required, password_too_weak, account_exists, already_a_member.
 */
export const acceptInvitation = implement(row)(async ({ body }, caller, ports) => {
  const tokenSha256 = digestOfLink(body.link);
  const seen = await findOpenInvitation(ports.database, tokenSha256);
  if (!seen) return refuse('link_not_found');
  const signedIn = caller.kind === 'person' ? caller : null;
  const isOwn =
    signedIn && isSameEmail(await findEmailOf(ports.database, signedIn.userId), seen.email);
  const newcomer = isOwn ? null : await readNewcomer(body, seen, ports);
  // The transaction is of no single client, because those cannot see how a person signs in.
  const { cookie } = await ports.database.transaction(
    everyClient,
    async (tx): Promise<JoinResult> => {
      await lockClientPeople(tx, seen.clientId);
      const invitation = await lockOpen(tx, seen, tokenSha256);
      if (newcomer) return joinAsNewcomer(tx, { invitation, newcomer }, { caller, ports });
      if (!signedIn) return refuse('sign_in_required');
      await proveAddressOf(tx, signedIn.userId);
      await join(tx, { invitation, userId: signedIn.userId }, { caller, ports });
      return { cookie: null };
    },
  );
  return {
    status: 200,
    body: { clientId: seen.clientId, merchantName: seen.clientName, role: seen.role },
    ...(cookie === null ? {} : { setCookie: { value: cookie } }),
  };
});

/** The password is hashed before the transaction, because that takes a tenth of a second. */
async function readNewcomer(
  { name, password }: { readonly name?: string; readonly password?: string },
  { email, clientName }: OpenedInvitation,
  ports: Ports,
): Promise<Newcomer> {
  if (password === undefined)
    return refuse('sign_in_required', {
      message: `Sign in with ${email}, or choose a name and a password for a new account.`,
    });
  refuseWeakPassword(password, [email, name ?? null, clientName]);
  return { name: name ?? null, passwordHash: await hashPassword(password, ports) };
}

/** Reads the invitation again under the locks: another request may have used, replaced or revoked it. */
async function lockOpen(
  tx: Tx,
  { clientId, id }: OpenedInvitation,
  tokenSha256: Buffer,
): Promise<OpenedInvitation> {
  await lockInvitation(tx, clientId, id);
  return (await findOpenInvitation(tx, tokenSha256)) ?? refuse('link_not_found');
}

type CallContext = { readonly caller: Caller; readonly ports: Ports };

async function joinAsNewcomer(
  tx: Tx,
  { invitation, newcomer }: { invitation: OpenedInvitation; newcomer: Newcomer },
  { caller, ports }: CallContext,
): Promise<JoinResult> {
  const { email } = invitation;
  const { name, passwordHash } = newcomer;
  await ensurePerson(tx, { newId: ports.newId(), email, name });
  const person = (await lockPersonByEmail(tx, email)) as JoiningPerson;
  if (person.isDisabled) return refuse('link_not_found');
  if (person.canSignIn) return refuse('account_exists');
  const { userId } = person;
  await giveFirstPassword(tx, { userId, passwordHash, name });
  const opening = { userId, method: 'link', caller } as const;
  const { cookieValue, signInId } = await openSignIn(tx, opening, ports);
  const { requestId, origin, address, userAgent } = caller;
  const now: Caller = {
    ...{ kind: 'person', userId, signInId, requestId, origin },
    ...(address === undefined ? {} : { address }),
    ...(userAgent === undefined ? {} : { userAgent }),
  };
  const change = { action: 'account.created', resourceType: 'account', resourceId: userId };
  await recordChange(tx, now, { ...change, userId, after: { email, name } }, ports);
  await join(tx, { invitation, userId }, { caller: now, ports });
  return { cookie: cookieValue };
}

async function join(
  tx: Tx,
  { invitation, userId }: { invitation: OpenedInvitation; userId: string },
  { caller, ports }: CallContext,
): Promise<void> {
  const { clientId, role, id: invitationId } = invitation;
  if (!(await insertMembership(tx, { clientId, userId, role }))) return refuse('already_a_member');
  await endInvitation(tx, invitation, { state: 'accepted', by: userId });
  const change = { action: 'member.added', resourceType: 'member', resourceId: userId };
  const after = { role, invitationId };
  await recordChange(tx, caller, { ...change, userId, clientId, after }, ports);
  const { clientName, email } = invitation;
  const told = { clientId, clientName, email, from: null, to: role };
  await notifyOwners(tx, told, { by: caller, ports });
}
