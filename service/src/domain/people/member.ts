// Who may change whose role at a merchant. Contract §6. That the last owner stays is guarded by a
// count, and by the database itself.

export type MemberRole = 'owner' | 'admin' | 'member';

/** The roles that may move money and change settings. Spec: Authentication 3. */
export const leaderRoles: readonly MemberRole[] = ['owner', 'admin'];

export const isLeader = (role: string | null | undefined): boolean =>
  leaderRoles.some((leader) => leader === role);

/** The most open invitations of one client. */
export const mostOpenInvitations = 50;

/** The most invitations that one person sends in an hour, over all clients. */
export const mostInvitationsAnHour = 20;

/** How long a mailed invitation is valid. */
export const invitationLifeMs = 7 * 24 * 3_600_000;

/**
 * Whether the actor may change a member's role; null means no member. An owner may make every
 * change, an admin those that neither begin nor end with an owner, a member none.
 */
export function mayChangeMember(
  actor: MemberRole,
  change: { readonly from: MemberRole | null; readonly to: MemberRole | null },
): boolean {
  if (actor === 'owner') return true;
  return actor === 'admin' && change.from !== 'owner' && change.to !== 'owner';
}

/**
 * An address as it is stored, searched and counted. It is lowercased only here: PostgreSQL's
 * lower() makes "i" of U+0130, so an address that both lowercase would have spellings that no count
 * includes.
 */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();
