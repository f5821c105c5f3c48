// Who may change whose role at a merchant. Contract §6. A count, and the database itself, make sure
// that the last owner stays.

import { may, type Role } from '@svc/contract/rows/roles';

/** The most open invitations of one client. */
export const mostOpenInvitations = 50;

/** The most invitations that one person sends in an hour, over all clients. */
export const mostInvitationsAnHour = 20;

/** How long a mailed invitation is valid. */
export const invitationLifeMs = 7 * 24 * 3_600_000;

/**
 * Whether somebody may bring a member from one role to another; null is outside. Who may
 * change owners is apart from who may change everybody else.
 */
export function mayChangeMember(
  actor: Role,
  change: { readonly from: Role | null; readonly to: Role | null },
): boolean {
  const isOfOwner = change.from === 'owner' || change.to === 'owner';
  return may(actor, isOfOwner ? 'owners.write' : 'people.write');
}

/**
 * An address as it is stored, searched and counted. It is lowercased only here: PostgreSQL's
 * lower() makes "i" of U+0130, so an address that both lowercase would have spellings that no count
 * includes.
 */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();
