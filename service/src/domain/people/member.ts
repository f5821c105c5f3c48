// Who may change whom at a merchant. Contract §6. The last owner's place is guarded by a count, and
// by the database itself.

export type MemberRole = 'owner' | 'admin' | 'member';

/** Who may move money and change settings. Spec: Authentication 3. */
export const leaderRoles: readonly MemberRole[] = ['owner', 'admin'];

export const isLeader = (role: string | null | undefined): boolean =>
  leaderRoles.some((leader) => leader === role);

/** Open invitations of one client. */
export const mostOpenInvitations = 50;

/** Invitations that one person sends in an hour, over all clients. */
export const mostInvitationsAnHour = 20;

/** How long a mailed link to join works. */
export const invitationLifeMs = 7 * 24 * 3_600_000;

/**
 * Whether somebody may bring a member from one role to another; null is outside. Owners may all,
 * admins all that neither begins nor ends with an owner, members nothing.
 */
export function mayChangeMember(
  actor: MemberRole,
  change: { readonly from: MemberRole | null; readonly to: MemberRole | null },
): boolean {
  if (actor === 'owner') return true;
  return actor === 'admin' && change.from !== 'owner' && change.to !== 'owner';
}

/**
 * An address as it is kept, found and counted. Folded here alone: PostgreSQL's lower() makes "i" of
 * U+0130, so an address folded by both would have spellings that no count knows.
 */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();
