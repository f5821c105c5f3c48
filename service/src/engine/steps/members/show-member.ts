import type { Member as WireMember } from '@svc/contract/settings/members';
import type { Member } from '../../../storage/members/memberships.ts';

/** The member as the merchant's people see it. Contract §6. */
export const showMember = (member: Member, askedBy: string): WireMember => ({
  object: 'member',
  userId: member.userId,
  email: member.email,
  name: member.name,
  role: member.role,
  isYou: member.userId === askedBy,
  activeTokens: member.activeTokens,
  createdAt: member.createdAt.toISOString(),
});
