// What the roles mean, in words. Contract §6.

import type { Member } from '@svc/contract/members';

type Role = Member['role'];

const articles: Readonly<Record<Role, string>> = {
  owner: 'an owner',
  admin: 'an admin',
  member: 'a member',
};

/** The role's name with its article. */
export const roleWords = (role: Role): string => articles[role];

const meanings: Readonly<Record<Role, string>> = {
  owner: 'Owners may do everything, also make and remove owners.',
  admin: 'Admins may do everything but what concerns owners.',
  member: 'Members may look at things and prepare them, and move no money.',
};

export const roleMeaning = (role: Role): string => meanings[role];
