// What the roles mean, in words, and who may read which part of a merchant. Contract §6.

import { type Role, roleWords as table } from '@svc/contract/rows/roles';

/** To be used after the words "the role": everybody at a merchant is a member, so "a member" alone is unclear. */
export const roleName = (role: Role): string => table[role].name;

export const roleMeaning = (role: Role): string => table[role].meaning;
